#ifdef NOTAPE_HAVE_CUPTI
#include "trace/gpu/cupti/cupti_symbols.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace notape::trace::cupti {
namespace {

constexpr uint32_t kMajor = CUPTI_API_VERSION / 10'000;  // 130001: CUDA 13

/// Where CUDA's own installer puts it, which the dynamic loader need not know.
void* open_library() {
  const std::string name = fmt::format("libcupti.so.{}", kMajor);
  for (const std::string& path :
       {name, "/usr/local/cuda/lib64/" + name, "/usr/local/cuda/lib/" + name,
        "/usr/local/cuda/extras/CUPTI/lib64/" + name})
    if (void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  return nullptr;
}

}  // namespace

OpenedCupti open_cupti() {
  OpenedCupti opened;
  void* const library = open_library();
  if (!library) {
    opened.complaint = fmt::format("libcupti.so.{} is not there", kMajor);
    return opened;
  }
  const auto find = [&]<typename Function>(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
  };
  const auto need = [&]<typename Function>(Function& function, const char* name) {
    if (!find(function, name) && opened.complaint.empty())
      opened.complaint = fmt::format("libcupti.so.{} has no {}", kMajor, name);
  };
  CuptiSymbols& symbols = opened.symbols;
  need(symbols.get_version, "cuptiGetVersion");
  need(symbols.get_result_string, "cuptiGetResultString");
  need(symbols.subscribe, "cuptiSubscribe");
  need(symbols.unsubscribe, "cuptiUnsubscribe");
  need(symbols.set_thread_id_type, "cuptiSetThreadIdType");
  need(symbols.register_callbacks, "cuptiActivityRegisterCallbacks");
  need(symbols.enable, "cuptiActivityEnable");
  need(symbols.disable, "cuptiActivityDisable");
  need(symbols.flush_all, "cuptiActivityFlushAll");
  need(symbols.next_record, "cuptiActivityGetNextRecord");
  need(symbols.dropped_records, "cuptiActivityGetNumDroppedRecords");
  need(symbols.push_external, "cuptiActivityPushExternalCorrelationId");
  need(symbols.pop_external, "cuptiActivityPopExternalCorrelationId");
  need(symbols.get_timestamp, "cuptiGetTimestamp");
  need(symbols.callback_name, "cuptiGetCallbackName");
  need(symbols.set_attribute, "cuptiActivitySetAttribute");
  find(symbols.register_timestamp, "cuptiActivityRegisterTimestampCallback");
  find(symbols.enable_runtime_call, "cuptiActivityEnableRuntimeApi");
  find(symbols.enable_driver_call, "cuptiActivityEnableDriverApi");
  find(symbols.subscribe_v2, "cuptiSubscribe_v2");
  if (!opened.complaint.empty()) return opened;
  if (symbols.get_version(&opened.version) != CUPTI_SUCCESS || opened.version < CUPTI_API_VERSION)
    opened.complaint =
        fmt::format("libcupti.so.{} is of version {}, the headers of this build of {}", kMajor,
                    opened.version, CUPTI_API_VERSION);
  return opened;
}

}  // namespace notape::trace::cupti
#endif
