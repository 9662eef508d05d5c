// pad(x, pad, mode): constant_pad_nd, reflection_pad, replication_pad, or the other end's entries.
#include "ops/core/promotion.h"
#include "ops/vision/pads.h"

namespace notape {
namespace {

const RegisterOp pad_row({.name = "pad",
                          .family = "vision",
                          .draw = [](Draw& draw) -> OpCase {
                            return pad_case(
                                draw, static_cast<std::size_t>(draw.integer(1, 3)),
                                [](const Tensor& x, IntArrayRef padding) {
                                  return pad(x, padding, "circular");
                                },
                                wrapped, 0);
                          },
                          .traits = Trait::Gathers | Trait::Locates | Trait::Accumulates});

}  // namespace

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
