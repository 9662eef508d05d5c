#include "paper_examples/data/verse_pairs.h"

#include "autograd/error.h"
#include "paper_examples/data/osis.h"
#include "paper_examples/data/package_file.h"
#include "paper_examples/data/ztext.h"

namespace notape::data {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> read_plain(const fs::path& folder, const char* testament) {
  std::vector<std::string> texts = read_ztext(folder, testament);
  for (std::size_t slot = 0; slot < texts.size(); ++slot) try {
      texts[slot] = plain_osis(texts[slot]);
    } catch (const ValueError& error) {
      throw FileError("{}: {}, slot {}: {}", folder.string(), testament, slot, error.what());
    }
  return texts;
}

fs::path module_folder(const std::string& package, const std::string& name) {
  const std::string folder = "usr/share/sword/modules/texts/ztext/" + name;
  return find_package_file(package, folder + "/ot.bzv").parent_path();
}

}  // namespace

std::vector<VersePair> read_verse_pairs(const fs::path& english_folder,
                                        const fs::path& spanish_folder) {
  std::vector<VersePair> pairs;
  for (const char* testament : {"ot", "nt"}) {
    std::vector<std::string> english = read_plain(english_folder, testament),
                             spanish = read_plain(spanish_folder, testament);
    if (english.size() != spanish.size())
      throw FileError("{} has {} slots in {}, {} has {}: not the same versification",
                      english_folder.string(), english.size(), testament, spanish_folder.string(),
                      spanish.size());
    for (std::size_t slot = 0; slot < english.size(); ++slot)
      if (!english[slot].empty() && !spanish[slot].empty())
        pairs.push_back({std::move(english[slot]), std::move(spanish[slot])});
  }
  return pairs;
}

std::vector<VersePair> read_bible_pairs() {
  const fs::path english = module_folder("sword-text-kjv", "engKJV2006eb"),
                 spanish = module_folder("sword-text-sparv", "spaRV1909eb");
  return read_verse_pairs(english, spanish);
}

}  // namespace notape::data
