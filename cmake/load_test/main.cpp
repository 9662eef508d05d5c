// Loads the library while the program is running, as plug-ins and interpreters do. glibc keeps some
// 1.6 KB for thread-local data of libraries that come late, for all of them together.
// Arguments: the libraries, in order.
#include <dlfcn.h>

#include <cstdio>

int main(int count, char** arguments) {
  for (int i = 1; i < count; ++i) {
    if (dlopen(arguments[i], RTLD_NOW | RTLD_LOCAL)) continue;
    std::fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  return count > 1 ? 0 : 2;
}
