// Rules: functions with a backward of their author's own, and what authors get wrong in it.
//
// An author writes forward and backward once. Where backward could go wrong it asks the slip
// whether it does: `slip("lost-factor") ? s : 2 * s`. Every slip makes one wrong function.
#pragma once
#include "verify/corpus/entry.h"
#include "verify/generate/layout.h"

namespace notape::verify::corpus {

/// Which mistake is made; none in the right function.
class Slip {
 public:
  explicit Slip(std::string name = {}) : name_(std::move(name)) {}
  bool operator()(std::string_view mistake) const { return name_ == mistake; }

 private:
  std::string name_;
};

/// What backward or jvp is called with.
struct Call {
  variable_list x, y;   ///< what went into forward and came out
  variable_list given;  ///< gradients of y, or tangents of x; undefined ones are zero
  const Slip& slip;
};

/// A mistake that an author's rules can make.
struct Slipping {
  const char* name;
  Kind kind;
  int order = 1;  ///< of the derivative that is wrong

  constexpr Slipping(const char* its_name, Kind its_kind, int its_order = 1)
      : name(its_name), kind(its_kind), order(its_order) {}
  /// One of the usual names ("sign", "term", "detached", ...), each of which stands for one kind.
  Slipping(const char* usual_name);
};

using Forward = std::function<variable_list(const variable_list& x)>;
using Backward = std::function<variable_list(const Call& call)>;

/// An entry as its family's file has it.
struct Authored {
  const char* name;
  Forward forward;    ///< runs unrecorded
  Backward backward;  ///< one gradient per input, in differentiable operators unless order is 1
  Backward jvp = {};  ///< one tangent per result
  std::function<variable_list(InputDraw&)> inputs;
  std::vector<Slipping> slips;
  Traits traits = {};
};
/// Forward mode is there if jvp is. An author with fewer than three slips gets some that any
/// backward can have: float32 inside, the incoming gradient's size ignored, the last entry lost.
Entry entry_of(const char* family, Authored authored);

/// Elementwise, and broadcast: y = f(x_0, ..., x_n) with the slopes dy/dx_i; jvp uses them, too. An
/// undefined slope is one that its author forgot.
struct Elementwise {
  const char* name;
  std::function<Tensor(const variable_list& x)> forward;
  std::function<variable_list(const variable_list& x, const Slip& slip)> slopes;
  std::function<variable_list(InputDraw&)> inputs;
  std::vector<Slipping> slips;
  Traits traits = {};
};
Entry entry_of(const char* family, Elementwise authored);

/// The same over raw loops, of first order; inputs have one shape.
struct Looped {
  const char* name;
  int inputs_of_loop;
  double (*forward)(const double* x);
  void (*slopes)(const double* x, const Slip& slip, double* slopes);
  std::function<variable_list(InputDraw&)> inputs;
  std::vector<Slipping> slips;
  Traits traits = {};
};
/// Two slips beside its own: "last-block" and "strided", in the loop itself.
Entry entry_of(const char* family, Looped authored);

/// A composite of library operators; its mistakes are other composites. Only the value's formula is
/// written by hand, so a mistake is a gradient that was cut off or detached.
struct Composed {
  const char* name;
  std::function<variable_list(const variable_list& x, const Slip& slip)> f;
  std::function<variable_list(InputDraw&)> inputs;
  std::vector<Slipping> slips;
  Traits traits = {};
};
Entry entry_of(const char* family, Composed authored);

/// x as a constant of the gradient, where "detached" says that its author detached it.
Tensor seen(const Tensor& x, const Slip& slip);
/// A function written for one shape refuses others: it would read and write past the end.
void only_of_sizes(const Tensor& x, const std::vector<int64_t>& sizes);
/// The sum of `gradient` over the dimensions along which `x` was broadcast.
Tensor fitted(const Tensor& gradient, const Tensor& x);
/// The entries of `tensor` as they lie in memory, as one reads them who takes it for contiguous.
Numbers as_if_contiguous(const Tensor& tensor);
/// A new tensor like `like`, with these entries in row-major order.
Tensor filled_like(const Tensor& like, const Numbers& values);

/// Inputs of one kind, which most entries have.
std::function<variable_list(InputDraw&)> between(double low, double high,
                                                 std::vector<int64_t> sizes = {2, 5},
                                                 int count = 1);

}  // namespace notape::verify::corpus
