// What a file that is no file of the wanted kind seems to be instead, for the error.
#pragma once
#include <string>
#include <string_view>

namespace notape::interchange {

/// By its first bytes, 8 of them or more: "a zip archive, as torch.save() writes them, or
/// numpy.savez()"; empty if they are not known.
std::string_view known_format(std::string_view first_bytes);
/// ": it seems to be " and that, or nothing.
std::string seems_to_be(std::string_view first_bytes);

}  // namespace notape::interchange
