#include "verify/generate/long_case.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

#include "verify/generate/values.h"

namespace notape::verify {
namespace {

constexpr uint32_t kStream = 1 << 24;

/// Draws small sizes, but one large one. Rows do not say which numbers are sizes. Those of
/// Draw::shape follow a number in [0, 9]; rows of `linalg` and `conv` draw sizes from zero on. What
/// is taken for one and is none makes no argument longer, and so no case.
class LongCaseDraw final : public Draw {
 public:
  LongCaseDraw(std::string_view family, const LongDimension& dimension, int which)
      : draws_plain_sizes_(family == "linalg" || family == "conv"),
        dimension_(dimension),
        which_(which) {}

  int64_t integer(int64_t low, int64_t high) override {
    const bool in_shape = std::exchange(size_follows_, false);
    const bool plain = draws_plain_sizes_ && low == 0 && high >= 3 && high != 9 && high <= 20;
    if ((in_shape && low >= 1) || plain)
      return sizes_++ == which_ ? dimension_.size : std::clamp<int64_t>(random(1, 2), low, high);
    if (low == 0 && high == 9) {
      size_follows_ = true;
      return random(1, 9);  // 0 would make the size the smallest one
    }
    return random(low, high);
  }

  int sizes() const { return sizes_; }

 private:
  int64_t random(int64_t low, int64_t high) {
    if (high <= low) return low;
    return low + keyed_bits(dimension_.key, kStream, drawn_++) % (high - low + 1);
  }

  const bool draws_plain_sizes_;
  const LongDimension& dimension_;
  const int which_;
  int sizes_ = 0;
  bool size_follows_ = false;
  std::size_t drawn_ = 0;
};

/// Well apart, in an order that follows no pattern of the memory.
Numbers spread_out(const Argument& argument, std::size_t count, std::size_t of, std::size_t first,
                   ScalarType dtype) {
  std::size_t step = 2 * of / 5 + 1;
  while (std::gcd(step, of) != 1) ++step;
  Numbers values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t place = (first + i) * step % of;
    if (argument.kind == Argument::Kind::Index) {
      values[i] = static_cast<double>(place);
      continue;
    }
    const Domain& domain = argument.domain;
    const double value = domain.low + (domain.high - domain.low) *
                                          (static_cast<double>(place) + 0.5) /
                                          static_cast<double>(of);
    values[i] = round_to(value, dtype);
  }
  return values;
}

/// The first entries are such as checks always get. Random ones follow, because the rounding errors
/// of what repeats would all point the same way.
Numbers mixed(const Argument& argument, std::size_t count, uint32_t key, uint32_t stream,
              ScalarType dtype) {
  constexpr std::size_t kDrawn = 67;
  Argument few = argument;
  few.sizes = {static_cast<int64_t>(std::min(count, kDrawn))};
  ChoiceDraw draw(rc::Random(keyed_bits(key, stream, count)));
  Numbers values = draw_values(draw, few, dtype);
  if (argument.kind != Argument::Kind::Real) {
    while (values.size() < count) values.push_back(values[values.size() - kDrawn]);
    return values;
  }
  const Domain& domain = argument.domain;
  const auto on_kink = [&](double value) {
    return std::any_of(domain.kinks.begin(), domain.kinks.end(), [&](double kink) {
      return std::abs(value - kink) < 2 * domain.kink_distance;
    });
  };
  for (std::size_t i = values.size(); i < count; ++i) {
    const double inside = 0.001 + 0.998 * 0x1p-32 * keyed_bits(key, stream, i);
    double value = domain.low + (domain.high - domain.low) * inside;
    value = round_to(value, dtype);
    values.push_back(on_kink(value) ? values[i - kDrawn] : value);
  }
  return values;
}

/// False if entries that the row demands do not fit.
bool fill(DrawnCase& drawn, const LongDimension& dimension, ScalarType dtype) {
  std::size_t distinct = 0;
  const auto entries = [](const Argument& argument) {
    return static_cast<std::size_t>(numel_of(argument.sizes));
  };
  for (const Argument& argument : drawn.op.arguments)
    if (argument.distinct && argument.kind == Argument::Kind::Real) distinct += entries(argument);
  std::size_t first = 0;
  for (const Argument& argument : drawn.op.arguments) {
    const std::size_t count = entries(argument);
    DrawnArgument one{argument, {}, {}};
    if (argument.fixed) {
      one.values = *argument.fixed;
      if (one.values.size() != count) return false;
    } else if (argument.kind == Argument::Kind::Index && argument.distinct) {
      const std::size_t of = std::max(count, static_cast<std::size_t>(argument.index_bound));
      one.values = spread_out(argument, count, of, 0, dtype);
    } else if (argument.distinct) {
      one.values = spread_out(argument, count, distinct, first, dtype);
      first += count;
    } else {
      one.values = mixed(argument, count, dimension.key,
                         kStream + 2 + static_cast<uint32_t>(drawn.arguments.size()), dtype);
    }
    drawn.arguments.push_back(std::move(one));
  }
  return true;
}

bool is_long(const OpCase& one, const LongDimension& dimension) {
  const auto unfit = [&](const Argument& argument) {
    const int64_t entries = numel_of(argument.sizes);
    return entries == 0 || entries > dimension.most_entries;
  };
  const auto reaches = [&](const Argument& argument) {
    return std::any_of(argument.sizes.begin(), argument.sizes.end(),
                       [&](int64_t size) { return size >= dimension.size; });
  };
  return std::none_of(one.arguments.begin(), one.arguments.end(), unfit) &&
         std::any_of(one.arguments.begin(), one.arguments.end(), reaches);
}

/// How many sizes the row draws under this key; none if it cannot draw.
int count_sizes(const OpSpec& spec, const LongDimension& dimension) {
  constexpr int kNone = -1;
  LongCaseDraw draw(spec.family, dimension, kNone);
  try {
    spec.draw(draw);
  } catch (const std::exception&) {
    return 0;
  }
  return draw.sizes();
}

std::optional<DrawnCase> with_long(const OpSpec& spec, const LongDimension& dimension, int which,
                                   ScalarType dtype) {
  LongCaseDraw draw(spec.family, dimension, which);
  DrawnCase drawn{.key = dimension.key, .op = {}, .arguments = {}, .incoming = {}};
  try {
    drawn.op = spec.draw(draw);
  } catch (const std::exception&) {
    return {};  // there is no such case
  }
  if (!is_long(drawn.op, dimension) || !fill(drawn, dimension, dtype)) return {};
  return drawn;
}

}  // namespace

std::optional<DrawnCase> long_case(const OpSpec& spec, const LongDimension& dimension,
                                   ScalarType dtype) {
  constexpr uint32_t kAttempts = 6;  // at parameters that leave some size to choose
  for (uint32_t attempt = 0; attempt < kAttempts; ++attempt) {
    LongDimension here = dimension;
    here.key = keyed_bits(dimension.key, kStream + 1, attempt);
    const int sizes = count_sizes(spec, here);
    for (int i = 0; i < sizes; ++i)
      if (auto drawn = with_long(spec, here, (static_cast<int>(here.key % 64) + i) % sizes, dtype))
        return drawn;
  }
  return {};
}

}  // namespace notape::verify
