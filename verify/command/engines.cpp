// notape verify engines: each of cuDNN's algorithms for convolutions beside double precision.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "autograd/batching/random_factories.h"
#include "autograd/interchange/output_file.h"
#include "autograd/modes/allow_tf32.h"
#include "autograd/tensor/device_interface.h"
#include "cuda/cudnn/convolution_library.h"
#include "ops/arithmetic.h"
#include "ops/reduce.h"
#include "verify/command/subcommands.h"
#include "verify/command/words.h"

namespace notape::verify::engines {
namespace {

using cuda::Engine;
using cuda::Operands;
using cuda::Product;

constexpr const char* kExamples = R"(Example:
  notape verify engines --device cuda:1 --json engines.json

Convolutions of several kinds are computed by every algorithm that cuDNN lists for them: the result and
the gradients of image and filter, in four dtypes, and float32 also with factors rounded to TF32. A
line of the table has all problems of an algorithm, or of an engine (eng3) of cuDNN's graph API. error: the largest one, as a part of what rounding
explains. bits: of two equal calls. refused: problems that it does not take, for which of the reasons
last. With NOTAPE_CUDNN_ENGINES=engines.json convolutions take no algorithm but those that the file has
found right for the same problem, and do without cuDNN where there is none. Exit codes: 0 all is well, 1 an error is too large, 2 bad usage, 4 the bits of an algorithm
that calls itself deterministic differ, 5 there is no cuDNN or no such device.)";

struct Problem {
  std::vector<int64_t> image, filter;
  Pair stride = 1, padding = 0, dilation = 1;
  int64_t groups = 1;
};
const Problem kProblems[] = {
    {{4, 16, 14, 14}, {32, 16, 3, 3}, 1, 1},
    {{2, 3, 32, 32}, {16, 3, 7, 7}, 2, 3},
    {{2, 64, 8, 8}, {64, 64, 1, 1}},
    {{2, 32, 15, 15}, {32, 1, 3, 3}, 1, 1, 1, 32},
    {{2, 32, 12, 12}, {16, 8, 3, 3}, 2, 1, 1, 4},
    {{2, 8, 17, 17}, {8, 8, 3, 3}, 1, 4, 4},
    {{3, 5, 9, 11}, {7, 5, 2, 3}, {1, 2}, {1, 0}},
    {{2, 8, 1, 40}, {8, 8, 1, 5}, 1, {0, 2}},
};

struct Line {
  int problems = 0, refused = 0, differing = 0;
  double error = 0;
  std::size_t workspace = 0;
  bool is_deterministic = true;
  std::string refusal;
};
/// Product, dtype, whether TF32 is allowed, cuDNN's number of the algorithm, or "eng3".
using Table = std::map<std::tuple<Product, ScalarType, bool, std::string>, Line>;

/// Of a plan "ConvFwd_eng3_k2=1": its engine, whose plans share a line.
std::string of_table(const std::string& name) {
  const std::size_t begin = name.find("eng");
  return begin == std::string::npos ? name : name.substr(begin, name.find('_', begin) - begin);
}

bool is_wrong(double error) { return error > 1; }

Tensor product_of(Product product, const Operands& all, const Conv2dProblem& p) {
  return product == Product::Response ? conv2d(all.image, all.filter, p)
         : product == Product::Image  ? conv2d_backward_input(all.response, all.filter, p)
                                      : conv2d_backward_weight(all.response, all.image, p);
}

bool same_bits(const Tensor& a, const Tensor& b) {
  return std::memcmp(a.impl().data(), b.impl().data(),
                     static_cast<std::size_t>(a.numel()) * element_size(a.dtype())) == 0;
}

/// The largest error as a part of what rounding explains: of each factor, of sums in any order and
/// of the result. Transforms of small tiles round a few times more.
double error_of(const Tensor& got, const Tensor& exact, const Tensor& magnitude, double terms,
                const Engine& engine) {
  const ScalarType type = got.dtype();
  const auto unit = [](ScalarType of) { return std::ldexp(1.0, -element_type(of).digits); };
  const double most = magnitude.max().item();
  const double sums = (terms + 64) * unit(computed_in(type)) * most;
  const double factors = engine.rounds_factors ? std::ldexp(most, -10) : 0;
  const Tensor allowed = exact.abs() * unit(type) + (sums + factors);
  const Tensor parts = (got.cpu().to(kFloat64) - exact).abs() / allowed;
  const double worst = parts.max().item();
  return std::isnan(worst) ? INFINITY : worst;
}

void try_all(const cuda::ConvolutionLibrary& library, const Operation& op, Device device,
             const Problem& problem, ScalarType type, bool tf32, Table& table,
             nlohmann::ordered_json& rows) {
  const Conv2dProblem p = conv2d_problem(op, problem.image, problem.filter, problem.stride,
                                         problem.padding, problem.dilation, problem.groups);
  manual_seed(1);
  const auto draw = [&](const std::array<int64_t, 4>& sizes) {
    return randn(IntArrayRef(sizes.data(), 4), kFloat64).to(type);
  };
  const Operands here{draw(p.image), draw(p.filter), draw(p.response)};
  const auto moved = [&](const Tensor& tensor) { return tensor.to(device); };
  const auto wide = [](const Tensor& tensor) { return tensor.to(kFloat64); };
  const Operands exact{wide(here.image), wide(here.filter), wide(here.response)};
  const Operands sizes{exact.image.abs(), exact.filter.abs(), exact.response.abs()};
  for (const Product product : {Product::Response, Product::Image, Product::Filter}) {
    const Tensor expected = product_of(product, exact, p);
    const Tensor magnitude = product_of(product, sizes, p);
    const double pixels = static_cast<double>(p.filter[2] * p.filter[3]);
    const double terms = product == Product::Response ? static_cast<double>(p.window())
                         : product == Product::Image
                             ? static_cast<double>(p.filter[0] / p.groups) * pixels
                             : static_cast<double>(p.image[0] * p.positions());
    const Operands first{moved(here.image), moved(here.filter), moved(here.response)},
        second{moved(here.image), moved(here.filter), moved(here.response)};
    const std::vector<Engine> listed = library.engines(op, product, first, p);
    for (std::size_t i = 0; i < listed.size(); ++i) {
      const Engine& engine = listed[i];
      Line& line = table[{product, type, tf32, of_table(engine.name)}];
      nlohmann::ordered_json row = {{"product", cuda::name_of(product)},
                                    {"dtype", name_of(type)},
                                    {"tf32", tf32},
                                    {"problem", cuda::problem_text(p)},
                                    {"algorithm", engine.name}};
      const auto refuse = [&](const std::string& why) {
        ++line.refused;
        line.refusal = why;
        row.update({{"verdict", "refused"}, {"refusal", why}});
        rows.push_back(std::move(row));
      };
      if (!engine.refusal.empty()) {
        refuse(engine.refusal);
        continue;
      }
      if (!library.run_engine(op, product, first, p, i) ||
          !library.run_engine(op, product, second, p, i)) {
        refuse("when it is run");
        continue;
      }
      const Tensor result = first.at(product).cpu();
      ++line.problems;
      const bool differs = !same_bits(result, second.at(product).cpu());
      const double error = error_of(result, expected, magnitude, terms, engine);
      line.differing += differs;
      line.error = std::max(line.error, error);
      row.update(
          {{"verdict", is_wrong(error) || (engine.is_deterministic && differs) ? "fail" : "pass"},
           {"error", error},
           {"bits", differs ? "differ" : "equal"},
           {"deterministic", engine.is_deterministic},
           {"workspace", engine.workspace}});
      rows.push_back(std::move(row));
      line.workspace = std::max(line.workspace, engine.workspace);
      line.is_deterministic = line.is_deterministic && engine.is_deterministic;
    }
  }
}

int print(const Table& table, std::FILE* out) {
  fmt::print(out, "{:<8} {:<9} {:<5} {:>9} {:>8} {:>8} {:>9} {:<13} {:<9} {:<7} {}\n", "product",
             "dtype", "TF32", "algorithm", "problems", "error", "workspace", "says", "bits",
             "verdict", "refused");
  int code = 0;
  for (const auto& [key, line] : table) {
    const auto& [product, type, tf32, name] = key;
    const bool lies = line.is_deterministic && line.differing > 0;
    if (is_wrong(line.error))
      code = 1;
    else if (lies && code == 0)
      code = 4;
    fmt::print(out, "{:<8} {:<9} {:<5} {:>9} {:>8} {:>8.2g} {:>9} {:<13} {:<9} {:<7} {}\n",
               cuda::name_of(product), name_of(type), tf32 ? "yes" : "no", name, line.problems,
               line.error, line.workspace, line.is_deterministic ? "deterministic" : "",
               line.differing > 0 ? "differ" : "equal",
               line.problems == 0             ? "-"
               : is_wrong(line.error) || lies ? "FAIL"
                                              : "PASS",
               line.refused > 0 ? fmt::format("{}: {}", line.refused, line.refusal) : "");
  }
  return code;
}

/// "4x16x14x14,32x16x3x3,2x2,1x1,1x1,1", of which what follows the filter may be left out.
Problem problem_of(const std::string& text) {
  std::vector<std::vector<int64_t>> parts(1);
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(",x", at), text.size());
    parts.back().push_back(number_of<int64_t>(text.substr(at, end - at), "--problem"));
    if (end < text.size() && text[end] == ',') parts.emplace_back();
    at = end + 1;
  }
  parts.resize(std::max<std::size_t>(parts.size(), 6));
  const auto pair = [&](std::size_t i, int64_t otherwise) {
    const std::vector<int64_t>& part = parts[i];
    return part.empty() ? Pair(otherwise) : Pair(part.front(), part.back());
  };
  if (parts.size() > 6 || parts[0].size() != 4 || parts[1].size() != 4)
    throw UsageError("--problem: '{}' is not like 4x16x14x14,32x16x3x3,1x1,1x1,1x1,1", text);
  return {parts[0], parts[1], pair(2, 1), pair(3, 0), pair(4, 1), pair(5, 1)[0]};
}

}  // namespace

