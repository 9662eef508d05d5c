#include "ops/core/instruction_set.h"

#include <cstdlib>
#include <string_view>

#include "autograd/error.h"
#include "autograd/printable.h"

namespace notape {

bool detail::choose_avx512() {
  const char* const named = std::getenv("NOTAPE_ISA");
  const std::string_view limit = named ? named : "avx512";
  if (limit != "avx2" && limit != "avx512")
    throw ValueError("NOTAPE_ISA: '{}' is neither avx2 nor avx512", printable(shortened(limit)));
#ifdef __x86_64__
  return limit == "avx512" && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

}  // namespace notape
