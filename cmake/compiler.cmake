# Language level, warnings, code generation and sanitizers for every target of the project.
# The options are guarded by language: nvcc's host pass must not see -Wpedantic and its like.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# Line tables in Release too: a profile or a sanitizer report without lines is of little use.
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -g1 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g")
if(NOTAPE_SANITIZE)
  set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g1")  # their reports need no more than lines
endif()

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")

if(NOTAPE_CCACHE)
  find_program(NOTAPE_CCACHE_PROGRAM ccache)
  mark_as_advanced(NOTAPE_CCACHE_PROGRAM)
  if(NOTAPE_CCACHE_PROGRAM)
    foreach(language IN ITEMS CXX CUDA)
      if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
        # Without this sloppiness, what uses a precompiled header is compiled every time. Depend mode
        # compares the headers themselves: where only a comment of one changed, preprocessed text is
        # the same and brings an old precompiled header, whose `#pragma once` does not know the file.
        # The namespace keeps out what was cached without it.
        set(CMAKE_${language}_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
          CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_DEPEND=true
          CCACHE_NAMESPACE=notape-depend "${NOTAPE_CCACHE_PROGRAM}")
      endif()
    endforeach()
  endif()
endif()

# Code generation both for plain C++ and for the host side of CUDA files.
set(notape_host_options
  -ffp-contract=off           # the same bits from every kernel, whatever the optimiser sees
  -fno-math-errno
  -fno-plt
  -fno-semantic-interposition
  # Thread-local state is one instruction away. For libraries that are loaded late, glibc has 1.6 KB
  # altogether: a test of the house loads this one after another with 1 KB.
  -ftls-model=initial-exec)
if(NOTAPE_ARCH)
  list(APPEND notape_host_options "-march=${NOTAPE_ARCH}")
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # The compiler collects its own garbage from 512 MB on, not from 128 MB on, which is sooner done.
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=524288>")
endif()

set(notape_warnings -Wall -Wextra -Wpedantic -Wnon-virtual-dtor -Woverloaded-virtual
  -Wcast-qual -Wformat=2 -Wundef -Wvla -Wimplicit-fallthrough)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND notape_warnings -Wduplicated-cond -Wlogical-op
    -Wshadow=local  # a constructor's parameter may have its member's name
    # These follow the optimiser's flow graph; g++ 12 finds them inside std::vector and std::string.
    -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread -Wno-restrict)
elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  list(APPEND notape_warnings -Wshadow)
  # libquadmath's header lies among g++'s own, which clang's must come before.
  execute_process(COMMAND g++ -print-file-name=include
    OUTPUT_VARIABLE gcc_headers OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(EXISTS "${gcc_headers}/quadmath.h")
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-idirafter ${gcc_headers}>")
  endif()
endif()
if(NOTAPE_WERROR)
  list(APPEND notape_warnings -Werror)
endif()

add_compile_options(
  "$<$<COMPILE_LANGUAGE:CXX>:${notape_host_options};${notape_warnings}>")

if(NOT NOTAPE_PROVENANCE)
  add_compile_definitions(NOTAPE_PROVENANCE=0)
endif()

if(NOT NOTAPE_SANITIZE)
  add_link_options(LINKER:-z,defs)  # a function without a definition fails here, not in a user's link
else()
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${NOTAPE_SANITIZE};-fno-omit-frame-pointer>")
  add_link_options("-fsanitize=${NOTAPE_SANITIZE}")
  if(NOTAPE_SANITIZE MATCHES "undefined")
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-recover=undefined>")
  endif()
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")  # says it by features; g++ by these
    foreach(sanitizer IN ITEMS address thread)
      string(TOUPPER ${sanitizer} upper)
      if(NOTAPE_SANITIZE MATCHES ${sanitizer})
        add_compile_definitions(__SANITIZE_${upper}__)
      endif()
    endforeach()
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Instrumented code makes this flow-based warning of g++ 12 report what is not there.
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Wno-maybe-uninitialized>")
  endif()
endif()
