// OtherCase: the same operator called in another way, with other attributes: what a rule keeps of
// its latest call (a static, a member) is then wrong for this one.
#pragma once
#include <memory>

#include "verify/checks/subject.h"

namespace notape::verify {

struct OtherCase {
  DrawnCase drawn;
  Subject subject;

  OtherCase(const Subject& like, DrawnCase one)
      : drawn(std::move(one)), subject(like.spec, drawn, like.dtype, like.device) {}
};

/// Of a user's operator that draws its cases: one with other attributes and, of a C operator, the
/// same way, and any one. Those that it refuses are left out.
std::vector<std::unique_ptr<OtherCase>> other_cases(const Subject& subject);

}  // namespace notape::verify
