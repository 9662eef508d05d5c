#include "trace/latency.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

namespace notape::trace {
namespace {

TEST(Samples, HaveMinimumMedianAndDeviation) {
  const Samples samples = make_samples({5, 1, 9, 2, 4});
  EXPECT_EQ(samples.minimum, 1);
  EXPECT_EQ(samples.median, 4);
  EXPECT_EQ(samples.mad, 2);  // of 1, 3, 5, 2, 0
  EXPECT_EQ(samples.ns.size(), 5U);
}

TEST(Latency, MeasuresEveryRowUntracedAndTraced) {
  constexpr int kRepetitions = 5;
  const LatencyReport report = measure_latency(kRepetitions);
  ASSERT_EQ(report.rows.size(), 3U);
  for (const LatencyRow& row : report.rows) {
    EXPECT_GT(row.untraced.minimum, 0) << row.name;
    EXPECT_GT(row.traced.minimum, 0) << row.name;
    EXPECT_EQ(row.untraced.ns.size(), std::size_t{kRepetitions}) << row.name;
    EXPECT_EQ(row.traced.ns.size(), std::size_t{kRepetitions}) << row.name;
  }
  EXPECT_EQ(report.rows[0].paper_ns, 1700);
  EXPECT_EQ(report.rows[1].paper_ns, 3400);
  EXPECT_GT(report.recorder_cost.operation_ns, 0);

  std::stringstream text;
  text << latency_json(report);
  const auto json = nlohmann::json::parse(text.str());
  EXPECT_EQ(json["schema"], "notape.latency/1");
  EXPECT_EQ(json["results"].size(), 3U);
  EXPECT_GT(json["results"][0]["untraced"]["minimum_ns"], 0);
  EXPECT_EQ(json["results"][1]["paper_2017_ns"], 3400);
  EXPECT_TRUE(json["results"][2]["paper_2017_ns"].is_null());

  std::ostringstream table;
  print_latency(table, report);
  EXPECT_NE(table.str().find("differentiable operation"), std::string::npos);
  EXPECT_NE(table.str().find("on other hardware"), std::string::npos);
}

}  // namespace
}  // namespace notape::trace
