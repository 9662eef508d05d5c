// Views of one window, which others are made of.
#include "verify/alias/view_windows.h"

#include <algorithm>

namespace notape::verify::alias {

bool is_dim(const Window& w, int dim) { return dim >= 0 && dim < w.rank; }

bool part(const Window& from, int dim, int start, int count, int step, Window& result) {
  if (!is_dim(from, dim) || start < 0 || count < 1 || step < 1) return false;
  if (start + (count - 1) * step >= from.size[at(dim)]) return false;
  result = from;
  result.offset = static_cast<int8_t>(from.offset + start * from.stride[at(dim)]);
  result.size[at(dim)] = static_cast<int8_t>(count);
  result.stride[at(dim)] = static_cast<int8_t>(from.stride[at(dim)] * step);
  return true;
}

void remove_dim(Window& w, int dim) {
  for (int i = dim; i + 1 < w.rank; ++i) {
    w.size[at(i)] = w.size[at(i + 1)];
    w.stride[at(i)] = w.stride[at(i + 1)];
  }
  --w.rank;
  w.size[at(w.rank)] = w.stride[at(w.rank)] = 0;
}

void insert_dim(Window& w, int dim, int size, int stride) {
  for (int d = w.rank; d > dim; --d) {
    w.size[at(d)] = w.size[at(d - 1)];
    w.stride[at(d)] = w.stride[at(d - 1)];
  }
  ++w.rank;
  w.size[at(dim)] = static_cast<int8_t>(size);
  w.stride[at(dim)] = static_cast<int8_t>(stride);
}

bool select_window(const Window& from, int dim, int index, Window& result) {
  if (!part(from, dim, index, 1, 1, result)) return false;
  remove_dim(result, dim);
  return true;
}

bool slice_window(const Window& from, int dim, int start, int end, int step, Window& result) {
  if (step < 1 || end <= start || !is_dim(from, dim) || end > from.size[at(dim)]) return false;
  return part(from, dim, start, (end - start + step - 1) / step, step, result);
}

bool unsqueeze_window(const Window& from, int dim, Window& result) {
  if (from.rank >= kMaxDims || dim < 0 || dim > from.rank) return false;
  result = from;
  insert_dim(result, dim, 1, dim < from.rank ? from.size[at(dim)] * from.stride[at(dim)] : 1);
  return true;
}

}  // namespace notape::verify::alias
