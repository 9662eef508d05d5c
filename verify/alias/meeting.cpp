#include "verify/alias/meeting.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "verify/processes/usage_error.h"

namespace notape::verify::alias {
namespace {

constexpr double kSecondsToCome = 60;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Whole, or not there: for whoever looks at the same time.
bool write_once(const std::string& path, const std::string& text, int rank) {
  const std::string draft = path + ".draft." + std::to_string(rank);
  {
    std::ofstream file(draft, std::ios::binary);
    if (!(file << text).flush()) throw UsageError("cannot write {}", draft);
  }
  const bool first = ::link(draft.c_str(), path.c_str()) == 0;
  const int error = errno;
  ::unlink(draft.c_str());
  if (!first && error != EEXIST)
    throw UsageError("cannot write {}: {}", path, std::strerror(error));
  return first;
}

std::optional<std::string> text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

struct flock whole_file() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

}  // namespace

Meeting::Meeting(std::string folder, int rank, int size)
    : folder_(std::move(folder)), rank_(rank), size_(size), joined_(now()) {
  std::error_code failed;
  std::filesystem::create_directories(folder_, failed);
  if (failed) throw UsageError("cannot make directory {}: {}", folder_, failed.message());
  // Locked before it gets its name: whoever sees it without a lock knows that this rank is gone.
  const std::string draft = rank_file(rank_) + ".draft";
  lock_ = ::open(draft.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  struct flock lock = whole_file();
  if (lock_ < 0 || ::fcntl(lock_, F_SETLK, &lock) != 0 ||
      ::link(draft.c_str(), rank_file(rank_).c_str()) != 0) {
    const int error = errno;
    if (lock_ >= 0) ::close(lock_);
    ::unlink(draft.c_str());
    if (error == EEXIST)
      throw UsageError("{} was used by an earlier run; remove it, or name another --exchange",
                       folder_);
    throw UsageError("cannot write to {}: {}", folder_, std::strerror(error));
  }
  ::unlink(draft.c_str());
}

Meeting::~Meeting() { ::close(lock_); }

std::string Meeting::agree(const std::string& text) {
  write_once(path("campaign"), text, rank_);
  return text_of(path("campaign")).value_or(text);
}

bool Meeting::claim(std::size_t block, int attempt) {
  return write_once(path("claim." + std::to_string(block) + "." + std::to_string(attempt)),
                    std::to_string(rank_), rank_);
}

std::optional<Meeting::Claim> Meeting::last_claim(std::size_t block) const {
  std::optional<Claim> last;
  for (int attempt = 0;; ++attempt) {
    const auto text =
        text_of(path("claim." + std::to_string(block) + "." + std::to_string(attempt)));
    if (!text) return last;
    last = {std::atoi(text->c_str()), attempt};
  }
}

void Meeting::publish(std::size_t block, const std::string& text) {
  write_once(path("result." + std::to_string(block)), text, rank_);
}

std::optional<std::string> Meeting::published(std::size_t block) const {
  return text_of(path("result." + std::to_string(block)));
}

void Meeting::say_done() { write_once(path("done." + std::to_string(rank_)), "", rank_); }

bool Meeting::is_done(int rank) const {
  return ::access(path("done." + std::to_string(rank)).c_str(), F_OK) == 0;
}

bool Meeting::is_dead(int rank) const {
  if (rank == rank_) return false;  // asking for our own lock would let go of it
  const int file = ::open(rank_file(rank).c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return now() - joined_ > kSecondsToCome;
  struct flock lock = whole_file();
  const bool free = ::fcntl(file, F_GETLK, &lock) == 0 && lock.l_type == F_UNLCK;
  ::close(file);
  return free && !is_done(rank);
}

void Meeting::remove() {
  std::error_code ignored;  // what is left harms nobody
  std::filesystem::remove_all(folder_, ignored);
}

}  // namespace notape::verify::alias
