// Runs a program of paper_examples/ and keeps what it prints.
#pragma once
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace notape::paper {

struct Output {
  int status;
  std::string text;
};

inline Output output_of(int (*program)(std::ostream&)) {
  std::ostringstream out;
  const int status = program(out);
  return {status, out.str()};
}

/// "NAME:LINE" of the only line of the 2017 paper's program NAME that contains `code`. Tests run in
/// the source tree.
inline std::string place_of(const std::string& name, const std::string& code) {
  std::ifstream file("paper_examples/autodiff2017/" + name);
  std::string place, line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.starts_with("//") || line.find(code) == std::string::npos) continue;
    EXPECT_EQ(place, "") << code << " stands on several lines of " << name;
    place = name + ":" + std::to_string(number);
  }
  EXPECT_NE(place, "") << code << " is not in " << name;
  return place;
}

}  // namespace notape::paper
