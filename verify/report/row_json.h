// Results with many rows as JSON that a diff can show: a line for every row.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace notape::verify {

/// An object, a line for each of its members; of a member that is a list of objects, or an object
/// of objects, a line for each of these. Text that is not UTF-8 is replaced.
std::string row_json(const nlohmann::ordered_json& results);

}  // namespace notape::verify
