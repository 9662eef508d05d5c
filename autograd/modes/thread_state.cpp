#include "autograd/modes/thread_state.h"

namespace notape {

constinit thread_local ThreadState thread_state;

}  // namespace notape
