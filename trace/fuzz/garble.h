// Garble: an invalid trace. Lines of real dialects are dropped, doubled, mixed, cut and filled with
// words and numbers that readers get wrong.
#pragma once
#include <random>
#include <string>
#include <vector>

namespace notape::trace::fuzz {

/// Traces of every dialect, one event on a line.
std::vector<std::string> dialects();

/// The same text for the same seed and seeds of the same order.
std::string garbled(const std::vector<std::string>& traces, uint64_t seed);

}  // namespace notape::trace::fuzz
