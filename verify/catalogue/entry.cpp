#include "verify/catalogue/entry.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "verify/runner/location.h"
#include "verify/runner/selector.h"

namespace notape::verify::catalogue {
namespace {

bool is_header(const Source& source) { return source.path.ends_with(".h"); }
/// Declared for functions that are declared elsewhere, and no operators themselves.
bool is_out(const Source& source) { return source.path.starts_with("ops/out"); }
bool is_members(const Source& source) { return source.path.find("/members/") != source.path.npos; }

std::string stem_of(std::string_view path) {
  const std::size_t begin = path.rfind('/') + 1;
  return std::string(path.substr(begin, path.rfind('.') - begin));
}

/// Of what a header of this name declares.
std::string family_of(const std::string& header) {
  constexpr std::string_view kElementwise[] = {"arithmetic", "transcendental", "rounding",
                                               "selection", "comparison"};
  if (std::ranges::find(kElementwise, header) != std::end(kElementwise)) return "elementwise";
  return header == "random_factories" ? "factories" : header;
}

bool is_in_place(const std::string& name) { return name.ends_with('_') && !name.ends_with("__"); }

/// What a form belongs to: "add" of "add_" and "add_out".
std::string base_of(const std::string& name) {
  if (is_in_place(name)) return name.substr(0, name.size() - 1);
  return name.ends_with("_out") ? name.substr(0, name.size() - 4) : name;
}

struct Known {
  std::map<std::string, Entry> by_name;
  std::map<std::string, std::vector<Declaration>> functions;

