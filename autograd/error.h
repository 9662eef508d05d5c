// Every failure is an exception derived from notape::Error, one class per cause.
// Validate first, change afterwards: unless its comment says otherwise, an error leaves every
// value, version, history, flag and .grad as it was.
#pragma once
#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

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
using ValueError = ErrorOf<"ValueError">;
using ShapeError = ErrorOf<"ShapeError">;
using DtypeError = ErrorOf<"DtypeError">;
using DeviceError = ErrorOf<"DeviceError">;
using IndexError = ErrorOf<"IndexError">;
using FileError = ErrorOf<"FileError">;
using UndefinedTensor = ErrorOf<"UndefinedTensor">;
using OutOfMemory = ErrorOf<"OutOfMemory">;
using NoKernel = ErrorOf<"NoKernel">;
using UnknownOperator = ErrorOf<"UnknownOperator">;

// Starting a backward pass.
using NothingRequiresGrad = ErrorOf<"NothingRequiresGrad">;
using ImplicitGradient = ErrorOf<"ImplicitGradient">;
using GradientCount = ErrorOf<"GradientCount">;
using InputNotDifferentiable = ErrorOf<"InputNotDifferentiable">;
using EmptyInputs = ErrorOf<"EmptyInputs">;
using UnusedInput = ErrorOf<"UnusedInput">;
using GraphFreed = ErrorOf<"GraphFreed">;
using InvalidGradient = ErrorOf<"InvalidGradient">;
using CallbackOutsideBackward = ErrorOf<"CallbackOutsideBackward">;
using DerivativeNotImplemented = ErrorOf<"DerivativeNotImplemented">;
using NonFiniteGradient = ErrorOf<"NonFiniteGradient">;

// In-place operations and views (SavedTensorModified: graph/saved_variable.h).
using LeafInPlace = ErrorOf<"LeafInPlace">;
using AliasedInPlace = ErrorOf<"AliasedInPlace">;
using AmbiguousViewWrite = ErrorOf<"AmbiguousViewWrite">;
using FunctionViewWrite = ErrorOf<"FunctionViewWrite">;
using OverwrittenInput = ErrorOf<"OverwrittenInput">;
using MemoryOverlap = ErrorOf<"MemoryOverlap">;
using OutRequiresGrad = ErrorOf<"OutRequiresGrad">;
using DetachView = ErrorOf<"DetachView">;
using ResizeRequiresGrad = ErrorOf<"ResizeRequiresGrad">;
using ReadOnlyWrite = ErrorOf<"ReadOnlyWrite">;

// Flags, hooks, user functions, forward mode.
using VolatileConflict = ErrorOf<"VolatileConflict">;
using RequiresGradError = ErrorOf<"RequiresGradError">;
using RetainGradError = ErrorOf<"RetainGradError">;
using GradAssignment = ErrorOf<"GradAssignment">;
using SetDataError = ErrorOf<"SetDataError">;
using InferenceTensorError = ErrorOf<"InferenceTensorError">;
using HookError = ErrorOf<"HookError">;
using SavedHookError = ErrorOf<"SavedHookError">;
using CheckpointMismatch = ErrorOf<"CheckpointMismatch">;
using BatchingNotImplemented = ErrorOf<"BatchingNotImplemented">;
using NotDeterministic = ErrorOf<"NotDeterministic">;
using FunctionError = ErrorOf<"FunctionError">;
using ForwardNotImplemented = ErrorOf<"ForwardNotImplemented">;
using DualLevelError = ErrorOf<"DualLevelError">;
using TangentError = ErrorOf<"TangentError">;

/// A warning to standard error, once per `message` and process if `once`.
void warn(const std::string& message, bool once = false);

/// `text` as a JSON string, with quotes.
std::string json_quote(std::string_view text);

}  // namespace notape
