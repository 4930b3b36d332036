; Its parts have infinite slopes at 0.
define {float} @__autodiff_rule_asinh_{bits}(i32 %n, {float} %x) #0 {
  switch i32 %n, label %value [ i32 -1, label %slope
                                i32 1, label %none ]
value:
  %size = call {float} @llvm.fabs.f{bits}({float} %x)
  %inverse = fdiv {float} 1.0, %size
  %length = call {float} @hypot{f}({float} 1.0, {float} %inverse) #0
  %sum = fadd {float} %length, %inverse
  %quotient = fdiv {float} %size, %sum
  %inner = fadd {float} %size, %quotient
  %log = call {float} @log1p{f}({float} %inner) #0
  %v = call {float} @llvm.copysign.f{bits}({float} %log, {float} %x)
  ret {float} %v
slope:
  %h = call {float} @hypot{f}({float} 1.0, {float} %x) #0
  %s = fdiv {float} 2.0, %h
  ret {float} %s
none:
  ret {float} 0.0
}
