// Reading certificates. Whatever a file holds, it gives records or one BadCertificate.
#include <fmt/format.h>
#include <quadmath.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "autograd/interchange/zlib.h"
#include "autograd/printable.h"
#include "verify/report/json.h"
#include "verify/report/printable_record.h"
#include "verify/report/record_fields.h"
#include "verify/report/summary.h"

namespace notape::verify {
namespace {

using Json = nlohmann::ordered_json;

// Far more than any certificate needs, and little enough to hold.
constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 28;
constexpr std::size_t kMostBytesOfALine = std::size_t{1} << 22;
constexpr std::size_t kMostBytesOfAString = std::size_t{1} << 16;
constexpr std::size_t kMostElements = 4096;
constexpr int kMostNesting = 12;

/// What a file says, fit for a line of an error.
std::string shown(std::string_view text) { return printable(shortened(text)); }

class Reader {
 public:
  Reader(const Json& json, std::string path, const std::string& where)
      : here_(&json), path_(std::move(path)), where_(where) {
    if (!json.is_object()) fail("", "is not an object");
  }

  template <typename T>
  void operator()(const char* name, T& value) {
    read(find(name), name, value);
  }
  template <typename T>
  void optional(const char* name, std::optional<T>& value) {
    if (here_->contains(name)) read(find(name), name, value.emplace());
  }
  template <typename Fill>
  void object(const char* name, const Fill& fill) {
    const Json* outer = here_;
    const std::string path = path_;
    here_ = &find(name);
    path_ += std::string(name) + ".";
    if (!here_->is_object()) fail("", "is not an object");
    fill();
    here_ = outer;
    path_ = path;
  }

  [[noreturn]] void fail(const std::string& name, const char* why) const {
    std::string field = path_ + name;
    if (field.ends_with('.')) field.pop_back();
    throw BadCertificate("{}: {} {}", where_, field.empty() ? "it" : "'" + field + "'", why);
  }

 private:
  const Json& find(const std::string& name) const {
    const auto found = here_->find(name);
    if (found == here_->end()) fail(name, "is missing");
    return *found;
  }

  void read(const Json& json, const std::string& name, std::string& value) {
    if (!json.is_string()) fail(name, "is not a string");
    value = json.get<std::string>();
    if (value.size() > kMostBytesOfAString) fail(name, "is absurdly long");
  }
  void read(const Json& json, const std::string& name, bool& value) {
    if (!json.is_boolean()) fail(name, "is not true or false");
    value = json.get<bool>();
  }
  void read(const Json& json, const std::string& name, int64_t& value) {
    const bool fits = json.is_number_integer() &&
                      (!json.is_number_unsigned() || json.get<uint64_t>() <= uint64_t{INT64_MAX});
    if (!fits) fail(name, "is not a whole number in range");
    value = json.get<int64_t>();
  }
  void read(const Json& json, const std::string& name, int& value) {
    int64_t wide = 0;
    read(json, name, wide);
    if (std::abs(wide) > 1'000'000) fail(name, "is absurdly large");
    value = static_cast<int>(wide);
  }
  void read(const Json& json, const std::string& name, uint64_t& value) {
    if (!json.is_number_unsigned()) fail(name, "is not a whole number in range");
    value = json.get<uint64_t>();
  }
  void read(const Json& json, const std::string& name, Verdict& value) {
    std::string text;
    read(json, name, text);
    for (int v = 0; v <= static_cast<int>(Verdict::Error); ++v) {
      value = static_cast<Verdict>(v);
      if (text == name_of(value)) return;
    }
    fail(name, "is no verdict");
  }
  void read(const Json& json, const std::string& name, ScalarType& value) {
    std::string text;
    read(json, name, text);
    const int type = floating_type_named(text);
    if (type == kScalarTypes) fail(name, "is no floating type");
    value = static_cast<ScalarType>(type);
  }

  static double parsed(const char* text, char** end, double) { return std::strtod(text, end); }
  static Wide parsed(const char* text, char** end, Wide) { return strtoflt128(text, end); }

