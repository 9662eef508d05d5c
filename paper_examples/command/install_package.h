// Debian packages of data, unpacked for the user alone: no root, nothing installed.
#pragma once
#include <iosfwd>
#include <string>

namespace notape::command {

/// Unpacks the package into data::package_cache() unless a file that a package of that name brings
/// is found already, with `apt-get download` and `dpkg-deb -x`; says so. Throws FileError, with
/// what they complained of above it, if they fail; then nothing was unpacked.
void install_package(const std::string& package, std::ostream& out);

}  // namespace notape::command
