// Steps of optimizers over lists of tensors: checks, the kernel, then versions and logs.
#include "ops/optimize/multi_tensor.h"

#include <algorithm>

#include "autograd/graph/in_place.h"
#include "ops/core/allocate.h"
#include "ops/core/promotion.h"

namespace notape {
namespace {

using optimize::Row;

/// A tensor as the kernel wants it, and where to put the result if that is another.
struct Working {
  Tensor tensor, original;
};

/// Whether these can be walked through side by side, from first to last in memory.
bool in_one_order(const Tensor& a, const Tensor& b) {
  return a.impl().geometry().is_dense() && b.impl().geometry().is_dense() &&
         a.strides() == b.strides();
}

class Lists {
 public:
  Lists(const Operation& op, const TensorList& parameters, const TensorList& gradients,
        std::initializer_list<const TensorList*> states, IntArrayRef steps)
      : op_(op) {
    check_length("gradients", gradients.size(), parameters.size());
    check_length("steps", steps.size(), parameters.size());
    for (const TensorList* list : states) check_length("states", list->size(), parameters.size());
    rows_.reserve(parameters.size());
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      Row row{parameters[i], gradients[i], {}, steps[i]};
      std::size_t count = 0;
      for (const TensorList* list : states) row.states[count++] = (*list)[i];
      check(row, count);
      rows_.push_back(std::move(row));
    }
    states_ = states.size();
  }

  std::vector<WritePlan> check_writes() const {
    std::vector<WritePlan> plans;
    for_each_written([&](const Tensor& tensor) { plans.push_back(check_write(op_, tensor, {})); });
    return plans;
  }

  void run(const optimize::AnyStep& step) {
    const std::vector<WritePlan> plans = check_writes();
    for_each_written([](const Tensor& tensor) { before_write(tensor); });
    std::vector<Row> work = rows_;
    std::vector<Working> to_copy_back;
    for (Row& row : work) make_workable(row, to_copy_back);
    // Rows of one type and device go to one call.
    for (auto first = work.begin(); first != work.end();) {
      const auto last = std::find_if(first, work.end(), [&](const Row& row) {
        return row.parameter.dtype() != first->parameter.dtype() ||
               row.parameter.device() != first->parameter.device();
      });
      const ScalarType type = first->parameter.dtype();
      const Device device = first->parameter.device();
      optimize::multi_tensor_kernel(op_, type, device, std::vector<Row>(first, last), step);
      first = last;
    }
    for (const Working& one : to_copy_back) raw_copy(one.original, one.tensor);
    auto plan = plans.begin();
    for_each_written(
        [&](const Tensor& tensor) { commit_write(op_, tensor, *plan++, nullptr, -1); });
  }

 private:
  void check_length(const char* what, std::size_t length, std::size_t expected) const {
    if (length != expected) op_.fail<ShapeError>("{} {} for {} parameters", length, what, expected);
  }

  void check(const Row& row, std::size_t states) const {
    const Tensor& p = row.parameter;
    check_operand(op_, p);
    if (!p.is_floating_point()) op_.fail<DtypeError>("not implemented for {}", name_of(p.dtype()));
    const auto check_like = [&](const Tensor& tensor, const char* what) {
      check_operand(op_, tensor);
      if (!same_shape(tensor.impl().geometry(), p.impl().geometry()))
        op_.fail<ShapeError>("{} of size {} for a parameter of size {}", what,
                             to_string(tensor.sizes()), to_string(p.sizes()));
      if (tensor.dtype() != p.dtype())
        op_.fail<DtypeError>("{} of {} for a parameter of {}", what, name_of(tensor.dtype()),
                             name_of(p.dtype()));
      if (tensor.device() != p.device())
        op_.fail<DeviceError>("{} on {} for a parameter on {}", what,
                              notape::to_string(tensor.device()), notape::to_string(p.device()));
      if (is_batched(tensor))
        op_.fail<BatchingNotImplemented>("{} inside vmap is one for each sample", what);
    };
    check_like(p, "a parameter");
    check_like(row.gradient, "a gradient");
    for (std::size_t i = 0; i < states; ++i) check_like(row.states[i], "a state");
    // Asked for all before the first is moved.
    if (!optimize::multi_tensor_kernel.exists_on(p.device())) no_kernel(op_, p.dtype(), p.device());
    if (row.step < 1) op_.fail<ValueError>("steps are counted from 1, not from {}", row.step);
  }

  template <typename F>
  void for_each_written(const F& f) const {
    for (const Row& row : rows_) {
      f(row.parameter);
      for (std::size_t i = 0; i < states_; ++i) f(row.states[i]);
    }
  }

