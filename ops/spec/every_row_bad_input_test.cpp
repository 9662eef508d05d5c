// Every operator of the registry with one bad argument after the other, made from its own cases: a
// tensor that is not there, another shape, another type, dimensions that are gone, indices out of
// range. Each is computed with or refused by an Error of a class of its own, which names an
// operator and has changed nothing; and each kind is refused where it cannot be meant.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <stdexcept>

#include "ops/ops.h"
#include "ops/spec/testing/drawn_row.h"
#include "ops/spec/testing/snapshot.h"

namespace notape::testing {
namespace {

/// A list of arguments of which one is bad.
struct BadInput {
  const char* kind;
  std::size_t argument;
  variable_list arguments;
};

Tensor of_sizes(std::vector<int64_t> sizes, const Tensor& like) {
  return ones(sizes, like.options());
}

/// Every index the one out of range.
Tensor indices_at(const Tensor& like, int64_t index) {
  return full(like.sizes(), index, like.options());
}

class BadInputs {
 public:
  BadInputs(const OpCase& one, const variable_list& good) : good_(good) {
    for (std::size_t i = 0; i < good.size(); ++i) {
      const Tensor& x = good[i];
      add("undefined", i, Tensor());
      add("shape", i, of_sizes({7, 5, 3, 2, 11, 13}, x));
      if (x.dim() > 0) {
        std::vector<int64_t> longer = x.sizes().vec();
        for (int64_t& size : longer) size = size * 2 + 3;
        add("shape", i, of_sizes(longer, x));
        longer = x.sizes().vec();
        longer.back() += 1;
        add("shape", i, of_sizes(longer, x));
        add("dimension", i, of_sizes({}, x));
        add("dimension", i, of_sizes({x.numel()}, x));
      }
      const bool is_real = one.arguments[i].kind == Argument::Kind::Real;
      for (const ScalarType type : {kBool, kInt64, kFloat64, kFloat32})
        if (type != x.dtype()) add(is_real ? "type" : "type of an index", i, x.to(type));
      if (one.arguments[i].kind != Argument::Kind::Index || x.numel() == 0) continue;
      for (const int64_t index : {int64_t{1} << 40, int64_t{-1} << 40})
        add("index", i, indices_at(x, index));
    }
  }
  const std::vector<BadInput>& all() const { return all_; }

 private:
  void add(const char* kind, std::size_t argument, const Tensor& bad) {
    all_.push_back({kind, argument, good_});
    all_.back().arguments[argument] = bad;
  }

  const variable_list& good_;
  std::vector<BadInput> all_;
};

/// "name: what is wrong", of a name in the registry or of a part of what the row calls.
std::string who(const Error& error) {
  const std::string& message = error.what_without_backtrace();
  return message.substr(0, std::min(message.find(": "), message.size()));
}
bool is_a_name(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char one) {
    return std::isalnum(one) != 0 || one == '_';
  });
}

/// What became of bad arguments, by kind.
struct Refused {
  std::map<std::string, int> refused, computed;
};

void call_with(const OpCase& one, const BadInput& bad, bool in_place, Refused& refused) {
  SCOPED_TRACE(format_message("{} of argument {}{}",
                              {bad.kind, bad.argument, in_place ? ", in place" : ""}));
  variable_list arguments = bad.arguments;
  for (Tensor& argument : arguments)  // which nobody else has
    if (argument.defined()) argument = argument.detach().clone();
  const Snapshot before(arguments);
  manual_seed(3);
  try {
    if (in_place)
      one.call_in_place(arguments);
    else
      one.call(arguments);
    ++refused.computed[bad.kind];
    if (!in_place) {
      EXPECT_EQ(before.change_of(arguments), "") << "was changed";
    }
  } catch (const std::out_of_range&) {  // of a case that wants a result that is not there
  } catch (const UndefinedTensor& error) {
    ++refused.refused[bad.kind];  // also of a case that looks at its arguments
    EXPECT_EQ(before.change_of(arguments), "") << "was changed by " << error.what();
  } catch (const Error& error) {
    ++refused.refused[bad.kind];
    EXPECT_NE(error.kind(), std::string_view("Error")) << error.what();
    EXPECT_TRUE(is_a_name(who(error))) << error.what();
    EXPECT_EQ(before.change_of(arguments), "") << "was changed by " << error.what();
  }
}

constexpr uint64_t kSeeds = 6;

Refused refused_by(const OpSpec& spec, std::set<Argument::Kind>& kinds, std::size_t& most) {
  Refused refused;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    DrawOfSeed draw(seed);
    const OpCase one = spec.draw(draw);
    SCOPED_TRACE(std::string(spec.name) + ", " + one.label);
    variable_list good;
    for (const Argument& argument : one.arguments) {
      good.push_back(draw_argument(argument, draw));
      if (good.back().numel() > 0) kinds.insert(argument.kind);
    }
    const auto extents = std::count_if(
        good.begin(), good.end(), [](const Tensor& x) { return x.dim() > 0 && x.numel() > 1; });
    most = std::max(most, static_cast<std::size_t>(extents));
    const BadInputs bad_inputs(one, good);
    for (const BadInput& bad : bad_inputs.all()) {
      call_with(one, bad, false, refused);
      if (one.call_in_place) call_with(one, bad, true, refused);
    }
  }
  return refused;
}

TEST(EveryRow, RefusesBadInputByNameAndChangesNothing) {
  std::map<std::string, int> rows_refusing;
  for (const OpSpec* spec : op_specs()) {
    SCOPED_TRACE(spec->name);
    std::set<Argument::Kind> kinds;
    std::size_t most = 0;
    Refused refused = refused_by(*spec, kinds, most);
    for (const auto& [kind, times] : refused.refused) rows_refusing[kind] += times > 0;
    if (refused.computed.empty() && refused.refused.empty()) continue;  // takes no tensor
    EXPECT_GT(refused.refused["undefined"], 0);
    if (kinds.contains(Argument::Kind::Index)) {
      EXPECT_GT(refused.refused["index"], 0);
      EXPECT_GT(refused.refused["type of an index"], 0);
    }
    // Whatever takes several tensors asks that they fit, but a product of all with all.
    if (most > 1 && std::string_view(spec->name) != "kron") {
      EXPECT_GT(refused.refused["shape"], 0);
    }
  }
  for (const auto& [kind, rows] : rows_refusing) RecordProperty(kind, std::to_string(rows));
  EXPECT_GT(rows_refusing["shape"], 120);
  EXPECT_GT(rows_refusing["dimension"], 100);
  EXPECT_GT(rows_refusing["type"], 80);
}

}  // namespace
}  // namespace notape::testing
