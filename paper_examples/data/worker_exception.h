// WorkerException: an error of a loader's worker thread, on the thread that asked for the batch.
#pragma once
#include <exception>
#include <optional>
#include <string>

#include "autograd/error.h"

namespace notape::data {

/// LibTorch's error, with its text; it also says which example failed.
struct WorkerException : ErrorOf<"WorkerException"> {
  WorkerException(std::exception_ptr original, std::optional<std::size_t> failed)
      : ErrorOf("Caught exception in DataLoader worker thread{}.{}",
                failed ? ", example " + std::to_string(*failed) : "", message_of(original)),
        original_exception(original),
        example(failed) {}

  std::exception_ptr original_exception;
  std::optional<std::size_t> example;  ///< its index, where data sets make one example at a time

 private:
  static std::string message_of(const std::exception_ptr& original) {
    try {
      std::rethrow_exception(original);
    } catch (const std::exception& error) {
      return std::string(" Original message: ") + error.what();
    } catch (...) {
      return "";
    }
  }
};

}  // namespace notape::data