  /// Copies, where memory is not in the parameter's order or has to be computed in float32.
  void make_workable(Row& row, std::vector<Working>& to_copy_back) const {
    const ScalarType type = computed_in(row.parameter.dtype());
    const bool as_is = type == row.parameter.dtype() && row.parameter.impl().geometry().is_dense();
    const Tensor original = row.parameter;
    const auto make = [&](Tensor& tensor, bool is_written) {
      if (as_is && in_one_order(original, tensor)) return;
      Tensor copy = as_is ? allocate(original.impl().geometry().at_offset(0), type, tensor.device())
                          : allocate(tensor.sizes(), type, tensor.device());
      raw_copy(copy, tensor);
      if (is_written) to_copy_back.push_back({copy, tensor});
      tensor = std::move(copy);
    };
    make(row.parameter, true);
    make(row.gradient, false);
    for (std::size_t i = 0; i < states_; ++i) make(row.states[i], true);
  }

  const Operation& op_;
  std::vector<Row> rows_;
  std::size_t states_ = 0;
};

}  // namespace

void multi_tensor_sgd_(const TensorList& parameters, const TensorList& gradients,
                       const TensorList& buffers, const SgdStep& step, IntArrayRef steps, At at) {
  const Operation op("multi_tensor_sgd_", at);
  if (step.momentum == 0)
    Lists(op, parameters, gradients, {}, steps).run(step);
  else
    Lists(op, parameters, gradients, {&buffers}, steps).run(step);
}

void multi_tensor_adam_(const TensorList& parameters, const TensorList& gradients,
                        const TensorList& averages, const TensorList& squares,
                        const TensorList& largest, const AdamStep& step, IntArrayRef steps, At at) {
  const Operation op("multi_tensor_adam_", at);
  if (step.amsgrad)
    Lists(op, parameters, gradients, {&averages, &squares, &largest}, steps).run(step);
  else
    Lists(op, parameters, gradients, {&averages, &squares}, steps).run(step);
}

void multi_tensor_rmsprop_(const TensorList& parameters, const TensorList& gradients,
                           const TensorList& squares, const TensorList& averages,
                           const TensorList& buffers, const RmspropStep& step, IntArrayRef steps,
                           At at) {
  const Operation op("multi_tensor_rmsprop_", at);
  const bool has_momentum = step.momentum != 0;
  if (step.centered && has_momentum)
    Lists(op, parameters, gradients, {&squares, &averages, &buffers}, steps).run(step);
  else if (step.centered || has_momentum)
    Lists(op, parameters, gradients, {&squares, step.centered ? &averages : &buffers}, steps)
        .run(step);
  else
    Lists(op, parameters, gradients, {&squares}, steps).run(step);
}

void multi_tensor_adagrad_(const TensorList& parameters, const TensorList& gradients,
                           const TensorList& sums, const AdagradStep& step, IntArrayRef steps,
                           At at) {
  const Operation op("multi_tensor_adagrad_", at);
  Lists(op, parameters, gradients, {&sums}, steps).run(step);
}

void _foreach_mul_(const TensorList& tensors, Scalar factor, At at) {
  const std::vector<int64_t> steps(tensors.size(), 1);
  const Operation op("_foreach_mul_", at);
  Lists(op, tensors, tensors, {}, steps).run(optimize::ScaleStep{factor.to_double()});
}

void _foreach_mul_(const TensorList& tensors, const Tensor& factor, At at) {
  const Operation op("_foreach_mul_", at);
  check_operand(op, factor);
  if (factor.numel() != 1 || is_batched(factor))
    op.fail<ShapeError>("the factor has size {}; it is one number", to_string(factor.sizes()));
  for (const Tensor& tensor : tensors) check_operands(op, {&tensor, &factor});
  const Tensor number = raw_convert(factor, kFloat64);
  const std::vector<int64_t> steps(tensors.size(), 1);
  Lists(op, tensors, tensors, {}, steps)
      .run(optimize::ScaleStep{.place = number.impl().data_as<double>()});
}

void check_multi_tensor(const TensorList& parameters, const TensorList& gradients,
                        const std::vector<TensorList>& states, IntArrayRef steps, At at) {
  const Operation op("multi_tensor_step", at);
  Lists(op, parameters, gradients, {}, steps).check_writes();
  for (const TensorList& list : states)
    if (!list.empty()) Lists(op, parameters, gradients, {&list}, steps).check_writes();
}

}  // namespace notape
