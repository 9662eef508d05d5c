# What a user may choose. CMAKE_BUILD_TYPE defaults to Release.

option(NOTAPE_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(NOTAPE_UNITY
  "Compile several files of a folder as one: half the time for all, more for an edit"
  ON)
option(NOTAPE_PRECOMPILE
  "Compile headers that most files of a room need once for the room; OFF shows a file that forgets one"
  ON)
option(NOTAPE_WERROR "Treat compiler warnings as errors" ON)
option(NOTAPE_CCACHE "Compile through ccache when it is installed" ON)

option(NOTAPE_PROVENANCE
  "Operations, nodes and logged writes know file and line; OFF: operator names only" ON)

set(NOTAPE_ARCH "x86-64-v3" CACHE STRING
  "Instruction set baseline handed to -march; empty leaves the compiler's default")

set(NOTAPE_CUDA "AUTO" CACHE STRING
  "CUDA kernels: AUTO builds them when nvcc is found, ON insists, OFF leaves them out")
set_property(CACHE NOTAPE_CUDA PROPERTY STRINGS AUTO ON OFF)

option(NOTAPE_EMULATED_GPU
  "Build the kernels once more for a GPU that the CPU plays (cuda/emulated), and the tests on it" ON)

set(NOTAPE_ROOMS "cuda;verify;trace;paper_examples;bench" CACHE STRING
  "Rooms built on top of autograd/ and ops/; verify needs cuda, paper_examples these and trace, and so on")

option(NOTAPE_LIBTORCH_COMPARISON
  "Compile the programs of paper_examples/torch_style with the installed LibTorch, too" OFF)

set(NOTAPE_SANITIZE "" CACHE STRING  # the presets leave verify/ out, whose tests take half an hour under them
  "Sanitizers, comma separated as for -fsanitize: 'address,undefined' or 'thread'")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or RelWithDebInfo" FORCE)
endif()
