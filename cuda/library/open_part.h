// Libraries that libnotape_cuda.so opens when it first needs what they offer. They stand apart so
// that everything else works where NVIDIA's library behind them is missing.
#pragma once
#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "autograd/tensor/open_library.h"

namespace notape::cuda {

/// What the function `describe` of the file says. Without it, or where the environment sets
/// `unwanted` to 1, that is nothing but a version: "absent", and why.
template <typename Offers>
Offers open_part(const char* file, const char* describe, const std::string& unwanted) {
  Offers offers;
  const char* const given = std::getenv(unwanted.c_str());
  std::string error = unwanted + "=1";
  void* const opened =
      given && std::string_view(given) == "1" ? nullptr : open_library(file, error);
  if (opened)
    reinterpret_cast<void (*)(Offers&)>(::dlsym(opened, describe))(offers);
  else
    offers.version = "absent (" + error + ")";
  return offers;
}

}  // namespace notape::cuda
