// Data that Debian packages bring: nothing of them travels with the project.
#pragma once
#include <filesystem>
#include <string>

#include "autograd/error.h"

namespace notape::data {

/// A package's file is nowhere.
struct MissingPackage : ErrorOf<"MissingPackage", FileError> {
  MissingPackage(const std::string& package, const std::string& message);
  std::string package;
};

/// The path of a file of a Debian package, "usr/share/...": under the folder that the environment
/// variable NOTAPE_DATA names, if it is there, or installed, or where packages are unpacked for the
/// user alone. Throws MissingPackage, naming the package, every place, and how to get it.
std::filesystem::path find_package_file(const std::string& package, const std::string& path);

/// Where packages are unpacked for the user: notape/packages in $XDG_CACHE_HOME, or else in
/// ~/.cache. Throws FileError if neither that nor HOME is set.
std::filesystem::path package_cache();

}  // namespace notape::data
