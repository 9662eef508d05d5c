// OSIS, the markup of Bible texts, as plain text.
#pragma once
#include <string>
#include <string_view>

namespace notape::data {

/// The text without notes and titles and their content, without any other tags, paragraph marks
/// (U+00B6) and superfluous white space; entities are decoded. Throws ValueError, naming the byte,
/// for a tag that is not closed, an entity that there is not, and a note or title without an end.
std::string plain_osis(std::string_view markup);

}  // namespace notape::data
