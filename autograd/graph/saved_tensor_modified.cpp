#include "autograd/graph/saved_tensor_modified.h"

#include "autograd/graph/backward_run.h"
#include "autograd/graph/node.h"

namespace notape {
namespace {

using Conflict = SavedTensorModified::Conflict;

std::string describe(const Conflict& c) {
  if (c.raw)
    return format_message(
        "one of the variables needed for gradient computation has been modified by a write "
        "through a raw pointer: [{} {}], which is output {} of {}, does not have the bytes that "
        "were saved.",
        {c.type, to_string(c.geometry.sizes()), c.output_nr, c.producer});
  return format_message(
      "one of the variables needed for gradient computation has been modified by an inplace "
      "operation: [{} {}], which is output {} of {}, is at version {}; expected version {} "
      "instead.",
      {c.type, to_string(c.geometry.sizes()), c.output_nr, c.producer, c.current_version,
       c.saved_version});
}

std::string say_who(const Conflict& c) {
  std::string text =
      format_message("\n  saved as '{}' by {} ({}){}",
                     {c.slot, c.saver->operator_name(), c.saver->name(), at_place(c.saver->at())});
  if (c.write)
    text +=
        format_message("\n  overwritten by {}{}", {c.write->operator_name, at_place(c.write->at)});
  if (c.raw)
    text +=
        "\n  overwritten by code outside the library, through data_ptr() or by the owner of memory "
        "from from_blob() or DLPack. Write through WriteTicket or mutable_data_ptr() before the "
        "value is used, or give the operation a clone(). AliasPolicy::UnsafeRawWrites turns this "
        "check off";
  if (const BackwardRun* task = thread_state.task)
    text += format_message("\n  read by {}{}", {task->caller(), at_place(task->at())});
  return text;
}

std::string place(const SourceLocation& at) {
  if (!kProvenance) return "";
  return format_message(", \"file\": {}, \"line\": {}", {json_quote(at.file_name()), at.line()});
}

const char* path_of(const Conflict& c) {
  const std::string_view operation = c.write->operator_name;
  if (operation == "write_ticket") return "ticket";
  if (operation == "mutable_data_ptr")
    return "foreign";  // code outside the library has the pointer
  if (c.write->writer.tensor == c.tensor) return "same tensor";
  if (c.write->writer.family == c.family) return "same family";
  return c.write->writer.alias == Alias::Data ? "data" : "detached";
}

std::string to_json(const Conflict& c, const std::string& message) {
  const Geometry& g = c.geometry;
  std::string json = format_message(
      "{\"error\": \"SavedTensorModified\", \"message\": {}, \"conservative\": {}, "
      "\"tensor\": {\"dtype\": {}, \"device\": {}, \"sizes\": {}, \"strides\": {}, \"offset\": "
      "{}}, "
      "\"saved\": {\"operator\": {}, \"node\": {}, \"slot\": {}, \"version\": {}{}}",
      {json_quote(message), c.conservative ? "true" : "false", json_quote(c.dtype),
       json_quote(c.device), to_string(g.sizes()), to_string(g.strides()), g.offset(),
       json_quote(c.saver->operator_name()), json_quote(c.saver->name()), json_quote(c.slot),
       c.saved_version, place(c.saver->at())});
  if (c.raw) json += ", \"written\": {\"through\": \"foreign\"}";
  if (const WriteEntry* write = c.write) {
    const auto [begin, end] = write->bytes();
    json += format_message(
        ", \"written\": {\"operator\": {}, \"version\": {}, \"bytes\": [{}, {}], \"through\": "
        "{}{}}",
        {json_quote(write->operator_name), write->version, begin, end, json_quote(path_of(c)),
         place(write->at)});
  }
  if (const BackwardRun* task = thread_state.task)
    json += format_message(", \"read\": {\"operator\": {}{}}",
                           {json_quote(task->caller()), place(task->at())});
  return json + "}";
}

}  // namespace

SavedTensorModified::SavedTensorModified(const Conflict& c)
    : ErrorOf(Detailed{describe(c), say_who(c)}),
      json_(notape::to_json(c, what_without_backtrace())) {}

}  // namespace notape
