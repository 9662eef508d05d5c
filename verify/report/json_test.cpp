// Certificates written, read and written again; and files that are none.
#include "verify/report/json.h"

#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "verify/command/session_test_helper.h"
#include "verify/report/ladder_view.h"
#include "verify/report/row_json.h"
#include "verify/runner/shrink.h"

namespace notape::verify {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::vector<Record> records_for(const OpSpec& spec, Options options = {}) {
  options.evidence = true;
  return records_of(verify_operator(spec, options), options);
}

Record record_of_reverse(const OpSpec& spec) {
  for (const Record& record : records_for(spec, {.dtypes = {kFloat64}, .samples = 2}))
    if (record.check == "reverse") return record;
  throw ValueError("{} has no record of its reverse mode", spec.name);
}

/// A bundle of one failure, with a ladder of two steps.
std::string small_bundle() {
  Record record = record_of_reverse(wrong_operator());
  record.exhibit->evidence->rungs.resize(2);
  return bundle_json({record});
}

/// The message of the BadCertificate that `read` throws; empty if it throws nothing.
template <typename F>
std::string complaint(const F& read) {
  try {
    read();
  } catch (const BadCertificate& error) {
    return error.what();
  }
  return "";
}

TEST(Certificates, WrittenReadAndWrittenAgainAreTheSameBytes) {
  for (const OpSpec& spec : {right_operator(), wrong_operator()})
    for (const Record& record : records_for(spec, {.seed = UINT64_MAX, .samples = 5})) {
      const std::string text = certificate_json(record);
      EXPECT_EQ(certificate_json(parse_certificate(text, "text")), text);
    }
}

TEST(Certificates, EveryOperatorsCertificatesAreReadBack) {
  Listener silent;
  const Options options{.dtypes = {kFloat64}, .samples = 2, .evidence = true};
  const auto certificates = run(op_specs(), options, silent);
  const std::string text = bundle_json(records_of(certificates, options));
  EXPECT_EQ(bundle_json(parse_bundle(text, "all")), text);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'),
            static_cast<std::ptrdiff_t>(certificates.size()));
}

TEST(Certificates, NumbersKeepAllTheirBits) {
  const Wide third = Wide(1) / 3;
  Record record = records_for(wrong_operator(), {.dtypes = {kFloat64}, .samples = 2}).front();
  Evidence evidence{
      .along = "all arguments", .legs = {{"reverse", third, Wide(0)}}, .scale = -third};
  evidence.rungs = {{3, third, Wide(HUGE_VAL), Wide(NAN), Wide(0x1p-1074) / 4}};
  record.exhibit->evidence = evidence;
  record.exhibit->outcome.guilty = Guilty{"there", -0.0, 0x1p-1074, HUGE_VAL};
  const Record read = parse_certificate(certificate_json(record), "text");
  const Evidence& back = *read.exhibit->evidence;
  EXPECT_TRUE(back.legs[0].value == third);
  EXPECT_TRUE(back.scale == -third);
  EXPECT_TRUE(back.rungs[0].quotient == third);
  EXPECT_TRUE(std::isinf(static_cast<double>(back.rungs[0].extrapolated)));
  EXPECT_TRUE(std::isnan(static_cast<double>(back.rungs[0].error)));
  EXPECT_TRUE(back.rungs[0].noise == Wide(0x1p-1074) / 4);
  EXPECT_TRUE(std::signbit(read.exhibit->outcome.guilty->expected));
  EXPECT_EQ(read.exhibit->outcome.guilty->got, 0x1p-1074);
}

TEST(Certificates, APassKeepsItsWeakestCaseWithTheWholeLadder) {
  int derivatives = 0;
  for (const Record& record : records_for(right_operator())) {
    ASSERT_TRUE(record.exhibit) << record.id;
    EXPECT_EQ(record.exhibit->outcome.detectable, record.detectable) << record.id;
    EXPECT_TRUE(record.exhibit->bits);
    if (record.check != "reverse" && record.check != "second-order") continue;
    ++derivatives;
    ASSERT_TRUE(record.exhibit->evidence) << record.id;
    const Evidence& evidence = *record.exhibit->evidence;
    EXPECT_GE(evidence.rungs.size(), 20u);
    const Leg* numeric = find_leg(evidence, "numeric");
    ASSERT_NE(numeric, nullptr);
    EXPECT_TRUE(magnitude(evidence.legs.front().value - numeric->value) <= evidence.radius);
    // What the short ladder of the check could have missed, the whole one could not miss either.
    EXPECT_LE(static_cast<double>(evidence.radius / evidence.scale), 1.01 * record.detectable);
  }
  EXPECT_EQ(derivatives, 4);
}

TEST(Certificates, ReverseKeepsWhatDualNumbersSay) {
  const Record record = record_of_reverse(find_op_spec("tanh"));
  const Evidence& evidence = *record.exhibit->evidence;
  const Leg *dual = find_leg(evidence, "dual"), *numeric = find_leg(evidence, "numeric");
  ASSERT_TRUE(dual && numeric);
  EXPECT_LE(static_cast<double>(magnitude(dual->value - numeric->value) / evidence.scale), 1e-20);
}

TEST(Certificates, WithoutReportsNoCaseIsKeptForAPass) {
  for (const Certificate& certificate : verify_operator(right_operator(), {.samples = 3}))
    EXPECT_EQ(certificate.exhibit(), nullptr);
}

