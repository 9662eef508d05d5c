#include "verify/python/python_function.h"

#include <algorithm>
#include <cfenv>
#include <cstring>

#include "autograd/function.h"
#include "autograd/tensor/factories.h"

namespace notape::verify {
namespace {

struct DtypeCode {
  ScalarType type;
  int32_t code;
};
constexpr DtypeCode kCodes[] = {{kFloat64, NOTAPE_FLOAT64},   {kFloat32, NOTAPE_FLOAT32},
                                {kBFloat16, NOTAPE_BFLOAT16}, {kFloat16, NOTAPE_FLOAT16},
                                {kInt64, NOTAPE_INT64},       {kInt32, NOTAPE_INT32},
                                {kBool, NOTAPE_BOOL}};

int32_t code_of(ScalarType type) {
  for (const DtypeCode& one : kCodes)
    if (one.type == type) return one.code;
  throw PythonError("a tensor of {} cannot be handed to an interpreter", name_of(type));
}

void* memory_of(const Tensor& tensor) {
  void* memory = nullptr;
  visit_type(tensor.dtype(), [&]<typename T>() {
    memory = const_cast<T*>(tensor.const_data_ptr<T>());  // NOLINT: for C, which promises as much
  });
  return memory;
}

/// dtype 0 if it is undefined.
notape_tensor array_of(const Tensor& tensor) {
  notape_tensor array{};
  array.struct_size = sizeof array;
  if (!tensor.defined()) return array;
  if (tensor.dim() > NOTAPE_MAX_RANK)
    throw PythonError("a tensor of rank {} cannot be handed to an interpreter: at most {}",
                      tensor.dim(), NOTAPE_MAX_RANK);
  array.data = memory_of(tensor);
  array.count = tensor.numel();
  array.dtype = code_of(tensor.dtype());
  array.rank = static_cast<int32_t>(tensor.dim());
  std::copy(tensor.sizes().begin(), tensor.sizes().end(), array.sizes);
  std::copy(tensor.strides().begin(), tensor.strides().end(), array.strides);
  return array;
}

/// A graph that the interpreter keeps for a backward.
class Graph {
 public:
  Graph(notape_callback callback, int64_t id) : callback_(callback), id_(id) {}
  ~Graph() {
    notape_request request{};
    request.what = NOTAPE_CALL_RELEASE;
    request.graph = id_;
    callback_(&request);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  int64_t id() const { return id_; }

 private:
  notape_callback callback_;
  int64_t id_;
};

/// The interpreter rounds to nearest, whatever is being tried.
class ToNearest {
 public:
  ToNearest() : before_(std::fegetround()) { std::fesetround(FE_TONEAREST); }
  ~ToNearest() { std::fesetround(before_); }
  ToNearest(const ToNearest&) = delete;
  ToNearest& operator=(const ToNearest&) = delete;
  int before() const { return before_; }

 private:
  int before_;
};

variable_list ask(const PythonWord& word, notape_request& request, const variable_list& inputs,
                  const std::vector<int32_t>& wanted) {
  std::vector<notape_tensor> arrays;
  for (const Tensor& input : inputs) arrays.push_back(array_of(input));
  const ToNearest nearest;
  request.word = word.word.c_str();
  request.rounding = nearest.before();
  request.input_count = static_cast<int32_t>(arrays.size());
  request.inputs = arrays.data();
  request.wanted = wanted.data();
  const int32_t status = word.callback(&request);
  const std::string error = request.error ? request.error : "";
  if (status == NOTAPE_NOT_THERE && word.word.ends_with('J'))
    throw ForwardNotImplemented("{}", error);
  if (status == NOTAPE_NOT_THERE) throw DerivativeNotImplemented("{}", error);
  if (status != NOTAPE_DONE) throw PythonError("{}", error);
  variable_list outputs;
  for (int32_t k = 0; k < request.output_count; ++k)
    outputs.push_back(request.outputs[k].dtype ? tensor_of(request.outputs[k]) : Tensor());
  return outputs;
}

struct PythonFunction : autograd::Function<PythonFunction> {
  using Word = std::shared_ptr<const PythonWord>;
  using Kept = std::shared_ptr<const Graph>;

