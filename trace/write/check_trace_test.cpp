#include "trace/write/check_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/error.h"
#include "trace/testing/recordings.h"
#include "trace/write/output_file.h"

namespace notape::trace {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TemporaryFile;

std::string slice(const char* rest) {
  return std::string(R"({"ph":"X","cat":"range","name":"a","pid":100,"args":{},)") + rest + "}";
}

std::vector<std::string> complaints(const std::string& events) {
  const TemporaryFile file(".json");
  OutputFile out(file.path());
  out.write(R"({"schemaVersion":1,"deviceProperties":[],"distributedInfo":{},"metadata":{},)");
  out.write(R"("displayTimeUnit":"ms","baseTimeNanoseconds":0,"traceName":"x","traceEvents":[)");
  out.write(events);
  out.write("]}");
  out.commit();
  return check_trace(file.path()).complaints;
}

TEST(CheckTrace, AcceptsNestedAndTouchingSlices) {
  EXPECT_THAT(complaints(slice(R"("tid":1,"ts":1.000,"dur":5.000)") + "," +
                         slice(R"("tid":1,"ts":1.000,"dur":2.000)") + "," +
                         slice(R"("tid":1,"ts":3.000,"dur":3.000)") + "," +
                         slice(R"("tid":2,"ts":2.000,"dur":9.000)")),
              IsEmpty());
}

TEST(CheckTrace, RejectsWhatBreaksARule) {
  const std::string a = slice(R"("tid":1,"ts":1.000,"dur":5.000)") + ",";
  const std::pair<std::string, const char*> cases[] = {
      {a + slice(R"("tid":1,"ts":2.000,"dur":5.000)"), "overlaps"},
      {a + slice(R"("tid":1,"ts":0.500,"dur":0.100)"), "out of order"},
      {a + slice(R"("tid":1,"ts":1.000,"dur":6.000)"), "out of order"},
      {slice(R"("tid":1,"ts":1.000,"dur":0.000)"), "takes 0 ns"},
      {slice(R"("tid":1,"ts":1.000)"), "X without dur"},
      {a + R"({"ph":"M","name":"process_name","pid":1,"tid":0,"args":{}})", "M after"},
      {R"({"ph":"s","id":1,"cat":"c","name":"c","pid":1,"tid":1,"ts":1})", "flow 1 of c"},
      {R"({"ph":"f","id":1,"cat":"c","name":"c","pid":1,"tid":1,"ts":1})", "without bp"},
      {R"({"ph":"X","cat":"cpu_op","name":"add","pid":1,"tid":1,"ts":1,"dur":1,"args":{}})",
       "without External id"},
      {R"({"ph":"?"})", "unknown phase"},
  };
  for (const auto& [events, complaint] : cases) {
    const auto found = complaints(events);
    ASSERT_FALSE(found.empty()) << events;
    EXPECT_THAT(found[0], HasSubstr(complaint)) << events;
  }
}

TEST(CheckTrace, RejectsMissingCutAndOtherFiles) {
  EXPECT_THROW(check_trace("/no/such/file.json"), FileError);
  for (const char* text : {"", "{\"traceEvents\": [", "[]", "{\"traceEvents\":[3]}"}) {
    const TemporaryFile file(".json");
    OutputFile out(file.path());
    out.write(text);
    out.commit();
    EXPECT_THROW(check_trace(file.path()), FileError) << text;
  }
}

}  // namespace
}  // namespace notape::trace
