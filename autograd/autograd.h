// The whole public interface of the autograd core.
#pragma once
#include "autograd/error.h"
#include "autograd/forward/dual.h"
#include "autograd/function.h"
#include "autograd/functional/backward.h"
#include "autograd/graph/node.h"
#include "autograd/modes/grad_mode.h"
#include "autograd/observer.h"
#include "autograd/tensor/counters.h"
#include "autograd/tensor/device_interface.h"
#include "autograd/tensor/factories.h"
#include "autograd/tensor/tensor.h"
