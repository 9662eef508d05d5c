// reflection_pad1d(x), replication_pad1d(x), and in 2d and 3d: the last dimensions padded by their
// own entries, mirrored at the first and last one, or these repeated; the derivative adds up.
// pad(x, pad, mode): these, constant_pad_nd, or the other end's entries.
#include "ops/core/promotion.h"
#include "ops/core/sizes.h"
#include "ops/resample/plain_resample.h"
#include "ops/resample/resample.h"
#include "ops/shape.h"
#include "ops/vision.h"

namespace notape {
namespace {

/// The source of place i of a dimension of this size, from -pad on.
using PadSource = int64_t (*)(int64_t i, int64_t size);
int64_t reflected(int64_t i, int64_t size) {
  if (i < 0) i = -i;
  return i < size ? i : 2 * (size - 1) - i;
}
int64_t replicated(int64_t i, int64_t size) { return i < 0 ? 0 : i < size ? i : size - 1; }
int64_t wrapped(int64_t i, int64_t size) { return (i % size + size) % size; }

/// What entries of a padded dimension are copies of. What negative padding cuts off is not wrapped
/// around, either.
struct PadWindow {
  int64_t first = 0, size;
  PadSource source;

  PadWindow(int64_t whole, int64_t before, int64_t behind, PadSource from)
      : size(whole), source(from) {
    if (source != wrapped) return;
    first = std::max<int64_t>(-before, 0);
    size -= first + std::max<int64_t>(-behind, 0);
  }
  /// Of entry i of the input's, which may be before the first or behind the last.
  int64_t source_of(int64_t i) const { return first + source(i - first, size); }
};

/// The last `dims` dimensions padded by their own entries. Throws ShapeError, also for pads that
/// are larger than the source has entries for.
Tensor pad_by_entries(const Operation& op, const char* node, const Tensor& self,
                      IntArrayRef padding, std::size_t dims, PadSource source) {
  check_operand(op, self);
  if (padding.size() != 2 * dims)
    op.fail<ShapeError>("padding size is expected to be {}, but got: {}", 2 * dims, padding.size());
  const IntArrayRef sizes = self.sizes();
  bool valid = sizes.size() == dims + 1 || sizes.size() == dims + 2;
  for (std::size_t d = sizes.size() - dims; valid && d < sizes.size(); ++d) valid = sizes[d] > 0;
  if (!valid)
    op.fail<ShapeError>(
        "Expected {}D or {}D (batch mode) tensor with possibly 0 batch size and other non-zero "
        "dimensions for input, but got: {}",
        dims + 1, dims + 2, to_string(sizes));
  std::vector<LinearMap> maps;
  for (std::size_t d = sizes.size() - dims; d < sizes.size(); ++d) {
    const std::size_t back = 2 * (sizes.size() - 1 - d);
    const int64_t size = sizes[d], before = padding[back], behind = padding[back + 1];
    const PadWindow window(size, std::max(before, -size), std::max(behind, -size), source);
    const int64_t limit = source == reflected ? size
                          : source == wrapped ? window.size + 1
                                              : INT64_MAX;
    if (before >= limit || behind >= limit)
      op.fail<ShapeError>(
          "Padding size should be less than {}the corresponding input dimension, but got: padding "
          "({}, {}) at dimension {} of input {}",
          source == wrapped ? "or equal to " : "", before, behind, d, to_string(sizes));
    constexpr int64_t kMost = 1 << 28;
    if (before > kMost || behind > kMost)
      op.fail<OutOfMemory>("padding of {} and {} entries is too much", before, behind);
    const int64_t all = size_sum(op, before, behind) + size;
    if (all < 1)
      op.fail<ShapeError>("input of size {} is too small at dimension {}. Calculated output: {}",
                          size, d, all);
    std::vector<int64_t> sources;
    for (int64_t i = -before; i < size + behind; ++i) sources.push_back(window.source_of(i));
    maps.push_back(picking(sources, size));
  }
  if (self.dtype() == kBool)  // of which there are no sums; here nothing is added
    return to(resample(op, node, to(self, kUInt8, op.at), std::move(maps)), kBool, op.at);
  return resample(op, node, self, std::move(maps));
}

/// Random pads, of at most n + `most` entries for a dimension of size n.
using PadCall = std::function<Tensor(const Tensor& self, IntArrayRef padding)>;
OpCase pad_case(Draw& draw, std::size_t dims, const PadCall& call, PadSource source, int64_t most) {
  std::vector<int64_t> spatial, padding(2 * dims), padded;
  for (std::size_t d = 0; d < dims; ++d) {
    spatial.push_back(draw.integer(1, 4));
    const int64_t size = spatial[d], largest = std::min(size + most, int64_t{3});
    const std::size_t back = 2 * (dims - 1 - d);
    padding[back] = draw.integer(-(size - 1), largest);
    padding[back + 1] = draw.integer(-(size - 1) - std::min<int64_t>(padding[back], 0), largest);
    if (source == wrapped) {  // at most once around what is left
      padding[back + 1] = std::min(padding[back + 1], size + std::min<int64_t>(padding[back], 0));
      padding[back] = std::min(padding[back], size + std::min<int64_t>(padding[back + 1], 0));
    }
    padded.push_back(size + padding[back] + padding[back + 1]);
  }
  std::vector<int64_t> sizes;
  if (draw.boolean()) sizes.push_back(draw.integer(0, 2));
  sizes.push_back(draw.integer(0, 2));
  sizes.insert(sizes.end(), spatial.begin(), spatial.end());
  OpCase one;
  one.label = format_message("padding={}", {to_string(padding)});
  one.arguments = {{.sizes = sizes}};
  one.call = [=](const variable_list& x) { return call(x[0], padding); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    return plain_resample(x[0], padded, [&](std::size_t d, int64_t i) {
      const std::size_t back = 2 * (dims - 1 - d);
      const PadWindow window(spatial[d], padding[back], padding[back + 1], source);
      return std::vector<PlainTerm>{{window.source_of(i - padding[back]), 1}};
    });
  };
  return one;
}

/// Of an operator that does nothing else.
OpSpec pad_spec(const char* name, std::size_t dims, Tensor (*pad)(const Tensor&, IntArrayRef, At),
                PadSource source, int64_t most) {
  const auto call = [pad](const Tensor& x, IntArrayRef padding) {
    return pad(x, padding, At::current());
  };
  return {.name = name,
          .family = "vision",
          .draw = [=](Draw& draw) { return pad_case(draw, dims, call, source, most); },
          .traits = Trait::Gathers | Trait::Locates | Trait::Accumulates};
}

const RegisterOp reflection_pad1d_row(pad_spec("reflection_pad1d", 1, reflection_pad1d, reflected,
                                               -1));
const RegisterOp reflection_pad2d_row(pad_spec("reflection_pad2d", 2, reflection_pad2d, reflected,
                                               -1));
const RegisterOp reflection_pad3d_row(pad_spec("reflection_pad3d", 3, reflection_pad3d, reflected,
                                               -1));
const RegisterOp replication_pad1d_row(pad_spec("replication_pad1d", 1, replication_pad1d,
                                                replicated, 3));
const RegisterOp replication_pad2d_row(pad_spec("replication_pad2d", 2, replication_pad2d,
                                                replicated, 3));
const RegisterOp replication_pad3d_row(pad_spec("replication_pad3d", 3, replication_pad3d,
                                                replicated, 3));

OpCase draw_pad(Draw& draw) {
  return pad_case(
      draw, static_cast<std::size_t>(draw.integer(1, 3)),
      [](const Tensor& x, IntArrayRef padding) { return pad(x, padding, "circular"); }, wrapped, 0);
}

const RegisterOp pad_row(op_row("pad", "vision", draw_pad,
                                Trait::Gathers | Trait::Locates | Trait::Accumulates));

}  // namespace

Tensor reflection_pad1d(const Tensor& self, IntArrayRef padding, At at) {
  return pad_by_entries({"reflection_pad1d", at}, "ReflectionPad1DBackward0", self, padding, 1,
                        reflected);
}
Tensor reflection_pad2d(const Tensor& self, IntArrayRef padding, At at) {
  return pad_by_entries({"reflection_pad2d", at}, "ReflectionPad2DBackward0", self, padding, 2,
                        reflected);
}
Tensor reflection_pad3d(const Tensor& self, IntArrayRef padding, At at) {
  return pad_by_entries({"reflection_pad3d", at}, "ReflectionPad3DBackward0", self, padding, 3,
                        reflected);
}

Tensor replication_pad1d(const Tensor& self, IntArrayRef padding, At at) {
  return pad_by_entries({"replication_pad1d", at}, "ReplicationPad1DBackward0", self, padding, 1,
                        replicated);
}
Tensor replication_pad2d(const Tensor& self, IntArrayRef padding, At at) {
  return pad_by_entries({"replication_pad2d", at}, "ReplicationPad2DBackward0", self, padding, 2,
                        replicated);
}
Tensor replication_pad3d(const Tensor& self, IntArrayRef padding, At at) {
  return pad_by_entries({"replication_pad3d", at}, "ReplicationPad3DBackward0", self, padding, 3,
                        replicated);
}

Tensor pad(const Tensor& self, IntArrayRef pad, std::string_view mode, std::optional<double> value,
           At at) {
  const Operation op("pad", at);
  check_operand(op, self);
  if (pad.size() % 2 != 0) op.fail<ShapeError>("Padding length must be divisible by 2");
  if (mode == "constant") return constant_pad_nd(self, pad, value.value_or(0), at);
  const PadSource source = mode == "reflect"     ? reflected
                           : mode == "replicate" ? replicated
                           : mode == "circular"  ? wrapped
                                                 : nullptr;
  if (!source) op.fail<ValueError>("Unrecognised padding mode {}", std::string(mode));
  if (value && *value != 0)
    op.fail<ValueError>("Padding mode \"{}\" doesn't take in value argument", std::string(mode));
  const std::size_t dims = pad.size() / 2;
  if (dims < 1 || dims > 3)
    op.fail<ShapeError>(
        "Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now: got {} pads",
        pad.size());
  return pad_by_entries(op, "PadBackward0", self, pad, dims, source);
}

}  // namespace notape
