// The derivative of "take x apart": the pieces' gradients joined again. A piece that nobody used
// has none; then the others travel as regions, so that using one costs no pass over x.
#include "ops/shape/pieces.h"

#include <algorithm>

#include "autograd/graph/record_list.h"
#include "autograd/graph/region.h"
#include "autograd/tensor/core_operators.h"
#include "autograd/tensor/factories.h"
#include "ops/shape/view_op.h"

namespace notape {
namespace {

/// What the derivative knows of the pieces.
struct Cut {
  Joining joining;
  Geometry whole;  // row-major, as are the windows
  std::vector<Geometry> windows;
  TensorOptions options;
};
using SharedCut = std::shared_ptr<const Cut>;

/// Puts zeros where no gradient came in.
Tensor join_pieces(TensorList gradients, const Cut& cut) {
  for (std::size_t i = 0; i < gradients.size(); ++i)
    if (!gradients[i].defined()) gradients[i] = zeros(cut.windows[i].sizes(), cut.options);
  return cut.joining.join(gradients, cut.joining.dim, At::current());
}

/// What no piece selected is structurally zero.
void mark_zeros(const TensorList& gradients, const Cut& cut, const Tensor& result) {
  Tensor sum;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i].defined()) continue;
    Ref<Support> support = support_with(sum, {cut.whole, cut.windows[i], gradients[i]});
    sum.reset();
    set_support(result, std::move(support));
    sum = result;
  }
}

/// The gradient of the whole; undefined if it goes to the run's regions.
Tensor joined(const TensorList& gradients, const Cut& cut) {
  const auto any = [&](auto is) { return std::any_of(gradients.begin(), gradients.end(), is); };
  const bool partial = any([](const Tensor& g) { return !g.defined(); });
  const bool batched = any([](const Tensor& g) { return g.defined() && g.device().is_batched(); });
  if (RegionSink* sink = partial && !batched ? open_region_sink() : nullptr) {
    for (std::size_t i = 0; i < gradients.size(); ++i)
      if (gradients[i].defined())
        sink->regions.push_back({cut.whole, cut.windows[i], gradients[i]});
    return {};
  }
  const auto is_defined = [](const Tensor& g) { return g.defined(); };
  const auto only = std::find_if(gradients.begin(), gradients.end(), is_defined);
  const bool is_alone = std::find_if(only + 1, gradients.end(), is_defined) == gradients.end();
  Tensor result =
      partial && is_alone && !batched
          ? core_operators->scatter_window(
                *only, cut.whole, cut.windows[static_cast<std::size_t>(only - gradients.begin())])
          : join_pieces(gradients, cut);
  if (partial || any([](const Tensor& g) { return g.impl().has(TensorImpl::kSupport); }))
    mark_zeros(gradients, cut, result);
  return result;
}

constexpr auto kRule =
    rule([](const TensorList& gradients, const SharedCut& cut) { return joined(gradients, *cut); },
         [](const TensorList&) { return Tensor(); });  // a view shows the whole's tangents

SharedCut describe(const Tensor& self, const std::vector<Part>& parts, const Joining& joining) {
  Cut cut{joining, Geometry(self.sizes()), {}, self.options()};
  for (const Part& part : parts) cut.windows.push_back(part.in_row_major());
  return std::make_shared<const Cut>(std::move(cut));
}

}  // namespace

std::vector<Part> parts_of(const Operation& op, const Tensor& self, int64_t count) {
  if (count > 1 << 24) op.fail<OutOfMemory>("{} pieces are too many", count);
  return {static_cast<std::size_t>(count), Part(self)};
}

TensorList view_pieces(const char* node_name, const Operation& op, const Tensor& self,
                       const std::vector<Part>& parts, const Joining& joining) {
  TensorList pieces;
  pieces.reserve(parts.size());
  if (parts.size() > VariadicNode::kMostTensors || self.device().is_batched()) {
    for (const Part& part : parts) pieces.push_back(view_part(node_name, op, self, part));
    return pieces;
  }
  for (const Part& part : parts) pieces.push_back(make_view(self, part.geometry()));
  if ((detail::flags_of(self) | thread_state.watched) & detail::kInteresting)
    record_list(derivative(node_name, kRule), op, pieces, describe(self, parts, joining), {self});
  return pieces;
}

}  // namespace notape
