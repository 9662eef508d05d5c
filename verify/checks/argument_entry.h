// Single entries of arguments, which are moved onto a special point and differentiated there.
#pragma once
#include "verify/checks/subject.h"

namespace notape::verify {

/// An entry of an argument: its row-major index.
struct ArgumentEntry {
  std::size_t argument, index;
  bool operator==(const ArgumentEntry&) const = default;
};

double& value_at(DrawnCase& drawn, const ArgumentEntry& entry);
/// The case without layouts.
DrawnCase plain_copy(const DrawnCase& drawn);
/// As the dtype has it.
double rounded(double value, ScalarType dtype);
/// Whether an entry may be that.
inline bool inside(double x, const Domain& domain) { return x >= domain.low && x <= domain.high; }
/// 0 on a declared kink, infinite if there are none.
double distance_from_kinks(double x, const Domain& domain);

/// All entries of the real arguments that `wanted` accepts, starting anywhere.
std::vector<ArgumentEntry> entries_where(const Subject& subject, uint32_t stream,
                                         const std::function<bool(const Argument&)>& wanted);

/// Whether an output changes with the entry, in either direction.
bool depends(const DrawnCase& drawn, const ArgumentEntry& entry, std::size_t output);
/// The first output that does.
std::optional<std::size_t> dependent_output(const DrawnCase& drawn, const ArgumentEntry& entry);

/// Every argument that stays as it is, and a step in one entry.
Direction along_entry(const DrawnCase& drawn, const ArgumentEntry& entry, double size);
/// One output alone.
Numbers one_output(const Subject& subject, std::size_t output);

}  // namespace notape::verify
