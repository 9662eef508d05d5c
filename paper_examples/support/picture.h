// Pictures that programs make, if the user has named a folder for them.
#pragma once
#include <functional>
#include <iosfwd>
#include <string>

#include "paper_examples/support/example_options.h"

namespace notape::paper {

/// Makes the folder of the options if there is none, and throws FileError if it cannot be written
/// to: before a long program begins.
void make_picture_folder(const ExampleOptions& options);

/// Writes the bytes that `make` returns to `name` in the folder of the options, which is made if
/// it is not there, and prints where it is and of what; without a folder prints how to get it.
/// Throws FileError.
void write_picture(std::ostream& out, const ExampleOptions& options, const std::string& name,
                   const std::string& of_what, const std::function<std::string()>& make);

}  // namespace notape::paper
