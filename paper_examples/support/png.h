// Pictures of gray levels as PNG files (ISO/IEC 15948).
#pragma once
#include <string>

#include "autograd/autograd.h"

namespace notape::paper {

/// (H, W) numbers as the bytes of a PNG file, 8 bits a pixel: `black` and below is 0, `white` and
/// above 255, NaN black. Throws ShapeError unless there are two sizes of 1 or more, and ValueError
/// unless black < white.
std::string gray_png(const Tensor& pixels, double black = 0, double white = 1);

/// Images (N, H, W) as one, `columns` in a row, each pixel as `zoom` x `zoom`, with `zoom` pixels
/// of `between` around each: (rows (H + 1) + 1) zoom high. Throws ShapeError unless there are three
/// sizes, and ValueError unless columns and zoom are at least 1.
Tensor sheet_of(const Tensor& images, int64_t columns, int64_t zoom, double between);

}  // namespace notape::paper
