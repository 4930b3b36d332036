; As for asin.
define {float} @__autodiff_rule_acos_{bits}(i32 %n, {float} %x) #0 {
  switch i32 %n, label %value [ i32 -1, label %slope
                                i32 1, label %none ]
value:
  %v = call {float} @acos{f}({float} %x) #0
  ret {float} %v
slope:
  %below = fsub {float} 1.0, %x
  %above = fadd {float} 1.0, %x
  %square = fmul {float} %below, %above
  %root = call {float} @llvm.sqrt.f{bits}({float} %square)
  %s = fdiv {float} -2.0, %root
  ret {float} %s
none:
  ret {float} 0.0
}
