// Windows: the linear maps between a tensor and a strided part of it, given by the two geometries
// over one storage. gather_window and scatter_window are each other's derivative.
#pragma once
#include "ops/at.h"

namespace notape {

/// A window onto a base; both geometries are over one storage.
struct Windows {
  Geometry base, view;
};
/// Whether plain striding over a buffer laid out as the base reaches the window.
bool is_inside(const Windows& w);

/// `base_value` (sizes of `base`) seen through `view`: sizes of `view`.
Tensor gather_window(const Tensor& base_value, const Geometry& base, const Geometry& view,
                     At at = At::current());
/// `value` (sizes of `view`) added into zeros of the sizes of `base`; overlapping elements sum.
Tensor scatter_window(const Tensor& value, const Geometry& base, const Geometry& view,
                      At at = At::current());
/// `base_value` with `value` (zeros if undefined) in place of the window; works in the buffer of
/// `base_value` if that is exclusive and nothing is recorded.
Tensor replace_window(Tensor base_value, const Geometry& base, const Geometry& view,
                      const Tensor& value, At at = At::current());
/// `base_value` with `value` added at the window; elements that the window reaches twice get both.
/// Works in the buffer of `base_value` if that is exclusive. Never recorded.
Tensor add_window(Tensor base_value, const Geometry& base, const Geometry& view,
                  const Tensor& value);

}  // namespace notape
