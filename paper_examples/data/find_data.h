// Where data files are.
#pragma once
#include <filesystem>
#include <string>

namespace notape::data {

/// The path of the data file `name`: the file or folder that the environment variable NOTAPE_DATA
/// names (and nothing else if it is set), or else the first that exists of the source tree, the
/// share/ folder beside the installed library, and the Debian package python3-sklearn.
/// Throws FileError naming every place it looked in.
std::filesystem::path find_data(const std::string& name);

}  // namespace notape::data
