; The slope of its parts is finite at 1; its own is not. No product: that overflows.
define {float} @__autodiff_rule_acosh_{bits}(i32 %n, {float} %x) #0 {
  switch i32 %n, label %value [ i32 -1, label %slope
                                i32 1, label %none ]
value:
  %below = fadd {float} %x, -1.0
  %first = call {float} @llvm.sqrt.f{bits}({float} %below)
  %above = fadd {float} %x, 1.0
  %second = call {float} @llvm.sqrt.f{bits}({float} %above)
  %product = fmul {float} %first, %second
  %sum = fadd {float} %x, %product
  %v = call {float} @llvm.log.f{bits}({float} %sum)
  ret {float} %v
slope:
  %left = fadd {float} %x, -1.0
  %right = fadd {float} %x, 1.0
  %root = call {float} @llvm.sqrt.f{bits}({float} %left)
  %other = call {float} @llvm.sqrt.f{bits}({float} %right)
  %roots = fmul {float} %root, %other
  %s = fdiv {float} 2.0, %roots
  ret {float} %s
none:
  ret {float} 0.0
}
