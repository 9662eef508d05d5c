#include "verify/report/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

namespace notape::verify {
namespace {

std::size_t columns_of(std::FILE* stream) {
  constexpr std::size_t kUsual = 80;
  winsize size{};
  if (::ioctl(fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsual;
  return size.ws_col;
}

}  // namespace

std::string bar_text(std::size_t done, std::size_t total, const std::string& what,
                     std::size_t columns) {
  constexpr std::size_t kWidest = 30, kLeast = 5;
  // The last column would begin a new line on some terminals.
  const std::size_t most = columns > 1 ? columns - 1 : 1;
  const std::string after = fmt::format(" {}/{} {}", done, total, what);
  const std::size_t width =
      most > after.size() + 2 ? std::min(kWidest, most - after.size() - 2) : 0;
  std::string text = after.substr(1);
  if (width >= kLeast) {
    const std::size_t full = width * std::min(done, total) / std::max<std::size_t>(total, 1);
    text = fmt::format("[{:=<{}}{:{}}]{}", "", full, "", width - full, after);
  }
  return text.substr(0, most);
}

ProgressStyle progress_style(std::FILE* stream) {
  return isatty(fileno(stream)) ? ProgressStyle::Bar : ProgressStyle::Lines;
}

void Progress::working_on(const std::string& what) {
  if (style_ != ProgressStyle::Bar || total_ == 0) return;
  fmt::print(stream_, "\r\033[K{}", bar_text(done_, total_, what, columns_of(stream_)));
  std::fflush(stream_);
  drawn_ = true;
}

void Progress::step() {
  ++done_;
  if (style_ != ProgressStyle::Lines || total_ < 20) return;
  if (done_ * 10 / total_ != (done_ - 1) * 10 / total_)
    fmt::print(stream_, "notape verify: {}% done\n", done_ * 100 / total_);
}

void Progress::clear() {
  if (!drawn_) return;
  fmt::print(stream_, "\r\033[K");
  std::fflush(stream_);
  drawn_ = false;
}

}  // namespace notape::verify
