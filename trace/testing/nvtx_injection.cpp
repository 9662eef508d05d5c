// The pointer through which NVTX finds a tool inside the program. In a file of its own, because
// NVTX's headers define it too, weakly.
#ifdef NOTAPE_HAVE_NVTX
#include "trace/testing/nvtx_receiver.h"

extern "C" {
int (*InitializeInjectionNvtx2_fnptr)(const void* (*)(uint32_t)) =
    notape::trace::testing::initialize_nvtx_receiver;
}
#endif
