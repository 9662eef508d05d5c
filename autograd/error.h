// Every failure is an exception derived from notape::Error, one class per cause.
// Validate first, change afterwards: unless its comment says otherwise, an error leaves every
// value, version, history, flag and .grad as it was.
#pragma once
#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "autograd/integer.h"
#include "autograd/source_location.h"

namespace notape {

/// One value for a `{}` in an error message.
class MessagePart {
 public:
  MessagePart(std::string_view text) : text_(text) {}
  MessagePart(const std::string& text) : text_(text) {}
  MessagePart(const char* text) : text_(text) {}
  template <std::integral T>
  MessagePart(T value) : text_(std::to_string(value)) {}
  MessagePart(Integer value) : MessagePart(int64_t{value}) {}
  template <std::floating_point T>
  MessagePart(T value) : text_(number(static_cast<double>(value))) {}
  const std::string& text() const { return text_; }

 private:
  static std::string number(double value);
  std::string text_;
};

/// Replaces each `{}` of `pattern` by the next part.
std::string format_message(std::string_view pattern, std::initializer_list<MessagePart> parts);

class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message), first_line_(message) {}

  /// The class's name, stable across releases.
  virtual const char* kind() const noexcept { return "Error"; }
  /// The message alone; what() adds the lines that say who did what where.
  const std::string& what_without_backtrace() const noexcept { return first_line_; }
  /// One JSON object with at least `error` and `message`.
  virtual std::string to_json() const;

 protected:
  Error(const std::string& message, const std::string& details)
      : std::runtime_error(message + details), first_line_(message) {}

 private:
  std::string first_line_;
};

/// A class name as a template argument.
template <std::size_t N>
struct FixedString {
  constexpr FixedString(const char (&text)[N]) {
    for (std::size_t i = 0; i < N; ++i) value[i] = text[i];
  }
  char value[N];
};

/// What each class below derives from. The classes are types of their own, so that a program that
/// ends with one uncaught prints "notape::ShapeError".
template <FixedString Kind, typename Base = Error>
class ErrorOf : public Base {
 public:
  template <typename... Parts>
  explicit ErrorOf(std::string_view pattern, const Parts&... parts)
      : Base(format_message(pattern, {MessagePart(parts)...})) {}
  const char* kind() const noexcept override { return Kind.value; }

 protected:
  /// `details` are lines after the message, each beginning with a line break.
  struct Detailed {
    std::string message, details;
  };
  explicit ErrorOf(const Detailed& text) : Base(text.message, text.details) {}
};

// Arguments.
struct ValueError : ErrorOf<"ValueError"> {
  using ErrorOf::ErrorOf;
};
struct ShapeError : ErrorOf<"ShapeError"> {
  using ErrorOf::ErrorOf;
};
struct DtypeError : ErrorOf<"DtypeError"> {
  using ErrorOf::ErrorOf;
};
struct DeviceError : ErrorOf<"DeviceError"> {
  using ErrorOf::ErrorOf;
};
struct IndexError : ErrorOf<"IndexError"> {
  using ErrorOf::ErrorOf;
};
struct FileError : ErrorOf<"FileError"> {
  using ErrorOf::ErrorOf;
};
struct UndefinedTensor : ErrorOf<"UndefinedTensor"> {
  using ErrorOf::ErrorOf;
};
struct OutOfMemory : ErrorOf<"OutOfMemory"> {
  using ErrorOf::ErrorOf;
};
/// A matrix that is singular, or not positive definite, where it must not be; or LAPACK gave up.
struct LinalgError : ErrorOf<"LinalgError"> {
  using ErrorOf::ErrorOf;
};
struct NoKernel : ErrorOf<"NoKernel"> {
  using ErrorOf::ErrorOf;
};
struct UnknownOperator : ErrorOf<"UnknownOperator"> {
  using ErrorOf::ErrorOf;
};

