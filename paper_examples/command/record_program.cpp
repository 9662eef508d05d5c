#include "paper_examples/command/record_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <iostream>

#include "paper_examples/command/command.h"
#include "trace/convert/convert.h"
#include "trace/reader/trace_reader.h"
#include "trace/write/chrome_writer.h"
#include "trace/write/output_file.h"
#include "trace/write/stream_file.h"

namespace notape::command {
namespace {

/// Which file a name stands for, if any: another one after something new was put in its place.
struct FileState {
  explicit FileState(const std::string& path) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) return;
    inode = status.st_ino;
    changed_ns = status.st_ctim.tv_sec * 1'000'000'000 + status.st_ctim.tv_nsec;
  }
  bool exists() const { return inode != 0; }
  bool operator==(const FileState&) const = default;

  ino_t inode = 0;
  int64_t changed_ns = 0;
};

/// While it lives, signals wait to be taken; the program gets those that its starter had.
class HeldSignals {
 public:
  HeldSignals() {
    sigemptyset(&set_);
    for (const int number : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2})
      sigaddset(&set_, number);
    sigprocmask(SIG_BLOCK, &set_, &before_);
  }
  ~HeldSignals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  const sigset_t& before() const { return before_; }
  siginfo_t take() const {
    siginfo_t info{};
    while (sigwaitinfo(&set_, &info) < 0) {
    }
    return info;
  }

 private:
  sigset_t set_, before_;
};

std::vector<std::string> environment_for(const ProgramRecording& recording,
                                         const std::string& path) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable; ++variable)
    if (std::strncmp(*variable, "NOTAPE_TRACE", 12) != 0) variables.emplace_back(*variable);
  std::string options = fmt::format("events={}", recording.options.events_per_thread);
  if (recording.options.shapes) options += ",shapes";
  if (recording.options.memory) options += ",memory";
  variables.push_back("NOTAPE_TRACE=" + path);
  variables.push_back("NOTAPE_TRACE_OPTIONS=" + options);
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

pid_t start(const ProgramRecording& recording, const std::string& path,
            const HeldSignals& signals) {
  std::vector<std::string> words = recording.words, variables = environment_for(recording, path);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setsigmask(&attributes, &signals.before());
  sigset_t ours;  // what this command ignores for itself
  sigemptyset(&ours);
  sigaddset(&ours, SIGXFSZ);
  posix_spawnattr_setsigdefault(&attributes, &ours);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, words[0].c_str(), nullptr, &attributes,
                                  pointers(words).data(), pointers(variables).data());
  posix_spawnattr_destroy(&attributes);
  if (failed) throw FileError("{}: cannot be run: {}", words[0], std::strerror(failed));
  return child;
}

/// The program's wait status. A signal that the terminal sent has reached the program, too.
int wait_for(pid_t child, const HeldSignals& signals) {
  for (;;) {
    const siginfo_t info = signals.take();
    if (info.si_signo != SIGCHLD) {
      if (info.si_code != SI_KERNEL) kill(child, info.si_signo);
      continue;
    }
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child) return status;
  }
}

/// The files of killed processes that would have become `path`.
std::vector<std::string> left_behind(const std::string& path) {
  const std::filesystem::path pattern = trace::beside(path, "partial-");  // a.partial-.json.gz
  const std::string name = pattern.filename();
  const std::size_t number = name.find("partial-") + std::strlen("partial-");
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(pattern.parent_path())) {
    const std::string other = entry.path().filename();
    if (other.size() <= name.size() || !other.starts_with(name.substr(0, number)) ||
        !other.ends_with(name.substr(number)))
      continue;
    const std::string digits = other.substr(number, other.size() - name.size());
    if (digits.find_first_not_of("0123456789") != std::string::npos) continue;
    if (kill(std::stoi(digits), 0) != 0 && errno == ESRCH) files.push_back(entry.path());
  }
  return files;
}

/// What a killed program has left becomes a whole trace beside the wanted one.
std::string salvage(const std::string& path) {
  std::string whole;
  for (const std::string& partial : left_behind(path)) {
    whole = trace::beside(path, "interrupted");
    trace::convert(partial, whole, {});
    std::filesystem::remove(partial);
  }
  return whole;
}

std::string description(const std::string& path) {
  trace::TraceReader reader(path);
  uint64_t operators = 0, rows = 0;
  while (const trace::RawEvent* event = reader.next()) {
    operators += event->phase == 'X' && event->category == "cpu_op";
    rows += event->phase != 'M';
  }
  return operators == 0 ? "in which no operator ran" : fmt::format("{} rows", rows);
}

/// Says what there is; false: nothing.
bool tell(const ProgramRecording& recording, const std::string& path, int status,
          const FileState& before, const FileState& interrupted_before) {
  const std::string interrupted = trace::beside(path, "interrupted");
  std::string written;
  if (FileState(path) != before)
    written = path;
  else if (FileState(interrupted) != interrupted_before)
    written = interrupted;
  else
    written = salvage(path);
  if (WIFSIGNALED(status))
    std::cerr << "notape trace record: " << recording.words[0] << " was ended by "
              << strsignal(WTERMSIG(status)) << '\n';
  if (written.empty())
    std::cerr << "notape trace record: " << recording.words[0]
              << " has recorded nothing: it does not use libnotape.so, or could not write " << path
              << '\n';
  else
    std::cerr << "written: " << written << ", " << description(written) << '\n';
  return !written.empty();
}

}  // namespace

int record_program(const ProgramRecording& recording) {
  std::string path = recording.path;
  if (path.empty())
    path = std::filesystem::path(recording.words[0]).filename().string() + ".json.gz";
  if (!trace::is_trace_path(path))
    throw ValueError("{}: the name of a trace ends in .json or .json.gz", path);
  path = std::filesystem::absolute(path);  // the program may go elsewhere
  { const trace::OutputFile can_be_written(path); }
  const FileState before(path), interrupted_before(trace::beside(path, "interrupted"));
  std::cout.flush();
  const HeldSignals signals;
  const pid_t child = start(recording, path, signals);
  const int status = wait_for(child, signals);
  const int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  const bool is_there = tell(recording, path, status, before, interrupted_before);
  return code == kFine && !is_there ? kUnusable : code;
}

}  // namespace notape::command
