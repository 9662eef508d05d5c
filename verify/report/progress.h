// Progress on standard error: a bar on a terminal, as wide as that allows, a line per tenth
// elsewhere.
#pragma once
#include <cstdio>
#include <string>

namespace notape::verify {

enum class ProgressStyle { None, Lines, Bar };

/// Bar if `stream` is a terminal.
ProgressStyle progress_style(std::FILE* stream);

/// What a bar says on a terminal with so many columns: one line of it at most.
std::string bar_text(std::size_t done, std::size_t total, const std::string& what,
                     std::size_t columns);

class Progress {
 public:
  Progress(ProgressStyle style, std::FILE* stream) : style_(style), stream_(stream) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void begin(std::size_t total) { total_ = total; }
  void working_on(const std::string& what);
  void step();
  /// Takes the bar away, so that other output can be written.
  void clear();

 private:
  ProgressStyle style_;
  std::FILE* stream_;
  std::size_t total_ = 0, done_ = 0;
  bool drawn_ = false;
};

}  // namespace notape::verify
