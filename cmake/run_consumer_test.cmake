# Installs the build into a fresh prefix, then configures, builds and runs a program that knows
# nothing but find_package(notape). Arguments: SOURCE_DIR BUILD_DIR WORK_DIR GENERATOR CXX_COMPILER
# VERSION PROVENANCE.

function(step description)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status
    OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "consumer test: ${description} failed (${status})\n${output}")
  endif()
  message(STATUS "consumer test: ${description}: ok")
endfunction()

file(REMOVE_RECURSE "${WORK_DIR}")
set(prefix "${WORK_DIR}/prefix")
step("install" "${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${prefix}")
# What is declared can be linked.
foreach(room IN ITEMS trace cuda paper_examples bench)
  if(EXISTS "${prefix}/include/notape/${room}")
    message(FATAL_ERROR "consumer test: the headers of ${room}/ are installed, its library is not")
  endif()
endforeach()
step("configure" "${CMAKE_COMMAND}" -S "${SOURCE_DIR}" -B "${WORK_DIR}/build" -G "${GENERATOR}"
  "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}"
  "-DNOTAPE_WANTED_VERSION=${VERSION}")
step("build" "${CMAKE_COMMAND}" --build "${WORK_DIR}/build")
step("run" "${WORK_DIR}/build/consumer")
step("run in LibTorch's spelling" "${WORK_DIR}/build/torch_style")
if(EXISTS "${WORK_DIR}/build/swish_test")
  step("check a function of its own" "${WORK_DIR}/build/check_swish")
  step("check it with GoogleTest" "${WORK_DIR}/build/swish_test")
endif()

if(NOT PROVENANCE)
  return()  # the output names no places
endif()
# The program and its output stand in the README, word for word.
execute_process(COMMAND "${WORK_DIR}/build/consumer" OUTPUT_VARIABLE output)
file(READ "${SOURCE_DIR}/main.cpp" program)
file(READ "${SOURCE_DIR}/../../README.md" readme)
foreach(text IN ITEMS program output)
  string(FIND "${readme}" "${${text}}" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "consumer test: README.md does not contain the ${text}:\n${${text}}")
  endif()
endforeach()