// Starting a backward pass.
struct NothingRequiresGrad : ErrorOf<"NothingRequiresGrad"> {
  using ErrorOf::ErrorOf;
};
struct ImplicitGradient : ErrorOf<"ImplicitGradient"> {
  using ErrorOf::ErrorOf;
};
struct GradientCount : ErrorOf<"GradientCount"> {
  using ErrorOf::ErrorOf;
};
struct InputNotDifferentiable : ErrorOf<"InputNotDifferentiable"> {
  using ErrorOf::ErrorOf;
};
struct EmptyInputs : ErrorOf<"EmptyInputs"> {
  using ErrorOf::ErrorOf;
};
struct UnusedInput : ErrorOf<"UnusedInput"> {
  using ErrorOf::ErrorOf;
};
/// More backward runs inside one another than Engine::kMostNestedRuns.
struct BackwardTooDeep : ErrorOf<"BackwardTooDeep"> {
  using ErrorOf::ErrorOf;
};
struct GraphFreed : ErrorOf<"GraphFreed"> {
  using ErrorOf::ErrorOf;
};
struct InvalidGradient : ErrorOf<"InvalidGradient"> {
  using ErrorOf::ErrorOf;
};
struct CallbackOutsideBackward : ErrorOf<"CallbackOutsideBackward"> {
  using ErrorOf::ErrorOf;
};
struct DerivativeNotImplemented : ErrorOf<"DerivativeNotImplemented"> {
  using ErrorOf::ErrorOf;
};
struct NonFiniteGradient : ErrorOf<"NonFiniteGradient"> {
  using ErrorOf::ErrorOf;
};

// In-place operations and views (SavedTensorModified: graph/saved_variable.h).
struct LeafInPlace : ErrorOf<"LeafInPlace"> {
  using ErrorOf::ErrorOf;
};
struct AliasedInPlace : ErrorOf<"AliasedInPlace"> {
  using ErrorOf::ErrorOf;
};
struct AmbiguousViewWrite : ErrorOf<"AmbiguousViewWrite"> {
  using ErrorOf::ErrorOf;
};
struct FunctionViewWrite : ErrorOf<"FunctionViewWrite"> {
  using ErrorOf::ErrorOf;
};
struct OverwrittenInput : ErrorOf<"OverwrittenInput"> {
  using ErrorOf::ErrorOf;
};
struct MemoryOverlap : ErrorOf<"MemoryOverlap"> {
  using ErrorOf::ErrorOf;
};
struct OutRequiresGrad : ErrorOf<"OutRequiresGrad"> {
  using ErrorOf::ErrorOf;
};
struct DetachView : ErrorOf<"DetachView"> {
  using ErrorOf::ErrorOf;
};
struct ResizeRequiresGrad : ErrorOf<"ResizeRequiresGrad"> {
  using ErrorOf::ErrorOf;
};
struct ReadOnlyWrite : ErrorOf<"ReadOnlyWrite"> {
  using ErrorOf::ErrorOf;
};

// Flags, hooks, user functions, forward mode.
struct VolatileConflict : ErrorOf<"VolatileConflict"> {
  using ErrorOf::ErrorOf;
};
struct RequiresGradError : ErrorOf<"RequiresGradError"> {
  using ErrorOf::ErrorOf;
};
struct RetainGradError : ErrorOf<"RetainGradError"> {
  using ErrorOf::ErrorOf;
};
struct GradAssignment : ErrorOf<"GradAssignment"> {
  using ErrorOf::ErrorOf;
};
struct SetDataError : ErrorOf<"SetDataError"> {
  using ErrorOf::ErrorOf;
};
struct InferenceTensorError : ErrorOf<"InferenceTensorError"> {
  using ErrorOf::ErrorOf;
};
struct HookError : ErrorOf<"HookError"> {
  using ErrorOf::ErrorOf;
};
struct SavedHookError : ErrorOf<"SavedHookError"> {
  using ErrorOf::ErrorOf;
};
struct CheckpointMismatch : ErrorOf<"CheckpointMismatch"> {
  using ErrorOf::ErrorOf;
};
struct BatchingNotImplemented : ErrorOf<"BatchingNotImplemented"> {
  using ErrorOf::ErrorOf;
};
struct NotDeterministic : ErrorOf<"NotDeterministic"> {
  using ErrorOf::ErrorOf;
};
struct FunctionError : ErrorOf<"FunctionError"> {
  using ErrorOf::ErrorOf;
};
struct ForwardNotImplemented : ErrorOf<"ForwardNotImplemented"> {
  using ErrorOf::ErrorOf;
};
struct DualLevelError : ErrorOf<"DualLevelError"> {
  using ErrorOf::ErrorOf;
};
struct TangentError : ErrorOf<"TangentError"> {
  using ErrorOf::ErrorOf;
};

/// `text` as a JSON string, with quotes.
std::string json_quote(std::string_view text);

}  // namespace notape
