#include "verify/checks/laid_out.h"

#include "autograd/autograd.h"

namespace notape::verify {
namespace {

using autograd::AutogradContext;

Layout layout_in(AutogradContext* ctx) {
  return {.kind = static_cast<Layout::Kind>(ctx->saved_data["kind"].toInt()),
          .pick = static_cast<uint32_t>(ctx->saved_data["pick"].toInt())};
}

/// The values of a tensor in fresh memory. Linear, and so its own derivative.
struct Lay : autograd::Function<Lay> {
  static Tensor forward(AutogradContext*, const Tensor& x, const Layout& layout) {
    return make_tensor(numbers_of(x), x.sizes().vec(), x.dtype(), x.device(), layout);
  }
  static variable_list backward(AutogradContext*, variable_list grads) {
    return {grads[0], Tensor()};
  }
};

struct Relay : autograd::Function<Relay> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const Layout& layout) {
    ctx->saved_data["kind"] = static_cast<int64_t>(layout.kind);
    ctx->saved_data["pick"] = static_cast<int64_t>(layout.pick);
    return x.clone();
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    return {Lay::apply(grads[0], layout_in(ctx)), Tensor()};
  }
};

}  // namespace

Tensor with_incoming_layout(const Tensor& result, const Layout& layout) {
  return Relay::apply(result, layout);
}

std::vector<Layout> every_layout(std::size_t rank) {
  using enum Layout::Kind;
  std::vector<Layout> all = {{Offset, 1}, {Step, 0}};
  if (rank == 0) return all;
  all.push_back({Slice, 2});
  for (std::size_t d = 0; d < rank; ++d) all.push_back({Expanded, static_cast<uint32_t>(d)});
  // 1 turns the order around; 0 moves the first dimension to the end, 10 the second.
  if (rank >= 2) all.insert(all.end(), {{Permuted, 1}, {SlicedPermuted, 0}});
  if (rank >= 3) all.push_back({Permuted, 0});
  if (rank >= 4) all.push_back({Permuted, 10});
  return all;
}

std::string_view name_of(Layout::Kind kind) {
  constexpr std::string_view kNames[] = {
      "contiguous",        "offset", "permuted", "sliced", "stepped", "sliced and permuted",
      "expanded: stride 0"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace notape::verify
