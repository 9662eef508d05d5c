// The judgement of an opaque function's gradient along a direction: by a short ladder, by the whole
// one, and by ladders with much smaller steps where those of the inputs' own size show no slope.
#pragma once
#include "verify/checks/subject.h"
#include "verify/numeric/judgement.h"

namespace notape::verify {

struct JudgedAlong {
  Judgement judgement = {};
  Ladder ladder = {};
  Sample reverse = {};
};

/// <J^T v, u> against the slope along u. A short ladder may find a PASS; every other answer takes
/// the whole one, and so does `evidence`.
JudgedAlong judge_along(const Subject& subject, const Direction& u, bool evidence = false);

/// On a kink: between the slopes of both sides?
Verdict verdict_on_kink(const JudgedAlong& judged);

}  // namespace notape::verify
