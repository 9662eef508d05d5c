// Compiled with notape and with LibTorch (SIDE_TORCH), for `notape latency --against libtorch`: the
// operations of trace/latency/work.h, as trace/latency/other_library.h has it.
#ifdef SIDE_TORCH
#include <torch/torch.h>
#include <torch/version.h>
namespace library = torch;
#else
#include <notape/notape.h>
namespace library = notape;
#endif

#include <algorithm>
#include <chrono>
#include <iostream>
#include <iterator>
#include <map>
#include <string>

#include "trace/latency/work.h"

namespace {

using library::Tensor;
using notape::trace::WorkClass;
using Operands = notape::trace::WorkOperands<Tensor>;

std::string own_name() {
#if defined(SIDE_TORCH_VERSION)
  return "LibTorch " SIDE_TORCH_VERSION ", C++";
#elif defined(SIDE_TORCH)
  return std::string("LibTorch ") + std::to_string(TORCH_VERSION_MAJOR) + '.' +
         std::to_string(TORCH_VERSION_MINOR) + '.' + std::to_string(TORCH_VERSION_PATCH) + ", C++";
#else
  return "notape, a process of its own";
#endif
}

Operands operands_of(int64_t n) {
  const auto wanted = library::requires_grad();
  return {library::ones({n}), library::ones({n}), library::ones({n}, wanted),
          library::ones({n}, wanted), library::ones({n})};
}

int64_t now_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

}  // namespace

int main() {
  library::set_num_threads(1);
  std::map<int64_t, Operands> operands;
  std::cout << "ready\t" << own_name() << std::endl;
  std::string operation, name;
  for (int64_t size = 0, calls = 0; std::cin >> operation >> name >> size >> calls;) {
    auto found = operands.find(size);
    if (found == operands.end()) found = operands.emplace(size, operands_of(size)).first;
    const auto place = std::find(std::begin(notape::trace::kWorkNames),
                                 std::end(notape::trace::kWorkNames), std::string_view(name));
    const auto work = static_cast<WorkClass>(place - std::begin(notape::trace::kWorkNames));
    std::cout << notape::trace::counted_work(operation, work, found->second, calls, now_ns)
              << std::endl;
  }
}
