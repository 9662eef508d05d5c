#include "ops/reduce/reduction_spec.h"

#include <algorithm>

namespace notape {

namespace {

/// The elements that meet in each result of a reduction, in row-major order. An empty `dim` means
/// all.
template <typename T>
struct PlainGroups {
  std::vector<int64_t> sizes;          // of the result
  std::vector<std::vector<T>> groups;  // one per result

  PlainGroups(const PlainTensor<T>& self, std::vector<int64_t> dim, bool keepdim) {
    const int64_t rank = self.dim();
    for (int64_t& d : dim) d += d < 0 ? rank : 0;
    const auto is_reduced = [&](int64_t d) {
      return dim.empty() || std::find(dim.begin(), dim.end(), d) != dim.end();
    };
    PlainTensor<T> kept;
    for (int64_t d = 0; d < rank; ++d) {
      const int64_t size = self.sizes[static_cast<std::size_t>(d)];
      kept.sizes.push_back(is_reduced(d) ? 1 : size);
      if (keepdim || !is_reduced(d)) sizes.push_back(kept.sizes.back());
    }
    groups.resize(PlainTensor<T>(kept.sizes).values.size());
    for (int64_t i = 0; i < self.numel(); ++i)
      groups[static_cast<std::size_t>(plain_position(kept, self.sizes, i))].push_back(
          self.values[static_cast<std::size_t>(i)]);
  }
};

/// Of one result or two, which are joined.
Reference reference_of(const DrawnReduction& how, GroupFunction of_group, GroupFunction too = {}) {
  return [how, of_group = std::move(of_group),
          too = std::move(too)]<typename T>(const PlainList<T>& x) {
    const PlainGroups<T> g(x[0], how.dim, how.keepdim);
    const std::size_t count = g.groups.size();
    PlainTensor<T> result(g.sizes);
    if (too) result = PlainTensor<T>({static_cast<int64_t>(2 * count)});
    for (std::size_t i = 0; i < count; ++i) {
      result.values[i] = of_group(g.groups[i]);
      if (too) result.values[count + i] = too(g.groups[i]);
    }
    return result;
  };
}

}  // namespace

OpCase reduction_case(Draw& draw, const ReductionCase& row) {
  const std::vector<int64_t> sizes =
      draw.shape(row.smallest > 1 ? 1 : 0, 4, row.smallest, std::max<int64_t>(row.smallest, 4));
  const auto rank = static_cast<int64_t>(sizes.size());
  using Over = ReductionCase::Over;
  DrawnReduction how{{}, row.over != Over::All && draw.boolean()};
  if (row.over == Over::OneDim || (row.over != Over::All && draw.boolean()))
    how.dim = {draw.dimension(rank)};
  // Without a list of dimensions there is no keepdim to ask for.
  if (row.over == Over::AllOrOneDim && how.dim.empty()) how.keepdim = false;
  if (row.over == Over::AllOrSeveralDims && !how.dim.empty())
    for (int64_t d = 0; d < rank; ++d)
      if (d != (how.dim[0] + rank) % rank && draw.boolean()) how.dim.push_back(d);
  OpCase one;
  one.label = how.dim.empty() ? "all" : "dim=" + to_string(how.dim);
  if (how.keepdim) one.label += ", keepdim";
  one.arguments = {
      {.sizes = sizes, .domain = near_or_far(draw, {}, row.far), .distinct = row.distinct}};
  one.call = [how, call = row.call](const variable_list& x) { return call(x[0], how); };
  one.reference = reference_of(how, row.of_group, row.of_group_too);
  const auto is_reduced = [&](int64_t d) {
    return how.dim.empty() || std::any_of(how.dim.begin(), how.dim.end(), [&](int64_t listed) {
             return (listed + rank) % rank == d;
           });
  };
  for (int64_t d = 0; row.averages && d < rank; ++d)
    if (is_reduced(d)) one.averaged *= sizes[static_cast<std::size_t>(d)];
  if (row.beside) {
    one.beside = [how, beside = row.beside](const variable_list& x) { return beside(x[0], how); };
    one.beside_reference = reference_of(how, row.of_group_beside);
  }
  return one;
}

OpCase slice_case(Draw& draw, std::function<Tensor(const Tensor&, int64_t dim)> call,
                  SliceFunction of_slice, std::optional<Domain> far,
                  std::function<void(Tensor&, int64_t dim)> call_in_place) {
  const std::vector<int64_t> sizes = draw.shape(0, 4);
  const int64_t dim = draw.dimension(static_cast<int64_t>(sizes.size()));
  OpCase one;
  one.label = format_message("dim={}", {dim});
  one.arguments = {{.sizes = sizes, .domain = near_or_far(draw, {}, far)}};
  one.call = [=](const variable_list& x) { return call(x[0], dim); };
  if (call_in_place) one.call_in_place = [=](variable_list& x) { call_in_place(x[0], dim); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    const PlainSlices s(x[0].sizes, dim);
    PlainTensor<T> result(x[0].sizes);
    for (int64_t o = 0; o < s.outer; ++o)
      for (int64_t n = 0; n < s.inner; ++n) {
        std::vector<T> slice;
        for (int64_t i = 0; i < s.size; ++i) slice.push_back(x[0].values[s.at(o, i, n)]);
        slice = of_slice(slice);
        for (int64_t i = 0; i < s.size; ++i)
          result.values[s.at(o, i, n)] = slice[static_cast<std::size_t>(i)];
      }
    return result;
  };
  return one;
}

}  // namespace notape
