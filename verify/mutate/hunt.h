// The hunt: one mutant in one operator, case after case, until a check sees it.
#pragma once
#include "verify/mutate/mutant.h"
#include "verify/runner/runner.h"

namespace notape::verify::mutate {

struct HuntOptions {
  uint64_t seed = 1;
  int samples = 60;  ///< cases per operator and dtype
};

enum class Fate : uint8_t {
  Killed,
  Survived,
  Equivalent,     ///< the same derivatives as the right operator at all cases
  NotApplicable,  ///< no case has a place for it
};

struct Cell {
  const Mutant* mutant = nullptr;
  const OpSpec* spec = nullptr;
  Fate fate = Fate::NotApplicable;
  std::string leg = {};   ///< the check that saw it
  bool as_meant = false;  ///< the check that was meant to see it does
  int cases = 0;          ///< up to the kill, or looked at
  double seconds = 0;     ///< of processor time, whatever else the machine does
};

Cell hunt(const OpSpec& spec, const Mutant& mutant, const HuntOptions& options);

/// What checks say about a right operator that is planted with nothing.
struct FalseAlarm {
  const OpSpec* spec = nullptr;
  std::string check = {};
  ScalarType dtype = kFloat64;
  std::string code = {}, message = {};
};
/// All alarms of `cases` cases; looks at no further case after the first one.
std::vector<FalseAlarm> false_alarms(const OpSpec& spec, const HuntOptions& options, int cases);

}  // namespace notape::verify::mutate