  Entry& at(const std::string& name, const std::string& family) {
    Entry& entry = by_name[name];
    if (entry.name.empty()) {
      entry.name = name;
      entry.family = family;
    }
    return entry;
  }
};

void add_declaration(Known& known, const Source& source, const Declaration& one) {
  if (one.name == "self" || source.path.ends_with("parallel.h")) return;
  Entry& entry = known.at(base_of(one.name), family_of(stem_of(source.path)));
  if (is_members(source))
    entry.members.push_back(one.signature);
  else if (is_in_place(one.name))
    entry.in_place.push_back(one.signature);
  else if (base_of(one.name) != one.name)
    entry.out.push_back(one.signature);
  else {
    entry.signatures.push_back(one.signature);
    known.functions[one.name].push_back(one);
  }
  if (is_out(source)) return;
  // Members are functions of their names; a factory without a comment is as its name says.
  if (is_members(source) && !entry.signatures.empty()) return;
  if (entry.family == "factories" && !one.is_below_doc) return;
  if (entry.doc.find(one.doc) == entry.doc.npos)
    entry.doc += (entry.doc.empty() ? "" : "\n") + one.doc;
}

void add_file(Known& known, const Source& source) {
  const OperatorFile file = read_operator_file(source.text);
  std::set<std::string> bases;
  for (const std::string& function : file.functions) bases.insert(base_of(function));
  for (const std::string& base : bases) {
    const auto found = known.by_name.find(base);
    if (found == known.by_name.end()) continue;
    Entry& entry = found->second;
    // A file of its name, or else the first that defines it.
    if (!entry.file.empty() && stem_of(source.path) != base) continue;
    entry.file = source.path;
    entry.formula = file.comment;
    entry.derivatives = file.derivatives;
  }
}

const Source* source_at(std::string_view path) {
  for (const Source& source : sources())
    if (source.path == path) return &source;
  return nullptr;
}

/// Kernels that a device fills or does not: all, and those that the CUDA room fills.
struct Slots {
  std::set<std::string> all, on_cuda;
};

/// All names in a text that end in "_kernel".
std::set<std::string> kernels_in(std::string_view text) {
  std::set<std::string> names;
  const auto is_part = [](char one) {
    return std::isalnum(static_cast<unsigned char>(one)) != 0 || one == '_';
  };
  constexpr std::string_view kEnd = "_kernel";
  for (std::size_t at = 0; (at = text.find(kEnd, at)) != text.npos; at += kEnd.size()) {
    std::size_t begin = at;
    while (begin > 0 && is_part(text[begin - 1])) --begin;
    const std::size_t end = at + kEnd.size();
    if (begin < at && (end == text.size() || !is_part(text[end])))
      names.emplace(text.substr(begin, end - begin));
  }
  return names;
}

/// A file, and those whose headers it includes: an operator's helpers.
std::vector<const Source*> with_helpers(const Source& source) {
  std::vector<const Source*> files = {&source};
  constexpr std::string_view kInclude = "#include \"ops/";
  for (std::size_t at = 0; (at = source.text.find(kInclude, at)) != source.text.npos; ++at) {
    const std::size_t begin = source.text.find("ops/", at);
    std::string path(source.text.substr(begin, source.text.find('"', begin) - begin));
    if (path.starts_with("ops/core/") || !path.ends_with(".h")) continue;
    path.replace(path.size() - 2, 2, ".cpp");
    if (const Source* helper = source_at(path)) files.push_back(helper);
  }
  return files;
}

/// Kernels are functors, which are compiled for both, or slots, which a file of the CUDA room
/// fills. A file that asks whether a slot is filled has another way where it is not.
std::vector<std::string> devices_of(const Source& source, const Slots& slots) {
  bool has_kernel = false, is_everywhere = true;
  for (const Source* file : with_helpers(source))
    for (const std::string& kernel : kernels_in(file->text)) {
      const bool is_functor = file->text.find("> " + kernel + "(") != file->text.npos;
      const bool is_slot = slots.all.contains(kernel);
      has_kernel |= is_functor || is_slot;
      is_everywhere &= !is_slot || slots.on_cuda.contains(kernel) ||
                       file->text.find(".is_offered_on(") != file->text.npos;
    }
  if (!has_kernel) return {};
  return is_everywhere ? std::vector<std::string>{"cpu", "cuda"} : std::vector<std::string>{"cpu"};
}

/// Of a row "max_dim" that no function is called: "max", whose form it is, or "".
std::string function_of_row(const Known& known, const OpSpec& spec) {
  std::string name = spec.name;
  for (std::size_t end; (end = name.rfind('_')) != name.npos && end > 0;) {
    name.resize(end);
    if (known.functions.contains(name)) return name;
  }
  return "";
}

/// Where the row stands, or if that is in a header, where the function does that it is a form of.
std::string file_of_row(const Known& known, const OpSpec& spec) {
  const std::string place = location_text(spec.at);
  const std::size_t begin = place.find("ops/");
  if (begin != place.npos) {
    const std::string path = place.substr(begin, place.rfind(':') - begin);
    if (source_at(path)) return path;
  }
  const auto found = known.by_name.find(function_of_row(known, spec));
  return found == known.by_name.end() ? "" : found->second.file;
}

std::size_t mentions(std::string text, const std::string& word) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char one) { return std::tolower(one); });
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != text.npos; at += word.size()) ++count;
  return count;
}

/// The overloads that say most about what "max_dim" adds to the function's name: in their
/// parameters, or else in what stands above them. All if none says anything: "lstm_packed".
std::vector<std::string> signatures_of_row(const Known& known, const OpSpec& spec) {
  const std::string function = function_of_row(known, spec);
  if (function.empty()) return {};
  const std::string added = std::string(spec.name).substr(function.size() + 1);
  const std::vector<Declaration>& overloads = known.functions.at(function);
  for (const auto part : {&Declaration::signature, &Declaration::doc}) {
    std::size_t most = 0;
    for (const Declaration& one : overloads) most = std::max(most, mentions(one.*part, added));
    std::vector<std::string> chosen;
    for (const Declaration& one : overloads)
      if (most > 0 && mentions(one.*part, added) == most) chosen.push_back(one.signature);
    if (!chosen.empty()) return chosen;
  }
  std::vector<std::string> all;
  for (const Declaration& one : overloads) all.push_back(one.signature);
  return all;
}

