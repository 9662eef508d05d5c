// CUPTI itself, opened at run time: nothing of this build refers to it, and a program starts where
// it is absent. Record layouts are those of the headers of the build, so only a library of at least
// their version is used: records grow at their ends.
#pragma once
#include "trace/gpu/cupti/activity_api.h"

namespace notape::trace::cupti {

/// Whether the build had CUPTI's headers.
bool was_built_with_cupti() noexcept;

/// Lives as long as the process. Opens the library at its first call. Unavailable, with the reason,
/// where headers, library, a symbol or the version is missing.
ActivityApi& cupti_library();

}  // namespace notape::trace::cupti
