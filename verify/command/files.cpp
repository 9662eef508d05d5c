#include "verify/command/files.h"

#include <filesystem>

#include "autograd/interchange/zlib.h"
#include "verify/report/case_file.h"

namespace notape::verify {

std::string interrupted_name(const std::string& path) {
  const std::string_view packed = path.ends_with(".gz") ? ".gz" : "";
  const std::string plain = path.substr(0, path.size() - packed.size());
  const std::filesystem::path name(plain);
  return (name.parent_path() / name.stem()).string() + ".interrupted" + name.extension().string() +
         std::string(packed);
}

MadeDirectory::~MadeDirectory() {
  std::error_code ignored;  // as of one that is not empty, which stays
  if (std::filesystem::is_empty(path_, ignored)) std::filesystem::remove(path_, ignored);
}

void ResultFiles::add(const std::string& directory, const std::string& name) {
  std::error_code failed;
  if (std::filesystem::create_directories(directory, failed))
    made_.push_back(std::make_unique<MadeDirectory>(directory));
  if (failed) throw UsageError("cannot make directory {}: {}", directory, failed.message());
  const std::string path = (std::filesystem::path(directory) / name).string();
  try {
    files_.push_back(std::make_unique<interchange::OutputFile>(path));
  } catch (const FileError& error) {
    throw UsageError("cannot use --out: {}", error.what_without_backtrace());
  }
}

void ResultFiles::publish(const std::vector<std::string>& texts, bool interrupted) {
  if (interrupted)
    for (auto& file : files_)
      file = std::make_unique<interchange::OutputFile>(interrupted_name(file->path()));
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const std::string_view text[] = {texts.at(i)};
    const bool is_packed = files_[i]->path().ends_with(".gz");
    files_[i]->write(is_packed ? interchange::deflate(text, interchange::Compressed::Gzip)
                               : texts[i]);
    files_[i]->finish();
  }
  for (const auto& file : files_) {
    file->commit();
    std::error_code ignored;
    if (!interrupted) std::filesystem::remove(interrupted_name(file->path()), ignored);
  }
}

ResultFiles json_file(const std::string& format, const std::string& directory,
                      const std::string& name) {
  ResultFiles files;
  if (format.empty() && directory.empty()) return files;
  if (!format.empty() && format != "json") throw UsageError("--format: '{}' is not json", format);
  if (directory.empty()) throw UsageError("--format needs --out DIR, where the file goes");
  files.add(directory, name);
  return files;
}

OutputFiles::OutputFiles(const Arguments& arguments) {
  if (arguments.out.empty()) return;
  for (const Format format : arguments.formats) {
    if (file_of(format).empty()) continue;
    files_.add(arguments.out, std::string(file_of(format)));
    formats_.push_back(format);
  }
  files_.add(arguments.out, kCaseFile);
}

void OutputFiles::write(const std::vector<Record>& records, const Gates& gates, bool interrupted) {
  std::vector<std::string> texts;
  if (files_.empty()) return;
  for (const Format format : formats_) texts.push_back(render(format, records, gates));
  std::string& cases = texts.emplace_back();
  for (const SavedCase& one : cases_of(records)) cases += case_line(one);
  files_.publish(texts, interrupted);
}

}  // namespace notape::verify