  /// A number as its two spellings, which must agree.
  template <typename Real>
  Real number(const Json& decimal, const Json& hex, const std::string& name) {
    if (decimal.is_string()) {
      for (const char* word : {"nan", "inf", "-inf"})
        if (decimal == word) return Real(std::strtod(word, nullptr));
      fail(name, "is not a number");
    }
    if (!decimal.is_number() || !hex.is_string()) fail(name, "is not a number");
    const std::string text = hex.get<std::string>();
    char* end = nullptr;
    const Real value = parsed(text.c_str(), &end, Real());
    const bool whole = text.size() > 2 && text.size() < 64 && end == text.c_str() + text.size();
    if (!whole || static_cast<double>(value) != decimal.get<double>())
      fail(name, "has a decimal and a hexadecimal value that differ");
    return value;
  }
  template <typename Real>
  requires std::same_as<Real, double> || std::same_as<Real, Wide>
  void read(const Json& json, const std::string& name, Real& value) {
    if (json.is_string()) {
      value = number<Real>(json, json, name);
      return;
    }
    if (!json.is_object() || !json.contains("decimal") || !json.contains("hex"))
      fail(name, "is not a number");
    value = number<Real>(json.at("decimal"), json.at("hex"), name);
  }
  void read(const Json& json, const std::string& name, Numbers& values) {
    const bool pair = json.is_object() && json.contains("decimal") && json.contains("hex");
    if (!pair) fail(name, "is not a list of numbers");
    const Json &decimals = json.at("decimal"), &words = json.at("hex");
    expect_list(decimals, name);
    expect_list(words, name);
    if (decimals.size() != words.size()) fail(name, "has lists of two lengths");
    for (std::size_t i = 0; i < words.size(); ++i)
      values.push_back(number<double>(decimals[i], words[i], name));
  }
  void read(const Json& json, const std::string& name, Environment& environment) {
    if (!json.is_object() || json.size() > kMostElements) fail(name, "is not an object");
    for (const auto& [key, value] : json.items())
      read(value, name + "." + shown(key), environment.emplace_back(key, "").second);
  }
  template <typename T>
  void read(const Json& json, const std::string& name, std::vector<T>& list) {
    expect_list(json, name);
    for (std::size_t i = 0; i < json.size(); ++i)
      read(json[i], fmt::format("{}[{}]", name, i), list.emplace_back());
  }
  template <typename T>
  void read(const Json& json, const std::string& name, T& value) {
    Reader reader(json, path_ + name + ".", where_);
    fields(reader, value);
  }
  void expect_list(const Json& json, const std::string& name) const {
    if (!json.is_array()) fail(name, "is not a list");
    if (json.size() > kMostElements) fail(name, "is absurdly long");
  }

