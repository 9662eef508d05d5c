#include "autograd/tensor/covers.h"

#include <vector>

namespace notape {
namespace {

/// Calls f(offset) for every element, until it says false.
template <typename F>
bool every_cell(const Geometry& geometry, const F& f) {
  for (int64_t i = 0; i < geometry.numel(); ++i) {
    int64_t rest = i, at = geometry.offset();
    for (int d = geometry.dim(); d-- > 0; rest /= geometry.size(d))
      at += rest % geometry.size(d) * geometry.stride(d);
    if (!f(at)) return false;
  }
  return true;
}

}  // namespace

bool covers(const Geometry& base, const Geometry& view) {
  if (view.numel() == 0) return true;
  const int64_t first = base.offset(), end = base.storage_end();
  if (view.offset() < first || view.storage_end() > end) return false;
  if (base.is_dense()) return true;
  std::vector<bool> shown(static_cast<std::size_t>(end - first));
  const auto cell = [&](int64_t at) { return shown[static_cast<std::size_t>(at - first)]; };
  every_cell(base, [&](int64_t at) { return cell(at) = true; });
  return every_cell(view, cell);
}

}  // namespace notape
