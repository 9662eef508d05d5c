// The message of an error that a test provokes.
#pragma once
#include <gtest/gtest.h>

#include <string>

#include "autograd/error.h"

namespace notape::data {

/// What the statement's Kind says, one line; a failure of the test, and "", if it throws none.
template <typename Kind = FileError>
std::string message_of(const auto& statement) {
  try {
    statement();
  } catch (const Kind& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.find('\n'), message.npos) << message;
    return message;
  }
  ADD_FAILURE() << "accepted";
  return "";
}

}  // namespace notape::data
