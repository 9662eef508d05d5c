// Warnings: what a program should know and may go on after. They go to a handler that the program
// can replace (LibTorch: c10::Warning, c10::WarningUtils).
//   struct Count : WarningHandler { int n = 0; void process(const Warning&) override { ++n; } };
//   Count count;
//   WarningHandlerGuard guard(&count);
#pragma once
#include <string>

#include "autograd/source_location.h"

namespace notape {

class Warning {
 public:
  Warning(std::string message, const SourceLocation& at) : message_(std::move(message)), at_(at) {}
  const std::string& msg() const { return message_; }
  /// The user's line.
  const SourceLocation& source_location() const { return at_; }

 private:
  std::string message_;
  SourceLocation at_;
};

class WarningHandler {
 public:
  virtual ~WarningHandler() = default;
  /// By default one line on standard error: "notape: warning at main.cpp:12: MESSAGE". What it
  /// throws goes through the operation that warns, as an error of it would.
  virtual void process(const Warning& warning);
};

/// Installs a handler for all threads (null: the default one) and returns the one before (null: the
/// default one). A handler is called by one thread at a time. When this returns, no other thread is
/// in the old one.
WarningHandler* set_warning_handler(WarningHandler* handler);
/// Never null.
WarningHandler* get_warning_handler();

/// Whether warnings of once per process are given every time. False at first.
void set_warn_always(bool always);
bool get_warn_always();

/// The handler, in its scope.
class WarningHandlerGuard {
 public:
  explicit WarningHandlerGuard(WarningHandler* handler) : before_(set_warning_handler(handler)) {}
  ~WarningHandlerGuard() { set_warning_handler(before_); }
  WarningHandlerGuard(const WarningHandlerGuard&) = delete;
  WarningHandlerGuard& operator=(const WarningHandlerGuard&) = delete;

 private:
  WarningHandler* before_;
};

/// set_warn_always, in its scope.
class WarnAlways {
 public:
  explicit WarnAlways(bool always = true) : before_(get_warn_always()) { set_warn_always(always); }
  ~WarnAlways() { set_warn_always(before_); }
  WarnAlways(const WarnAlways&) = delete;
  WarnAlways& operator=(const WarnAlways&) = delete;

 private:
  bool before_;
};

/// Warns every time.
void warn(const std::string& message, const SourceLocation& at);
/// Warns the first time that `what` is said in this process, or always.
void warn_once(const char* what, const std::string& message, const SourceLocation& at);

}  // namespace notape
