#include "verify/report/progress.h"

#include <fmt/format.h>
#include <unistd.h>

namespace notape::verify {

ProgressStyle progress_style(std::FILE* stream) {
  return isatty(fileno(stream)) ? ProgressStyle::Bar : ProgressStyle::Lines;
}

void Progress::working_on(const std::string& what) {
  if (style_ != ProgressStyle::Bar || total_ == 0) return;
  constexpr std::size_t kWidth = 30;
  const std::size_t full = kWidth * done_ / total_;
  fmt::print(stream_, "\r\033[K[{:=<{}}{:{}}] {}/{} {}", "", full, "", kWidth - full, done_, total_,
             what);
  std::fflush(stream_);
  drawn_ = true;
}

void Progress::step() {
  ++done_;
  if (style_ != ProgressStyle::Lines || total_ < 20) return;
  if (done_ * 10 / total_ != (done_ - 1) * 10 / total_)
    fmt::print(stream_, "verify: {}% done\n", done_ * 100 / total_);
}

void Progress::clear() {
  if (!drawn_) return;
  fmt::print(stream_, "\r\033[K");
  std::fflush(stream_);
  drawn_ = false;
}

}  // namespace notape::verify
