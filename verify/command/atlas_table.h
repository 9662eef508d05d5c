// The atlas as text, Markdown and JSON.
#pragma once
#include "verify/command/atlas_evaluation.h"

namespace notape::verify::atlas {

std::string as_text(const Report& report);
std::string as_markdown(const Report& report);
std::string as_json(const Report& report);

}  // namespace notape::verify::atlas
