; The order of `total_cmp` without bits: as floats are compared, but minus zero below zero, and NaNs at the ends.
define i8 @__autodiff_order_{bits}({float} %a, {float} %b) alwaysinline nounwind willreturn memory(none) {
  %sign_a = call {float} @llvm.copysign.f{bits}({float} 1.0, {float} %a)
  %sign_b = call {float} @llvm.copysign.f{bits}({float} 1.0, {float} %b)
  %far_a = fmul {float} %sign_a, 3.0
  %far_b = fmul {float} %sign_b, 3.0
  %nan_a = fcmp uno {float} %a, 0.0
  %nan_b = fcmp uno {float} %b, 0.0
  %nan = or i1 %nan_a, %nan_b
  %near_a = select i1 %nan, {float} 0.0, {float} %sign_a
  %near_b = select i1 %nan, {float} 0.0, {float} %sign_b
  %rank_a = select i1 %nan_a, {float} %far_a, {float} %near_a
  %rank_b = select i1 %nan_b, {float} %far_b, {float} %near_b
  %rank_less = fcmp olt {float} %rank_a, %rank_b
  %rank_more = fcmp ogt {float} %rank_a, %rank_b
  %unlike = fcmp one {float} %a, %b
  %number_less = fcmp olt {float} %a, %b
  %number_more = fcmp ogt {float} %a, %b
  %less = select i1 %unlike, i1 %number_less, i1 %rank_less
  %more = select i1 %unlike, i1 %number_more, i1 %rank_more
  %not_less = zext i1 %more to i8
  %order = select i1 %less, i8 -1, i8 %not_less
  ret i8 %order
}

declare {float} @llvm.copysign.f{bits}({float}, {float})
