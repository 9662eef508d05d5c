// What CUPTI delivered becomes rows: records of one call are put together, times go to the
// recorder's clock, and what cannot be believed is counted instead.
#pragma once
#include <functional>

#include "trace/gpu/cupti/activity_record.h"

namespace notape::trace::cupti {

/// Adds rows and counts to `recording`. Records may come in any order.
void join_records(std::vector<ActivityRecord> records,
                  const std::function<int64_t(int64_t cupti_ns)>& own_time,
                  DeviceRecording& recording);

}  // namespace notape::trace::cupti
