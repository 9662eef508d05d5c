#include "verify/corpus/entry.h"

#include "verify/corpus/families.h"
#include "verify/corpus/family.h"

namespace notape::verify::corpus {
namespace {

struct KindText {
  std::string_view name, meaning;
};

constexpr KindText kTexts[] = {
    {"strided-incoming", "the incoming gradient is read as if its entries lay in a row"},
    {"incoming-ignored", "the incoming gradient, or its scale, is left out"},
    {"duplicate-index", "of equal indices the last one wins"},
    {"missing-input", "an input gets no gradient"},
    {"mean-twice", "a mean is subtracted twice, or not at all"},
    {"tied-weights", "a parameter that is used twice is counted once"},
    {"last-block", "what is left over after whole blocks is lost"},
    {"wrong-constant", "a constant with a wrong digit"},
    {"at-saturation", "right but where the function is nearly flat"},
    {"lost-factor", "a factor of the chain rule is lost"},
    {"lost-term", "a term of a sum is lost"},
    {"wrong-sign", "a sign is wrong"},
    {"wrong-branch", "the slope of the neighbouring piece"},
    {"wrong-axis", "a sum over the wrong dimension, or an entry of another place"},
    {"no-epsilon", "forward's epsilon is not in backward"},
    {"at-ties", "each of several tied entries gets the whole gradient"},
    {"low-precision", "fewer bits inside than the dtype has"},
    {"stale-state", "backward reads what the last forward left"},
    {"swapped", "the gradients of two inputs are exchanged"},
    {"detached", "the gradient forgets that it depends on an input"},
};

static_assert(std::size(kTexts) == kKinds);

std::vector<Entry> collected() {
  std::vector<Entry> entries;
  for (const auto add :
       {add_activations, add_piecewise_activations, add_normalisations, add_losses, add_attention,
        add_distances, add_interpolation, add_physics, add_statistics, add_tables,
        add_linear_algebra, add_stateful, add_hard_inputs, add_c_pairs})
    add(entries);
  return entries;
}

}  // namespace

std::string_view name_of(Kind kind) { return kTexts[static_cast<std::size_t>(kind)].name; }
std::string_view meaning_of(Kind kind) { return kTexts[static_cast<std::size_t>(kind)].meaning; }

const std::vector<Entry>& all_entries() {
  static const std::vector<Entry> entries = collected();
  return entries;
}

void Family::add_foreign(std::shared_ptr<const notape_operator> right,
                         std::vector<Mistake> mistakes) {
  entries_.push_back({.name = right->name,
                      .family = name_,
                      .traits = {.order = 1, .forward_mode = right->jvp != nullptr},
                      .mistakes = std::move(mistakes),
                      .foreign = right});
}

}  // namespace notape::verify::corpus
