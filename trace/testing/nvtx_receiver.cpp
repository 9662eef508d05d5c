#ifdef NOTAPE_HAVE_NVTX
#include "trace/testing/nvtx_receiver.h"

#include <nvtx3/nvToolsExt.h>

#include <map>
#include <mutex>
#include <utility>

namespace notape::trace::testing {
namespace {

std::vector<NvtxMark> marks;
std::vector<std::string> domains;
std::map<uint32_t, std::string> categories;
std::map<std::string, int> registrations;
uint64_t ranges = 0;
std::mutex lock;

nvtxDomainHandle_t NVTX_API create_domain(const char* name) {
  const std::lock_guard guard(lock);
  domains.emplace_back(name);
  return reinterpret_cast<nvtxDomainHandle_t>(domains.size());
}

nvtxStringHandle_t NVTX_API register_string(nvtxDomainHandle_t, const char* text) {
  const std::lock_guard guard(lock);
  const auto kept = registrations.try_emplace(text).first;
  ++kept->second;
  // The handle is the address of the text.
  return reinterpret_cast<nvtxStringHandle_t>(const_cast<char*>(kept->first.c_str()));
}

void NVTX_API name_category(nvtxDomainHandle_t, uint32_t category, const char* name) {
  const std::lock_guard guard(lock);
  categories[category] = name;
}

NvtxMark mark_of(const nvtxEventAttributes_t* event) {
  NvtxMark mark;
  mark.category = event->category;
  mark.payload = event->payload.ullValue;
  mark.is_registered = event->messageType == NVTX_MESSAGE_TYPE_REGISTERED;
  mark.name = mark.is_registered ? reinterpret_cast<const char*>(event->message.registered)
                                 : event->message.ascii;
  return mark;
}

int NVTX_API push(nvtxDomainHandle_t, const nvtxEventAttributes_t* event) {
  const std::lock_guard guard(lock);
  marks.push_back(mark_of(event));
  return 0;
}

void NVTX_API mark(nvtxDomainHandle_t, const nvtxEventAttributes_t* event) {
  const std::lock_guard guard(lock);
  marks.push_back(mark_of(event));
}

nvtxRangeId_t NVTX_API start(nvtxDomainHandle_t, const nvtxEventAttributes_t* event) {
  const std::lock_guard guard(lock);
  marks.push_back(mark_of(event));
  return marks.back().range = ++ranges;
}

void NVTX_API end(nvtxDomainHandle_t, nvtxRangeId_t range) {
  const std::lock_guard guard(lock);
  marks.push_back({"end"});
  marks.back().range = range;
}

int NVTX_API pop(nvtxDomainHandle_t) {
  const std::lock_guard guard(lock);
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
  *table[NVTX_CBID_CORE2_DomainNameCategoryA] = as_pointer(name_category);
  *table[NVTX_CBID_CORE2_DomainMarkEx] = as_pointer(mark);
  *table[NVTX_CBID_CORE2_DomainRangeStartEx] = as_pointer(start);
  *table[NVTX_CBID_CORE2_DomainRangeEnd] = as_pointer(end);
  *table[NVTX_CBID_CORE2_DomainRangePushEx] = as_pointer(push);
  *table[NVTX_CBID_CORE2_DomainRangePop] = as_pointer(pop);
  return 1;
}

std::vector<NvtxMark> take_nvtx_marks() {
  const std::lock_guard guard(lock);
  return std::exchange(marks, {});
}
std::vector<std::string> nvtx_domains() { return domains; }
std::map<uint32_t, std::string> nvtx_categories() { return categories; }
int nvtx_registrations(const std::string& text) {
  const std::lock_guard guard(lock);
  const auto found = registrations.find(text);
  return found == registrations.end() ? 0 : found->second;
}

}  // namespace notape::trace::testing
#endif
