#include "paper_examples/support/png.h"

#include <gmock/gmock.h>
#include <zlib.h>

#include <limits>

#include "ops/ops.h"

namespace notape::paper {
namespace {

std::size_t number_at(const std::string& bytes, std::size_t at) {
  std::size_t number = 0;
  for (std::size_t i = 0; i < 4; ++i)
    number = number << 8 | static_cast<unsigned char>(bytes.at(at + i));
  return number;
}

/// Reads what gray_png() writes, and checks it: the rows with their filter bytes.
std::string rows_of(const std::string& png, std::size_t& width, std::size_t& height) {
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  std::string rows;
  std::size_t at = 8;
  for (const char* type : {"IHDR", "IDAT", "IEND"}) {
    const std::size_t size = number_at(png, at);
    const std::string body = png.substr(at + 4, 4 + size);
    EXPECT_EQ(body.substr(0, 4), type);
    EXPECT_EQ(number_at(png, at + 8 + size), crc32(0, reinterpret_cast<const Bytef*>(body.data()),
                                                   static_cast<uInt>(body.size())));
    if (body.starts_with("IHDR")) {
      width = number_at(body, 4);
      height = number_at(body, 8);
      EXPECT_EQ(body.substr(12), std::string({8, 0, 0, 0, 0}));
      rows.resize((width + 1) * height);
    } else if (body.starts_with("IDAT")) {
      uLongf inflated = rows.size();
      EXPECT_EQ(
          uncompress(reinterpret_cast<Bytef*>(rows.data()), &inflated,
                     reinterpret_cast<const Bytef*>(body.data() + 4), static_cast<uLong>(size)),
          Z_OK);
      EXPECT_EQ(inflated, rows.size());
    }
    at += 12 + size;
  }
  EXPECT_EQ(at, png.size());
  return rows;
}

TEST(GrayPng, HoldsEveryPixelBetweenBlackAndWhite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::size_t width = 0, height = 0;
  const std::string rows =
      rows_of(gray_png(tensor({{-1., 0., 1.}, {-9., 9., nan}}), -1, 1), width, height);
  EXPECT_EQ(width, 3u);
  EXPECT_EQ(height, 2u);
  EXPECT_EQ(rows, std::string("\0\x00\x80\xff\0\x00\xff\x00", 8));
}

TEST(GrayPng, RefusesWhatIsNoPicture) {
  EXPECT_THROW(gray_png(zeros({2, 2, 3})), ShapeError);
  EXPECT_THROW(gray_png(zeros({0, 3})), ShapeError);
  EXPECT_THROW(gray_png(zeros({2, 2}), 1, 1), ValueError);
}

TEST(SheetOf, LaysImagesOutInRows) {
  const Tensor sheet = sheet_of(tensor({{{1.}}, {{2.}}, {{3.}}}), 2, 1, 0);
  EXPECT_TRUE(sheet.equal(tensor({{0., 0., 0., 0., 0.},
                                  {0., 1., 0., 2., 0.},
                                  {0., 0., 0., 0., 0.},
                                  {0., 3., 0., 0., 0.},
                                  {0., 0., 0., 0., 0.}})))
      << sheet;
  EXPECT_TRUE(
      sheet_of(tensor({{{5.}}}), 1, 2, 7)
          .equal(full({6, 6}, 7.f).index_put_({indexing::Slice(2, 4), indexing::Slice(2, 4)}, 5)));
  EXPECT_THROW(sheet_of(zeros({2, 2}), 1, 1, 0), ShapeError);
  EXPECT_THROW(sheet_of(zeros({2, 2, 2}), 0, 1, 0), ValueError);
}

}  // namespace
}  // namespace notape::paper
