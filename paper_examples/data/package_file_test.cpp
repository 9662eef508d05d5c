#include "paper_examples/data/package_file.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <optional>

#include "autograd/testing/temporary_folder.h"
#include "paper_examples/testing/message_of.h"

namespace notape::data {
namespace {

/// Another value of an environment variable for a scope.
class EnvironmentVariable {
 public:
  EnvironmentVariable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~EnvironmentVariable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(FindPackageFile, LooksInTheUsersFolderThenInTheCache) {
  const testing::TemporaryFolder chosen, cache;
  const EnvironmentVariable data("NOTAPE_DATA", chosen.path()), xdg("XDG_CACHE_HOME", cache.path());
  const auto unpacked = package_cache();
  EXPECT_EQ(unpacked, cache.path() / "notape/packages");
  std::filesystem::create_directories(unpacked);
  std::ofstream(unpacked / "notape_test_file") << "x";
  EXPECT_EQ(find_package_file("p", "notape_test_file"), unpacked / "notape_test_file");
  chosen.write("notape_test_file", "x");
  EXPECT_EQ(find_package_file("p", "notape_test_file"), chosen.path() / "notape_test_file");
}

TEST(FindPackageFile, NamesThePackageAndEveryPlace) {
  const testing::TemporaryFolder cache;
  const EnvironmentVariable data("NOTAPE_DATA", ""), xdg("XDG_CACHE_HOME", cache.path());
  EXPECT_EQ(message_of<MissingPackage>([] { find_package_file("some-data", "usr/none"); }),
            "the Debian package some-data is not installed: looked for /usr/none, " +
                (cache.path() / "notape/packages/usr/none").string() +
                "; apt install some-data, or --install-data unpacks it for this user alone");
}

}  // namespace
}  // namespace notape::data
