#include "paper_examples/data/ztext.h"

#include "autograd/interchange/input_file.h"
#include "autograd/interchange/zlib.h"
#include "paper_examples/data/byte_reader.h"

namespace notape::data {
namespace {

struct File {
  File(const std::filesystem::path& folder, std::string_view testament, const char* suffix)
      : path(folder / (std::string(testament) + suffix)),
        bytes(interchange::InputFile(path).read_all()) {}

  /// Refuses a size that is no multiple of the record's.
  ByteReader records(std::size_t size) const {
    if (bytes.size() % size != 0)
      throw FileError("{}: byte {}: truncated: a record has {} bytes", path.string(), bytes.size(),
                      size);
    return {bytes, path.string()};
  }

  std::filesystem::path path;
  std::string bytes;
};

/// The blocks of the index, inflated.
std::vector<std::string> read_blocks(const File& index, const File& compressed) {
  std::vector<std::string> blocks;
  for (ByteReader records = index.records(12); records.left() > 0;) {
    const ByteReader record = records;
    const uint64_t first = records.little32("an offset"), size = records.little32("a size"),
                   inflated_size = records.little32("an inflated size");
    if (first + size > compressed.bytes.size())
      record.fail("block {} is to lie at {}, {} bytes long, in a file of {}", blocks.size(), first,
                  size, compressed.bytes.size());
    blocks.push_back(interchange::inflate(std::string_view(compressed.bytes).substr(first, size),
                                          interchange::Compressed::ZlibAndZeros, inflated_size,
                                          compressed.path.string(), first));
    if (blocks.back().size() != inflated_size)
      record.fail("block {} is to inflate to {} bytes and has {}", blocks.size() - 1, inflated_size,
                  blocks.back().size());
  }
  return blocks;
}

}  // namespace

std::vector<std::string> read_ztext(const std::filesystem::path& folder,
                                    std::string_view testament) {
  const File slots(folder, testament, ".bzv");
  const std::vector<std::string> blocks =
      read_blocks(File(folder, testament, ".bzs"), File(folder, testament, ".bzz"));
  std::vector<std::string> texts;
  for (ByteReader records = slots.records(10); records.left() > 0;) {
    const ByteReader record = records;
    const uint64_t block = records.little32("a block"), first = records.little32("an offset"),
                   size = records.little16("a length");
    if (size == 0) {
      texts.emplace_back();
      continue;
    }
    if (block >= blocks.size())
      record.fail("slot {} is to be in block {} of {}", texts.size(), block, blocks.size());
    if (first + size > blocks[block].size())
      record.fail("slot {} is to lie at {}, {} bytes long, in a block of {}", texts.size(), first,
                  size, blocks[block].size());
    texts.push_back(blocks[block].substr(first, size));
  }
  return texts;
}

}  // namespace notape::data
