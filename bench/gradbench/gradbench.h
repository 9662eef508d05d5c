// What the programs share: numbers in and out of JSON, and the loop that is timed. Each is called
// as bin/EVAL INPUT.json FUNCTION and prints the output, then the nanoseconds of each run.
#pragma once
#include <notape/notape.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace gradbench {

using namespace notape;
using Json = nlohmann::json;
using Function = std::function<Json(const Json& input)>;

inline std::vector<int64_t> nanoseconds;

/// Runs f until the input's min_runs and min_seconds are reached. Returns the last result.
template <typename F>
auto timed(const Json& input, const F& f) {
  const bool repeats = input.is_object();
  const int64_t least = repeats ? input.value("min_runs", 1) : 1;
  const double wanted = repeats ? 1e9 * input.value("min_seconds", 0.0) : 0;
  for (double total = 0;;) {
    const auto start = std::chrono::steady_clock::now();
    auto result = f();
    nanoseconds.push_back(
        std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count());
    total += static_cast<double>(nanoseconds.back());
    if (std::ssize(nanoseconds) >= least && total >= wanted) return result;
  }
}

inline void flatten_json(const Json& nested, std::vector<double>& numbers) {
  if (!nested.is_array()) return numbers.push_back(nested.get<double>());
  for (const Json& part : nested) flatten_json(part, numbers);
}

/// Nested lists of numbers as a tensor of float64.
inline Tensor to_tensor(const Json& nested) {
  std::vector<int64_t> sizes;
  for (const Json* part = &nested; part->is_array(); part = &part->front()) {
    sizes.push_back(std::ssize(*part));
    if (part->empty()) break;
  }
  std::vector<double> numbers;
  flatten_json(nested, numbers);
  return tensor(numbers, dtype(kFloat64)).view(sizes);
}

inline Json to_json(const Tensor& values) {
  if (values.dim() == 0) return values.item<double>();
  Json list = Json::array();
  if (values.dim() > 1) {
    for (const Tensor& row : values.unbind(0)) list.push_back(to_json(row));
    return list;
  }
  const Tensor numbers = values.detach().contiguous();
  for (int64_t i = 0; i < numbers.numel(); ++i) list.push_back(numbers.data_ptr<double>()[i]);
  return list;
}

/// A leaf with the same numbers.
inline Tensor leaf(const Tensor& values) { return values.detach().requires_grad_(); }

inline Tensor gradient(const Tensor& value, const Tensor& by) {
  return autograd::grad({value}, {by})[0];
}

/// The input, given as a file, of one of the functions.
inline int run(int count, char** arguments, const std::map<std::string, Function>& functions) {
  if (count != 3 || !functions.contains(arguments[2])) {
    std::cerr << "usage: " << arguments[0] << " INPUT.json FUNCTION, of";
    for (const auto& [name, function] : functions) std::cerr << ' ' << name;
    std::cerr << '\n';
    return 2;
  }
  set_num_threads(1);
  std::ifstream file(arguments[1]);
  const Json input = Json::parse(file);
  std::cout << functions.at(arguments[2])(input).dump() << '\n';
  for (const int64_t run : nanoseconds) std::cout << run << '\n';
  return 0;
}

}  // namespace gradbench
