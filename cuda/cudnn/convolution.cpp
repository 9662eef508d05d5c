// The three products of a convolution by cuDNN.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string_view>

#include "autograd/modes/allow_tf32.h"
#include "autograd/modes/deterministic.h"
#include "cuda/composed/windows.h"
#include "cuda/cudnn/convolution_library.h"
#include "cuda/cudnn/handle.h"
#include "cuda/cudnn/plan.h"
#include "cuda/cudnn/recurrent.h"
#include "cuda/cudnn/right_engines.h"

namespace notape::cuda {
namespace {

/// cuDNN counts in 32 bits, computes nothing of nothing, and finds the response's size itself.
bool is_within_cudnn(const Operands& all, const Conv2dProblem& p) {
  for (const Tensor* one : {&all.image, &all.filter, &all.response})
    if (one->numel() == 0 || one->numel() > std::numeric_limits<int32_t>::max()) return false;
  for (std::size_t d = 0; d < 2; ++d) {
    const int64_t room = p.image[2 + d] + 2 * p.padding[d];
    const int64_t reach = p.dilation[d] * (p.filter[2 + d] - 1) + 1;
    if ((room - reach) / p.stride[d] + 1 != p.response[2 + d]) return false;
    if (room > std::numeric_limits<int32_t>::max()) return false;
  }
  return true;
}

template <std::size_t kCount, typename Numbers>
std::array<int, kCount> narrowed(const Numbers& numbers) {
  std::array<int, kCount> result;
  for (std::size_t i = 0; i < kCount; ++i) result[i] = static_cast<int>(numbers[i]);
  return result;
}

/// The strides of a tensor without gaps, row-major or with the channels last; along dimensions of
/// one element, where a tensor's may be anything, those of the order.
std::optional<PlanKey::Sizes> packed_strides(const Tensor& tensor) {
  for (const auto& order : {std::array{3, 2, 1, 0}, std::array{1, 3, 2, 0}}) {
    PlanKey::Sizes strides{};
    int64_t expected = 1;
    bool fits = true;
    for (const int d : order) {
      fits = fits && (tensor.stride(d) == expected || tensor.size(d) == 1);
      strides[static_cast<std::size_t>(d)] = static_cast<int>(expected);
      expected *= tensor.size(d);
    }
    if (fits) return strides;
  }
  return {};
}

/// In one of these orders, and where vectors can be loaded.
bool is_readable(const Tensor& tensor) {
  return packed_strides(tensor) && reinterpret_cast<std::uintptr_t>(tensor.impl().data()) % 16 == 0;
}

Tensor copied(const Tensor& tensor) {
  const Tensor result = allocate(tensor.sizes(), tensor.dtype(), tensor.device());
  raw_copy(result, tensor);
  return result;
}

PlanKey key_of(Source source, Product product, const Operands& all, const Conv2dProblem& p,
               bool adds = false) {
  return {.source = source,
          .adds = adds && source != Source::Calls,
          .product = product,
          .dtype = all.image.dtype(),
          .device = all.image.device().index,
          .is_deterministic = is_deterministic(),
          .allows_tf32 = allow_tf32(),
          .image = narrowed<4>(p.image),
          .image_strides = *packed_strides(all.image),
          .filter = narrowed<4>(p.filter),
          .response = narrowed<4>(p.response),
          .response_strides = *packed_strides(all.response),
          .stride = narrowed<2>(p.stride),
          .padding = narrowed<2>(p.padding),
          .dilation = narrowed<2>(p.dilation),
          .groups = static_cast<int>(p.groups)};
}

void* first_factor(Product product, const Operands& all) {
  return (product == Product::Image ? all.filter : all.image).impl().data();
}
void* second_factor(Product product, const Operands& all) {
  return (product == Product::Response ? all.filter : all.response).impl().data();
}

bool prefers_graph_plans() {
  static const char* const wanted = std::getenv("NOTAPE_CUDNN_GRAPHS");
  return wanted && std::string_view(wanted) == "1";
}

/// The operands as they lie where cuDNN has a way for that, else row-major.
bool compute(const Operation& op, Product product, Operands all, const Conv2dProblem& p,
             const Tensor& bias = {}) {
  if (!is_within_cudnn(all, p)) return false;
  const Handle handle(op, all.image.device());
  if (!all.filter.impl().geometry().is_contiguous() || !is_readable(all.filter))
    all.filter = copied(all.filter);
  for (Tensor* one : {&all.image, &all.response})
    if (!is_readable(*one)) *one = copied(*one);
  const Tensor& result = all.at(product);
  const bool is_dense = bias.defined() && (bias.stride(0) == 1 || bias.size(0) == 1) &&
                        reinterpret_cast<std::uintptr_t>(bias.impl().data()) % 16 == 0;
  const auto run = [&](Source source, const Operands& operands) {
    const auto plan = plan_for(op, handle, key_of(source, product, operands, p, bias.defined()));
    if (!plan) return false;
    void *const a = first_factor(product, operands), *const b = second_factor(product, operands),
                *const out = result.impl().data();
    if (is_dense && plan->run_with_bias(op, handle, a, b, bias.impl().data(), out)) return true;
    if (bias.defined())
      raw_copy(result, seen_as(bias, {p.response[0], p.response[1], p.response[2], p.response[3]},
                               {0, bias.stride(0), 0, 0}));
    return plan->run(op, handle, a, b, bias.defined(), out);
  };
  const auto run_by_calls = [&] {
    if (run(Source::Calls, all)) return true;
    Operands row_major = all;
    for (Tensor* one : {&row_major.image, &row_major.response})
      if (!one->impl().geometry().is_contiguous()) *one = copied(*one);
    const bool is_copied = row_major.image.impl().data() != all.image.impl().data() ||
                           row_major.response.impl().data() != all.response.impl().data();
    return is_copied && run(Source::Calls, row_major);
  };
  if (prefers_graph_plans()) return run(Source::Graph, all) || run_by_calls();
  return run_by_calls() || run(Source::Graph, all);
}

std::vector<Engine> engines(const Operation& op, Product product, const Operands& all,
                            const Conv2dProblem& p) {
  const Handle handle(op, all.image.device());
  std::vector<Engine> result =
      plan_for(op, handle, key_of(Source::Calls, product, all, p))->listed();
  if (const auto of_graph = plan_for(op, handle, key_of(Source::WholeGraph, product, all, p)))
    result.insert(result.end(), of_graph->listed().begin(), of_graph->listed().end());
  return result;
}

bool run_engine(const Operation& op, Product product, const Operands& all, const Conv2dProblem& p,
                std::size_t which) {
  const Handle handle(op, all.image.device());
  auto plan = plan_for(op, handle, key_of(Source::Calls, product, all, p));
  if (const std::size_t calls = plan->listed().size(); which >= calls) {
    plan = plan_for(op, handle, key_of(Source::WholeGraph, product, all, p));
    which -= calls;
  }
  return plan->run_listed(which, op, handle, first_factor(product, all),
                          second_factor(product, all), all.at(product).impl().data());
}

}  // namespace

extern "C" [[gnu::visibility("default")]] void notape_describe_cudnn(ConvolutionLibrary& library) {
  const std::size_t version = cudnnGetVersion();
  library.version = cudnn_version();
  library.graphs = graph_version;
  if (version / 10000 != CUDNN_MAJOR) {
    library.version = "absent (it says that it is version " + std::to_string(version) +
                      ", and this was built for " + std::to_string(CUDNN_MAJOR) + ")";
    return;
  }
  library.forward = [](const Operation& op, const Tensor& result, const Tensor& image,
                       const Tensor& filter, const Tensor& bias, const Conv2dProblem& p) {
    return compute(op, Product::Response, {image, filter, result}, p, bias);
  };
  library.backward_input = [](const Operation& op, const Tensor& result, const Tensor& response,
                              const Tensor& filter, const Conv2dProblem& p) {
    return compute(op, Product::Image, {result, filter, response}, p);
  };
  library.backward_weight = [](const Operation& op, const Tensor& result, const Tensor& response,
                               const Tensor& image, const Conv2dProblem& p) {
    return compute(op, Product::Filter, {image, result, response}, p);
  };
  library.sequence_forward = sequence_forward;
  library.sequence_backward = sequence_backward;
  library.engines = engines;
  library.run_engine = run_engine;
  library.restrict_to = [](const std::string& path) { right_engines = new RightEngines(path); };
}

}  // namespace notape::cuda
