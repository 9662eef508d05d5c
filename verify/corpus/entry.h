// Entry: one function of the corpus, as somebody wrote it, and the mistakes that somebody made in
// it. The verifier is to find these and to leave the function alone.
#pragma once
#include "verify/corpus/input_draw.h"
#include "verify/gradcheck.h"
#include "verify/plugin/c_abi.h"

namespace notape::verify::corpus {

/// Mistakes as they stand in the histories of kernel libraries.
enum class Kind : uint8_t {
  StridedIncoming,
  IncomingIgnored,
  DuplicateIndex,
  MissingInput,
  MeanTwice,
  TiedWeights,
  LastBlock,
  WrongConstant,
  AtSaturation,
  LostFactor,
  LostTerm,
  WrongSign,
  WrongBranch,
  WrongAxis,
  NoEpsilon,
  AtTies,
  LowPrecision,
  StaleState,
  Swapped,
  Detached
};
inline constexpr std::size_t kKinds = static_cast<std::size_t>(Kind::Detached) + 1;
/// "strided-incoming"
std::string_view name_of(Kind kind);
/// One line about it.
std::string_view meaning_of(Kind kind);

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
