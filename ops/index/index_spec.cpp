#include "ops/index/index_spec.h"

namespace notape {
namespace {

using indexing::None;
using indexing::Slice;
using indexing::TensorIndex;

/// What stands for one dimension: an integer, a slice, or the tensor argument of that number.
struct Item {
  enum class Kind { Integer, Slice, Tensor } kind;
  int64_t integer = 0, start = 0, stop = 0, step = 1;
  std::size_t argument = 0;
};

std::size_t as_size(int64_t value) { return static_cast<std::size_t>(value); }

std::vector<int64_t> taken_by(const Item& item) {
  std::vector<int64_t> taken;
  for (int64_t i = item.start; i < item.stop; i += item.step) taken.push_back(i);
  return taken;
}

/// NumPy's reading, integers first: the tensors' common shape replaces their dimensions, in place
/// if these are neighbours, else in front.
template <typename T>
PlainPlaces read_plainly(const std::vector<Item>& items, const PlainList<T>& x) {
  std::vector<Item> left;
  for (const Item& item : items)
    if (item.kind != Item::Kind::Integer) left.push_back(item);
  std::vector<int64_t> common;
  std::vector<std::size_t> tensor_dims;
  for (std::size_t d = 0; d < left.size(); ++d) {
    if (left[d].kind != Item::Kind::Tensor) continue;
    tensor_dims.push_back(d);
    common = plain_broadcast({&common, &x[left[d].argument].sizes});
  }
  const bool neighbours =
      tensor_dims.empty() || tensor_dims.back() - tensor_dims.front() + 1 == tensor_dims.size();
  const std::size_t front = tensor_dims.empty() || !neighbours ? 0 : tensor_dims.front();
  PlainPlaces plain;
  for (const Item& item : left)
    if (item.kind == Item::Kind::Slice)
      plain.sizes.push_back(static_cast<int64_t>(taken_by(item).size()));
  plain.sizes.insert(plain.sizes.begin() + static_cast<std::ptrdiff_t>(front), common.begin(),
                     common.end());
  plain.map = [=](const IndexTuple& i) {
    const auto begin = i.begin() + static_cast<std::ptrdiff_t>(front);
    const auto end = begin + static_cast<std::ptrdiff_t>(common.size());
    const auto flat = static_cast<int64_t>(flat_index(common, IndexTuple(begin, end)));
    IndexTuple kept(i.begin(), begin);
    kept.insert(kept.end(), end, i.end());
    IndexTuple from;
    std::size_t next = 0;
    for (const Item& item : items) {
      if (item.kind == Item::Kind::Integer) {
        from.push_back(item.integer);
      } else if (item.kind == Item::Kind::Slice) {
        from.push_back(taken_by(item)[as_size(kept[next++])]);
      } else {
        const PlainTensor<T>& index = x[item.argument];
        from.push_back(
            static_cast<int64_t>(index.values[as_size(plain_position(index, common, flat))]));
      }
    }
    return from;
  };
  return plain;
}

Item draw_slice(Draw& draw, int64_t size) {
  Item item{.kind = Item::Kind::Slice};
  item.start = draw.integer(0, size);
  item.stop = draw.integer(item.start, size);
  item.step = draw.integer(1, 2);
  return item;
}

Item draw_item(Draw& draw, int64_t size, bool tensors, std::vector<Argument>& arguments) {
  const int64_t choice = draw.integer(0, tensors ? 4 : 2);
  if (choice == 0) return {.kind = Item::Kind::Slice, .stop = size};
  if (choice == 1) return draw_slice(draw, size);
  if (choice == 2) return {.kind = Item::Kind::Integer, .integer = draw.integer(0, size - 1)};
  const std::vector<std::vector<int64_t>> shapes = {{3}, {2, 1}, {2, 3}, {1}};
  arguments.push_back(Argument::index(shapes[as_size(draw.integer(0, 3))], size));
  return {.kind = Item::Kind::Tensor, .argument = arguments.size() - 1};
}

TensorIndex as_index(const Item& item, const variable_list& x) {
  if (item.kind == Item::Kind::Integer) return item.integer;
  if (item.kind == Item::Kind::Tensor) return x[item.argument];
  return Slice(item.start, item.stop, item.step);
}

DrawnIndex draw_items(Draw& draw, bool tensors) {
  const auto sizes = draw.shape(1, 4, 1);
  DrawnIndex drawn;
  drawn.arguments = {{.sizes = sizes}};
  std::vector<Item> items;
  for (int64_t size : sizes) items.push_back(draw_item(draw, size, tensors, drawn.arguments));
  for (const Item& item : items) {
    if (item.kind == Item::Kind::Integer) drawn.label += std::to_string(item.integer) + ", ";
    if (item.kind == Item::Kind::Tensor) drawn.label += "tensor, ";
    if (item.kind == Item::Kind::Slice)
      drawn.label += format_message("{}:{}:{}, ", {item.start, item.stop, item.step});
  }
  drawn.indices = [=](const variable_list& x) {
    std::vector<TensorIndex> indices;
    for (const Item& item : items) indices.push_back(as_index(item, x));
    return indices;
  };
  drawn.plain = [=]<typename T>(const PlainList<T>& x) { return read_plainly(items, x); };
  WideList shapes;
  for (const Argument& argument : drawn.arguments) shapes.emplace_back(argument.sizes);
  drawn.value_sizes = draw.broadcast_of(read_plainly(items, shapes).sizes);
  return drawn;
}

/// A mask over the first dimensions, the rest whole.
DrawnIndex draw_mask(Draw& draw) {
  const auto sizes = draw.shape(1, 3);
  const auto masked = draw.integer(1, static_cast<int64_t>(sizes.size()));
  const std::vector<int64_t> mask_sizes(sizes.begin(), sizes.begin() + masked);
  const std::vector<int64_t> rest(sizes.begin() + masked, sizes.end());
  DrawnIndex drawn;
  drawn.label = "mask " + to_string(mask_sizes);
  drawn.arguments = {{.sizes = sizes}, Argument::boolean(mask_sizes)};
  drawn.value_sizes = draw.broadcast_of(rest);
  drawn.indices = [](const variable_list& x) { return std::vector<TensorIndex>{x[1]}; };
  drawn.plain = [=]<typename T>(const PlainList<T>& x) {
    std::vector<IndexTuple> chosen;
    for_each_index(mask_sizes, [&](const IndexTuple& i) {
      if (x[1].values[flat_index(mask_sizes, i)] != 0) chosen.push_back(i);
    });
    PlainPlaces plain;
    plain.sizes = rest;
    plain.sizes.insert(plain.sizes.begin(), static_cast<int64_t>(chosen.size()));
    plain.map = [=](const IndexTuple& i) {
      IndexTuple from = chosen[as_size(i[0])];
      from.insert(from.end(), i.begin() + 1, i.end());
      return from;
    };
    return plain;
  };
  return drawn;
}

}  // namespace

DrawnIndex draw_index_list(Draw& draw) {
  const int64_t kind = draw.integer(0, 3);
  return kind == 0 ? draw_items(draw, false) : kind == 1 ? draw_mask(draw) : draw_items(draw, true);
}

}  // namespace notape
