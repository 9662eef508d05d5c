// The digest by which a test knows a large text.
#pragma once
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "autograd/testing/temporary_folder.h"

namespace notape::data {

/// What sha256sum says, 64 hexadecimal digits.
inline std::string sha256_of(const std::string& text) {
  const testing::TemporaryFolder folder;
  const std::string command = "sha256sum " + folder.write("text", text).string();
  std::string digest(64, '\0');
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  if (!pipe || std::fread(digest.data(), 1, digest.size(), pipe) != digest.size()) digest = "";
  if (pipe) ::pclose(pipe);
  return digest;
}

}  // namespace notape::data
