// notape ops [NAME] [--family F] [--json | --markdown] [--certificate FILE]
#include <set>

#include "paper_examples/command/command.h"
#include "verify/catalogue/pages.h"
#include "verify/report/json.h"

namespace notape::command {
namespace {

verify::catalogue::EntryList chosen(const std::string& family) {
  verify::catalogue::EntryList list;
  std::set<std::string> families;
  for (const auto& entry : verify::catalogue::entries()) {
    families.insert(entry.family);
    if (family.empty() || entry.family == family) list.push_back(&entry);
  }
  if (!list.empty()) return list;
  std::string all;
  for (const std::string& one : families) all += (all.empty() ? "" : ", ") + one;
  throw UnknownOperator("--family: '{}' is not one of {}", family, all);
}

}  // namespace

int ops(const Arguments& arguments) {
  CLI::App app(
      "The operators and functions there are: signatures, derivatives, what they take and how they "
      "are verified.",
      "notape ops");
  app.footer(
      "  notape ops --family activation       a line each\n"
      "  notape ops addcdiv                   one of them: formula, derivative as in the source,\n"
      "                                       conventions at kinks, saved values\n"
      "  notape ops --json                    for programs\n"
      "  notape ops --certificate report/certificates.jsonl.gz\n"
      "                                       with the largest error that could have passed there\n"
      "\nSignatures, formulas and derivatives are read from the source as it was when the program "
      "was built;\ndtypes, vmap and saved values are what the operators say when they are called.");
  std::string name, family, certificate;
  bool json = false, markdown = false;
  app.add_option("NAME", name, "one operator, with all that is known of it");
  app.add_option("--family", family, "only those of one family, as elementwise");
  auto* as_json = app.add_flag("--json", json, "an array of objects");
  app.add_flag("--markdown", markdown, "tables for a document")->excludes(as_json);
  app.add_option("--certificate", certificate, "certificates of `notape verify --out`");
  return parse_and_run(app, arguments, [&] {
    namespace catalogue = verify::catalogue;
    catalogue::Errors errors;
    if (!certificate.empty()) errors = catalogue::errors_of(verify::read_bundle(certificate));
    catalogue::EntryList list;
    if (name.empty())
      list = chosen(family);
    else
      list = {&catalogue::find_entry(name)};
    if (json)
      std::cout << catalogue::json_text(list, errors);
    else if (markdown)
      std::cout << catalogue::markdown_text(list);
    else
      std::cout << (name.empty() ? catalogue::table_text(list, errors)
                                 : catalogue::page_text(*list[0], errors));
    return kFine;
  });
}

}  // namespace notape::command
