#include <stddef.h>

/* Solves a system of linear equations whose matrix has `diagonal` on its diagonal and `beside` on both sides of it.
   `x` holds the right-hand side, and then the solution; `scratch` has room for `n` numbers. */
void solve_tridiagonal(size_t n, const double *diagonal, double beside, double *x, double *scratch) {
  double pivot = diagonal[0];
  x[0] /= pivot;
  for (size_t i = 1; i < n; i++) {
    scratch[i] = beside / pivot;
    pivot = diagonal[i] - beside * scratch[i];
    x[i] = (x[i] - beside * x[i - 1]) / pivot;
  }
  for (size_t i = n - 1; i-- > 0;) {
    x[i] -= scratch[i + 1] * x[i + 1];
  }
}
