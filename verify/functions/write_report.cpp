// Report::write: the forms that `notape verify --out` writes, of checks of one's own functions.
#include "autograd/interchange/output_file.h"
#include "verify/functions/function_report.h"
#include "verify/report/formats.h"

namespace notape::verify {

void Report::write(const std::string& path) const {
  std::string endings;
  for (const Format format :
       {Format::Json, Format::Junit, Format::Sarif, Format::Markdown, Format::Html}) {
    std::string_view file = file_of(format);
    if (file.ends_with(".gz")) file.remove_suffix(3);  // that of the command is compressed
    const std::string_view ending = file.substr(file.rfind('.'));
    endings += (endings.empty() ? "" : ", ") + std::string(ending);
    if (!path.ends_with(ending)) continue;
    std::vector<Record> records;
    if (certificates) records = records_of(*certificates, {.seed = seed, .samples = samples});
    for (Record& record : records) {
      tell_replay(record);
      if (record.exhibit) record.exhibit->code.clear();  // of no use to the command
    }
    interchange::OutputFile out(path);
    out.write(render(format, records, {}));
    return out.commit();
  }
  throw ValueError("{}: the name of a report ends in one of {}", path, endings);
}

}  // namespace notape::verify
