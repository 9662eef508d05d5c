#include "verify/runner/changed_files.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "verify/report/location.h"

namespace notape::verify {
namespace {

/// What a program prints; none if it fails. No shell, so that words are only words.
std::optional<std::string> output_of(std::vector<std::string> words) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = -1;
  const int failed =
      ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t got = 1; !failed && (got > 0 || errno == EINTR);) {
    got = ::read(ends[0], buffer, sizeof(buffer));
    if (got == 0) break;
    if (got > 0) text.append(buffer, static_cast<std::size_t>(got));
  }
  ::close(ends[0]);
  if (failed) return {};
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? std::optional(text) : std::nullopt;
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
