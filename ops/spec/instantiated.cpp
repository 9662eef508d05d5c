#define NOTAPE_INSTANTIATE template
#include "ops/spec/instantiated.h"
