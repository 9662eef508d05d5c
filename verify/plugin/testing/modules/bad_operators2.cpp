// A plugin of version 2 for tests. The variable NOTAPE_BAD_PLUGIN says what is bad about its
// declaration; without it, it has operators that crash, hang, and read what is not there.
#include <csignal>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "verify/plugin/operator.h"

namespace {

namespace np = notape::plugin;

/// y = x[index]
struct Lookup {
  static np::About about() {
    return np::About("lookup")
        .ways(2)
        .real("x", -2, 2, {np::kink(1)})
        .whole("index", 0, 3)
        .axis("axis", 0, 1);
  }
  static void shape(np::Case& one) {
    one.input(0) = {4};
    one.input(1) = one.output(0) = {1 + one.way()};
  }
  template <std::floating_point T>
  static void forward(const np::Call<T>& call) {
    for (int64_t n = 0; n < call.indices(1).count(); ++n)
      call.output(0)[n] = call.input(0)[call.indices(1)[n]];
  }
  template <std::floating_point T>
  static void backward(const np::Call<T>& call) {
    for (int64_t i = 0; i < 4; ++i) call.grad_input(0)[i] = 0;
    for (int64_t n = 0; n < call.indices(1).count(); ++n)
      call.grad_input(0)[call.indices(1)[n]] += call.grad_output(0)[n];
  }
};
struct Crash : Lookup {
  static np::About about() { return np::About("crash").real("x", -2, 2).whole("index", 0, 3); }
  template <std::floating_point T>
  static void backward(const np::Call<T>&) {
    std::raise(SIGSEGV);
  }
};
struct Hang : Crash {
  static np::About about() { return np::About("hang").real("x", -2, 2).whole("index", 0, 3); }
  template <std::floating_point T>
  static void backward(const np::Call<T>&) {
    for (volatile bool forever = true; forever;) {
    }
  }
};
/// Goes through the gradient of an index, which has none.
struct NullGradient : Crash {
  static np::About about() { return np::About("null").real("x", -2, 2).whole("index", 0, 3); }
  template <std::floating_point T>
  static void backward(const np::Call<T>& call) {
    Lookup::backward(call);
    call.grad_input(1).data()[0] = 1;
  }
};
struct CrashInReference : Lookup {
  static np::About about() {
    return np::About("crash_in_reference").real("x", -2, 2).whole("index", 0, 3);
  }
  template <std::floating_point T>
  static void forward(const np::Call<T>& call) {
    if constexpr (std::is_same_v<T, long double>) std::raise(SIGSEGV);
    Lookup::forward(call);
  }
};

struct Variable {
  std::string_view text;
  bool is(std::string_view word) const { return text == word; }
};

}  // namespace

extern "C" const notape_plugin2* notape_plugin_v2() {
  static notape_plugin2 plugin =
      *np::plugin_of<Lookup, Crash, Hang, NullGradient, CrashInReference>();
  static notape_operator2 one = plugin.operators[0];
  static notape_input inputs[] = {one.inputs[0], one.inputs[1]};
  static notape_kink kink = one.inputs[0].kinks[0];
  static notape_attribute attribute = one.attributes[0];
  static notape_saved saved = {sizeof saved, "mask", NOTAPE_INT32};
  const char* given = std::getenv("NOTAPE_BAD_PLUGIN");
  if (!given) return &plugin;
  const Variable what{given};
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  plugin.operators = &one;
  plugin.operator_count = 1;
  inputs[0].kinks = &kink;
  one.inputs = inputs;
  one.attributes = &attribute;
  one.saved = &saved;
  if (what.is("null")) return nullptr;
  if (what.is("abi")) plugin.abi = 3;
  if (what.is("plugin size")) plugin.struct_size = 8;
  if (what.is("plugin huge")) plugin.struct_size = std::size_t(-1);
  if (what.is("many")) plugin.operator_count = std::size_t(1) << 60;
  if (what.is("nowhere")) plugin.operators = nullptr;
  if (what.is("none")) plugin.operator_count = 0;
  if (what.is("operator size")) one.struct_size = 16;
  if (what.is("operator huge")) one.struct_size = std::size_t(1) << 40;
  if (what.is("name")) one.name = "two words";
  if (what.is("no name")) one.name = nullptr;
  if (what.is("no shape")) one.shape = nullptr;
  if (what.is("no backward")) one.backward = nullptr;
  if (what.is("flags")) one.flags = 64;
  if (what.is("dtypes")) one.dtypes = NOTAPE_FLOAT64 | 256;
  if (what.is("float32 only"))
    one.dtypes = NOTAPE_FLOAT32, one.reference = nullptr, one.reference_jvp = nullptr;
  if (what.is("ways")) one.ways = 0;
  if (what.is("outputs")) one.output_count = 1000000;
  if (what.is("no outputs")) one.output_count = 0;
  if (what.is("inputs")) one.input_count = 2000000000;
  if (what.is("negative")) one.input_count = -1;
  if (what.is("inputs nowhere")) one.inputs = nullptr;
  if (what.is("input size")) inputs[0].struct_size = 4;
  if (what.is("input sizes")) inputs[1].struct_size += 8;
  if (what.is("input type")) inputs[1].dtype = 77;
  if (what.is("float input")) inputs[1].dtype = NOTAPE_FLOAT32;
  if (what.is("all whole")) inputs[0].dtype = NOTAPE_INT64, inputs[0].kink_count = 0;
  if (what.is("input name")) inputs[0].name = "a b";
  if (what.is("input flags")) inputs[0].flags = 8;
  if (what.is("ascending reals")) inputs[0].flags = NOTAPE_ASCENDING;
  if (what.is("range")) inputs[0].low = kNan;
  if (what.is("endless")) inputs[0].high = infinity;
  if (what.is("empty")) inputs[1].high = -1;
  if (what.is("halves")) inputs[1].low = 0.5;
  if (what.is("int32")) inputs[1].dtype = NOTAPE_INT32, inputs[1].high = 1e12;
  if (what.is("too whole")) inputs[1].high = 1e300;
  if (what.is("kinks nowhere")) inputs[0].kinks = nullptr;
  if (what.is("kinks")) inputs[0].kink_count = 1 << 30;
  if (what.is("whole kinks")) inputs[1].kinks = &kink, inputs[1].kink_count = 1;
  if (what.is("kink nan")) kink.at = kNan;
  if (what.is("kink outside")) kink.at = 5;
  if (what.is("convention")) kink.convention = 99;
  if (what.is("slopes nan")) kink.convention = NOTAPE_KINK_SLOPES, kink.above = kNan;
  if (what.is("slopes equal")) kink.convention = NOTAPE_KINK_SLOPES;
  if (what.is("kink size")) kink.struct_size = 0;
  if (what.is("attributes")) one.attribute_count = 17;
  if (what.is("attribute kind")) attribute.kind = 2;
  if (what.is("attribute range")) attribute.low = kNan;
  if (what.is("attribute halves")) attribute.high = 1.5;
  if (what.is("saved type")) one.saved_count = 1, saved.dtype = NOTAPE_LONG_DOUBLE;
  if (what.is("saved nowhere")) one.saved_count = 3, one.saved = nullptr;
  if (what.is("slope only")) one.reference = nullptr, one.reference_jvp = one.forward;
  if (what.is("wild")) one.inputs = reinterpret_cast<const notape_input*>(8);
  if (what.is("longer")) {  // of a later version: loads
    static struct {
      notape_operator2 known;
      char more[64];
    } later{one, {}};
    later.known.struct_size = sizeof later;
    plugin.operators = &later.known;
  }
  return &plugin;
}
