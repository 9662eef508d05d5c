#include "verify/alias/view_kinds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "ops/index.h"
#include "verify/alias/view_windows.h"

namespace notape::verify::alias {
namespace {

/// A dimension and a place in it; for a number, which has none, 0 and a size of 1.
struct Place {
  int dim, size, start;
};
// Every kind draws one, so that what follows has its own place in the stream.
Place draw_place(Draws& draws, const Window& w) {
  const int dim = w.rank > 0 ? draws.below(w.rank) : 0;
  const int size = w.rank > 0 ? w.size[at(dim)] : 1;
  return {dim, size, draws.below(size)};
}

template <std::size_t N>
std::vector<int64_t> list(const std::array<int8_t, N>& n, int count) {
  return {n.begin(), n.begin() + count};
}
template <std::size_t N>
std::string words(const std::array<int8_t, N>& n, int count) {
  return fmt::format("{{{}}}", fmt::join(list(n, count), ", "));
}

// A view is a struct of its numbers, from first to last, with everything that it is asked.

struct Slice {
  int8_t dim, start, end, step;
  static Slice propose(Draws& draws, const Window&, const Place& at) {
    const int end = at.start + 1 + draws.below(at.size - at.start);
    return {small(at.dim), small(at.start), small(end), small(1 + draws.below(2))};
  }
  bool window(const Window& from, int, Window& result) const {
    return slice_window(from, dim, start, end, step, result);
  }
  Tensor call(const Tensor& x) const { return x.slice(dim, start, end, step); }
  std::string text() const { return fmt::format("slice({}, {}, {}, {})", dim, start, end, step); }
};

struct Narrow {
  int8_t dim, start, length;
  static Narrow propose(Draws& draws, const Window&, const Place& at) {
    return {small(at.dim), small(at.start), small(1 + draws.below(at.size - at.start))};
  }
  bool window(const Window& from, int, Window& result) const {
    return part(from, dim, start, length, 1, result);
  }
  Tensor call(const Tensor& x) const { return x.narrow(dim, start, length); }
  std::string text() const { return fmt::format("narrow({}, {}, {})", dim, start, length); }
};

struct Select {
  int8_t dim, index;
  static Select propose(Draws&, const Window&, const Place& at) {
    return {small(at.dim), small(at.start)};
  }
  bool window(const Window& from, int, Window& result) const {
    return select_window(from, dim, index, result);
  }
  Tensor call(const Tensor& x) const { return x.select(dim, index); }
  std::string text() const { return fmt::format("select({}, {})", dim, index); }
};

struct Index {
  int8_t unused, index;
  static Index propose(Draws& draws, const Window& w, const Place&) {
    return {0, small(w.rank > 0 ? draws.below(w.size[0]) : 0)};
  }
  bool window(const Window& from, int, Window& result) const {
    return select_window(from, 0, index, result);
  }
  Tensor call(const Tensor& x) const { return x.index({int64_t{index}}); }
  std::string text() const { return fmt::format("index({{{}}})", index); }
};

struct Transpose {
  int8_t first, second;
  static Transpose propose(Draws& draws, const Window& w, const Place& at) {
    return {small(at.dim), small(w.rank > 0 ? draws.below(w.rank) : 0)};
  }
  bool window(const Window& from, int, Window& result) const {
    if (!is_dim(from, first) || !is_dim(from, second)) return false;
    result = from;
    std::swap(result.size[at(first)], result.size[at(second)]);
    std::swap(result.stride[at(first)], result.stride[at(second)]);
    return true;
  }
  Tensor call(const Tensor& x) const { return x.transpose(first, second); }
  std::string text() const { return fmt::format("transpose({}, {})", first, second); }
};

struct Permute {
  std::array<int8_t, 3> order;
  static Permute propose(Draws& draws, const Window&, const Place&) {
    const int first = draws.below(3), step = 1 + draws.below(2);
    return {{small(first), small((first + step) % 3), small((first + 2 * step) % 3)}};
  }
  bool window(const Window& from, int, Window& result) const {
    if (from.rank != 3 || (1 << order[0] | 1 << order[1] | 1 << order[2]) != 7) return false;
    result = from;
    for (std::size_t d = 0; d < 3; ++d) {
      result.size[d] = from.size[at(order[d])];
      result.stride[d] = from.stride[at(order[d])];
    }
    return true;
  }
  Tensor call(const Tensor& x) const { return x.permute(list(order, 3)); }
  std::string text() const { return fmt::format("permute({})", words(order, 3)); }
};

struct Expand {
  int8_t size, rank_before;
  static Expand propose(Draws& draws, const Window& w, const Place&) {
    return {small(1 + draws.below(3)), w.rank};
  }
  bool window(const Window& from, int, Window& result) const {
    if (from.rank >= kMaxDims || rank_before != from.rank) return false;
    if (size < 1 || size * from.numel() > kMaxCells) return false;
    result = from;
    insert_dim(result, 0, size, 0);
    return true;
  }
  Tensor call(const Tensor& x) const {
    std::vector<int64_t> sizes(static_cast<std::size_t>(x.dim()) + 1, -1);
    sizes[0] = size;
    return x.expand(sizes);
  }
  std::string text() const {
    return fmt::format("expand({{{}{}}})", size,
                       rank_before == 2 ? ", -1, -1"
                       : rank_before    ? ", -1"
                                        : "");
  }
};

struct Unsqueeze {
  int8_t dim;
  static Unsqueeze propose(Draws& draws, const Window& w, const Place&) {
    return {small(draws.below(w.rank + 1))};
  }
  bool window(const Window& from, int, Window& result) const {
    return unsqueeze_window(from, dim, result);
  }
  Tensor call(const Tensor& x) const { return x.unsqueeze(dim); }
  std::string text() const { return fmt::format("unsqueeze({})", dim); }
};

struct Squeeze {
  int8_t dim;
  static Squeeze propose(Draws& draws, const Window&, const Place&) {
    return {small(draws.below(2))};
  }
  bool window(const Window& from, int, Window& result) const {
    if (!is_dim(from, dim) || from.size[at(dim)] != 1) return false;
    result = from;
    remove_dim(result, dim);
    return true;
  }
  Tensor call(const Tensor& x) const { return x.squeeze(dim); }
  std::string text() const { return fmt::format("squeeze({})", dim); }
};

struct Diagonal {
  int8_t above;
  static Diagonal propose(Draws& draws, const Window&, const Place&) {
    return {small(draws.below(2))};
  }
  bool window(const Window& from, int, Window& result) const {
    if (from.rank != 2 || above < 0 || above >= from.size[1]) return false;
    result = Window();
    result.rank = 1;
    result.size[0] = std::min<int8_t>(from.size[0], static_cast<int8_t>(from.size[1] - above));
    result.stride[0] = static_cast<int8_t>(from.stride[0] + from.stride[1]);
    result.offset = static_cast<int8_t>(from.offset + above * from.stride[1]);
    return true;
  }
  Tensor call(const Tensor& x) const { return x.diagonal(above); }
  std::string text() const { return fmt::format("diagonal({})", above); }
};

struct Reshape {
  std::array<int8_t, 3> sizes;
  std::array<int8_t, 2> unused;
  int8_t rank;
  static Reshape propose(Draws& draws, const Window& w, const Place&) {
    const int cells = w.numel(), divisor = 2 + draws.below(2);
    if (cells % divisor != 0 || draws.percent(30)) return {{small(cells)}, {}, 1};
    const int rest = cells / divisor;
    if (draws.percent(50)) return {{small(divisor), small(rest)}, {}, 2};
    return {{small(rest), small(divisor)}, {}, 2};
  }
  bool window(const Window& from, int, Window& result) const {
    if (rank < 0 || rank > kMaxDims) return false;
    for (int d = 0; d < rank; ++d)
      if (sizes[at(d)] < 1) return false;
    return reshaped(from, {sizes.data(), at(rank)}, result);
  }
  Tensor call(const Tensor& x) const { return x.reshape(list(sizes, rank)); }
  std::string text() const { return fmt::format("reshape({})", words(sizes, rank)); }
};

struct ViewOfSizes : Reshape {
  static ViewOfSizes propose(Draws& draws, const Window& w, const Place& at) {
    return {Reshape::propose(draws, w, at)};
  }
  Tensor call(const Tensor& x) const { return x.view(list(sizes, rank)); }
  std::string text() const { return fmt::format("view({})", words(sizes, rank)); }
};

struct AsStrided {
  std::array<int8_t, 2> sizes, strides;
  int8_t offset, rank;
  static AsStrided propose(Draws& draws, const Window&, const Place&) {
    const int rank = 1 + draws.below(2);
    AsStrided result{};
    result.sizes[0] = small(1 + draws.below(4));
    result.sizes[1] = small(1 + draws.below(2));
    result.strides[0] = small(draws.below(3));
    result.strides[1] = small(draws.below(4));
    result.offset = small(draws.below(4));
    result.rank = small(rank);
    return result;
  }
  bool window(const Window&, int, Window& result) const {
    if (rank != 1 && rank != 2) return false;
    result = Window();
    result.rank = rank;
    result.offset = offset;
    int last = offset;
    for (std::size_t d = 0; d < at(rank); ++d) {
      result.size[d] = sizes[d];
      result.stride[d] = strides[d];
      if (sizes[d] < 1 || strides[d] < 0) return false;
      last += (sizes[d] - 1) * strides[d];
    }
    return offset >= 0 && last < kMaxCells && result.numel() <= kMaxCells;
  }
  Tensor call(const Tensor& x) const {
    return x.as_strided(list(sizes, rank), list(strides, rank), offset);
  }
  std::string text() const {
    return fmt::format("as_strided({}, {}, {})", words(sizes, rank), words(strides, rank), offset);
  }
};

/// Several results, of which one or two are kept; View draws the second.
struct Pieces {
  int8_t count, dim;
  std::array<int8_t, 2> unused;
  int8_t first, second;
  static Pieces propose(Draws& draws, const Window&, const Place& at) {
    const int8_t count = small(1 + draws.below(3));
    return {count, small(at.dim), {}, small(draws.below(2)), 0};
  }
};

struct Chunk : Pieces {
  bool window(const Window& from, int output, Window& result) const {
    if (!is_dim(from, dim) || count < 1) return false;
    const int size = from.size[at(dim)], each = (size + count - 1) / count, start = output * each;
    return start < size && part(from, dim, start, std::min(each, size - start), 1, result);
  }
  std::vector<Tensor> call_all(const Tensor& x) const { return x.chunk(count, dim); }
  std::string text() const { return fmt::format("chunk({}, {})", count, dim); }
};

struct Split : Pieces {
  bool window(const Window& from, int output, Window& result) const {
    if (!is_dim(from, dim) || count < 1) return false;
    const int size = from.size[at(dim)], start = output * count;
    return start < size && part(from, dim, start, std::min<int>(count, size - start), 1, result);
  }
  std::vector<Tensor> call_all(const Tensor& x) const { return x.split(count, dim); }
  std::string text() const { return fmt::format("split({}, {})", count, dim); }
};

struct Unbind : Pieces {
  bool window(const Window& from, int output, Window& result) const {
    return select_window(from, dim, output, result);
  }
  std::vector<Tensor> call_all(const Tensor& x) const { return x.unbind(dim); }
  std::string text() const { return fmt::format("unbind({})", dim); }
};

template <typename K>
K as(const Numbers& n) {
  static_assert(sizeof(K) <= sizeof(Numbers));
  K kind{};
  std::memcpy(&kind, n.data(), sizeof kind);
  return kind;
}

template <typename K>
constexpr ViewKind row(const char* name) {
  ViewKind result{.name = name};
  result.window = [](const Window& from, const Numbers& n, int output, Window& window) {
    return as<K>(n).window(from, output, window);
  };
  if constexpr (std::is_base_of_v<Pieces, K>)
    result.call_all = [](const Tensor& x, const Numbers& n) { return as<K>(n).call_all(x); };
  else
    result.call = [](const Tensor& x, const Numbers& n) { return as<K>(n).call(x); };
  result.text = [](const Numbers& n) { return as<K>(n).text(); };
  result.propose = [](Draws& draws, const Window& from) {
    const auto kind = K::propose(draws, from, draw_place(draws, from));
    Numbers n{};
    std::memcpy(n.data(), &kind, sizeof kind);
    return n;
  };
  result.reads_strides = std::is_base_of_v<Reshape, K> || std::is_same_v<K, AsStrided>;
  result.may_copy = std::is_same_v<K, Reshape>;
  result.whole_only = std::is_same_v<K, AsStrided>;
  result.joins_dims = std::is_same_v<K, ViewOfSizes>;
  return result;
}

constexpr ViewKind kViewKinds[] = {
    row<Slice>("slice"),          row<Narrow>("narrow"),       row<Select>("select"),
    row<Index>("index"),          row<Transpose>("transpose"), row<Permute>("permute"),
    row<Expand>("expand"),        row<Unsqueeze>("unsqueeze"), row<Squeeze>("squeeze"),
    row<Diagonal>("diagonal"),    row<ViewOfSizes>("view"),    row<Reshape>("reshape"),
    row<AsStrided>("as_strided"), row<Chunk>("chunk"),         row<Split>("split"),
    row<Unbind>("unbind"),
};

}  // namespace

std::span<const ViewKind> view_kinds() { return kViewKinds; }

}  // namespace notape::verify::alias
