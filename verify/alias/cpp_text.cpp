#include "verify/alias/cpp_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

namespace notape::verify::alias {
namespace {

std::string list(const Statement& s) {
  return fmt::format("{}", fmt::join(s.n.begin(), s.n.begin() + s.n[5], ", "));
}

int numel(const Statement& s) {
  int result = 1;
  for (int d = 0; d < s.n[5]; ++d) result *= s.n[static_cast<std::size_t>(d)];
  return result;
}

std::string made(const Statement& s) {
  std::string values;
  for (int i = 0; i < numel(s); ++i)
    values += fmt::format("{}{}", i ? ", " : "", pattern_value(s.n[4], i));
  return fmt::format("t{} = make({{{}}}, {{{}}}){};{}", s.out, list(s), values,
                     s.code == Code::Leaf ? ".requires_grad_()" : "",
                     s.code == Code::Leaf ? fmt::format("  leaves.push_back(t{});", s.out) : "");
}

std::string call_text(const Statement& s) {
  const std::string a = fmt::format("t{}", s.a), b = fmt::format("t{}", s.b),
                    out = s.out == kNoSlot ? "" : fmt::format("t{} = ", s.out);
  switch (s.code) {
    case Code::Leaf:
    case Code::Constant:
      return made(s);
    case Code::Unary:
    case Code::UnaryWrite: {
      const UnaryOp& op = unary_ops()[s.which];
      const bool write = s.code == Code::UnaryWrite;
      return fmt::format("{}{}.{}{}({});", write ? "" : out, a, op.name, write ? "_" : "",
                         op.takes_number ? fmt::format(fmt::runtime(op.text), a, s.n[0]) : "");
    }
    case Code::Binary:
    case Code::BinaryWrite: {
      const BinaryOp& op = binary_ops()[s.which];
      const bool write = s.code == Code::BinaryWrite;
      return fmt::format("{}{}.{}{}({}{});", write ? "" : out, a, op.name, write ? "_" : "", b,
                         op.takes_number ? fmt::format(", {}", s.n[0]) : "");
    }
    case Code::View: {
      const ViewKind& kind = view_kinds()[s.which];
      if (!kind.call_all) return fmt::format("{}{}.{};", out, a, kind.text(s.n));
      if (s.b == kNoSlot) return fmt::format("{}{}.{}[{}];", out, a, kind.text(s.n), s.n[4]);
      return fmt::format("{{ auto all = {}.{}; {}all[{}]; {} = all[{}]; }}", a, kind.text(s.n), out,
                         s.n[4], b, s.n[5]);
    }
    case Code::Matmul:
      return fmt::format("{}{}.matmul({});", out, a, b);
    case Code::Sum:
      return s.n[0] < 0 ? fmt::format("{}{}.sum();", out, a)
                        : fmt::format("{}{}.sum({{{}}});", out, a, s.n[0]);
    case Code::Cat:
      return fmt::format("{}cat({{{}, {}}}, 0);", out, a, b);
    case Code::Take:
      return fmt::format("{}{}.index({{tensor({{{}}}, kInt64)}});", out, a, list(s));
    case Code::Put:
      return s.which == 0 ? fmt::format("{}.index_put_({{{}}}, {});", a, s.n[0], b)
                          : fmt::format("{}.index_put_({{indexing::Slice({}, {})}}, {});", a,
                                        s.n[0], s.n[1], b);
    case Code::PutAt:
      return fmt::format("{}.index_put_({{tensor({{{}}}, kInt64)}}, {});", a, list(s), b);
    case Code::Detach:
      return fmt::format("{}{}.detach();", out, a);
    case Code::DetachWrite:
      return fmt::format("{}.detach_();", a);
    case Code::Data:
      return fmt::format("{}{}.data();", out, a);
    case Code::SetData:
      return fmt::format("{}.set_data({});", a, b);
    case Code::Function: {
      const FunctionKind& kind = function_kinds()[s.which];
      const std::string call =
          fmt::format("{}::apply({}{})", kind.name, a, kind.takes_two() ? ", " + b : "");
      if (kind.effect == FunctionKind::Effect::DirtyPlus) return fmt::format("{}{}[1];", out, call);
      if (kind.outputs < 2) return fmt::format("{}{};", kind.outputs ? out : "", call);
      return fmt::format("{{ auto all = {}; {}all[0]; t{} = all[1]; }}", call, out, s.n[0]);
    }
    case Code::Hook:
      return s.n[0] == 1
                 ? fmt::format("{}.register_hook([](const Tensor& g) {{ std::cout << g; }});", a)
                 : fmt::format("{}.register_hook([](const Tensor& g) {{ return g * {}; }});", a,
                               s.n[0]);
    case Code::Dual:
      return fmt::format("{}autograd::forward_ad::make_dual({}, pattern({}, {}));", out, a, a,
                         s.n[0]);
    case Code::RawWrite: {
      if (s.which == 0)
        return fmt::format("{{ WriteTicket ticket({0}); put(ticket.data(), {0}, {1}); }}", a,
                           s.n[0]);
      const char* pointer = s.which == 1 ? "mutable_data_ptr" : "data_ptr";
      return fmt::format("put({0}.{1}<double>(), {0}, {2});", a, pointer, s.n[0]);
    }
    case Code::Drop:
      return fmt::format("{}.reset();", a);
    case Code::Backward:
      return fmt::format("{}.backward(weights({}), {});", a, a, s.which != 0);
    case Code::Grad:
      return fmt::format("show(grad({{{}{}}}, leaves, {}));", a, s.b == kNoSlot ? "" : ", " + b,
                         s.which != 0);
    case Code::GradGrad:
      return fmt::format("show(second_grad({}, leaves, {}));", a, s.which != 0);
  }
  return "";
}

constexpr const char* kHead = R"(#include "verify/alias/printed_program.h"
using namespace notape;
using namespace notape::verify::alias;

int main() {
  TensorList leaves;
)";

}  // namespace

std::string statement_text(const Statement& s) {
  return s.no_grad ? "{ NoGradGuard no_grad; " + call_text(s) + " }" : call_text(s);
}

std::string program_text(const Program& program, const Settings& settings,
                         const std::string& comment) {
  std::set<int> slots;
  bool backward = false;
  for (const Statement& s : program) {
    backward |= s.code == Code::Backward;
    if (s.out != kNoSlot) slots.insert(s.out);
    if (s.code == Code::View && s.b != kNoSlot) slots.insert(s.b);
    if (s.code == Code::Function && function_kinds()[s.which].outputs > 1) slots.insert(s.n[0]);
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
