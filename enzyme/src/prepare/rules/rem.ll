; x - n y, where n is how often y goes into x: from the remainder, for x / y may round up.
define {float} @__autodiff_rule_rem_{bits}({float} %x, {float} %y) #2 {
  %n = call {float} @__autodiff_rule_times_{bits}({float} %x, {float} %y)
  %taken = fmul {float} %y, %n
  %slope = fsub {float} %x, %taken
  %value = frem {float} %x, %y
  %held = call {float} @__autodiff_rule_held_{bits}({float} %value)
  %r = call {float} @__autodiff_rule_join_{bits}({float} %slope, {float} %held) #4
  ret {float} %r
}

define {float} @__autodiff_rule_times_{bits}({float} %x, {float} %y) #1 {
  %rest = frem {float} %x, %y
  %taken = fsub {float} %x, %rest
  %quotient = fdiv {float} %taken, %y
  %n = call {float} @llvm.round.f{bits}({float} %quotient)
  ret {float} %n
}
