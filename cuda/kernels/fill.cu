#include "cuda/kernels/fill.h"

#include <cstring>

#include "ops/reduce/team_cuda.h"

namespace notape::cuda {
namespace {

template <typename Bits>
struct Fill {
  Bits* target;
  Bits value;
  __device__ void operator()(int64_t i, const LoneThread&) const { target[i] = value; }
};

template <typename Bits>
void fill(void* target, int64_t count, const void* value, void* stream) {
  Fill<Bits> work{static_cast<Bits*>(target), 0};
  std::memcpy(&work.value, value, sizeof(Bits));
  detail::launch_by_threads(work, count, stream);
}

}  // namespace

void launch_fill(void* target, int64_t count, const void* value, std::size_t bytes, void* stream) {
  (bytes == 2   ? fill<uint16_t>
   : bytes == 4 ? fill<uint32_t>
                : fill<uint64_t>)(target, count, value, stream);
}

}  // namespace notape::cuda
