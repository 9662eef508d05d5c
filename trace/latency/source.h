// Source: a library whose operations are measured: this one, or another in a process of its own.
#pragma once
#include <map>
#include <string>

#include "autograd/tensor/tensor.h"
#include "trace/latency/instruction_counter.h"
#include "trace/latency/work.h"

namespace notape::trace {

struct Work {
  std::string operation = "add";  ///< one of kWorkOperations
  WorkClass work = WorkClass::Tensor;
  int64_t size = 8;  ///< floats of each operand
};

class Source {
 public:
  virtual ~Source() = default;
  /// ns of `calls` calls, each of operations_of(work) operations. Throws ProcessError.
  virtual int64_t run(const Work& work, int64_t calls) = 0;
};

/// This library, in this process.
class OwnSource final : public Source {
 public:
  int64_t run(const Work& work, int64_t calls) override;
  /// Instructions per operation, outside the kernel.
  double instructions(const Work& work, const InstructionCounter& counter);

 private:
  const WorkOperands<Tensor>& operands_of(int64_t size);
  std::map<int64_t, WorkOperands<Tensor>> operands_;  // by size
};

}  // namespace notape::trace