  static variable_list forward(autograd::AutogradContext* ctx, const variable_list& inputs,
                               const Word& word) {
    std::vector<int32_t> wanted;
    for (std::size_t i = 0; i < inputs.size(); ++i) wanted.push_back(ctx->needs_input_grad(i));
    notape_request request{};
    request.record = std::count(wanted.begin(), wanted.end(), 0) < std::ssize(wanted);
    const variable_list outputs = ask(*word, request, inputs, wanted);
    if (request.made_graph)
      ctx->saved_data["graph"] = Kept(std::make_shared<Graph>(word->callback, request.made_graph));
    ctx->saved_data["word"] = word;
    ctx->saved_data["outputs"] = outputs.size();
    ctx->saved_data["wanted"] = wanted;
    variable_list kept = inputs;
    for (const Tensor& output : outputs) kept.push_back(output);
    ctx->save_for_backward(kept);
    ctx->set_materialize_grads(false);
    if (std::count(word->word.begin(), word->word.end(), 'V') + 1 >= word->order)
      ctx->mark_once_differentiable();
    return outputs;
  }

  static variable_list backward(autograd::AutogradContext* ctx, variable_list grads) {
    const auto& word = kept<Word>(ctx, "word");
    variable_list inputs = ctx->get_saved_variables();
    const std::size_t count = inputs.size() - grads.size();
    if (GradMode::is_enabled()) {
      for (std::size_t k = 0; k < grads.size(); ++k)
        inputs[count + k] = grads[k].defined() ? grads[k] : zeros_like(inputs[count + k]);
      return placed(inputs, count, apply(inputs, next(word, 'V')));
    }
    notape_request request{};
    request.what = NOTAPE_CALL_BACKWARD;
    request.graph = kept<Kept>(ctx, "graph")->id();
    std::vector<int32_t> wanted;
    for (std::size_t i = 0; i < count; ++i) wanted.push_back(ctx->needs_input_grad(i));
    return placed(inputs, count, ask(*word, request, grads, wanted));
  }

  static variable_list jvp(autograd::AutogradContext* ctx, variable_list tangents) {
    variable_list inputs = ctx->get_saved_variables();
    const auto outputs = static_cast<std::size_t>(ctx->saved_data["outputs"].toInt());
    inputs.resize(inputs.size() - outputs);
    for (std::size_t i = 0, count = inputs.size(); i < count; ++i)
      if (inputs[i].is_floating_point())
        inputs.push_back(tangents[i].defined() ? tangents[i] : zeros_like(inputs[i]));
    return apply(inputs, next(kept<Word>(ctx, "word"), 'J'));
  }

 private:
  template <typename T>
  static const T& kept(autograd::AutogradContext* ctx, const char* name) {
    return *std::any_cast<T>(static_cast<std::any*>(&ctx->saved_data[name]));
  }
  static Word next(const Word& word, char letter) {
    PythonWord longer = *word;
    longer.word += letter;
    return std::make_shared<const PythonWord>(std::move(longer));
  }
  /// One gradient for each floating input, in the places of all inputs and of the word.
  static variable_list placed(const variable_list& inputs, std::size_t count,
                              const variable_list& gradients) {
    variable_list result(count + 1);
    std::size_t next = 0;
    for (std::size_t i = 0; i < count; ++i)
      if (inputs[i].is_floating_point()) result[i] = gradients.at(next++);
    return result;
  }
};

}  // namespace

variable_list call_python(const PythonWord& word, const variable_list& inputs) {
  return PythonFunction::apply(inputs, std::make_shared<const PythonWord>(word));
}

Tensor tensor_of(const notape_tensor& array) {
  for (const DtypeCode& one : kCodes) {
    if (one.code != array.dtype) continue;
    const std::vector<int64_t> sizes(array.sizes, array.sizes + array.rank);
    const Tensor tensor = empty(IntArrayRef(sizes), dtype(one.type));
    if (tensor.numel() > 0) std::memcpy(memory_of(tensor), array.data, tensor.nbytes());
    return tensor;
  }
  throw PythonError("an array of type {} is not known here", array.dtype);
}

}  // namespace notape::verify
