; Derivative of the first, value of the second. Enzyme takes it for `fmod`, whose derivative by its
; first argument is 1; by the second it is never asked, for that is inactive.
define {float} @__autodiff_rule_join_{bits}({float} %slope, {float} %value) #0 {
  ret {float} %value
}

; What nothing flows through.
define {float} @__autodiff_rule_held_{bits}({float} %x) #1 {
  ret {float} %x
}
