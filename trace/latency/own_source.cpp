#include "autograd/tensor/factories.h"
#include "ops/arithmetic.h"
#include "trace/latency/source.h"
#include "trace/record/clock.h"

namespace notape::trace {

const WorkOperands<Tensor>& OwnSource::operands_of(int64_t size) {
  const auto make = [&](bool is_differentiable = false) {
    return is_differentiable ? ones({size}, requires_grad()) : ones({size});
  };
  if (!operands_.contains(size)) operands_[size] = {make(), make(), make(true), make(true), make()};
  return operands_[size];
}

int64_t OwnSource::run(const Work& work, int64_t calls) {
  return counted_work(work.operation, work.work, operands_of(work.size), calls, now_ns);
}

double OwnSource::instructions(const Work& work, const InstructionCounter& counter) {
  const int64_t calls = 2'000 / operations_of(work.work);
  run(work, calls);
  const int64_t count = counted_work(work.operation, work.work, operands_of(work.size), calls,
                                     [&] { return counter.read(); });
  return static_cast<double>(count) / static_cast<double>(calls * operations_of(work.work));
}

}  // namespace notape::trace
