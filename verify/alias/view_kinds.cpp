#include "verify/alias/view_kinds.h"

#include <fmt/format.h>

#include "ops/ops.h"

namespace notape::verify::alias {
namespace {

std::size_t at(int d) { return static_cast<std::size_t>(d); }

bool is_dim(const Window& w, int d) { return d >= 0 && d < w.rank; }

/// Elements start, start + step, ... along dimension d.
bool part(const Window& from, int d, int start, int count, int step, Window& result) {
  if (!is_dim(from, d) || start < 0 || count < 1 || step < 1) return false;
  if (start + (count - 1) * step >= from.size[at(d)]) return false;
  result = from;
  result.offset = static_cast<int8_t>(from.offset + start * from.stride[at(d)]);
  result.size[at(d)] = static_cast<int8_t>(count);
  result.stride[at(d)] = static_cast<int8_t>(from.stride[at(d)] * step);
  return true;
}

void remove_dim(Window& w, int d) {
  for (int i = d; i + 1 < w.rank; ++i) {
    w.size[at(i)] = w.size[at(i + 1)];
    w.stride[at(i)] = w.stride[at(i + 1)];
  }
  --w.rank;
  w.size[at(w.rank)] = w.stride[at(w.rank)] = 0;
}

bool select_window(const Window& from, int d, int index, Window& result) {
  if (!part(from, d, index, 1, 1, result)) return false;
  remove_dim(result, d);
  return true;
}

bool slice_window(const Window& from, const Numbers& n, int, Window& result) {
  const int end = n[2], step = n[3];
  if (step < 1 || end <= n[1] || !is_dim(from, n[0]) || end > from.size[at(n[0])]) return false;
  return part(from, n[0], n[1], (end - n[1] + step - 1) / step, step, result);
}

bool transpose_window(const Window& from, const Numbers& n, int, Window& result) {
  if (!is_dim(from, n[0]) || !is_dim(from, n[1])) return false;
  result = from;
  std::swap(result.size[at(n[0])], result.size[at(n[1])]);
  std::swap(result.stride[at(n[0])], result.stride[at(n[1])]);
  return true;
}

bool permute_window(const Window& from, const Numbers& n, int, Window& result) {
  if (from.rank != 3 || (1 << n[0] | 1 << n[1] | 1 << n[2]) != 7) return false;
  result = from;
  for (int d = 0; d < 3; ++d) {
    result.size[at(d)] = from.size[at(n[at(d)])];
    result.stride[at(d)] = from.stride[at(n[at(d)])];
  }
  return true;
}

bool expand_window(const Window& from, const Numbers& n, int, Window& result) {
  if (from.rank >= kMaxDims || n[1] != from.rank) return false;
  if (n[0] < 1 || n[0] * from.numel() > kMaxCells) return false;
  result = from;
  for (int d = from.rank; d > 0; --d) {
    result.size[at(d)] = result.size[at(d - 1)];
    result.stride[at(d)] = result.stride[at(d - 1)];
  }
  ++result.rank;
  result.size[0] = n[0];
  result.stride[0] = 0;
  return true;
}

bool unsqueeze_window(const Window& from, const Numbers& n, int, Window& result) {
  if (from.rank >= kMaxDims || n[0] < 0 || n[0] > from.rank) return false;
  result = from;
  for (int d = from.rank; d > n[0]; --d) {
    result.size[at(d)] = result.size[at(d - 1)];
    result.stride[at(d)] = result.stride[at(d - 1)];
  }
  ++result.rank;
  result.size[at(n[0])] = 1;
  result.stride[at(n[0])] =
      static_cast<int8_t>(n[0] < from.rank ? from.size[at(n[0])] * from.stride[at(n[0])] : 1);
  return true;
}

bool squeeze_window(const Window& from, const Numbers& n, int, Window& result) {
  if (!is_dim(from, n[0]) || from.size[at(n[0])] != 1) return false;
  result = from;
  remove_dim(result, n[0]);
  return true;
}

bool diagonal_window(const Window& from, const Numbers& n, int, Window& result) {
  if (from.rank != 2 || n[0] < 0 || n[0] >= from.size[1]) return false;
  result = Window();
  result.rank = 1;
  result.size[0] = std::min<int8_t>(from.size[0], static_cast<int8_t>(from.size[1] - n[0]));
  result.stride[0] = static_cast<int8_t>(from.stride[0] + from.stride[1]);
  result.offset = static_cast<int8_t>(from.offset + n[0] * from.stride[1]);
  return true;
}

bool reshape_window(const Window& from, const Numbers& n, int, Window& result) {
  if (n[5] < 0 || n[5] > kMaxDims) return false;
  for (int d = 0; d < n[5]; ++d)
    if (n[at(d)] < 1) return false;
  return reshaped(from, {n.data(), at(n[5])}, result);
}

bool chunk_window(const Window& from, const Numbers& n, int output, Window& result) {
  if (!is_dim(from, n[1]) || n[0] < 1) return false;
  const int size = from.size[at(n[1])], each = (size + n[0] - 1) / n[0], start = output * each;
  return start < size && part(from, n[1], start, std::min(each, size - start), 1, result);
}

bool split_window(const Window& from, const Numbers& n, int output, Window& result) {
  if (!is_dim(from, n[1]) || n[0] < 1) return false;
  const int size = from.size[at(n[1])], start = output * n[0];
  return start < size && part(from, n[1], start, std::min<int>(n[0], size - start), 1, result);
}

bool as_strided_window(const Window& from, const Numbers& n, int, Window& result) {
  (void)from;
  if (n[5] != 1 && n[5] != 2) return false;
  result = Window();
  result.rank = n[5];
  result.offset = n[4];
  int last = n[4];
  for (int d = 0; d < n[5]; ++d) {
    result.size[at(d)] = n[at(d)];
    result.stride[at(d)] = n[at(d + 2)];
    if (n[at(d)] < 1 || n[at(d + 2)] < 0) return false;
    last += (n[at(d)] - 1) * n[at(d + 2)];
  }
  return n[4] >= 0 && last < kMaxCells && result.numel() <= kMaxCells;
}

std::vector<int64_t> list(const Numbers& n, int from, int count) {
  return {n.begin() + from, n.begin() + from + count};
}
std::string words(const Numbers& n, int from, int count) {
  return fmt::format("{{{}}}", fmt::join(list(n, from, count), ", "));
}

constexpr ViewKind kKinds[] = {
    {"slice", slice_window,
     [](const Tensor& x, const Numbers& n) { return x.slice(n[0], n[1], n[2], n[3]); }, nullptr,
     [](const Numbers& n) { return fmt::format("slice({}, {}, {}, {})", n[0], n[1], n[2], n[3]); }},
    {"narrow",
     [](const Window& from, const Numbers& n, int, Window& result) {
       return part(from, n[0], n[1], n[2], 1, result);
     },
     [](const Tensor& x, const Numbers& n) { return x.narrow(n[0], n[1], n[2]); }, nullptr,
     [](const Numbers& n) { return fmt::format("narrow({}, {}, {})", n[0], n[1], n[2]); }},
    {"select",
     [](const Window& from, const Numbers& n, int, Window& result) {
       return select_window(from, n[0], n[1], result);
     },
     [](const Tensor& x, const Numbers& n) { return x.select(n[0], n[1]); }, nullptr,
     [](const Numbers& n) { return fmt::format("select({}, {})", n[0], n[1]); }},
    {"index",
     [](const Window& from, const Numbers& n, int, Window& result) {
       return select_window(from, 0, n[1], result);
     },
     [](const Tensor& x, const Numbers& n) { return x.index({int64_t{n[1]}}); }, nullptr,
     [](const Numbers& n) { return fmt::format("index({{{}}})", n[1]); }},
    {"transpose", transpose_window,
     [](const Tensor& x, const Numbers& n) { return x.transpose(n[0], n[1]); }, nullptr,
     [](const Numbers& n) { return fmt::format("transpose({}, {})", n[0], n[1]); }},
    {"permute", permute_window,
     [](const Tensor& x, const Numbers& n) {
       return x.permute({n[0], n[1], n[2]});
     },
     nullptr, [](const Numbers& n) { return fmt::format("permute({})", words(n, 0, 3)); }},
    {"expand", expand_window,
     [](const Tensor& x, const Numbers& n) {
       std::vector<int64_t> sizes(at(static_cast<int>(x.dim()) + 1), -1);
       sizes[0] = n[0];
       return x.expand(sizes);
     },
     nullptr,
     [](const Numbers& n) {
       return fmt::format("expand({{{}{}}})", n[0], n[1] == 2 ? ", -1, -1" : n[1] ? ", -1" : "");
     }},
    {"unsqueeze", unsqueeze_window,
     [](const Tensor& x, const Numbers& n) { return x.unsqueeze(n[0]); }, nullptr,
     [](const Numbers& n) { return fmt::format("unsqueeze({})", n[0]); }},
    {"squeeze", squeeze_window, [](const Tensor& x, const Numbers& n) { return x.squeeze(n[0]); },
     nullptr, [](const Numbers& n) { return fmt::format("squeeze({})", n[0]); }},
    {"diagonal", diagonal_window,
     [](const Tensor& x, const Numbers& n) { return x.diagonal(n[0]); }, nullptr,
     [](const Numbers& n) { return fmt::format("diagonal({})", n[0]); }},
    {"view", reshape_window,
     [](const Tensor& x, const Numbers& n) { return x.view(list(n, 0, n[5])); }, nullptr,
     [](const Numbers& n) { return fmt::format("view({})", words(n, 0, n[5])); },
     /*reads_strides=*/true},
    {"reshape", reshape_window,
     [](const Tensor& x, const Numbers& n) { return x.reshape(list(n, 0, n[5])); }, nullptr,
     [](const Numbers& n) { return fmt::format("reshape({})", words(n, 0, n[5])); },
     /*reads_strides=*/true, /*may_copy=*/true},
    {"as_strided", as_strided_window,
     [](const Tensor& x, const Numbers& n) {
       return x.as_strided(list(n, 0, n[5]), list(n, 2, n[5]), n[4]);
     },
     nullptr,
     [](const Numbers& n) {
       return fmt::format("as_strided({}, {}, {})", words(n, 0, n[5]), words(n, 2, n[5]), n[4]);
     },
     /*reads_strides=*/true, /*may_copy=*/false, /*whole_only=*/true},
    {"chunk", chunk_window, nullptr,
     [](const Tensor& x, const Numbers& n) { return x.chunk(n[0], n[1]); },
     [](const Numbers& n) { return fmt::format("chunk({}, {})", n[0], n[1]); }},
    {"split", split_window, nullptr,
     [](const Tensor& x, const Numbers& n) { return x.split(n[0], n[1]); },
     [](const Numbers& n) { return fmt::format("split({}, {})", n[0], n[1]); }},
    {"unbind",
     [](const Window& from, const Numbers& n, int output, Window& result) {
       return select_window(from, n[1], output, result);
     },
     nullptr, [](const Tensor& x, const Numbers& n) { return x.unbind(n[1]); },
     [](const Numbers& n) { return fmt::format("unbind({})", n[1]); }},
};

}  // namespace

std::span<const ViewKind> view_kinds() { return kKinds; }

}  // namespace notape::verify::alias
