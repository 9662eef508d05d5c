// A PNG file is a signature and chunks: length, type, data, CRC-32 of type and data; numbers are
// big-endian. The pixels are one zlib stream of rows, each behind a byte for its filter, here none.
#include "paper_examples/support/png.h"

#include <zlib.h>

#include <algorithm>
#include <cmath>

#include "autograd/interchange/zlib.h"
#include "ops/ops.h"

namespace notape::paper {
namespace {

void append_number(std::string& to, std::size_t number) {
  for (const int shift : {24, 16, 8, 0}) to += static_cast<char>(number >> shift & 0xff);
}

std::string chunk(const std::string& type, const std::string& data) {
  const std::string body = type + data;
  std::string result;
  append_number(result, data.size());
  result += body;
  append_number(result, crc32(0, reinterpret_cast<const Bytef*>(body.data()),
                              static_cast<uInt>(body.size())));
  return result;
}

}  // namespace

std::string gray_png(const Tensor& pixels, double black, double white) {
  if (pixels.dim() != 2 || pixels.numel() == 0)
    throw ShapeError("gray_png: a picture is (H, W), not {}", to_string(pixels.sizes()));
  if (!(black < white)) throw ValueError("gray_png: black is {} and white {}", black, white);
  const NoGradGuard no_grad;
  const Tensor levels = pixels.detach().cpu().to(kFloat64).contiguous();
  const double* level = levels.data_ptr<double>();
  std::string rows;
  for (int64_t i = 0; i < levels.size(0); ++i) {
    rows += '\0';
    for (int64_t j = 0; j < levels.size(1); ++j) {
      const double part = (*level++ - black) / (white - black);
      // Written so that NaN is 0.
      const double byte = part > 0 ? std::round(255 * std::min(part, 1.0)) : 0;
      rows += static_cast<char>(static_cast<unsigned char>(byte));
    }
  }
  std::string header;
  append_number(header, static_cast<std::size_t>(levels.size(1)));
  append_number(header, static_cast<std::size_t>(levels.size(0)));
  header += std::string{8, 0, 0, 0, 0};  // bits, gray, deflate, filters by row, not interlaced
  const std::string_view parts[] = {rows};
  const std::string packed =
      interchange::deflate(parts, interchange::Compressed::Zlib, Z_BEST_COMPRESSION);
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("IDAT", packed) + chunk("IEND", "");
}

Tensor sheet_of(const Tensor& images, int64_t columns, int64_t zoom, double between) {
  if (images.dim() != 3 || images.numel() == 0)
    throw ShapeError("sheet_of: images are (N, H, W), not {}", to_string(images.sizes()));
  if (columns < 1 || zoom < 1)
    throw ValueError("sheet_of: columns is {} and zoom {}", columns, zoom);
  const NoGradGuard no_grad;
  const int64_t n = images.size(0), height = images.size(1), width = images.size(2);
  const int64_t rows = (n + columns - 1) / columns;
  const Tensor sheet =
      full({rows * (height + 1) + 1, columns * (width + 1) + 1}, between, images.dtype());
  for (int64_t i = 0; i < n; ++i)
    sheet.narrow(0, i / columns * (height + 1) + 1, height)
        .narrow(1, i % columns * (width + 1) + 1, width)
        .copy_(images[i].detach());
  return repeat_interleave(repeat_interleave(sheet, zoom, 0), zoom, 1);
}

}  // namespace notape::paper
