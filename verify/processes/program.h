// Program: another program that runs beside this one, and what it prints.
#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

namespace notape::verify {

/// No shell: words are only words. It ends with this object and, should this process be killed,
/// with this process.
class Program {
 public:
  enum class Errors { Shown, Dropped };

  explicit Program(std::vector<std::string> words, Errors errors = Errors::Shown);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// All of its standard output, when it has ended; nothing if it could not be started. Throws
  /// Interrupted.
  std::string output();
  /// Whether it has ended as a program does that had no trouble.
  bool succeeded() const { return succeeded_; }

 private:
  void close_pipe();

  pid_t process_ = -1;
  int pipe_ = -1;
  bool succeeded_ = false;
};

}  // namespace notape::verify
