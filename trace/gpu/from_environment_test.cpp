#include "trace/gpu/from_environment.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace notape::trace {
namespace {

TEST(FromEnvironment, UnderstandsItsVariables) {
  EXPECT_EQ(request_of("a.json", "", "").path, "a.json");
  EXPECT_EQ(request_of("a-%p.json", "", "").path, "a-" + std::to_string(getpid()) + ".json");
  const EnvironmentRequest request = request_of("a.json", "shapes,memory,events=12", "");
  EXPECT_TRUE(request.options.shapes);
  EXPECT_TRUE(request.options.memory);
  EXPECT_EQ(request.options.events_per_thread, 12U);
  const EnvironmentRequest plain = request_of("a.json", "", "");
  EXPECT_FALSE(plain.options.shapes);
  EXPECT_FALSE(plain.options.memory);
}

TEST(FromEnvironment, AProcessOfARecordedOneHasAFileOfItsOwn) {
  EXPECT_EQ(request_of("a.json.gz", "", "1").path, "a." + std::to_string(getpid()) + ".json.gz");
  EXPECT_EQ(request_of("a.json.gz", "", std::to_string(getpid())).path, "a.json.gz");
  EXPECT_EQ(request_of("a-%p.json", "", "1").path, "a-" + std::to_string(getpid()) + ".json");
}

TEST(FromEnvironment, RefusesWhatItDoesNotKnow) {
  for (const char* options : {"shape", "events=", "events=0", "events=x", "events=1x", "events=-1",
                              "events=999999999999", "shapes,all"})
    EXPECT_THROW(request_of("a.json", options, ""), ValueError) << options;
}

}  // namespace
}  // namespace notape::trace