/// Of a helper that only its own file and a header inside ops/ declare.
std::vector<std::string> signatures_in_file(const Entry& entry) {
  std::vector<std::string> found;
  if (const Source* source = source_at(entry.file))
    for (const Declaration& one : declarations_in(source->text))
      if (one.name == entry.name) found.push_back(one.signature);
  return found;
}

/// A row without a function of its name is another way to call one: "max_dim".
void add_rows(Known& known) {
  for (const OpSpec* spec : op_specs()) {
    Entry& entry = known.at(spec->name, spec->family);
    entry.row = spec;
    if (entry.file.empty()) {
      entry.file = file_of_row(known, *spec);
      if (const Source* source = source_at(entry.file)) {
        const OperatorFile file = read_operator_file(source->text);
        entry.formula = file.comment;
        entry.derivatives = file.derivatives;
      }
    }
    if (!entry.shown().empty()) continue;
    entry.belongs_to = signatures_in_file(entry);
    if (entry.belongs_to.empty()) entry.belongs_to = signatures_of_row(known, *spec);
  }
}

std::vector<Entry> all_entries() {
  Known known;
  Slots slots;
  const auto declare = [&](const Source& source) {
    if (!is_header(source)) return;
    for (const Declaration& one :
         declarations_in(source.text, is_members(source) ? Of::Members : Of::Functions))
      add_declaration(known, source, one);
  };
  for (const Source& source : sources()) {
    if (!is_out(source)) declare(source);
    for (const std::string& kernel : kernels_in(source.text)) {
      if (source.text.find("Kernel " + kernel + "(") != source.text.npos) slots.all.insert(kernel);
      if (source.text.find(kernel + ", kCUDA,") != source.text.npos) slots.on_cuda.insert(kernel);
    }
  }
  for (const Source& source : sources())  // whose functions have their families now
    if (is_out(source)) declare(source);
  for (const Source& source : sources())
    if (source.path.starts_with("ops/") && !is_header(source)) add_file(known, source);
  add_rows(known);
  std::vector<Entry> entries;
  for (auto& [name, entry] : known.by_name) {
    if (const Source* source = source_at(entry.file)) entry.devices = devices_of(*source, slots);
    entries.push_back(std::move(entry));
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.family < b.family; });
  return entries;
}

}  // namespace

std::string Entry::called() const {
  const auto is_short_of_underscore = [&](const std::string& member) {
    return member.find(" " + name + "_(") != member.npos;
  };
  const bool only_in_place =
      !in_place.empty() || std::any_of(members.begin(), members.end(), is_short_of_underscore);
  return signatures.empty() && belongs_to.empty() && only_in_place ? name + "_" : name;
}

const std::vector<std::string>& Entry::shown() const {
  for (const auto* list : {&signatures, &in_place, &members})
    if (!list->empty()) return *list;
  return belongs_to;
}

std::string Entry::derivative() const {
  const auto says_none = [](const std::string& text) {
    return text.find("o derivative") != text.npos;
  };
  const bool records_nothing = family == "factories" || family == "optimize";
  if (row ? row->order == 0 : says_none(doc) || says_none(formula) || records_nothing)
    return "none";
  return derivatives.empty() ? "of its parts" : "own rule";
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = all_entries();
  return all;
}

const Entry& find_entry(const std::string& name) {
  std::vector<OpSpec> names;
  for (const Entry& entry : entries()) {
    if (entry.name == name || entry.name == base_of(name)) return entry;
    names.push_back({.name = entry.name.c_str(), .family = "", .draw = {}});
  }
  SpecList list;
  for (const OpSpec& one : names) list.push_back(&one);
  const std::string near = nearest_name(list, name);
  throw UnknownOperator("no operator is called '{}';{} `notape ops` shows all {}", name,
                        near.empty() ? "" : " did you mean '" + near + "'?", entries().size());
}

}  // namespace notape::verify::catalogue
