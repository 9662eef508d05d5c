// Child: untrusted code (a plugin's) runs in a forked process with limits on time and
// memory. A crash or an endless loop there is an answer, not the end of the run.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace notape::verify {

struct ChildLimits {
  double seconds = 60;
  uint64_t bytes = uint64_t(4) << 30;  ///< of address space beyond what the parent has; 0: no limit
};
inline constexpr ChildLimits kNoLimits{.seconds = 1e9, .bytes = 0};

/// How a child ended.
struct ChildEnd {
  enum class Kind : uint8_t {
    Finished,  ///< it returned, and `said` is complete
    Crashed,   ///< a signal; `detail` names it
    TooSlow,   ///< killed at the time limit
    Left,      ///< it called exit(), or threw
  };
  Kind kind = Kind::Finished;
  std::string said;         ///< what it sent before it ended
  std::string doing;        ///< the last note() before it ended
  std::string detail;       ///< "SIGSEGV", "exit(3)", "60 s"
  uint64_t peak_bytes = 0;  ///< the most memory it had in use
};

/// In a forked child: it is killed when its parent ends, however that happens. `parent` is what
/// getpid() said before the fork.
void end_with_parent(int parent) noexcept;

/// In a child: nothing more is read from the parent's standard input or printed to its output and
/// error. Nothing happens where there is no child.
void be_silent() noexcept;

/// What a child uses to talk to its parent.
class ToParent {
 public:
  virtual ~ToParent() = default;
  /// Sends text; it arrives even if the child crashes afterwards.
  virtual void send(const std::string& text) = 0;
  /// Leaves word of what is about to run, for the case that it crashes. Cheap.
  virtual void note(const std::string& doing) = 0;
  /// What send() writes to.
  virtual int descriptor() const = 0;
};

/// A child that runs beside its parent; killed with its object.
class Child {
 public:
  /// Throws std::system_error if there can be no child.
  explicit Child(const std::function<void(ToParent&)>& work, const ChildLimits& limits = {});
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Readable when the child has said something or closed its end.
  int descriptor() const;
  /// Appends what the child has said, waiting for it. False once it says no more.
  bool read(std::string& said);
  /// Waits for its end, which comes at the time limit at last. `said` is what was not read before.
  /// Throws Interrupted, with the child gone.
  ChildEnd wait();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// While it lives, run_in_child() of this thread runs its work right here: a host with threads and
/// locks of its own (an interpreter) does not survive a fork.
class InThisProcess {
 public:
  InThisProcess() noexcept;
  ~InThisProcess();
  InThisProcess(const InThisProcess&) = delete;
  InThisProcess& operator=(const InThisProcess&) = delete;

  static bool is_on() noexcept;
};

/// Runs `work` in a forked child and waits for its end. Standard output and error of the child are
/// the parent's. Throws std::system_error if there can be no child, and Interrupted.
ChildEnd run_in_child(const std::function<void(ToParent&)>& work, const ChildLimits& limits = {});

}  // namespace notape::verify
