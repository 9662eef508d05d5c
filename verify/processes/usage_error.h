// UsageError: what a user asked for makes no sense.
#pragma once
#include "autograd/error.h"

namespace notape::verify {

/// A command line that makes no sense: one line, exit code 2.
struct UsageError : ErrorOf<"UsageError"> {
  using ErrorOf::ErrorOf;
};

}  // namespace notape::verify
