; In forward mode Enzyme divides by y², which overflows and vanishes: scaled, it does not. By infinity as
; for constants.
define {float} @__autodiff_rule_div_{bits}({float} %x, {float} %y) #2 {
  %size = call {float} @llvm.fabs.f{bits}({float} %y)
  %large = fcmp ogt {float} %size, {large}
  %small = fcmp olt {float} %size, {small}
  %infinite = fcmp oeq {float} %size, 0x7FF0000000000000
  %up = select i1 %small, {float} {raise}, {float} 1.0
  %scale = select i1 %large, {float} {lower}, {float} %up
  %scaled_x = fmul {float} %x, %scale
  %scaled_y = fmul {float} %y, %scale
  %safe_y = select i1 %infinite, {float} 1.0, {float} %scaled_y
  %plain = fdiv {float} %scaled_x, %safe_y
  %slope = select i1 %infinite, {float} 0.0, {float} %plain
  %value = fdiv {float} %x, %y
  %held = call {float} @__autodiff_rule_held_{bits}({float} %value)
  %r = call {float} @__autodiff_rule_join_{bits}({float} %slope, {float} %held) #4
  ret {float} %r
}
