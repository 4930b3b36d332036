; The slopes of its parts lose their digits near -1.
define {float} @__autodiff_rule_atanh_{bits}(i32 %n, {float} %x) #0 {
  switch i32 %n, label %value [ i32 -1, label %slope
                                i32 1, label %none ]
value:
  %double = fmul {float} %x, 2.0
  %rest = fsub {float} 1.0, %x
  %quotient = fdiv {float} %double, %rest
  %log = call {float} @log1p{f}({float} %quotient) #0
  %v = fmul {float} %log, 0.5
  ret {float} %v
slope:
  %below = fsub {float} 1.0, %x
  %above = fadd {float} 1.0, %x
  %square = fmul {float} %below, %above
  %s = fdiv {float} 2.0, %square
  ret {float} %s
none:
  ret {float} 0.0
}
