// KernelByName: a kernel made of a functor in an operator's file. That file is compiled as C++,
// which gives the CPU's loops, and by nvcc into the CUDA library, which finds the kernel by its
// name.
#pragma once
#include "autograd/tensor/scalar_type.h"
#include "ops/core/register_cuda.h"
#include "ops/core/type_set.h"

namespace notape {

class KernelByName {
 public:
  KernelByName(const char* name, TypeSet types);
  KernelByName(const KernelByName&) = delete;
  KernelByName& operator=(const KernelByName&) = delete;

  const char* name() const { return name_; }
  /// Whether the functor was compiled for the type; the CPU then has a loop for it.
  bool has(ScalarType type) const { return types_ >> static_cast<int>(type) & 1; }
  /// Null where the CUDA library is absent or does not have it.
  KernelLaunch cuda(ScalarType type) const { return cuda_[static_cast<int>(type)]; }

  /// Fills a CUDA slot; false if there is no kernel of that name.
  static bool implement_cuda(const char* name, ScalarType type, KernelLaunch launch);
  static const KernelByName* first();
  const KernelByName* next() const { return next_; }

 private:
  const char* name_;
  TypeSet types_;
  KernelByName* next_;
  KernelLaunch cuda_[kScalarTypes] = {};
};

}  // namespace notape
