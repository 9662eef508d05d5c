// The named errors that the campaign distinguishes, as bits, and the rules about them.
#pragma once
#include <cstdint>
#include <string_view>

namespace notape::verify::alias {

enum class Failure : uint8_t {
  LeafInPlace,
  MemoryOverlap,
  AmbiguousViewWrite,
  FunctionViewWrite,
  AliasedInPlace,
  OverwrittenInput,
  DetachView,
  SetDataError,
  FunctionError,
  NothingRequiresGrad,
  GraphFreed,
  SavedTensorModified,
  ForwardNotImplemented,
  DerivativeNotImplemented,
  Other,  ///< any other notape::Error
};
inline constexpr int kFailures = 15;
inline constexpr const char* kFailureNames[kFailures] = {"LeafInPlace",
                                                         "MemoryOverlap",
                                                         "AmbiguousViewWrite",
                                                         "FunctionViewWrite",
                                                         "AliasedInPlace",
                                                         "OverwrittenInput",
                                                         "DetachView",
                                                         "SetDataError",
                                                         "FunctionError",
                                                         "NothingRequiresGrad",
                                                         "GraphFreed",
                                                         "SavedTensorModified",
                                                         "ForwardNotImplemented",
                                                         "DerivativeNotImplemented",
                                                         "another class"};

using FailureSet = uint32_t;
constexpr FailureSet bit(Failure failure) { return FailureSet{1} << static_cast<int>(failure); }

/// What the rules say about a statement, before it runs.
struct Expectation {
  bool skip = false;           ///< makes no sense here; it is not run
  FailureSet must = 0;         ///< one of these has to be raised, if any
  FailureSet may = 0;          ///< these may be raised
  bool writes_anyway = false;  ///< a refused user function has already written its input
};
inline constexpr Expectation kSkip{.skip = true};

constexpr Failure failure_of(std::string_view kind) {
  for (int i = 0; i + 1 < kFailures; ++i)
    if (kind == kFailureNames[i]) return static_cast<Failure>(i);
  return Failure::Other;
}

}  // namespace notape::verify::alias
