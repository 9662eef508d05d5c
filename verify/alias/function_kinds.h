// What the campaign knows about each user function.
#pragma once
#include <span>

#include "verify/alias/functions.h"

namespace notape::verify::alias {

struct FunctionKind {
  enum class Effect : uint8_t {
    Two,         ///< out = x, slot n[0] = x y
    FreshOfTwo,  ///< out = x y; its backward needs x and y, kept somewhere
    Dirty,       ///< x = slope x
    DirtyOfTwo,  ///< x = x y
    DirtyPlus,   ///< x = slope x and out = 5 x
    Alias,       ///< out = x with another derivative, tagged
    Declared,    ///< out = x with another derivative until a recorded write reaches it
    AliasOfOwn,  ///< out = slope x, a view of something else, tagged
    Silent,      ///< x = slope x unseen by the graph, out a copy with derivative `slope`
    Refused,     ///< x = slope x, then an error
  };
  const char* name;
  Effect effect;
  double slope;   ///< of out, or of the new x
  bool adds_dim;  ///< the output is unsqueezed
  int outputs;    ///< tensors returned that are not x itself
  /// Runs it; returns the outputs that are not x itself.
  variable_list (*call)(const Tensor& x, const Tensor& y);
  bool has_jvp = false;
  /// FreshOfTwo: what is kept.
  enum class Keeps : uint8_t {
    Inputs,   ///< themselves
    Copies,   ///< computed from them unrecorded, on memory of their own
    Aliases,  ///< of their memory, which have lost the derivative
  };
  Keeps keeps = Keeps::Inputs;

  bool takes_two() const {
    return effect == Effect::Two || effect == Effect::FreshOfTwo || effect == Effect::DirtyOfTwo;
  }
  bool is_dirty() const {
    return effect == Effect::Dirty || effect == Effect::DirtyOfTwo || effect == Effect::DirtyPlus ||
           effect == Effect::Refused;
  }
};

std::span<const FunctionKind> function_kinds();

}  // namespace notape::verify::alias
