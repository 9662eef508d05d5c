// Calls operators for compare.py, which sends a line for each call and gets one:
//   "list"                             the operators' names
//   "rows"                             the names of the registry's rows
//   "call NAME ORDER COUNT VALUE..."   "ok" with the results, the gradients, and with ORDER 2 those
//                                      of the second order, or "error PHASE KIND MESSAGE"
// What is given to a backward, and the weights of the sum of gradients that is differentiated once
// more, are weights(), on both sides.
#include <iostream>
#include <sstream>

#include "autograd/functional/backward.h"
#include "autograd/warning.h"
#include "bench/against_torch/words.h"
#include "ops/functions/functions.h"
#include "ops/spec/op_spec.h"

namespace notape::against_torch {

namespace {

using functions::Overload;
using functions::Values;

struct Silence : WarningHandler {
  void process(const Warning&) override {}
};

/// Numbers of 16 bits at most, so that they are the same in every dtype.
Tensor weights(const Tensor& like, int64_t first, int64_t modulus) {
  std::vector<double> made(static_cast<std::size_t>(like.numel()));
  for (std::size_t i = 0; i < made.size(); ++i)
    made[i] = static_cast<double>(first + static_cast<int64_t>(i) * 7 % modulus) / 8;
  return tensor(made, dtype(kFloat64)).to(like.dtype()).view(like.sizes());
}

/// In place: of a copy, so that leaves stay what they are. Nothing if no overload takes the values.
std::optional<TensorList> call(const std::string& name, Values values) {
  if (name.back() == '_' && !values.empty())
    if (Tensor* self = std::get_if<Tensor>(&values[0].held)) *self = self->clone();
  const Overload* overload = functions::find_overload(name, values);
  return overload ? (*overload)(values) : std::optional<TensorList>();
}

void write_list(std::ostream& out, const TensorList& list, const Tensor& of = {}) {
  out << ' ' << list.size();
  for (const Tensor& one : list) write_tensor(out, one, of);
}

/// Of those of `of` that require gradients, each weighted by its place; nothing if none does.
TensorList gradients(const TensorList& of, const TensorList& leaves, int64_t modulus,
                     bool create_graph) {
  TensorList roots, given;
  for (std::size_t i = 0; i < of.size(); ++i)
    if (of[i].defined() && of[i].requires_grad()) {
      roots.push_back(of[i]);
      given.push_back(weights(of[i], static_cast<int64_t>(i) + 3, modulus));
    }
  return roots.empty() ? roots : autograd::grad(roots, leaves, given, {}, create_graph, true);
}

class Answer {
 public:
  std::string to(std::istream& words) {
    phase_ = "request";
    try {
      return answer(words);
    } catch (const Error& error) {
      return failure(error.kind(), error.what_without_backtrace());
    } catch (const std::exception& error) {
      return failure("exception", error.what());
    }
  }

 private:
  std::string failure(const std::string& kind, std::string message) const {
    for (char& one : message)
      if (one == '\n') one = ' ';
    return "error " + phase_ + ' ' + kind + ' ' + message;
  }

  std::string answer(std::istream& words) {
    std::string name;
    int order = 0;
    std::size_t count = 0;
    words >> name >> order >> count;
    if (!functions::functions().all().contains(name)) return failure("unknown", name);
    Values values(count);
    for (Value& one : values) one = read_value(words);
    TensorList leaves = functions::tensors_in(values);
    std::erase_if(leaves, [](const Tensor& one) { return !one.requires_grad(); });
    const Value* self = values.empty() ? nullptr : &values[0];
    const Tensor of = self && self->as<Tensor>() ? *self->as<Tensor>() : Tensor();
    phase_ = "forward";
    const auto results = call(name, values);
    phase_ = "request";
    if (!results) return failure("overload", name);
    std::ostringstream out;
    out << "ok";
    write_list(out, *results, of);
    phase_ = "first";
    if (order == 0) return out.str();
    const TensorList first = gradients(*results, leaves, 11, order > 1);
    if (first.empty()) return out.str();
    write_list(out, first);
    phase_ = "second";
    if (order > 1) {
      const TensorList second = gradients(first, leaves, 13, false);
      if (!second.empty()) write_list(out, second);
    }
    return out.str();
  }

  std::string phase_;
};

void serve() {
  Silence silence;
  const WarningHandlerGuard guard(&silence);
  Answer answer;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string command;
    words >> command;
    if (command == "list") {
      for (const auto& [name, overloads] : functions::functions().all()) std::cout << name << ' ';
    } else if (command == "rows") {
      for (const OpSpec* row : op_specs()) std::cout << row->name << ' ';
    } else {
      std::cout << answer.to(words);
    }
    std::cout << std::endl;
  }
}

}  // namespace

}  // namespace notape::against_torch

int main() { notape::against_torch::serve(); }
