// Progress on standard error: a bar on a terminal, a line per tenth elsewhere.
#pragma once
#include <cstdio>
#include <string>

namespace notape::verify {

enum class ProgressStyle { None, Lines, Bar };

/// Bar if `stream` is a terminal.
ProgressStyle progress_style(std::FILE* stream);

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
