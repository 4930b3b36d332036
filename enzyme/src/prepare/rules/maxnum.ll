; Of the argument that is the result: a NaN never is, unless both are.
define {float} @__autodiff_rule_maxnum_{bits}({float} %x, {float} %y) #2 {
  %less = fcmp olt {float} %x, %y
  %missing = fcmp uno {float} %x, 0.0
  %take = or i1 %less, %missing
  %slope = select i1 %take, {float} %y, {float} %x
  %value = call {float} @llvm.maxnum.f{bits}({float} %x, {float} %y) #3
  %r = call {float} @__autodiff_rule_join_{bits}({float} %slope, {float} %value) #4
  ret {float} %r
}
