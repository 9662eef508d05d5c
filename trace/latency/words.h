// Sentences that the table and the figures of a latency report share.
#pragma once

namespace notape::trace {

inline constexpr const char* kAboutThePaper =
    "The 2017 paper's figures were taken from Python, on other hardware, and are no comparison of "
    "like with like.";
inline constexpr const char* kNoLaunches = "the operands lie on the CPU, where nothing is launched";

}  // namespace notape::trace
