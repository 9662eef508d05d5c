// Windows made of others: parts, single elements, dimensions that come and go. Each is false where
// that makes no sense.
#pragma once
#include "verify/alias/window.h"

namespace notape::verify::alias {

bool is_dim(const Window& w, int dim);
/// Elements start, start + step, ... along a dimension.
bool part(const Window& from, int dim, int start, int count, int step, Window& result);
bool slice_window(const Window& from, int dim, int start, int end, int step, Window& result);
bool select_window(const Window& from, int dim, int index, Window& result);
bool unsqueeze_window(const Window& from, int dim, Window& result);
void remove_dim(Window& w, int dim);
void insert_dim(Window& w, int dim, int size, int stride);

}  // namespace notape::verify::alias
