// The derivative of "take x apart": the pieces' gradients joined again. A piece that nobody used
// has none; then the others travel as regions, so that using one costs no pass over x.
#include "ops/shape/pieces.h"

#include <algorithm>

#include "autograd/graph/region.h"
#include "autograd/graph/support.h"
#include "autograd/tensor/factories.h"
#include "ops/shape/view_op.h"

namespace notape {
namespace {

class PiecesBackward final : public VariadicNode {
 public:
  PiecesBackward(const char* name, const Operation& op, const Tensor& whole,
                 const std::vector<Part>& parts, const Joining& joining)
      : VariadicNode(name, op.name, op.at, thread_state.next_sequence_nr++, 1, parts.size()),
        joining_(joining),
        whole_(whole.sizes()) {
    set_edge(0, recorded_edge(whole));
    windows_.reserve(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      windows_.push_back(parts[i].in_row_major());
      set_metadata(i, OutputMeta(parts[i].sizes(), whole.dtype(), whole.device()));
    }
  }

  void apply(Tensor* gradients, Tensor* results, const Wanted& wanted) override {
    if (!wanted(0)) return;
    const std::span pieces(gradients, num_inputs());
    const auto any = [&](auto is) { return std::any_of(pieces.begin(), pieces.end(), is); };
    const bool partial = any([](const Tensor& g) { return !g.defined(); });
    const bool batched =
        any([](const Tensor& g) { return g.defined() && g.device().is_batched(); });
    if (RegionSink* sink = partial && !batched ? open_region_sink() : nullptr) {
      for (std::size_t i = 0; i < pieces.size(); ++i)
        if (pieces[i].defined())
          sink->regions.push_back({whole_, windows_[i], std::move(pieces[i])});
      return;
    }
    results[0] = joined(pieces);
    if (partial || any([](const Tensor& g) { return g.impl().has(TensorImpl::kSupport); }))
      mark_zeros(pieces, results[0]);
  }

 private:
  /// What no piece selected is structurally zero.
  void mark_zeros(std::span<const Tensor> pieces, const Tensor& result) const {
    Tensor sum;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      if (!pieces[i].defined()) continue;
      Ref<Support> support = support_with(sum, {whole_, windows_[i], pieces[i]});
      sum.reset();
      set_support(result, std::move(support));
      sum = result;
    }
  }

  Tensor joined(std::span<const Tensor> pieces) const {
    TensorList all(pieces.begin(), pieces.end());
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].defined()) continue;
      const OutputMeta& meta = input_metadata(i);
      all[i] = zeros(meta.sizes(), TensorOptions(meta.dtype()).device(meta.device()));
    }
    return joining_.join(all, joining_.dim, at());
  }

  Joining joining_;
  Geometry whole_;  // row-major, as are the windows
  std::vector<Geometry> windows_;
};

bool keep_marks(const TensorList& pieces, const Tensor& whole) {
  return std::all_of(pieces.begin(), pieces.end(),
                     [&](const Tensor& piece) { return detail::keeps_marks(piece, whole); });
}

}  // namespace

TensorList view_pieces(const char* node_name, const Operation& op, const Tensor& self,
                       const std::vector<Part>& parts, const Joining& joining) {
  TensorList pieces;
  pieces.reserve(parts.size());
  if (parts.size() > VariadicNode::kMostTensors || self.device().is_batched()) {
    for (const Part& part : parts) pieces.push_back(view_part(node_name, op, self, part));
    return pieces;
  }
  for (const Part& part : parts) pieces.push_back(make_view(self, part.geometry()));
  if (pieces.empty() || !self.is_floating_point() || self.is_volatile() ||
      !((detail::flags_of(self) | thread_state.watched) & detail::kInteresting))
    return pieces;
  if (thread_state.unrecorded_reads && keep_marks(pieces, self)) return pieces;
  if (thread_state.grad_mode && says_requires_grad(self)) {
    const NodeRef node = NodeRef::adopt(new PiecesBackward(node_name, op, self, parts, joining));
    for (std::size_t i = 0; i < pieces.size(); ++i)
      pieces[i].impl().set_history(node, static_cast<uint32_t>(i));
  }
  if (thread_state.forward_call) [[unlikely]]
    for (const Tensor& piece : pieces) detail::note_lost_gradient(piece, {&self});
  return pieces;
}

}  // namespace notape
