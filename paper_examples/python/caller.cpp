// The caller's line: a place for every instruction that has called, kept for good, since nodes and
// logs point to places. The table is asked at every call, so it is one comparison.
#include <array>
#include <bit>
#include <map>
#include <memory>
#include <tuple>

#include "paper_examples/python/binding.h"
#include "paper_examples/python/frame.h"

namespace notape::python {
namespace {

#if NOTAPE_PROVENANCE
/// What a std::source_location of this compiler points to.
struct Place {
  const char* file;
  const char* function;
  unsigned line, column;
};
static_assert(sizeof(SourceLocation) == sizeof(const Place*));

struct KnownCall {
  const void* key = nullptr;
  PyObject* code = nullptr;      // kept, so that no other gets its address
  const Place* place = nullptr;  // null: within this package
};
std::array<KnownCall, 2048> known_calls;

const char* text_of(PyObject* object) {
  const char* text = object ? PyUnicode_AsUTF8(object) : nullptr;
  if (!text) PyErr_Clear();
  return text ? text : "?";
}

/// The folder of this package, with its slash.
const std::string& own_folder() {
  static const std::string folder = [] {
    const nb::object file = nb::module_::import_("notape").attr("__file__");
    const std::string path = text_of(file.ptr());
    return path.substr(0, path.rfind('/') + 1);
  }();
  return folder;
}

/// Equal places are one, so that a loop of a compiler of code fills no memory.
const Place* place_of_call(const std::string& file, const std::string& function, unsigned line) {
  using Key = std::tuple<std::string, std::string, unsigned>;
  static std::map<Key, std::unique_ptr<Place>> places;
  const auto [found, is_new] = places.try_emplace(Key(file, function, line));
  if (is_new)
    found->second = std::make_unique<Place>(
        Place{std::get<0>(found->first).c_str(), std::get<1>(found->first).c_str(), line, 0});
  return found->second.get();
}

void learn(KnownCall& call, const PythonFrame& frame) {
  auto* code = reinterpret_cast<PyCodeObject*>(frame.code);
  const std::string file = text_of(code->co_filename);
  const bool is_own = file.starts_with(own_folder());
  const int line = PyCode_Addr2Line(code, frame.instruction);
  const Place* place = is_own ? nullptr
                              : place_of_call(file, text_of(code->co_name),
                                              static_cast<unsigned>(std::max(line, 0)));
  Py_INCREF(frame.code);
  PyObject* before = std::exchange(call.code, frame.code);
  call.key = frame.key;
  call.place = place;
  Py_XDECREF(before);
}
#endif

}  // namespace

SourceLocation caller() {
#if NOTAPE_PROVENANCE
  static constexpr Place kNowhere{"python", "", 0, 0};
  for (PythonFrame frame = python_frame(); frame.frame; frame = python_frame_before(frame)) {
    const auto address = reinterpret_cast<std::uintptr_t>(frame.key);
    KnownCall& call = known_calls[(address >> 1) % known_calls.size()];
    if (call.key != frame.key) [[unlikely]]
      learn(call, frame);
    if (call.place) [[likely]]
      return std::bit_cast<SourceLocation>(call.place);
  }
  return std::bit_cast<SourceLocation>(&kNowhere);
#else
  return {};
#endif
}

}  // namespace notape::python
