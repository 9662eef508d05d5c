// Choices: a random case as the list of choices that made it. Fewer and smaller choices make a
// simpler case, so a failing case is shrunk by shrinking this list, whatever it stands for
// (D. MacIver, A. Donaldson: "Test-case reduction via test-case generation", ECOOP 2020).
#pragma once
#include <rapidcheck/Seq.h>
#include <rapidcheck/Shrinkable.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace notape::verify {

using Choices = std::vector<uint32_t>;

/// A word of lower-case letters and digits; zeros at the end are left out, as they need no choice.
std::string encode_choices(const Choices& choices);
/// Empty for a word that encode_choices() of this version could not have made.
std::optional<Choices> decode_choices(std::string_view code);

/// Simpler lists, most promising first: cut off, zeroed in parts, parts removed, single ones lower.
rc::Seq<Choices> simpler(const Choices& choices);
/// The list with the tree of everything simpler below it.
rc::Shrinkable<Choices> shrinkable(Choices choices);

}  // namespace notape::verify
