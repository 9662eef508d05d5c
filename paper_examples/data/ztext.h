// zText, the compressed texts of the SWORD project (https://www.crosswire.org/sword). Of a
// testament there are three files, little-endian. NAME.bzv has 10 bytes per verse slot: its block
// (32 bits), the offset in the inflated block (32) and the length (16). NAME.bzs has 12 per block:
// the offset in NAME.bzz, the size there, the inflated size. NAME.bzz has the blocks, zlib streams
// that zero bytes follow.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace notape::data {

/// The text of every slot of a testament, "ot" or "nt", as marked up as it is; "" of an empty slot.
/// Throws FileError, naming file and byte, for missing files, sizes that are no whole number of
/// records, blocks and texts that lie outside of what they are in, and inflated sizes that differ.
std::vector<std::string> read_ztext(const std::filesystem::path& folder,
                                    std::string_view testament);

}  // namespace notape::data
