#include "verify/report/printable_record.h"

#include <algorithm>

#include "autograd/printable.h"
#include "verify/report/record_fields.h"

namespace notape::verify {
namespace {

/// An archive that visits every field and changes texts.
class Cleaner {
 public:
  template <typename T>
  void operator()(std::string_view name, T& value) {
    clean(name, value);
  }
  template <typename T>
  void optional(std::string_view name, std::optional<T>& value) {
    if (value) clean(name, *value);
  }
  template <typename Fill>
  void object(std::string_view, const Fill& fill) {
    fill();
  }

 private:
  static void clean(std::string_view name, std::string& text) {
    constexpr std::string_view kSentences[] = {"detail", "message", "blame", "absent"};
    const bool lines =
        std::find(std::begin(kSentences), std::end(kSentences), name) != std::end(kSentences);
    text = lines ? printable_lines(text) : printable(text);
  }
  static void clean(std::string_view, Environment& environment) {
    for (auto& [name, value] : environment) {
      name = printable(name);
      value = printable(value);
    }
  }
  template <typename T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T> || std::same_as<T, Wide> ||
      std::same_as<T, Numbers>
  static void clean(std::string_view, T&) {}
  template <typename T>
  requires(!std::same_as<std::vector<T>, Numbers>) void clean(std::string_view name,
                                                              std::vector<T>& list) {
    for (T& one : list) clean(name, one);
  }
  template <typename T>
  requires requires(Cleaner& cleaner, T& value) { fields(cleaner, value); }
  void clean(std::string_view, T& value) { fields(*this, value); }
};

}  // namespace

void make_printable(Record& record) {
  Cleaner cleaner;
  fields(cleaner, record);
}

}  // namespace notape::verify
