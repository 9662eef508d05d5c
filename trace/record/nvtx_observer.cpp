#include "trace/record/nvtx_observer.h"

#include <atomic>

#ifdef NOTAPE_HAVE_NVTX
#include <nvtx3/nvToolsExt.h>

#include <memory>
#include <unordered_map>
#endif

#include <string_view>

#include "autograd/graph/node.h"

namespace notape::trace {
namespace {

std::atomic<int> nvtx_observers{0};

}  // namespace

bool nvtx_is_on() noexcept { return nvtx_observers.load(std::memory_order_relaxed) != 0; }

NvtxObserver::NvtxObserver(Observer& behind) noexcept : ObserverInFront(behind) {
  ++nvtx_observers;
}
NvtxObserver::~NvtxObserver() { --nvtx_observers; }

#ifdef NOTAPE_HAVE_NVTX

namespace {

enum Category : uint32_t {
  kForward = 1,
  kBackward,
  kRange,
  kStep,
  kAsynchronous,
  kOptimizer,
  kAllocator
};

nvtxDomainHandle_t domain() noexcept {
  static const nvtxDomainHandle_t handle = [] {
    const nvtxDomainHandle_t made = nvtxDomainCreateA("notape");
    nvtxDomainNameCategoryA(made, kForward, "forward");
    nvtxDomainNameCategoryA(made, kBackward, "backward");
    nvtxDomainNameCategoryA(made, kRange, "range");
    nvtxDomainNameCategoryA(made, kStep, "step");
    nvtxDomainNameCategoryA(made, kAsynchronous, "asynchronous");
    nvtxDomainNameCategoryA(made, kOptimizer, "optimizer");
    nvtxDomainNameCategoryA(made, kAllocator, "allocator");
    return made;
  }();
  return handle;
}

/// Tools copy an unregistered string at every call, so each name is registered once per thread.
nvtxStringHandle_t registered(const char* name) noexcept {
  using Known = std::unordered_map<const char*, nvtxStringHandle_t>;
  // On the heap: libraries that are loaded late share little room for data of threads.
  static thread_local const auto known = std::make_unique<Known>();
  const auto [place, is_new] = known->try_emplace(name);
  if (is_new) place->second = nvtxDomainRegisterStringA(domain(), name);
  return place->second;
}

nvtxEventAttributes_t attributes_of(Category category, const char* name,
                                    uint64_t payload) noexcept {
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.category = category;
  attributes.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
  attributes.payload.ullValue = payload;
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered = registered(name);
  return attributes;
}

void push(Category category, const char* name, uint64_t payload) noexcept {
  const nvtxEventAttributes_t attributes = attributes_of(category, name, payload);
  nvtxDomainRangePushEx(domain(), &attributes);
}

void pop() noexcept { nvtxDomainRangePop(domain()); }

}  // namespace

bool nvtx_is_available() noexcept { return true; }
void nvtx_begin(EventKind kind, const char* name, uint64_t number) noexcept {
  push(kind == EventKind::Step ? kStep : kRange, name, number);
}
void nvtx_end() noexcept { pop(); }
uint64_t nvtx_start(const char* name) noexcept {
  const nvtxEventAttributes_t attributes = attributes_of(kAsynchronous, name, 0);
  return nvtxDomainRangeStartEx(domain(), &attributes);
}
void nvtx_finish(uint64_t range) noexcept { nvtxDomainRangeEnd(domain(), range); }
void nvtx_memory(int64_t bytes) noexcept {
  nvtxEventAttributes_t attributes = attributes_of(kAllocator, "memory", 0);
  attributes.payloadType = NVTX_PAYLOAD_TYPE_INT64;
  attributes.payload.llValue = bytes;
  nvtxDomainMarkEx(domain(), &attributes);
}

#else

bool nvtx_is_available() noexcept { return false; }
void nvtx_begin(EventKind, const char*, uint64_t) noexcept {}
void nvtx_end() noexcept {}
uint64_t nvtx_start(const char*) noexcept { return 0; }
void nvtx_finish(uint64_t) noexcept {}
void nvtx_memory(int64_t) noexcept {}
namespace {

enum Category : uint32_t { kForward, kBackward, kOptimizer };
void push(Category, const char*, uint64_t) noexcept {}
void pop() noexcept {}

}  // namespace

#endif

void NvtxObserver::operator_begin(const char* name, uint64_t sequence_nr) noexcept {
  const bool is_step = std::string_view(name).starts_with("multi_tensor_");  // ops/optimize.h
  push(is_step ? kOptimizer : kForward, name, sequence_nr);
  ObserverInFront::operator_begin(name, sequence_nr);
}
void NvtxObserver::operator_end(const char* name, uint64_t sequence_nr) noexcept {
  ObserverInFront::operator_end(name, sequence_nr);
  pop();
}
void NvtxObserver::node_begin(const Node& node) noexcept {
  push(kBackward, node.static_name(), node.sequence_nr());
  ObserverInFront::node_begin(node);
}
void NvtxObserver::node_end(const Node& node) noexcept {
  ObserverInFront::node_end(node);
  pop();
}

}  // namespace notape::trace