int run_command(std::vector<std::string> words, std::FILE* out, std::FILE* err) {
  constexpr int kNothingChecked = 5;
  std::string device_name = "cuda", json_file;
  std::vector<std::string> given;
  CLI::App app("Checks every algorithm of cuDNN.", "notape verify engines");
  app.add_option("--device", device_name, "cuda:N (default cuda)");
  app.add_option("--json", json_file, "a file of each algorithm for each problem, too");
  app.add_option("--problem", given,
                 "these convolutions: 4x16x14x14,32x16x3x3[,stride[,padding[,dilation[,groups]]]]");
  app.footer(kExamples);
  if (!parse_words(app, std::move(words), out)) return 0;
  const Device device = device_of(device_name);
  if (!device.is_cuda()) throw UsageError("--device: '{}' has no cuDNN", device_name);
  const char* const wanted = std::getenv("NOTAPE_CUDA");
  const bool is_emulated = wanted && std::string_view(wanted) == "emulated";
  try {
    device_interface(device);
  } catch (const DeviceError& error) {
    fmt::print(err, "notape verify: {}\n", error.what_without_backtrace());
    return kNothingChecked;
  }
  const cuda::ConvolutionLibrary library = cuda::open_convolution_library(
      is_emulated ? "libnotape_cuda_emulated.so" : "libnotape_cudnn.so");
  fmt::print(out, "cuDNN: {}{}\n\n", library.version,
             library.engines && library.graphs.empty() ? ", without its graph API" : "");
  if (!library.engines) return kNothingChecked;
  const Operation op("engines", SourceLocation::current());
  const bool allowed = allow_tf32();
  Table table;
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  std::vector<Problem> problems;
  for (const std::string& text : given) problems.push_back(problem_of(text));
  if (given.empty()) problems.assign(std::begin(kProblems), std::end(kProblems));
  for (const Problem& problem : problems)
    for (const ScalarType type : {kFloat64, kFloat32, kFloat16, kBFloat16})
      for (const bool tf32 : {false, true}) {
        if (tf32 && type != kFloat32) continue;
        set_allow_tf32(tf32);
        try_all(library, op, device, problem, type, tf32, table, rows);
      }
  set_allow_tf32(allowed);
  if (!json_file.empty()) {
    interchange::OutputFile file(json_file);
    const nlohmann::ordered_json census = {
        {"schema", "notape.engines/2"}, {"cudnn", library.version}, {"rows", std::move(rows)}};
    file.write(census.dump(1) + "\n");
    file.commit();
  }
  return print(table, out);
}

}  // namespace notape::verify::engines
