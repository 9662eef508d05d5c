#include "paper_examples/multiprocessing/process_group.h"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <mutex>
#include <system_error>
#include <vector>

#include "ops/ops.h"

namespace notape::multiprocessing {

/// In memory that all ranks see.
struct ProcessGroup::Shared {
  std::atomic<uint32_t> passed{0};  ///< barriers that all have come to
  std::atomic<int> waiting{0};
  std::atomic<pid_t> parent{0};  ///< of the ranks that use it
  struct Slot {
    int64_t elements;
    uint32_t call;
  };
  /// What each rank brings to the call of that number.
  Slot& slot(int rank) { return reinterpret_cast<Slot*>(this + 1)[rank]; }

  static std::size_t bytes(int size) {
    return sizeof(Shared) + static_cast<std::size_t>(size) * sizeof(Slot);
  }
  void forget_ranks() {
    waiting = 0;
    parent = 0;
  }
};

namespace {

int at_least_one(int size, int64_t most_elements) {
  if (size < 1 || most_elements < 1)
    throw ValueError("ProcessGroup: {} processes and tensors of {} elements", size, most_elements);
  return size;
}

/// Those of this process.
std::mutex groups_mutex;
std::vector<ProcessGroup*>& groups() {
  static std::vector<ProcessGroup*>& all = *new std::vector<ProcessGroup*>;
  return all;
}

// Of a process of spawn(): how many ranks there are, and how many have ended.
int ranks_of_spawn = 0;
const std::atomic<int>* ended_ranks = nullptr;

/// Zeros that processes forked from this one share.
void* shared_memory(std::size_t bytes) {
  void* const memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "ProcessGroup");
  return memory;
}

// Waiting across processes, which std::atomic does not do.
void wait_while(std::atomic<uint32_t>& word, uint32_t value, std::chrono::milliseconds most) {
  const timespec time{most.count() / 1000, most.count() % 1000 * 1'000'000};
  ::syscall(SYS_futex, &word, FUTEX_WAIT, value, &time, nullptr, 0);
}
void wake_all(std::atomic<uint32_t>& word) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace

ProcessGroup::ProcessGroup(int size, int64_t most_elements, std::chrono::milliseconds timeout)
    : size_(at_least_one(size, most_elements)),
      timeout_(timeout),
      terms_(SharedTensor::zeros({size, most_elements}, kFloat64)) {
  shared_ = new (shared_memory(Shared::bytes(size))) Shared;
  const std::lock_guard guard(groups_mutex);
  groups().push_back(this);
}

ProcessGroup::~ProcessGroup() {
  {
    const std::lock_guard guard(groups_mutex);
    std::erase(groups(), this);
  }
  ::munmap(shared_, Shared::bytes(size_));
}

void ProcessGroup::barrier() const {
  using Clock = std::chrono::steady_clock;
  if (ranks_of_spawn != 0 && ranks_of_spawn != size_)
    throw ValueError("a group of {} in {} processes", size_, ranks_of_spawn);
  if (ranks_of_spawn != 0) shared_->parent = ::getppid();
  const uint32_t here = shared_->passed;
  if (shared_->waiting.fetch_add(1) + 1 == size_) {
    shared_->waiting = 0;
    ++shared_->passed;
    wake_all(shared_->passed);
    return;
  }
  const auto until = Clock::now() + timeout_;
  while (shared_->passed == here) {
    if (ended_ranks && *ended_ranks > 0 && shared_->passed == here)
      throw Error("ProcessGroup: a rank has ended and does not come any more");
    if (Clock::now() > until)
      throw Error("ProcessGroup: not all ranks came within " + std::to_string(timeout_.count()) +
                  " ms");
    wait_while(shared_->passed, here, std::chrono::milliseconds(100));
  }
}

void ProcessGroup::all_reduce(int rank, const Tensor& tensor) const {
  if (rank < 0 || rank >= size_)
    throw ValueError("all_reduce: rank {} of a group of {}", rank, size_);
  if (!is_floating_point(tensor.dtype()))
    throw DtypeError("all_reduce: sums floating-point tensors, not {}",
                     element_type(tensor.dtype()).name);
  if (tensor.numel() > terms_.tensor().size(1))
    throw ValueError("all_reduce: a tensor of {} elements, the group was made for {}",
                     tensor.numel(), terms_.tensor().size(1));
  const NoGradGuard no_grad;
  const Tensor terms = terms_.tensor().narrow(1, 0, tensor.numel());
  const uint32_t call = shared_->passed + 1;  // not 0, which slots begin with
  terms[rank].copy_(tensor.detach().reshape({-1}));
  shared_->slot(rank) = {tensor.numel(), call};
  barrier();
  for (int other = 0; other < size_; ++other) {
    const Shared::Slot& slot = shared_->slot(other);
    if (slot.call != call)
      throw ValueError("all_reduce: rank {} was not called, another one twice", other);
    if (slot.elements != tensor.numel())
      throw ValueError("all_reduce: {} elements in rank {} and {} in rank {}", tensor.numel(), rank,
                       slot.elements, other);
  }
  Tensor sum = terms[0].clone();
  for (int other = 1; other < size_; ++other) sum.add_(terms[other]);
  barrier();  // all have read before one writes again
  tensor.detach().copy_(sum.view(tensor.sizes()));
}

SpawnedRanks::SpawnedRanks()
    : ended_(new (shared_memory(sizeof(std::atomic<int>))) std::atomic<int>(0)) {}

SpawnedRanks::~SpawnedRanks() {
  ::munmap(ended_, sizeof(std::atomic<int>));
  const std::lock_guard guard(groups_mutex);
  for (ProcessGroup* group : groups())
    if (group->shared_->parent == ::getpid()) group->shared_->forget_ranks();
}

void SpawnedRanks::begin_rank(int count) const {
  ranks_of_spawn = count;
  ended_ranks = ended_;
}

}  // namespace notape::multiprocessing
