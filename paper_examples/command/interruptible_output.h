// An output stream that a program can be stopped by: the examples know nothing of signals.
#pragma once
#include <ostream>
#include <streambuf>

#include "verify/processes/interruption.h"

namespace notape::command {

/// Passes everything on. Once an Interruption is requested, printing throws Interrupted.
class InterruptibleOutput final : private std::streambuf, public std::ostream {
 public:
  explicit InterruptibleOutput(std::ostream& to) : std::ostream(this), to_(to) {
    exceptions(std::ios::badbit);  // or the stream would keep the exception to itself
  }

 private:
  using Traits = std::streambuf::traits_type;  // both bases have them

  Traits::int_type overflow(Traits::int_type letter) override {
    verify::Interruption::check();
    return Traits::eq_int_type(letter, Traits::eof())
               ? Traits::not_eof(letter)
               : to_.rdbuf()->sputc(Traits::to_char_type(letter));
  }
  std::streamsize xsputn(const char* text, std::streamsize count) override {
    verify::Interruption::check();
    return to_.rdbuf()->sputn(text, count);
  }
  int sync() override { return to_.rdbuf()->pubsync(); }

  std::ostream& to_;
};

}  // namespace notape::command
