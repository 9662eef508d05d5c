// Entry: one function of the corpus, as somebody wrote it, and the mistakes that somebody made in
// it. The verifier is to find these and to leave the function alone.
#pragma once
#include <span>

#include "verify/corpus/input_draw.h"
#include "verify/gradcheck.h"
#include "verify/plugin/c_abi.h"

namespace notape::verify::corpus {

/// Mistakes as they stand in the histories of kernel libraries.
enum class Kind : uint8_t {
  StridedIncoming,  ///< the incoming gradient is read as if its entries lay in a row
  IncomingIgnored,  ///< the incoming gradient's scale, or a part of it, is left out
  DuplicateIndex,   ///< of equal indices the last one wins
  MissingInput,     ///< an input has no gradient, or that of zeros
  MeanTwice,        ///< a mean, or a term of the kind, is subtracted twice
  TiedWeights,      ///< of a parameter used twice one use is counted
  LastBlock,        ///< what is left over after whole blocks is wrong
  WrongConstant,    ///< a constant with a wrong digit
  AtSaturation,     ///< right but where the function is nearly flat
  LostFactor,       ///< a factor of the chain rule
  LostTerm,         ///< a term of a sum
  WrongSign,
  WrongBranch,   ///< the slope of the neighbouring piece
  WrongAxis,     ///< a sum over the wrong dimension, or entries of another one
  NoEpsilon,     ///< the epsilon of forward is not in backward
  AtTies,        ///< tied entries get what one of them should
  LowPrecision,  ///< fewer bits inside than the dtype has
  StaleState,    ///< backward reads what the last call of forward left
  Swapped,       ///< the gradients of two inputs are exchanged
  Detached,      ///< the gradient is right and forgets that it depends on an input
};
/// "strided-incoming"
std::string_view name_of(Kind kind);
/// One line about it.
std::string_view meaning_of(Kind kind);
std::span<const Kind> all_kinds();

struct Mistake {
  std::string name;
  Kind kind = Kind::LostFactor;
  int order = 1;  ///< of the derivative that is wrong
  TensorFunction wrong = {};
  std::shared_ptr<const notape_operator> foreign = {};  ///< instead of `wrong`
};

struct Traits {
  int order = 2;                  ///< how often the right function can be differentiated
  bool forward_mode = true;       ///< whether it can be in forward mode
  bool single_precision = false;  ///< float32 inside, so that values are staircases
  bool kinks = false;             ///< has kinks or ties that drawn inputs may meet
};

struct Entry {
  std::string name;
  std::string family;
  TensorFunction right = {};
  /// The arguments of one trial. Those that require grad are differentiated.
  std::function<variable_list(InputDraw&)> inputs = {};
  Traits traits = {};
  std::vector<Mistake> mistakes = {};
  /// Instead of `right`, and then of `inputs`, too: a C operator, which says where its inputs lie.
  std::shared_ptr<const notape_operator> foreign = {};
};

/// The whole corpus, families together.
const std::vector<Entry>& all_entries();

}  // namespace notape::verify::corpus
