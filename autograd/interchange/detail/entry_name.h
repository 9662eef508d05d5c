// What an array in an archive may be called: whoever unpacks the archive gets a file of that name.
#pragma once
#include <string>
#include <string_view>

namespace notape::interchange {

/// What is wrong with a name, as "is empty"; nothing if nothing is. Folders in it are fine.
std::string problem_of_entry_name(std::string_view name);

}  // namespace notape::interchange
