#include <map>

#include "autograd/tensor/factories.h"
#include "ops/arithmetic.h"
#include "trace/latency/instruction_counter.h"
#include "trace/latency/source.h"
#include "trace/record/clock.h"

namespace notape::trace {

struct OwnSource::State {
  std::map<int64_t, WorkOperands<Tensor>> operands;

  const WorkOperands<Tensor>& of_size(int64_t n) {
    const auto found = operands.find(n);
    if (found != operands.end()) return found->second;
    WorkOperands<Tensor> made{ones({n}), ones({n}), ones({n}, requires_grad()),
                              ones({n}, requires_grad()), ones({n})};
    return operands.emplace(n, std::move(made)).first->second;
  }
};

OwnSource::OwnSource() : state_(std::make_unique<State>()) {}
OwnSource::~OwnSource() = default;

int64_t OwnSource::run(const Work& work, int64_t calls) {
  return counted_work(work.operation, work.work, state_->of_size(work.size), calls, now_ns);
}

double OwnSource::instructions(const Work& work, const InstructionCounter& counter) {
  const int64_t calls = 2'000 / operations_of(work.work);
  run(work, calls);
  const int64_t count = counted_work(work.operation, work.work, state_->of_size(work.size), calls,
                                     [&] { return counter.read(); });
  return static_cast<double>(count) / static_cast<double>(calls * operations_of(work.work));
}

}  // namespace notape::trace