TEST(BadCertificates, CutAtEveryByteAreRefusedInOneLine) {
  const std::string text = small_bundle();
  ASSERT_EQ(complaint([&] { parse_bundle(text, "file"); }), "");
  for (std::size_t size = 0; size < text.size(); ++size) {
    const std::string said =
        complaint([&] { parse_bundle(std::string_view(text).substr(0, size), "file"); });
    ASSERT_THAT(said, HasSubstr("file")) << size;
    ASSERT_EQ(said.find('\n'), said.npos);
  }
}

TEST(BadCertificates, AWrongByteAnywhereIsReadOrRefusedButNeverWorse) {
  const std::string text = small_bundle();
  int refused = 0;
  for (std::size_t at = 0; at < text.size(); ++at)
    for (const char wrong : {'x', '9', '"', '\\', '{', '\xff'}) {
      std::string changed = text;
      changed[at] = wrong;
      const std::string said = complaint([&] { parse_bundle(changed, "file"); });
      refused += !said.empty();
      ASSERT_EQ(said.find('\n'), said.npos);
    }
  EXPECT_GT(refused, static_cast<int>(text.size()));
}

/// `text` with every `from` replaced.
std::string with(std::string text, const std::string& from, const std::string& to) {
  std::size_t found = 0;
  for (std::size_t at = text.find(from); at != text.npos;
       at = text.find(from, at + to.size()), ++found)
    text.replace(at, from.size(), to);
  EXPECT_GT(found, 0u) << from;
  return text;
}

TEST(BadCertificates, AbsurdOnesAreRefusedWithTheirFault) {
  const std::string good = small_bundle();
  const struct {
    std::string text;
    const char* said;
  } files[] = {
      {"", "file: it is empty"},
      {"\n", "not JSON"},
      {"hello\n", "file:1: it is not JSON"},
      {"[]\n", "file:1: it is not an object"},
      {"{}\n", "'schema' is missing"},
      {good + good, "file:2: wrong/reverse/float64/cpu is there twice"},
      {with(good, "certificate/1", "certificate/2"), "its schema is 'notape.certificate/2'"},
      {with(good, "\"verdict\":\"FAIL\"", "\"verdict\":\"SPLENDID\""), "'verdict' is no verdict"},
      {with(good, "\"seed\":1", "\"seed\":-1"), "'random.seed' is not a whole number"},
      {with(good, "\"seed\":1", "\"sead\":1"), "'random.seed' is missing"},
      {with(good, "\"cases\":", "\"cases\":-"), "'cost' has a negative number"},
      {with(good, "\"line\":", "\"line\":99999999999999999999"), "'subject.line'"},
      {with(good, "\"level\":5,", "\"level\":4000000000,"), "absurdly large"},
      {with(good, "0x1.4p+3", "0x1.5p+3"), "'acceptance.K' has a decimal and a hexadecimal"},
      {with(good, "wrong/reverse", "wrong/forward"), "'id' does not fit the subject"},
      {with(good, "\"ladder\":[", "\"ladder\":[" + std::string(40, '[')), "nested absurdly deep"},
      {std::string(100000, '[') + "\n", "nested absurdly deep"},
      {with(good, "\"entries\":1", "\"entries\":7"), "shapes and values that do not fit"},
      {with(good, "\"label\":\"", "\"label\":\"" + std::string(100000, 'a')), "'case.label'"},
      {std::string(std::size_t{5} << 20, ' ') + "\n", "absurdly long"},
  };
  for (const auto& file : files) {
    const std::string said = complaint([&] { parse_bundle(file.text, "file"); });
    EXPECT_THAT(said, AllOf(HasSubstr("file"), HasSubstr(file.said)));
    EXPECT_LT(said.size(), 300u);
    EXPECT_EQ(said.find('\n'), said.npos);
  }
}

TEST(BadCertificates, FilesThatAreNoneAreRefused) {
  const testing::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "report");
  EXPECT_THAT(complaint([&] { read_bundle(folder / "report"); }), HasSubstr("is a directory"));
  EXPECT_THAT(complaint([&] { read_bundle(folder / "nothing"); }), HasSubstr("No such file"));
  std::filesystem::resize_file(folder.write("huge", ""), std::uintmax_t{1} << 40);
  EXPECT_THAT(complaint([&] { read_bundle(folder / "huge"); }), HasSubstr("absurdly large"));
  EXPECT_THAT(complaint([&] {
                read_bundle(folder.write("binary",
                                         "\x7f"
                                         "ELF\0\1"));
              }),
              HasSubstr("binary"));
}

TEST(RowJson, HasALineForEveryMemberAndForEveryRow) {
  const auto results = nlohmann::ordered_json::parse(
      R"({"seed": 1, "rows": [{"a": [1, {"b": 2}]}, {"a": []}], "by": {"x": {"k": 0.5}}, "none": []})");
  EXPECT_EQ(row_json(results),
            "{\n \"seed\": 1,\n \"rows\": [\n  {\"a\":[1,{\"b\":2}]},\n  {\"a\":[]}\n ],\n"
            " \"by\": {\n  \"x\": {\"k\":0.5}\n },\n \"none\": []\n}\n");
}

}  // namespace
}  // namespace notape::verify
