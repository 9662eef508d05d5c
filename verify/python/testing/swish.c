/* What cdll() is tested with: a pair that is right, and mistakes of C. */
#include <math.h>
#include <stdint.h>

void swish(int64_t n, const double* x, double* y) {
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] / (1 + exp(-x[i]));
}
void swish_backward(int64_t n, const double* x, const double* gy, double* gx) {
  for (int64_t i = 0; i < n; ++i) {
    const double s = 1 / (1 + exp(-x[i]));
    gx[i] = gy[i] * (s + x[i] * s * (1 - s));
  }
}
void no_factor(int64_t n, const double* x, const double* gy, double* gx) {
  for (int64_t i = 0; i < n; ++i) gx[i] = gy[i] / (1 + exp(-x[i]));
}
void too_far(int64_t n, const double* x, const double* gy, double* gx) {
  swish_backward(n, x, gy, gx);
  gx[n] = 0;
}
void not_all(int64_t n, const double* x, const double* gy, double* gx) {
  if (n > 1) swish_backward(n - 1, x, gy, gx);
}
void crashes(int64_t n, const double* x, const double* gy, double* gx) {
  swish_backward(n, x, gy, gx);
  *(volatile int*)8 = 0;
}
