// Verses in two languages: the King James Version (1769) and the Reina-Valera (1909), both in the
// public domain, as eBible.org has prepared them for the SWORD project. (In the United Kingdom
// alone, printing the former needs permission under letters patent.)
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace notape::data {

struct VersePair {
  std::string english, spanish;
};

/// The verses that two zText modules of the same versification both have, in canonical order, as
/// plain text. Throws FileError, naming the file (and the slot, for markup that is none).
std::vector<VersePair> read_verse_pairs(const std::filesystem::path& english_folder,
                                        const std::filesystem::path& spanish_folder);

/// The same of the Debian packages sword-text-kjv and sword-text-sparv, 31,084 pairs. Throws
/// MissingPackage.
std::vector<VersePair> read_bible_pairs();

}  // namespace notape::data
