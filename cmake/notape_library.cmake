# libnotape.so: the objects of autograd/ and ops/ in one shared library.

add_library(notape SHARED)
add_library(notape::notape ALIAS notape)
set_target_properties(notape PROPERTIES
  LINKER_LANGUAGE CXX
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  # libnotape_cuda.so is loaded at run time from beside this library.
  BUILD_RPATH "$ORIGIN"
  INSTALL_RPATH "$ORIGIN")
target_compile_features(notape PUBLIC cxx_std_20)
if(NOT NOTAPE_SANITIZE)
  # Calls of its own functions are bound here: a program starts with two fifths fewer instructions.
  target_link_options(notape PRIVATE LINKER:-Bsymbolic-functions)
endif()
target_include_directories(notape PUBLIC
  "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR};${PROJECT_SOURCE_DIR}/ops/include>"
  "$<INSTALL_INTERFACE:include/notape>")
if(NOT NOTAPE_PROVENANCE)
  target_compile_definitions(notape INTERFACE NOTAPE_PROVENANCE=0)  # part of every signature
endif()
target_link_libraries(notape
  PRIVATE notape_autograd notape_ops
  PUBLIC Threads::Threads)

# Opt-in: `#include <torch/torch.h>` finds notape under LibTorch's names. Not part of `notape`, so
# that nothing shadows a real LibTorch unasked.
add_library(torch_compat INTERFACE)
add_library(notape::torch_compat ALIAS torch_compat)
target_include_directories(torch_compat INTERFACE
  "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/ops/include/notape/compat>"
  "$<INSTALL_INTERFACE:include/notape/notape/compat>")
target_link_libraries(torch_compat INTERFACE notape)
