// The handwritten digits of data/README.md: 1,797 images of 8 x 8 gray levels 0 to 16.
#pragma once
#include <filesystem>
#include <string_view>

#include "paper_examples/data/dataset.h"

namespace notape::data {

/// Reads a gzip CSV file with 65 integers a line: 64 pixels row by row, then the class. Gives data
/// (N, 1, 8, 8), float32, divided by 16, and target (N), int64. Throws FileError in one line that
/// names the file, the line and the byte in the inflated text.
Dataset read_digits(const std::filesystem::path& path);

/// The same from inflated text; `name` is for messages.
Dataset parse_digits(std::string_view text, std::string_view name);

}  // namespace notape::data
