#include "verify/alias/cpp_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

namespace notape::verify::alias {
namespace {

constexpr const char* kHead = R"(#include "verify/alias/printed_program.h"
using namespace notape;
using namespace notape::verify::alias;

int main() {
  TensorList leaves;
)";

}  // namespace

std::string statement_text(const Statement& s) {
  const std::string text = std::visit([](const auto& kind) { return kind.text(); }, s.what);
  return s.no_grad ? "{ NoGradGuard no_grad; " + text + " }" : text;
}

std::string program_text(const Program& program, const Settings& settings,
                         const std::string& comment) {
  std::set<int> slots;
  bool backward = false;
  for (Statement s : program) {
    const Parts parts = s.parts();
    const View* view = s.as<View>();
    for (const Slot slot : {s.out(), view ? view->second_out : kNoSlot})
      if (slot != kNoSlot) slots.insert(slot);
    if (parts.second_out) slots.insert(*parts.second_out);
    const Gradient* gradient = s.as<Gradient>();
    backward |= gradient && gradient->way == Gradient::Way::Backward;
  }
  std::string text = "// " + comment + "\n" + kHead;
  if (settings.policy != Policy::Default)
    text += fmt::format("  AliasPolicyGuard policy(AliasPolicy::{});\n",
                        settings.policy == Policy::Paper2017 ? "Paper2017"
                        : settings.policy == Policy::CowSave ? "CowSave"
                                                             : "Guarded");
  const bool tangents = features_of(program).tangents;
  if (tangents) text += "  autograd::forward_ad::DualLevelGuard level;\n";
  text += fmt::format("  Tensor t{};\n", fmt::join(slots, ", t"));
  for (const Statement& s : program) text += "  " + statement_text(s) + "\n";
  if (backward) text += "  for (const Tensor& leaf : leaves) show({leaf.grad()});\n";
  if (tangents) text += fmt::format("  show({{t{}}});\n", fmt::join(slots, ", t"));
  return text + "}\n";
}

}  // namespace notape::verify::alias
