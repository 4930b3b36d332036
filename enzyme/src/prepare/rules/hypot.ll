; Where x / hypot would be 0 / 0 or infinity / infinity: at zero as for constants, at infinity as for |x|.
define {float} @__autodiff_rule_hypot_{bits}({float} %x, {float} %y) #2 {
  %a = call {float} @llvm.fabs.f{bits}({float} %x)
  %b = call {float} @llvm.fabs.f{bits}({float} %y)
  %zero_x = fcmp oeq {float} %x, 0.0
  %zero_y = fcmp oeq {float} %y, 0.0
  %zero = and i1 %zero_x, %zero_y
  %infinite_x = fcmp oeq {float} %a, 0x7FF0000000000000
  %infinite_y = fcmp oeq {float} %b, 0x7FF0000000000000
  %infinite = or i1 %infinite_x, %infinite_y
  %odd = or i1 %zero, %infinite
  %safe_x = select i1 %odd, {float} 1.0, {float} %x
  %safe_y = select i1 %odd, {float} 1.0, {float} %y
  %plain = call {float} @hypot{f}({float} %safe_x, {float} %safe_y) #0
  %far_y = select i1 %infinite_y, {float} %b, {float} 0.0
  %far = select i1 %infinite_x, {float} %a, {float} %far_y
  %slope = select i1 %odd, {float} %far, {float} %plain
  %value = call {float} @hypot{f}({float} %x, {float} %y) #3
  %r = call {float} @__autodiff_rule_join_{bits}({float} %slope, {float} %value) #4
  ret {float} %r
}
