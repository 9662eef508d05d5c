// What tests of compressed files write.
#pragma once
#include <gtest/gtest.h>
#include <zlib.h>

#include <string>

namespace notape::data {

inline std::string deflated(std::string content, int window_bits) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string bytes(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(content.data());
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  bytes.resize(stream.total_out);
  deflateEnd(&stream);
  return bytes;
}

/// `content` as a gzip file would hold it.
inline std::string gzipped(const std::string& content) { return deflated(content, 16 + MAX_WBITS); }
/// As a zlib stream.
inline std::string zlibbed(const std::string& content) { return deflated(content, MAX_WBITS); }

}  // namespace notape::data
