// The catalogue as people and programs read it.
#pragma once
#include <map>

#include "verify/catalogue/entry.h"
#include "verify/report/record.h"

namespace notape::verify::catalogue {

/// The largest relative error that could have passed the checks of an operator, by dtype.
using Errors = std::map<std::string, std::map<std::string, double>>;
Errors errors_of(const std::vector<Record>& certificates);

using EntryList = std::vector<const Entry*>;

/// A line per operator.
std::string table_text(const EntryList& list, const Errors& errors);
/// What a researcher reads: formula, derivative as in the source, kinks, saved values.
std::string page_text(const Entry& entry, const Errors& errors);
/// A table per family, for a document.
std::string markdown_text(const EntryList& list);
/// An array of objects.
std::string json_text(const EntryList& list, const Errors& errors);

}  // namespace notape::verify::catalogue
