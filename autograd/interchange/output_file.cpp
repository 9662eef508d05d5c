#include "autograd/interchange/output_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "autograd/error.h"

namespace notape::interchange {
namespace {

/// A name that a signal handler may have to remove. It copies the name, so that the handler never
/// looks at memory that is being freed.
struct Slot {
  enum State : int { kFree, kBeingWritten, kUsed };
  std::atomic<int> state = kFree;
  char path[PATH_MAX];
};
Slot slots[16];

/// -1 if all are used: what has no slot outlives a second Ctrl-C, and nothing else.
int take_slot(const std::string& path) {
  if (path.size() >= sizeof(Slot::path)) return -1;
  for (int i = 0; i < static_cast<int>(std::size(slots)); ++i) {
    int free = Slot::kFree;
    if (!slots[i].state.compare_exchange_strong(free, Slot::kBeingWritten)) continue;
    std::memcpy(slots[i].path, path.c_str(), path.size() + 1);
    slots[i].state.store(Slot::kUsed);
    return i;
  }
  return -1;
}

void free_slot(int slot) {
  if (slot >= 0) slots[slot].state.store(Slot::kFree);
}

std::string self_link(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

std::filesystem::path folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder;
}

/// The renamed file survives a power failure, too. Not every file system can do this, and the
/// file's own contents are safe already.
void sync_folder_of(const std::string& path) {
  const int folder = open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  static_cast<void>(fsync(folder));
  close(folder);
}

/// Locks it for this writer, where the file system can do that; false if another one has.
bool is_locked(int descriptor) {
  return flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

/// Removes `name.partial-PID-N` of writers that have ended: they hold a lock on theirs.
void remove_leftovers(const std::filesystem::path& folder, const std::string& prefix) {
  std::error_code failed;
  for (std::filesystem::directory_iterator file(folder, failed), end; !failed && file != end;
       file.increment(failed)) {
    const std::string name = file->path().filename().string();
    if (!name.starts_with(prefix)) continue;
    const std::size_t dash = name.find_first_not_of("0123456789", prefix.size());
    if (dash == prefix.size() || dash == name.npos || name[dash] != '-' ||
        name.find_first_not_of("0123456789", dash + 1) != name.npos || dash + 1 == name.size())
      continue;
    const int descriptor = open(file->path().c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0) continue;
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) unlink(file->path().c_str());
    close(descriptor);
  }
}

/// Of a symbolic link the file it leads to is replaced, not the link; it need not be there yet.
std::string end_of_links(std::filesystem::path path) {
  constexpr int kMostLinks = 40;  // as Linux has it
  std::error_code failed;
  for (int i = 0; i < kMostLinks && is_symlink(symlink_status(path, failed)); ++i) {
    const std::filesystem::path next = read_symlink(path, failed);
    if (failed) break;
    path = path.parent_path() / next;  // itself, if it is absolute
  }
  return path.string();
}

}  // namespace

void remove_partial_files() noexcept {
  for (Slot& slot : slots) {
    int used = Slot::kUsed;
    if (slot.state.compare_exchange_strong(used, Slot::kBeingWritten)) unlink(slot.path);
  }
}

void OutputFile::fail(int reason) const {
  throw FileError("{}: cannot be written: {}", path_, std::strerror(reason));
}

OutputFile::OutputFile(const std::string& path) : path_(path), target_(path), owner_(getpid()) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (std::filesystem::is_directory(status)) fail(EISDIR);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    descriptor_ = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail(errno);
    return;
  }
  target_ = end_of_links(path);
  if (std::filesystem::exists(status) &&
      faccessat(AT_FDCWD, target_.c_str(), W_OK, AT_EACCESS) != 0)
    fail(errno);
  open_beside();
  struct stat old {};
  if (stat(target_.c_str(), &old) == 0) static_cast<void>(fchmod(descriptor_, old.st_mode & 07777));
}

void OutputFile::open_beside() {
  constexpr std::size_t kMostOfTheName = 200;  // the whole may have 255 bytes
  static std::atomic<unsigned> files{0};
  const std::filesystem::path folder = folder_of(target_);
  const std::string prefix =
      std::filesystem::path(target_).filename().string().substr(0, kMostOfTheName) + ".partial-";
  remove_leftovers(folder, prefix);
  const auto take_name = [&] {
    partial_path_ = (folder / prefix).string() + std::to_string(owner_) + "-" +
                    std::to_string(files.fetch_add(1, std::memory_order_relaxed));
  };
  take_name();
  descriptor_ = open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  nameless_ = descriptor_ >= 0;
  if (nameless_ && access(self_link(descriptor_).c_str(), F_OK) == 0) {
    static_cast<void>(is_locked(descriptor_));
    return;
  }
  if (nameless_) close(descriptor_);  // there is no way to give it a name
  nameless_ = false;
  for (;; take_name()) {
    slot_ = take_slot(partial_path_);
    descriptor_ = open(partial_path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    const int reason = errno;
    struct stat status {};
    if (descriptor_ >= 0 && is_locked(descriptor_) && fstat(descriptor_, &status) == 0 &&
        status.st_nlink > 0)
      return;
    free_slot(std::exchange(slot_, -1));
    if (descriptor_ < 0) fail(reason);
    close(std::exchange(descriptor_, -1));  // another writer has taken it for a leftover
  }
}

void OutputFile::drop() {
  if (descriptor_ >= 0) close(std::exchange(descriptor_, -1));
  // A forked child that ends must not remove what its parent is writing.
  if (!partial_path_.empty() && !nameless_ && owner_ == getpid()) unlink(partial_path_.c_str());
  free_slot(std::exchange(slot_, -1));
  partial_path_.clear();
}

OutputFile::~OutputFile() { drop(); }

void OutputFile::write(const void* data, std::size_t bytes) {
  constexpr std::size_t kAtOnce = std::size_t{1} << 30;
  const auto* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t count = ::write(descriptor_, from, std::min(bytes, kAtOnce));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(errno);
    from += count;
    bytes -= static_cast<std::size_t>(count);
    written_ += static_cast<uint64_t>(count);
  }
}

void OutputFile::finish() {
  if (partial_path_.empty()) return;
  int status = 0;
  do {
    status = fsync(descriptor_);
  } while (status != 0 && errno == EINTR);
  // Some file systems cannot; those that can say here what they could not store.
  if (status != 0 && errno != EINVAL && errno != ENOSYS && errno != ENOTSUP) fail(errno);
}

void OutputFile::commit() {
  if (partial_path_.empty()) {
    if (close(std::exchange(descriptor_, -1)) != 0) fail(errno);
    return;
  }
  finish();
  if (nameless_) {
    slot_ = take_slot(partial_path_);
    if (linkat(AT_FDCWD, self_link(descriptor_).c_str(), AT_FDCWD, partial_path_.c_str(),
               AT_SYMLINK_FOLLOW) != 0)
      fail(errno);
    nameless_ = false;
  }
  const int lock = dup(descriptor_);  // kept until the file has its name
  int reason = close(std::exchange(descriptor_, -1)) == 0 ? 0 : errno;
  if (reason == 0 && std::rename(partial_path_.c_str(), target_.c_str()) != 0) reason = errno;
  if (lock >= 0) close(lock);
  if (reason == 0) {
    free_slot(std::exchange(slot_, -1));
    partial_path_.clear();
    sync_folder_of(target_);
    return;
  }
  drop();
  fail(reason);
}

}  // namespace notape::interchange
