// The elementwise operations of the campaign: what they do to a number, how the library is asked to
// do it, and how that is written in C++.
#pragma once
#include <span>

#include "autograd/tensor/tensor.h"

namespace notape::verify::alias {

/// Whether the derivative reads the input or the result; decides which rejections are explained.
enum class Saves : uint8_t { Nothing, Input, Output };

struct UnaryOp {
  const char* name;
  bool takes_number;
  double (*value)(double x, double k);
  double (*slope)(double x, double y, double k);
  double (*bend)(double x, double y, double k);  ///< the derivative of the slope
  Tensor (*call)(const Tensor& x, double k);     ///< null: in place only
  void (*write)(Tensor& x, double k);            ///< null: out of place only
  Saves saves = Saves::Nothing;
  bool grows_by_square = false;
  bool real_only = false;      ///< not exact on integers
  bool forgets = false;        ///< the result does not depend on the old value
  const char* text = "{1}.0";  ///< of the arguments in C++: {0} is the tensor, {1} the number
};
std::span<const UnaryOp> unary_ops();

struct BinaryOp {
  const char* name;
  bool takes_number;  ///< alpha
  double (*value)(double x, double y, double k);
  double (*slope_x)(double x, double y, double k);
  double (*slope_y)(double x, double y, double k);
  Tensor (*call)(const Tensor& x, const Tensor& y, double k);  ///< null: in place only
  void (*write)(Tensor& x, const Tensor& y, double k);
  Saves saves = Saves::Nothing;
  bool multiplies = false;
};
std::span<const BinaryOp> binary_ops();

}  // namespace notape::verify::alias
