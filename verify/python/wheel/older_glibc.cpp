// What this needs of a C library newer than 2.34, so that a wheel runs on that: hypot has a second
// version since 2.35, and the generator of std::random_device is in it since 2.36.
#include <sys/random.h>

extern "C" {
double older_hypot(double x, double y);
asm(".symver older_hypot, hypot@GLIBC_2.2.5");

double __wrap_hypot(double x, double y);                               // NOLINT: the linker's name
double __wrap_hypot(double x, double y) { return older_hypot(x, y); }  // NOLINT

unsigned arc4random();
unsigned arc4random() {
  unsigned number = 0;
  while (::getrandom(&number, sizeof number, 0) != sizeof number) {
  }
  return number;
}
}