  const Json* here_;
  std::string path_;
  const std::string& where_;
};

Json parse(std::string_view text, const std::string& where) {
  if (text.size() > kMostBytesOfALine) throw BadCertificate("{}: it is absurdly long", where);
  const auto limit = [&](int depth, Json::parse_event_t, Json&) {
    if (depth > kMostNesting) throw BadCertificate("{}: it is nested absurdly deep", where);
    return true;
  };
  try {
    return Json::parse(text, limit);
  } catch (const Json::exception&) {
    throw BadCertificate("{}: it is not JSON, or it is cut short", where);
  }
}

/// What no certificate of ours says although its fields are well formed.
void expect_sense(const Record& record, const Reader& reader) {
  if (record.id !=
      fmt::format("{}/{}/{}/{}", record.op, record.check, name_of(record.dtype), record.device))
    reader.fail("id", "does not fit the subject");
  const bool counts = record.cases >= 0 && record.comparisons >= record.unresolved &&
                      record.unresolved >= 0 && record.seconds >= 0 && record.line >= 0;
  if (!counts) reader.fail("cost", "has a negative number");
  if (!record.exhibit) return;
  for (const ShownTensor& tensor : record.exhibit->inputs) {
    const bool fits =
        tensor.sizes.size() == tensor.strides.size() && tensor.entries >= 0 &&
        tensor.values.size() ==
            std::min<uint64_t>(static_cast<uint64_t>(tensor.entries), ShownTensor::kMostValuesKept);
    if (!fits) reader.fail("case.inputs", "have shapes and values that do not fit");
  }
}

}  // namespace

Record parse_certificate(std::string_view text, const std::string& where) {
  const Json json = parse(text, where);
  Reader reader(json, "", where);
  std::string schema;
  reader("schema", schema);
  if (schema != kCertificateSchema)
    throw BadCertificate("{}: its schema is '{}', this program reads {}", where, shown(schema),
                         kCertificateSchema);
  Record record;
  fields(reader, record);
  expect_sense(record, reader);
  return record;
}

std::vector<Record> parse_bundle(std::string_view text, const std::string& name) {
  std::vector<Record> records;
  std::set<std::string> ids;
  for (int line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string where = fmt::format("{}:{}", name, line);
    // A certificate whose line does not end may have lost its end.
    if (end == text.size()) throw BadCertificate("{}: it is cut short", where);
    records.push_back(parse_certificate(text.substr(0, end), where));
    if (!ids.insert(records.back().id).second)
      throw BadCertificate("{}: {} is there twice", where, shown(records.back().id));
    text.remove_prefix(end + 1);
  }
  if (records.empty()) throw BadCertificate("{}: it is empty", name);
  return records;
}

std::string bundle_text(const std::string& given) {
  std::error_code failed;
  const bool is_packed_now =
      !std::filesystem::exists(given, failed) && std::filesystem::exists(given + ".gz", failed);
  const std::string path = is_packed_now ? given + ".gz" : given;
  if (std::filesystem::is_directory(path, failed))
    throw BadCertificate("{}: it is a directory; name the .jsonl.gz file in it", path);
  const std::uintmax_t bytes = std::filesystem::file_size(path, failed);
  if (failed) throw BadCertificate("{}: {}", path, failed.message());
  if (bytes > kMostBytes) throw BadCertificate("{}: it is absurdly large ({} bytes)", path, bytes);
  std::ifstream file(path, std::ios::binary);
  std::string text(static_cast<std::size_t>(bytes), '\0');
  if (!file.read(text.data(), static_cast<std::streamsize>(bytes)))
    throw BadCertificate("{}: it cannot be read", path);
  if (!interchange::is_gz(text)) return text;
  try {
    return interchange::inflate(text, interchange::Compressed::Gzip, kMostBytes, path);
  } catch (const FileError& error) {
    throw BadCertificate("{}", error.what_without_backtrace());
  }
}

std::vector<Record> read_bundle(const std::string& path) {
  std::vector<Record> records = parse_bundle(bundle_text(path), path);
  for (Record& record : records) make_printable(record);
  return records;
}

Certificate certificate_of(Record record, const OpSpec& spec, const Origin* origin) {
  const Check* check = find_check(record.check);
  if (!check && record.check != kFreshProcess)
    throw BadCertificate("{}: there is no check '{}' here", shown(record.id), shown(record.check));
  Certificate certificate{.spec = &spec,
                          .check = check ? check->name : kFreshProcess,  // outlives the record
                          .dtype = record.dtype,
                          .device = Device(record.device),
                          .verdict = record.verdict,
                          .detail = std::move(record.detail),
                          .cases = record.cases,
                          .comparisons = record.comparisons,
                          .unresolved = record.unresolved,
                          .detectable = record.detectable,
                          .undecided = record.undecided.value_or(Undecided()),
                          .near_zero = record.near_zero.value_or(NearZero()),
                          .seconds = record.seconds,
                          .origin = origin};
  if (record.environment != environment_on(certificate.device))
    certificate.environment = std::make_shared<Environment>(std::move(record.environment));
  (is_red(record.verdict) ? certificate.failure : certificate.weakest) = std::move(record.exhibit);
  return certificate;
}

}  // namespace notape::verify
