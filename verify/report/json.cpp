#include "verify/report/json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "verify/report/hex.h"
#include "verify/report/record_fields.h"

namespace notape::verify {
namespace {

using Json = nlohmann::ordered_json;

class Writer {
 public:
  Json take() { return std::move(here_); }

  template <typename T>
  void operator()(const char* name, T& value) {
    here_[name] = json(value);
  }
  template <typename T>
  void optional(const char* name, std::optional<T>& value) {
    if (value) (*this)(name, *value);
  }
  template <typename Fill>
  void object(const char* name, const Fill& fill) {
    Json outer = std::exchange(here_, Json::object());
    fill();
    outer[name] = std::exchange(here_, Json());
    here_ = std::move(outer);
  }

 private:
  static Json json(const std::string& text) { return text; }
  static Json json(bool value) { return value; }
  static Json json(int value) { return value; }
  static Json json(int64_t value) { return value; }
  static Json json(uint64_t value) { return value; }
  static Json json(Verdict verdict) { return name_of(verdict); }
  static Json json(ScalarType dtype) { return name_of(dtype); }

  /// JSON has no NaN or infinity; and a decimal may not be the whole number.
  static Json decimal(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return value;
  }
  template <typename Real>
  requires std::same_as<Real, double> || std::same_as<Real, Wide>
  static Json json(Real value) {
    const auto nearest = static_cast<double>(value);
    if (!std::isfinite(nearest)) return decimal(nearest);
    return {{"decimal", nearest}, {"hex", hex(value)}};
  }
  static Json json(Numbers& numbers) {
    Json decimals = Json::array(), words = Json::array();
    for (const double number : numbers) {
      decimals.push_back(decimal(number));
      words.push_back(std::isfinite(number) ? Json(hex(number)) : decimal(number));
    }
    return {{"decimal", std::move(decimals)}, {"hex", std::move(words)}};
  }
  static Json json(Environment& environment) {
    Json object = Json::object();
    for (const auto& [name, value] : environment) object[name] = value;
    return object;
  }
  template <typename T>
  static Json json(std::vector<T>& list) {
    Json array = Json::array();
    for (T& one : list) array.push_back(json(one));
    return array;
  }
  template <typename T>
  requires requires(Writer& writer, T& value) { fields(writer, value); }
  static Json json(T& value) {
    Writer writer;
    fields(writer, value);
    return writer.take();
  }

  Json here_ = Json::object();
};

}  // namespace

std::string certificate_json(const Record& record) {
  Record copy = record;  // an archive may change what it visits; this one does not
  Writer writer;
  std::string schema = kCertificateSchema;
  writer("schema", schema);
  fields(writer, copy);
  return writer.take().dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string bundle_json(const std::vector<Record>& records) {
  std::string text;
  for (const Record& record : records) text += certificate_json(record) + '\n';
  return text;
}

}  // namespace notape::verify
