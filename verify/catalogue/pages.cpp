#include "verify/catalogue/pages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "verify/atlas/atlas.h"
#include "verify/catalogue/probe.h"
#include "verify/report/summary.h"

namespace notape::verify::catalogue {
namespace {

/// What the columns say of one operator, in words.
struct Said {
  std::string orders = "-", dtypes = "-", devices = "-", forms, vmap = "-", error = "-";
};

std::string dtypes_in_short(const std::vector<std::string>& all) {
  const auto has = [&](const char* name) {
    return std::find(all.begin(), all.end(), name) != all.end();
  };
  if (all.size() == kScalarTypes) return "all";
  const bool floats = has("float64") && has("float32") && has("bfloat16") && has("float16");
  if (!has("bool") && all.size() == kScalarTypes - 1) return "numbers";
  if (floats && all.size() == 4) return "floating";
  return fmt::format("{}", fmt::join(all, ", "));
}

std::string devices_of(const Entry& entry) {
  return entry.devices.empty() ? "of its parts" : fmt::format("{}", fmt::join(entry.devices, ", "));
}

std::string error_text(const Entry& entry, const Errors& errors) {
  const auto found = errors.find(entry.name);
  if (found == errors.end()) return entry.row ? "not measured" : "-";
  std::string text;
  for (const auto& [dtype, error] : found->second)
    text += fmt::format("{}{} {:.0e}", text.empty() ? "" : ", ", dtype, error);
  return text;
}

Said said(const Entry& entry, const Errors& errors) {
  Said result;
  const auto add = [&](const char* form, bool there) {
    if (there) result.forms += (result.forms.empty() ? "" : ", ") + std::string(form);
  };
  add("in place", !entry.in_place.empty() ||
                      std::any_of(entry.members.begin(), entry.members.end(), [&](auto& member) {
                        return member.find(" " + entry.name + "_(") != member.npos;
                      }));
  add("out", !entry.out.empty());
  add("member", !entry.members.empty());
  if (result.forms.empty()) result.forms = "-";
  result.devices = devices_of(entry);
  result.error = error_text(entry, errors);
  if (!entry.row) return result;
  const Findings found = probe(*entry.row);
  result.orders = verified_orders(*entry.row);
  result.dtypes = dtypes_in_short(found.dtypes);
  result.vmap = found.vmap ? "yes" : "no";
  return result;
}

std::string signature_of(const Entry& entry) {
  return entry.shown().empty() ? "" : entry.shown().front();
}

std::string indented(const std::string& text, const char* by = "  ") {
  std::string result;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    result += (end > begin ? by : "") + text.substr(begin, end - begin) + "\n";
    begin = end + 1;
  }
  return result;
}

std::string kinks_of(const Entry& entry) {
  std::string text;
  for (const atlas::Row& row : atlas::rows()) {
    const bool about = std::any_of(row.spellings.begin(), row.spellings.end(),
                                   [&](const auto& one) { return one.op == entry.name; });
    if (!about) continue;
    text += fmt::format("  {} (R{}): at {}", row.function, static_cast<int>(row.rule), row.x);
    if (!row.derivatives.empty()) text += fmt::format(" the derivative is {}", row.derivatives[0]);
    text += *row.note ? fmt::format("; {}\n", row.note) : "\n";
  }
  return text;
}

std::string section(const char* title, const std::string& body) {
  return body.empty() ? "" : fmt::format("\n{}\n{}", title, body);
}

std::string lines_of(const std::vector<std::string>& list, const char* prefix = "") {
  std::string text;
  for (const std::string& one : list) text += "  " + (prefix + one) + "\n";
  return text;
}

std::string what_is_kept(const Entry& entry, const Findings& found) {
  if (!entry.row) return "  not asked: it has no row of its own in the registry\n";
  if (entry.row->order == 0) return "  nothing: it has no derivative\n";
  return lines_of(found.nodes);
}

}  // namespace

Errors errors_of(const std::vector<Record>& certificates) {
  Errors errors;
  for (const Record& record : certificates) {
    if (is_red(record.verdict) || record.comparisons == 0) continue;
    double& worst = errors[record.op][std::string(name_of(record.dtype))];
    worst = std::max(worst, record.detectable);
  }
  return errors;
}

