// CuptiSymbols: the functions of libcupti that we call, looked up in the library by name. Those
// that not every version has may be null.
#pragma once
#include <cupti.h>

#include <string>

namespace notape::trace::cupti {

struct CuptiSymbols {
  decltype(&cuptiGetVersion) get_version = nullptr;
  decltype(&cuptiGetResultString) get_result_string = nullptr;
  decltype(&cuptiSubscribe) subscribe = nullptr;
  decltype(&cuptiUnsubscribe) unsubscribe = nullptr;
  decltype(&cuptiSetThreadIdType) set_thread_id_type = nullptr;
  decltype(&cuptiActivityRegisterCallbacks) register_callbacks = nullptr;
  decltype(&cuptiActivityEnable) enable = nullptr;
  decltype(&cuptiActivityDisable) disable = nullptr;
  decltype(&cuptiActivityFlushAll) flush_all = nullptr;
  decltype(&cuptiActivityGetNextRecord) next_record = nullptr;
  decltype(&cuptiActivityGetNumDroppedRecords) dropped_records = nullptr;
  decltype(&cuptiActivityPushExternalCorrelationId) push_external = nullptr;
  decltype(&cuptiActivityPopExternalCorrelationId) pop_external = nullptr;
  decltype(&cuptiGetTimestamp) get_timestamp = nullptr;
  decltype(&cuptiGetCallbackName) callback_name = nullptr;
  decltype(&cuptiActivitySetAttribute) set_attribute = nullptr;
  // Newer than CUDA 11.
  decltype(&cuptiActivityRegisterTimestampCallback) register_timestamp = nullptr;
  decltype(&cuptiActivityEnableRuntimeApi) enable_runtime_call = nullptr;
  decltype(&cuptiActivityEnableDriverApi) enable_driver_call = nullptr;
  decltype(&cuptiSubscribe_v2) subscribe_v2 = nullptr;
};

struct OpenedCupti {
  CuptiSymbols symbols = {};
  uint32_t version = 0;
  std::string complaint = {};  ///< why it cannot be used, in one line; empty if it can
};

/// Opens libcupti.so, of the major version that the headers have.
OpenedCupti open_cupti();

}  // namespace notape::trace::cupti
