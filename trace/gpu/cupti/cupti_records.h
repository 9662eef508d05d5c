// What CUPTI writes into buffers, as ActivityRecords.
#pragma once
#include <cupti.h>

#include <optional>
#include <string>

#include "trace/gpu/cupti/activity_record.h"

namespace notape::trace::cupti {

/// Nothing for a kind that is not known. Names of API calls are left empty.
std::optional<ActivityRecord> translate(const CUpti_Activity& activity);

/// "cudaLaunchKernel" of "cudaLaunchKernel_v7000".
std::string without_version(std::string_view function);

}  // namespace notape::trace::cupti
