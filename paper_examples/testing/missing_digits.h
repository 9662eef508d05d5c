// Where NOTAPE_DATA names a place without the digits, what needs them is skipped.
#pragma once
#include <string>

#include "paper_examples/data/find_data.h"

namespace notape::data {

/// Why the digits cannot be read; empty if they are there.
inline std::string missing_digits() {
  try {
    return find_data("digits.csv.gz"), "";
  } catch (const FileError& error) {
    return error.what();
  }
}

}  // namespace notape::data
