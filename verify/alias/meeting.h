// Meeting: how processes that know nothing of each other share out blocks, through files in a
// folder that all of them see. A process holds a lock on its own file as long as it lives; the
// system lets go of it however the process ends, so nobody waits for a dead one.
#pragma once
#include <optional>
#include <string>

namespace notape::verify::alias {

class Meeting {
 public:
  /// Joins. Throws UsageError if the folder cannot be used, or was used by this rank before.
  Meeting(std::string folder, int rank, int size);
  /// Leaves; the files stay.
  ~Meeting();
  Meeting(const Meeting&) = delete;
  Meeting& operator=(const Meeting&) = delete;

  /// The text of whoever said it first.
  std::string agree(const std::string& text);
  /// True for one process only, for every attempt.
  bool claim(std::size_t block, int attempt = 0);
  /// Who made the last claim, and which attempt that was.
  struct Claim {
    int rank, attempt;
  };
  std::optional<Claim> last_claim(std::size_t block) const;
  /// For all to see, at once and whole.
  void publish(std::size_t block, const std::string& text);
  std::optional<std::string> published(std::size_t block) const;

  void say_done();
  bool is_done(int rank) const;
  /// It has come, and is gone without being done; or it has not come in a minute.
  bool is_dead(int rank) const;
  /// Removes the folder. To be called by the last one.
  void remove();

 private:
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  std::string rank_file(int rank) const { return path("rank." + std::to_string(rank)); }

  const std::string folder_;
  const int rank_, size_;
  int lock_ = -1;
  double joined_ = 0;  // when, in seconds
};

}  // namespace notape::verify::alias
