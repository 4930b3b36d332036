; cbrt(x) / 3x is NaN at 0 and at infinity.
define {float} @__autodiff_rule_cbrt_{bits}(i32 %n, {float} %x) #0 {
  switch i32 %n, label %value [ i32 -1, label %slope
                                i32 1, label %none ]
value:
  %v = call {float} @cbrt{f}({float} %x) #0
  ret {float} %v
slope:
  %root = call {float} @cbrt{f}({float} %x) #0
  %quotient = fdiv {float} %root, %x
  %double = fdiv {float} %quotient, 1.5
  %zero = fcmp oeq {float} %x, 0.0
  %size = call {float} @llvm.fabs.f{bits}({float} %x)
  %infinite = fcmp oeq {float} %size, 0x7FF0000000000000
  %far = select i1 %infinite, {float} 0.0, {float} %double
  %s = select i1 %zero, {float} 0x7FF0000000000000, {float} %far
  ret {float} %s
none:
  ret {float} 0.0
}
