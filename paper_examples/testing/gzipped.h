// What tests of compressed files write.
#pragma once
#include <string>

#include "autograd/interchange/zlib.h"

namespace notape::data {

/// `content` as a gzip file would hold it.
inline std::string gzipped(std::string_view content) {
  return interchange::deflate({&content, 1}, interchange::Compressed::Gzip, 9);
}
/// As a zlib stream.
inline std::string zlibbed(std::string_view content) {
  return interchange::deflate({&content, 1}, interchange::Compressed::Zlib, 9);
}

}  // namespace notape::data
