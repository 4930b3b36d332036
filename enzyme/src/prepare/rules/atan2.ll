; x / (x² + y²): the squares must neither overflow nor vanish, so both are scaled, which does not
; change the angle. At 0 and at infinity as for constants.
define {float} @__autodiff_rule_atan2_{bits}({float} %y, {float} %x) #2 {
  %a = call {float} @llvm.fabs.f{bits}({float} %x)
  %b = call {float} @llvm.fabs.f{bits}({float} %y)
  %x_smaller = fcmp olt {float} %a, %b
  %size = select i1 %x_smaller, {float} %b, {float} %a
  %zero = fcmp oeq {float} %size, 0.0
  %infinite_x = fcmp oeq {float} %a, 0x7FF0000000000000
  %infinite_y = fcmp oeq {float} %b, 0x7FF0000000000000
  %infinite = or i1 %infinite_x, %infinite_y
  %odd = or i1 %zero, %infinite
  %large = fcmp ogt {float} %size, {large}
  %small = fcmp olt {float} %size, {small}
  %up = select i1 %small, {float} {raise}, {float} 1.0
  %scale = select i1 %large, {float} {lower}, {float} %up
  %scaled_x = fmul {float} %x, %scale
  %scaled_y = fmul {float} %y, %scale
  %safe_x = select i1 %odd, {float} 1.0, {float} %scaled_x
  %safe_y = select i1 %odd, {float} 1.0, {float} %scaled_y
  %plain = call {float} @atan2{f}({float} %safe_y, {float} %safe_x) #0
  %slope = select i1 %odd, {float} 0.0, {float} %plain
  %value = call {float} @atan2{f}({float} %y, {float} %x) #3
  %r = call {float} @__autodiff_rule_join_{bits}({float} %slope, {float} %value) #4
  ret {float} %r
}
