#include "trace/gpu/cupti/cupti_library.h"

#ifdef NOTAPE_HAVE_CUPTI

#include <fmt/format.h>

#include <atomic>

#include "autograd/error.h"
#include "autograd/tensor/device_interface.h"
#include "trace/gpu/cupti/cupti_records.h"
#include "trace/gpu/cupti/cupti_symbols.h"

namespace notape::trace::cupti {
namespace {

// The callbacks come without data of ours. They run on CUPTI's threads, under its lock: nothing
// here calls CUDA or CUPTI.
std::atomic<BufferPool*> pool{nullptr};

void CUPTIAPI request_buffer(uint8_t** data, std::size_t* bytes, std::size_t* most_records) {
  BufferPool* const source = pool.load();
  const std::span<uint8_t> buffer = source ? source->request() : std::span<uint8_t>();
  *data = buffer.empty() ? nullptr : buffer.data();
  *bytes = buffer.size();
  *most_records = 0;  // as many as fit
}

void CUPTIAPI complete_buffer(CUcontext, uint32_t, uint8_t* data, std::size_t, std::size_t valid) {
  if (BufferPool* const target = pool.load()) target->complete(data, valid);
}

void CUPTIAPI ignore_callback(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

constexpr CUpti_ActivityKind native(ActivityKind kind) {
  switch (kind) {
    case ActivityKind::Runtime:
      return CUPTI_ACTIVITY_KIND_RUNTIME;
    case ActivityKind::Driver:
      return CUPTI_ACTIVITY_KIND_DRIVER;
    case ActivityKind::ConcurrentKernel:
      return CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    case ActivityKind::Copy:
      return CUPTI_ACTIVITY_KIND_MEMCPY;
    case ActivityKind::Fill:
      return CUPTI_ACTIVITY_KIND_MEMSET;
    case ActivityKind::Synchronization:
      return CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
    case ActivityKind::ExternalCorrelation:
      return CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
    case ActivityKind::Overhead:
      return CUPTI_ACTIVITY_KIND_OVERHEAD;
    case ActivityKind::Event:
      return CUPTI_ACTIVITY_KIND_CUDA_EVENT;
  }
  return CUPTI_ACTIVITY_KIND_INVALID;
}

constexpr CUpti_ExternalCorrelationKind native(ExternalKind kind) {
  return kind == ExternalKind::Operation ? CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0
                                         : CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1;
}

struct LeftOut {
  std::string_view function;
  bool is_driver;
  CUpti_CallbackId cbid;
};
constexpr LeftOut kFunctionsLeftOut[] = {
    {"cudaGetDevice", false, CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020},
    {"cuKernelGetAttribute", true, CUPTI_DRIVER_TRACE_CBID_cuKernelGetAttribute},
    {"cuDevicePrimaryCtxGetState", true, CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxGetState},
    {"cuCtxGetCurrent", true, CUPTI_DRIVER_TRACE_CBID_cuCtxGetCurrent},
};

ActivityStatus status(CUptiResult result) { return {static_cast<int>(result)}; }

class CuptiLibrary final : public ActivityApi {
 public:
  CuptiLibrary() : opened_(open_cupti()), cupti_(opened_.symbols) {}

  std::string unavailable() override { return opened_.complaint; }

  std::string message(ActivityStatus status) override {
    const char* text = nullptr;
    const auto code = static_cast<CUptiResult>(status.code);
    return cupti_.get_result_string(code, &text) == CUPTI_SUCCESS && text ? text : "unknown error";
  }

  std::string version() override {
    return fmt::format("CUPTI {}.{}", opened_.version / 10'000, opened_.version % 10'000 / 100);
  }

  Subscription subscribe() override {
    Subscription result;
    if (!cupti_.subscribe_v2) {
      result.status = status(cupti_.subscribe(&subscriber_, ignore_callback, nullptr));
      return result;
    }
    char holder[256] = "";
    CUpti_SubscriberParams parameters{};
    parameters.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
    parameters.subscriberName = "notape";
    parameters.oldSubscriberName = holder;
    parameters.oldSubscriberSize = sizeof holder;
    result.status =
        status(cupti_.subscribe_v2(&subscriber_, ignore_callback, nullptr, &parameters));
    holder[sizeof holder - 1] = 0;
    result.holder = holder;
    return result;
  }

  ActivityStatus unsubscribe() override { return status(cupti_.unsubscribe(subscriber_)); }

  ActivityStatus use_system_thread_ids() override {
    return status(cupti_.set_thread_id_type(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM));
  }

  ActivityStatus register_clock(Clock clock) override {
    if (!cupti_.register_timestamp) return {kNotCompatible};
    return status(cupti_.register_timestamp(clock));
  }

  ActivityStatus set_attributes() override {
    std::size_t bytes = BufferPool::kBuffer, size = sizeof bytes;
    return status(cupti_.set_attribute(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE, &size, &bytes));
  }

  ActivityStatus register_buffers(BufferPool& target) override {
    pool.store(&target);
    return status(cupti_.register_callbacks(request_buffer, complete_buffer));
  }

  ActivityStatus enable(ActivityKind kind) override { return status(cupti_.enable(native(kind))); }
  ActivityStatus disable(ActivityKind kind) override {
    return status(cupti_.disable(native(kind)));
  }

  ActivityStatus leave_out(std::string_view function) override {
    for (const LeftOut& call : kFunctionsLeftOut) {
      if (call.function != function) continue;
      const auto enable = call.is_driver ? cupti_.enable_driver_call : cupti_.enable_runtime_call;
      return enable ? status(enable(call.cbid, 0)) : ActivityStatus{kNotCompatible};
    }
    return {CUPTI_ERROR_INVALID_PARAMETER};
  }

  ActivityStatus push_external(ExternalKind kind, uint64_t id) noexcept override {
    return status(cupti_.push_external(native(kind), id));
  }
  ActivityStatus pop_external(ExternalKind kind) noexcept override {
    uint64_t last = 0;
    return status(cupti_.pop_external(native(kind), &last));
  }

  ActivityStatus synchronize() override {
    try {
      const int devices = device_count(kCUDA);
      for (int i = 0; i < devices; ++i) device_interface({kCUDA, i}).synchronize(i);
    } catch (const Error&) {
      return {CUPTI_ERROR_UNKNOWN};  // the program's failure, which it sees itself
    }
    return {};
  }

  ActivityStatus flush(FlushMode mode) override {
    return status(
        cupti_.flush_all(mode == FlushMode::Forced ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : 0));
  }

  std::optional<uint64_t> time() override {
    uint64_t time = 0;
    if (cupti_.get_timestamp(&time) != CUPTI_SUCCESS) return {};
    return time;
  }

  uint64_t take_dropped() override {
    std::size_t dropped = 0;
    return cupti_.dropped_records(nullptr, 0, &dropped) == CUPTI_SUCCESS ? dropped : 0;
  }

  void read(std::span<const uint8_t> buffer, std::vector<ActivityRecord>& records) override {
    CUpti_Activity* activity = nullptr;
    auto* const data = const_cast<uint8_t*>(buffer.data());
    while (cupti_.next_record(data, buffer.size(), &activity) == CUPTI_SUCCESS) {
      std::optional<ActivityRecord> record = translate(*activity);
      if (!record) continue;
      if (record->row.is_call() && record->kind == ActivityRecord::Kind::Row)
        record->row.name = function_name(record->row);
      records.push_back(std::move(*record));
    }
  }

 private:
  std::string function_name(const DeviceRow& row) const {
    const char* name = nullptr;
    const auto domain = row.kind == DeviceRowKind::DriverCall ? CUPTI_CB_DOMAIN_DRIVER_API
                                                              : CUPTI_CB_DOMAIN_RUNTIME_API;
    if (cupti_.callback_name(domain, row.cbid, &name) != CUPTI_SUCCESS || !name)
      return fmt::format("call {}", row.cbid);
    return without_version(name);
  }

  const OpenedCupti opened_;
  const CuptiSymbols& cupti_;
  CUpti_SubscriberHandle subscriber_ = nullptr;
};

}  // namespace

bool was_built_with_cupti() noexcept { return true; }

ActivityApi& cupti_library() {
  static auto* const library = new CuptiLibrary;
  return *library;
}

}  // namespace notape::trace::cupti

#else

#include "trace/gpu/cupti/absent_activity.h"

namespace notape::trace::cupti {

bool was_built_with_cupti() noexcept { return false; }

ActivityApi& cupti_library() {
  static auto* const none = new AbsentActivity("this build had no CUPTI headers");
  return *none;
}

}  // namespace notape::trace::cupti

#endif
