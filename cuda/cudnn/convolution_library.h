// What libnotape_cudnn.so offers to libnotape_cuda.so, which opens it at the first convolution or
// recurrent layer. It is a library of its own so that everything else works where cuDNN is missing.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "cuda/library/open_part.h"
#include "ops/conv/conv2d.h"
#include "ops/recurrent/sequence.h"

namespace notape::cuda {

/// Which of the three is computed of the two others.
enum class Product { Response, Image, Filter };

/// (N, C, H, W), (O, C / groups, kH, kW), (N, O, H', W')
struct Operands {
  Tensor image, filter, response;

  const Tensor& at(Product which) const {
    return which == Product::Image ? image : which == Product::Filter ? filter : response;
  }
};

/// An algorithm that cuDNN lists for a problem.
struct Engine {
  std::string name;     ///< cuDNN's number, or "ConvFwd_eng3_k2=1" of a plan of its graph API
  std::string refusal;  ///< why it is not taken; "": it can be
  bool is_deterministic, rounds_factors;
  std::size_t workspace;  ///< bytes
};

/// Convolutions of operands on one GPU, of a floating dtype. They are false where cuDNN refuses the
/// problem, and throw DeviceError where it fails. All are null where it is absent.
struct ConvolutionLibrary {
  std::string version;  ///< "9.19.0", or "absent", and why
  std::string graphs;   ///< of NVIDIA's headers for its graph API, "1.32.0"; "": built without
  bool (*forward)(const Operation&, const Tensor& result, const Tensor& image, const Tensor& filter,
                  const Tensor& bias, const Conv2dProblem&) = nullptr;
  bool (*backward_input)(const Operation&, const Tensor& result, const Tensor& response,
                         const Tensor& filter, const Conv2dProblem&) = nullptr;
  bool (*backward_weight)(const Operation&, const Tensor& result, const Tensor& response,
                          const Tensor& image, const Conv2dProblem&) = nullptr;

  /// All that cuDNN lists for row-major operands, its favourite first; and one of them. For those
  /// who compare them.
  std::vector<Engine> (*engines)(const Operation&, Product, const Operands&,
                                 const Conv2dProblem&) = nullptr;
  bool (*run_engine)(const Operation&, Product, const Operands&, const Conv2dProblem&,
                     std::size_t which) = nullptr;
  /// From now on convolutions take no algorithm but those that this file of `notape verify engines
  /// --json` has found right for the same problem. Before the first. Throws FileError.
  void (*restrict_to)(const std::string& path) = nullptr;

  /// Layers of LSTM and GRU (recurrent.h).
  void (*sequence_forward)(const Operation&, SequenceForward&) = nullptr;
  void (*sequence_backward)(const Operation&, SequenceBackward&) = nullptr;
};

inline const char* name_of(Product product) {
  return product == Product::Response ? "forward" : product == Product::Image ? "image" : "filter";
}

/// "4x16x14x14,32x16x3x3,1x1,1x1,1x1,1": sizes of image and filter, stride, padding, dilation,
/// groups. So problems are called in files and by `--problem`.
template <typename Problem>
std::string problem_text(const Problem& p) {
  std::string text;
  const auto add = [&](const auto& numbers) {
    std::string part;
    for (const auto number : numbers) part += (part.empty() ? "" : "x") + std::to_string(number);
    text += part + ",";
  };
  add(p.image);
  add(p.filter);
  for (const auto& pair : {p.stride, p.padding, p.dilation}) add(std::array{pair[0], pair[1]});
  return text + std::to_string(p.groups);
}

inline ConvolutionLibrary open_convolution_library(const char* file) {
  return open_part<ConvolutionLibrary>(file, "notape_describe_cudnn", "NOTAPE_NO_CUDNN");
}

}  // namespace notape::cuda
