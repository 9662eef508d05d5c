#include "verify/generators.h"

#include <rapidcheck.h>

#include "verify/generate/choices.h"
#include "verify/generate/values.h"

namespace notape::verify {
namespace {

Tensor draw_tensor(ChoiceDraw& draw, const TensorRange& range, std::vector<int64_t> sizes) {
  const Argument argument{.sizes = std::move(sizes), .domain = range.domain};
  const Layout layout = draw_layout(draw);
  Numbers values = draw_values(draw, argument, range.dtype);
  repeat_along(values, argument.sizes, expanded_dim(layout, argument.sizes));
  return make_tensor(values, argument.sizes, range.dtype, {}, layout)
      .requires_grad_(range.requires_grad);
}

/// `make` run on random choices; what it makes shrinks by shrinking those.
template <typename Make>
auto generator_of(Make make) {
  using Result = decltype(make(std::declval<ChoiceDraw&>()));
  return rc::Gen<Result>([=](const rc::Random& random, int) {
    ChoiceDraw draw(random);
    make(draw);
    return rc::shrinkable::map(shrinkable(draw.made()), [=](const Choices& choices) {
      ChoiceDraw replayed(choices);
      return make(replayed);
    });
  });
}

std::vector<int64_t> draw_shape(ChoiceDraw& draw, const TensorRange& range) {
  return draw.shape(range.min_rank, range.max_rank, range.min_size, range.max_size);
}

}  // namespace

rc::Gen<Tensor> tensor(const TensorRange& range) {
  return generator_of(
      [=](ChoiceDraw& draw) { return draw_tensor(draw, range, draw_shape(draw, range)); });
}

rc::Gen<variable_list> tensors(int count, const TensorRange& range) {
  return generator_of([=](ChoiceDraw& draw) {
    const auto sizes = draw_shape(draw, range);
    variable_list result;
    for (int i = 0; i < count; ++i) result.push_back(draw_tensor(draw, range, sizes));
    return result;
  });
}

rc::Gen<std::pair<Tensor, Tensor>> broadcasting_tensors(const TensorRange& range) {
  return generator_of([=](ChoiceDraw& draw) {
    const auto sizes = draw_shape(draw, range);
    Tensor first = draw_tensor(draw, range, draw.broadcast_of(sizes));
    return std::pair(std::move(first), draw_tensor(draw, range, draw.broadcast_of(sizes)));
  });
}

}  // namespace notape::verify
