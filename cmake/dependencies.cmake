# Libraries from the system. `./run` knows the Debian packages that carry them.

find_package(Threads REQUIRED)

# Without the vendor a host with the reference BLAS beside OpenBLAS may get the slow one.
set(BLA_VENDOR OpenBLAS)
find_package(BLAS REQUIRED)
find_path(NOTAPE_CBLAS_INCLUDE_DIR cblas.h
  PATH_SUFFIXES openblas-pthread openblas x86_64-linux-gnu/openblas-pthread REQUIRED)
mark_as_advanced(NOTAPE_CBLAS_INCLUDE_DIR)
# The name by which a shared one is opened at run time; none for a static one, which is linked.
set(NOTAPE_OPENBLAS_NAME "")
if(BLAS_LIBRARIES MATCHES "\\.so$")
  execute_process(COMMAND "${CMAKE_OBJDUMP}" -p "${BLAS_LIBRARIES}"
    OUTPUT_VARIABLE openblas_header ERROR_QUIET)
  if(openblas_header MATCHES "SONAME +([^ \n]+)")
    set(NOTAPE_OPENBLAS_NAME "${CMAKE_MATCH_1}")
  endif()
endif()

# Vector forms of exp, tanh, ...; without it they are computed one by one.
find_path(NOTAPE_SLEEF_INCLUDE_DIR sleef.h)
find_library(NOTAPE_SLEEF_LIBRARY sleef)
mark_as_advanced(NOTAPE_SLEEF_INCLUDE_DIR NOTAPE_SLEEF_LIBRARY)
if(NOTAPE_SLEEF_INCLUDE_DIR AND NOTAPE_SLEEF_LIBRARY)
  set(NOTAPE_HAVE_SLEEF ON)
else()
  set(NOTAPE_HAVE_SLEEF OFF)
  message(STATUS "SLEEF not found (Debian: libsleef-dev): exp, tanh and the like will be slower")
endif()

find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED)
find_package(rapidcheck REQUIRED)  # it ships no version file: never ask for a version

if(NOTAPE_TESTS)
  find_package(GTest REQUIRED)
endif()
if("bench" IN_LIST NOTAPE_ROOMS)
  find_package(benchmark QUIET)
endif()