std::string table_text(const EntryList& list, const Errors& errors) {
  constexpr const char* kLine =
      "{:<13} {:<30} {:<12} {:<17} {:<10} {:<13} {:<21} {:<5} {:<13} {}\n";
  std::string text = fmt::format(kLine, "family", "operator", "derivative", "orders", "dtypes",
                                 "devices", "forms", "vmap", "error", "signature");
  for (const Entry* entry : list) {
    const Said all = said(*entry, errors);
    text +=
        fmt::format(kLine, entry->family, entry->called(), entry->derivative(), all.orders,
                    all.dtypes, all.devices, all.forms, all.vmap, all.error, signature_of(*entry));
  }
  const auto rows = std::count_if(list.begin(), list.end(), [](auto* one) { return one->row; });
  return text + fmt::format("{}, {} of them verified on their own\n",
                            counted(static_cast<int64_t>(list.size()), "operator"), rows);
}

std::string page_text(const Entry& entry, const Errors& errors) {
  const Findings found = entry.row ? probe(*entry.row) : Findings();
  std::string text = fmt::format("{} ({}), {}\n", entry.called(), entry.family,
                                 entry.file.empty() ? "declared only" : entry.file);
  text += section("Signature", lines_of(entry.signatures) + lines_of(entry.belongs_to) +
                                   lines_of(entry.in_place) + lines_of(entry.out) +
                                   lines_of(entry.members, "member "));
  text += section("What it computes", indented(entry.doc));
  text += section("Formula, at the head of its file", indented(entry.formula));
  std::string derivatives;
  for (const std::string& one : entry.derivatives) derivatives += indented(one);
  if (derivatives.empty())
    derivatives =
        entry.derivative() == "none" ? "  none\n" : "  that of the operators it is made of\n";
  text += section("Derivative, as in the source", derivatives);
  text += section("At kinks, ties and ends of its domain (notape verify atlas)", kinks_of(entry));
  text += section("Backward nodes, and the values that they save", what_is_kept(entry, found));
  const Said all = said(entry, errors);
  std::string facts =
      fmt::format("  devices         {}\n  forms           {}\n", all.devices, all.forms);
  if (entry.row)
    facts += fmt::format(
        "  dtypes          {}\n  vmap            {}\n  verified orders {}\n  error           {}\n",
        fmt::format("{}", fmt::join(found.dtypes, ", ")), all.vmap, all.orders, all.error);
  return text + section("What it takes", facts);
}

std::string markdown_text(const EntryList& list) {
  std::string text, family;
  for (const Entry* entry : list) {
    if (entry->family != family) {
      family = entry->family;
      text += fmt::format(
          "\n## {}\n\n| operator | derivative | orders | dtypes | devices | forms | vmap |\n"
          "|---|---|---|---|---|---|---|\n",
          family);
    }
    const Said all = said(*entry, {});
    text +=
        fmt::format("| `{}` | {} | {} | {} | {} | {} | {} |\n", entry->called(),
                    entry->derivative(), all.orders, all.dtypes, all.devices, all.forms, all.vmap);
  }
  return text;
}

std::string json_text(const EntryList& list, const Errors& errors) {
  auto all = nlohmann::ordered_json::array();
  for (const Entry* entry : list) {
    const Findings found = entry->row ? probe(*entry->row) : Findings();
    nlohmann::ordered_json one = {{"name", entry->called()},
                                  {"family", entry->family},
                                  {"signatures", entry->shown()},
                                  {"in_place", entry->in_place},
                                  {"out", entry->out},
                                  {"members", entry->members},
                                  {"file", entry->file},
                                  {"doc", entry->doc},
                                  {"formula", entry->formula},
                                  {"derivative", entry->derivative()},
                                  {"devices", entry->devices},
                                  {"verified", entry->row != nullptr}};
    if (entry->row) {
      one["dtypes"] = found.dtypes;
      one["vmap"] = found.vmap;
      one["orders"] = std::min(entry->row->order, 3);
      one["forward_mode"] = entry->row->order > 0 && entry->row->forward_mode;
      one["nodes"] = found.nodes;
    }
    if (const auto error = errors.find(entry->name); error != errors.end())
      one["error"] = error->second;
    else
      one["error"] = nullptr;
    all.push_back(std::move(one));
  }
  return all.dump(2) + "\n";
}

}  // namespace notape::verify::catalogue
