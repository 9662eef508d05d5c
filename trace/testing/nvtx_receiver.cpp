#ifdef NOTAPE_HAVE_NVTX
#include "trace/testing/nvtx_receiver.h"

#include <nvtx3/nvToolsExt.h>

#include <set>
#include <utility>

namespace notape::trace::testing {
namespace {

std::vector<NvtxMark> marks;
std::vector<std::string> domains;

nvtxDomainHandle_t NVTX_API create_domain(const char* name) {
  domains.emplace_back(name);
  return reinterpret_cast<nvtxDomainHandle_t>(domains.size());
}

nvtxStringHandle_t NVTX_API register_string(nvtxDomainHandle_t, const char* text) {
  static std::set<std::string> known;
  // The handle is the address of the text.
  const char* kept = known.insert(text).first->c_str();
  return reinterpret_cast<nvtxStringHandle_t>(const_cast<char*>(kept));
}

int NVTX_API push(nvtxDomainHandle_t, const nvtxEventAttributes_t* event) {
  NvtxMark mark;
  mark.category = event->category;
  mark.payload = event->payload.ullValue;
  mark.is_registered = event->messageType == NVTX_MESSAGE_TYPE_REGISTERED;
  mark.name = mark.is_registered ? reinterpret_cast<const char*>(event->message.registered)
                                 : event->message.ascii;
  marks.push_back(std::move(mark));
  return 0;
}

int NVTX_API pop(nvtxDomainHandle_t) {
  marks.push_back({"pop"});
  return 0;
}

template <typename Function>
NvtxFunctionPointer as_pointer(Function function) {
  return reinterpret_cast<NvtxFunctionPointer>(function);
}

}  // namespace

int initialize_nvtx_receiver(const void* (*export_table)(uint32_t)) {
  const auto* callbacks =
      static_cast<const NvtxExportTableCallbacks*>(export_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (!callbacks || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size))
    return 0;
  *table[NVTX_CBID_CORE2_DomainCreateA] = as_pointer(create_domain);
  *table[NVTX_CBID_CORE2_DomainRegisterStringA] = as_pointer(register_string);
  *table[NVTX_CBID_CORE2_DomainRangePushEx] = as_pointer(push);
  *table[NVTX_CBID_CORE2_DomainRangePop] = as_pointer(pop);
  return 1;
}

std::vector<NvtxMark> take_nvtx_marks() { return std::exchange(marks, {}); }
std::vector<std::string> nvtx_domains() { return domains; }

}  // namespace notape::trace::testing
#endif
