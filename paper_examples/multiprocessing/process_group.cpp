#include "paper_examples/multiprocessing/process_group.h"

#include <pthread.h>
#include <sys/mman.h>

#include <system_error>

#include "ops/ops.h"

namespace notape::multiprocessing {

struct ProcessGroup::Barrier {
  pthread_barrier_t all;
};

namespace {

int at_least_one(int size, int64_t most_elements) {
  if (size < 1 || most_elements < 1)
    throw ValueError("ProcessGroup: {} processes and tensors of {} elements", size, most_elements);
  return size;
}

}  // namespace

ProcessGroup::ProcessGroup(int size, int64_t most_elements)
    : size_(at_least_one(size, most_elements)),
      terms_(SharedTensor::zeros({size, most_elements}, kFloat64)) {
  void* const memory =
      ::mmap(nullptr, sizeof(Barrier), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "ProcessGroup");
  barrier_ = new (memory) Barrier;
  pthread_barrierattr_t attributes;
  pthread_barrierattr_init(&attributes);
  pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(&barrier_->all, &attributes, static_cast<unsigned>(size));
  pthread_barrierattr_destroy(&attributes);
}

// The barrier is not destroyed: that would wait for ranks that were killed at it.
ProcessGroup::~ProcessGroup() { ::munmap(barrier_, sizeof(Barrier)); }

void ProcessGroup::barrier() const { pthread_barrier_wait(&barrier_->all); }

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
  terms[rank].copy_(tensor.detach().reshape({-1}));
  barrier();
  Tensor sum = terms[0].clone();
  for (int other = 1; other < size_; ++other) sum.add_(terms[other]);
  barrier();  // all have read before one writes again
  tensor.detach().copy_(sum.view(tensor.sizes()));
}

}  // namespace notape::multiprocessing
