#include "verify/runner/changed_files.h"

#include <algorithm>
#include <filesystem>

#include "verify/processes/program.h"
#include "verify/runner/location.h"

namespace notape::verify {
namespace {

/// What git prints; none if it fails, or is not there.
std::optional<std::string> output_of(std::vector<std::string> words) {
  Program git(std::move(words), Program::Errors::Dropped);
  std::string text = git.output();
  return git.end() == "exit(0)" ? std::optional(std::move(text)) : std::nullopt;
}

void add_names(std::vector<std::string>& names, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\0', at), text.size());
    names.push_back(text.substr(at, end - at));
    at = end + 1;
  }
}

/// The folder of the working tree as git prints it; empty outside of one, and without git.
std::string root_text() { return output_of({"git", "rev-parse", "--show-toplevel"}).value_or(""); }

}  // namespace

bool is_in_repository() { return !root_text().empty(); }

std::optional<std::vector<std::string>> changed_files(const std::string& commit) {
  std::string root = root_text();
  if (root.empty()) return {};
  root.pop_back();  // the line's end
  const auto known = output_of(
      {"git", "rev-parse", "--verify", "--quiet", "--end-of-options", commit + "^{commit}"});
  if (!known || known->empty()) return {};
  const std::string id = known->substr(0, known->size() - 1);
  const auto differ = output_of({"git", "-C", root, "diff", "--name-only", "-z", id, "--"});
  const auto fresh =
      output_of({"git", "-C", root, "ls-files", "-z", "--others", "--exclude-standard"});
  if (!differ || !fresh) return {};
  std::vector<std::string> names;
  add_names(names, *differ);
  add_names(names, *fresh);
  return names;
}

bool is_changed(const OpSpec& spec, const std::vector<std::string>& files) {
  const std::filesystem::path own = file_of(spec.at);
  return std::any_of(files.begin(), files.end(), [&](const std::string& name) {
    const std::filesystem::path file = name;
    const bool same = own == file || own.string().ends_with("/" + name);
    return same || (file.stem() == own.stem() && name.starts_with("ops/"));
  });
}

}  // namespace notape::verify
