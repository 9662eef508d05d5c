# Decides whether CUDA kernels are built and turns the language on. Sets NOTAPE_HAVE_CUDA.
# The question is whether nvcc compiles: find_package(CUDAToolkit) answers "found" without it.

set(NOTAPE_HAVE_CUDA OFF)
if(NOTAPE_CUDA STREQUAL "AUTO" OR NOTAPE_CUDA STREQUAL "ON")
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    set(NOTAPE_HAVE_CUDA ON)
  elseif(NOTAPE_CUDA STREQUAL "ON")
    message(FATAL_ERROR "NOTAPE_CUDA=ON, but no CUDA compiler was found (PATH, CUDACXX, CUDA_PATH)")
  endif()
endif()

# One architecture keeps the build short: that of the GPU at hand, or else Hopper's. It must be
# known before enable_language(), which would cache the compiler's own default.
function(notape_choose_cuda_architecture)
  if(DEFINED CMAKE_CUDA_ARCHITECTURES OR DEFINED ENV{CUDAARCHS})
    return()
  endif()
  set(architecture 90)
  find_program(NOTAPE_NVIDIA_SMI nvidia-smi)
  mark_as_advanced(NOTAPE_NVIDIA_SMI)
  if(NOTAPE_NVIDIA_SMI)
    execute_process(
      COMMAND "${NOTAPE_NVIDIA_SMI}" --query-gpu=compute_cap --format=csv,noheader
      OUTPUT_VARIABLE capability RESULT_VARIABLE failed ERROR_QUIET)
    if(NOT failed AND capability MATCHES "^([0-9]+)\\.([0-9]+)")
      set(architecture "${CMAKE_MATCH_1}${CMAKE_MATCH_2}")
    endif()
  endif()
  # With PTX, which the driver compiles for later architectures.
  set(CMAKE_CUDA_ARCHITECTURES "${architecture}" CACHE STRING "CUDA architectures")
endfunction()

if(NOTAPE_HAVE_CUDA)
  notape_choose_cuda_architecture()
  enable_language(CUDA)
  if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    # CMake 3.25 does not know that CUDA 12 and later take C++20.
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
    list(APPEND CMAKE_CUDA_COMPILE_FEATURES cuda_std_20)
  endif()
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)  # one CUDA runtime in the process, whoever loads it
  find_package(CUDAToolkit REQUIRED)

  # Convolutions by cuDNN 9, which has no CMake package. Python's wheels have it by its full name only.
  find_path(NOTAPE_CUDNN_INCLUDE_DIR cudnn_version.h
    HINTS "${CUDNN_ROOT}/include" ${CUDAToolkit_INCLUDE_DIRS})
  find_library(NOTAPE_CUDNN_LIBRARY NAMES cudnn libcudnn.so.9
    HINTS "${CUDNN_ROOT}/lib" "${CUDAToolkit_LIBRARY_DIR}")
  mark_as_advanced(NOTAPE_CUDNN_INCLUDE_DIR NOTAPE_CUDNN_LIBRARY)
  set(NOTAPE_HAVE_CUDNN OFF)
  if(NOTAPE_CUDNN_INCLUDE_DIR AND NOTAPE_CUDNN_LIBRARY)
    file(STRINGS "${NOTAPE_CUDNN_INCLUDE_DIR}/cudnn_version.h" major REGEX "define CUDNN_MAJOR 9$")
    if(major)
      set(NOTAPE_HAVE_CUDNN ON)
    endif()
  endif()
  message(STATUS "cuDNN 9: ${NOTAPE_HAVE_CUDNN}")

  # Its graph API is called through headers that NVIDIA puts over it: of NOTAPE_CUDNN_FRONTEND, else of the package
  # nvidia-cudnn-frontend that .ci/run or python3 has.
  set(NOTAPE_CUDNN_FRONTEND "" CACHE PATH "Folder of cudnn_frontend.h")
  set(NOTAPE_CUDNN_FRONTEND_INCLUDE_DIR "")
  if(NOTAPE_HAVE_CUDNN)
    set(folders "${NOTAPE_CUDNN_FRONTEND}")
    if(NOT folders)
      execute_process(COMMAND python3 -c "from importlib.metadata import files
for f in files('nvidia-cudnn-frontend'):
  if f.name == 'cudnn_frontend.h': print(f.locate().parent)"
        OUTPUT_VARIABLE of_python OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
      set(folders "${PROJECT_BINARY_DIR}/cudnn-frontend/include" "${of_python}")
    endif()
    foreach(folder IN LISTS folders)
      if(NOT NOTAPE_CUDNN_FRONTEND_INCLUDE_DIR AND EXISTS "${folder}/cudnn_frontend_ExecutionPlan.h")
        set(NOTAPE_CUDNN_FRONTEND_INCLUDE_DIR "${folder}")
      endif()
    endforeach()
    if(NOTAPE_CUDNN_FRONTEND AND NOT NOTAPE_CUDNN_FRONTEND_INCLUDE_DIR)
      message(FATAL_ERROR "NOTAPE_CUDNN_FRONTEND=${NOTAPE_CUDNN_FRONTEND} has no cudnn_frontend_ExecutionPlan.h")
    endif()
  endif()
  message(STATUS "cuDNN's graph API: ${NOTAPE_CUDNN_FRONTEND_INCLUDE_DIR}")

  # -fmad=false: a * b + c is rounded twice, as the CPU does, where the source does not say fma.
  # 177: formulas of the CPU alone stand beside those of both. A kernel that calls a function of the
  # host would stop there on a GPU; nvcc only warns.
  list(JOIN notape_host_options "," notape_cuda_host_options)
  add_compile_options(
    "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${notape_cuda_host_options};-fmad=false;--expt-relaxed-constexpr;--extended-lambda;-lineinfo;--diag-suppress=177,186;-Werror=cross-execution-space-call>")
  message(STATUS "CUDA kernels: nvcc ${CMAKE_CUDA_COMPILER_VERSION} for ${CMAKE_CUDA_ARCHITECTURES}")
else()
  message(STATUS "CUDA kernels: left out (NOTAPE_CUDA=${NOTAPE_CUDA})")
endif()
