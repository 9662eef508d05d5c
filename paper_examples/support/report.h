// How the programs report: the errors they provoke, small tensors in one line, and at the end what
// was promised and what was seen.
#pragma once
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <functional>
#include <string>

#include "autograd/autograd.h"

namespace notape::paper {

/// While it lives nothing is recorded: what a program computes only to compare and to print is no
/// part of what the paper shows.
class Unobserved {
 public:
  Unobserved() : observer_(set_observer(nullptr)) {}
  ~Unobserved() { set_observer(observer_); }
  Unobserved(const Unobserved&) = delete;
  Unobserved& operator=(const Unobserved&) = delete;

 private:
  Observer* observer_;
};

/// The last line of a program and its exit status.
class Report {
 public:
  /// One promise in words, what was seen in the same words, and whether they agree.
  void add(const std::string& expected, const std::string& seen, bool agree);
  void add(const std::string& expected, const std::string& seen) {
    add(expected, seen, expected == seen);
  }
  /// A yes-or-no promise: seen are the same words, or "not" and the words.
  void add_fact(const std::string& expected, bool holds) {
    add(expected, holds ? expected : "not " + expected, holds);
  }
  /// Prints "expected: ...; seen: ..." and returns 0 if everything agreed, else 1.
  int conclude(std::ostream& out) const;

 private:
  std::string expected_, seen_;
  bool agree_ = true;
};

/// Runs `statement`, prints the error it raises and returns the error's kind, or "no error".
std::string kind_of_error(std::ostream& out, const std::function<void()>& statement);

/// The values of a small tensor in one line, "[1, 0.5]"; "undefined" if it is.
std::string in_one_line(const Tensor& tensor);

}  // namespace notape::paper
