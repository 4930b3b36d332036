; By y the slope is pow(x, y) ln(x). Where that is no number (x negative) or 0 times infinity (x zero;
; x infinite and y not positive), y counts as held. By x it is y pow(x, y - 1), which is 0 times infinity
; for y zero at 0; and at y infinite nothing moves.
define {float} @__autodiff_rule_pow_{bits}({float} %x, {float} %y) #2 {
  %size = call {float} @llvm.fabs.f{bits}({float} %y)
  %infinite = fcmp oeq {float} %size, 0x7FF0000000000000
  %zero_x = fcmp oeq {float} %x, 0.0
  %zero_y = fcmp oeq {float} %y, 0.0
  %zero = and i1 %zero_x, %zero_y
  %odd = or i1 %zero, %infinite
  br i1 %odd, label %join, label %even
even:
  %not_positive = fcmp ole {float} %x, 0.0
  %infinite_x = fcmp oeq {float} %x, 0x7FF0000000000000
  %down = fcmp ole {float} %y, 0.0
  %vanishing = and i1 %infinite_x, %down
  %hold = or i1 %not_positive, %vanishing
  br i1 %hold, label %holding, label %moving
holding:
  %exponent = call {float} @__autodiff_rule_held_{bits}({float} %y)
  %by_x = call {float} @llvm.pow.f{bits}({float} %x, {float} %exponent)
  br label %join
moving:
  %by_both = call {float} @llvm.pow.f{bits}({float} %x, {float} %y)
  br label %join
join:
  %slope = phi {float} [ 0.0, %0 ], [ %by_x, %holding ], [ %by_both, %moving ]
  %value = call {float} @llvm.pow.f{bits}({float} %x, {float} %y) #3
  %r = call {float} @__autodiff_rule_join_{bits}({float} %slope, {float} %value) #4
  ret {float} %r
}
