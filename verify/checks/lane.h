// A Lane is a single entry of an argument, which is moved onto a special point and differentiated
// there.
#pragma once
#include "verify/checks/subject.h"

namespace notape::verify {

/// An entry of an argument.
struct Lane {
  std::size_t argument, entry;
  bool operator==(const Lane&) const = default;
};

double& value_at(DrawnCase& drawn, const Lane& lane);
/// The case without layouts.
DrawnCase plain_copy(const DrawnCase& drawn);
/// As the dtype has it.
double rounded(double value, ScalarType dtype);
/// Whether an entry may be that.
inline bool inside(double x, const Domain& domain) { return x >= domain.low && x <= domain.high; }
/// 0 on a declared kink, infinite if there are none.
double distance_from_kinks(double x, const Domain& domain);

/// All entries of the real arguments that `wanted` accepts, starting anywhere.
std::vector<Lane> lanes_of(const Subject& subject, uint32_t stream,
                           const std::function<bool(const Argument&)>& wanted);

/// Whether an output changes with the entry, in either direction.
bool depends(const DrawnCase& drawn, const Lane& lane, std::size_t output);
/// The first output that does.
std::optional<std::size_t> dependent_output(const DrawnCase& drawn, const Lane& lane);

/// Every argument that stays as it is, and a step in one entry.
Direction along_lane(const DrawnCase& drawn, const Lane& lane, double size);
/// One output alone.
Numbers one_output(const Subject& subject, std::size_t output);

}  // namespace notape::verify
