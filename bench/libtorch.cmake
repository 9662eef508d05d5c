# One source compiled with notape, and with LibTorch where it is installed: PREFIX_notape, PREFIX_torch
# (Debian's libtorch-dev) and PREFIX_pytorch (that in the wheel of NOTAPE_TORCH_PYTHON). The two also get
# SIDE_TORCH. None is part of the default build: LibTorch's header alone takes most of a minute.
find_library(TORCH_LIBRARY torch)
find_library(TORCH_CPU_LIBRARY torch_cpu)
find_library(C10_LIBRARY c10)
find_path(TORCH_API_INCLUDE torch/torch.h PATH_SUFFIXES torch/csrc/api/include)
find_program(NOTAPE_TORCH_PYTHON python3)
if(NOTAPE_TORCH_PYTHON)
  execute_process(OUTPUT_VARIABLE NOTAPE_TORCH_WHEEL ERROR_QUIET COMMAND "${NOTAPE_TORCH_PYTHON}" -c
    "import importlib.util, os; print(os.path.dirname(importlib.util.find_spec('torch').origin), end='')")
endif()

# Debian builds 1.13.1 from a source that calls itself 1.13.0; the package has the right number.
execute_process(OUTPUT_VARIABLE NOTAPE_LIBTORCH_PACKAGE ERROR_QUIET
  COMMAND dpkg-query -W "-f=\${source:Upstream-Version}" libtorch-dev)
string(REGEX MATCH "^[0-9.]*[0-9]" NOTAPE_LIBTORCH_VERSION "${NOTAPE_LIBTORCH_PACKAGE}")

function(notape_torch_program name include_dirs libraries)
  add_executable(${name} EXCLUDE_FROM_ALL ${ARGN})
  target_compile_definitions(${name} PRIVATE SIDE_TORCH)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_include_directories(${name} SYSTEM PRIVATE ${include_dirs})
  target_link_libraries(${name} PRIVATE ${libraries})
  target_compile_options(${name} PRIVATE -w)
endfunction()

function(notape_beside_libtorch prefix)  # and the sources
  add_executable(${prefix}_notape EXCLUDE_FROM_ALL ${ARGN})
  target_link_libraries(${prefix}_notape PRIVATE notape)
  if(TORCH_LIBRARY AND TORCH_CPU_LIBRARY AND C10_LIBRARY AND TORCH_API_INCLUDE)
    notape_torch_program(${prefix}_torch "${TORCH_API_INCLUDE}"
      "${TORCH_LIBRARY};${TORCH_CPU_LIBRARY};${C10_LIBRARY}" ${ARGN})
    if(NOTAPE_LIBTORCH_VERSION AND TORCH_LIBRARY MATCHES "^/usr/lib")
      target_compile_definitions(${prefix}_torch PRIVATE "SIDE_TORCH_VERSION=\"${NOTAPE_LIBTORCH_VERSION}\"")
    endif()
  endif()
  set(wheel "${NOTAPE_TORCH_WHEEL}")
  if(EXISTS "${wheel}/lib/libtorch_cpu.so" AND EXISTS "${wheel}/include/torch/csrc/api/include/torch/torch.h")
    notape_torch_program(${prefix}_pytorch
      "${wheel}/include;${wheel}/include/torch/csrc/api/include"
      "${wheel}/lib/libtorch.so;${wheel}/lib/libtorch_cpu.so;${wheel}/lib/libc10.so" ${ARGN})
  endif()
endfunction()
