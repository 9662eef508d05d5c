# Installs the build into a fresh prefix, then configures, builds and runs a program that knows
# nothing but find_package(notape). Arguments: SOURCE_DIR BUILD_DIR WORK_DIR GENERATOR CXX_COMPILER
# CXX_FLAGS VERSION PROVENANCE.

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
foreach(folder IN ITEMS cuda bench paper_examples/command)
  if(EXISTS "${prefix}/include/notape/${folder}")
    message(FATAL_ERROR "consumer test: the headers of ${folder}/ are installed, its library is not")
  endif()
endforeach()
step("configure" "${CMAKE_COMMAND}" -S "${SOURCE_DIR}" -B "${WORK_DIR}/build" -G "${GENERATOR}"
  "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}"
  "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}"
  "-DNOTAPE_WANTED_VERSION=${VERSION}")
step("build" "${CMAKE_COMMAND}" --build "${WORK_DIR}/build")
step("run" "${WORK_DIR}/build/consumer")
step("run in LibTorch's spelling" "${WORK_DIR}/build/torch_style")
foreach(program IN ITEMS train models timeline)
  if(EXISTS "${WORK_DIR}/build/${program}")
    step("run ${program}" "${WORK_DIR}/build/${program}")
  endif()
endforeach()
if(EXISTS "${WORK_DIR}/build/swish_test")
  step("check a function of its own" "${WORK_DIR}/build/check_swish")
  step("check it with GoogleTest" "${WORK_DIR}/build/swish_test")
endif()

# After a build of some targets only, what is there is installed, and the package says what is not.
file(READ "${BUILD_DIR}/cmake_install.cmake" script)
string(REGEX REPLACE "libnotape_(trace|verify)[.]so" "libnotape_\\1_not_built.so" script "${script}")
file(WRITE "${WORK_DIR}/partial_install.cmake" "${script}")
set(partial "${WORK_DIR}/partial")
step("partial install" "${CMAKE_COMMAND}" "-DCMAKE_INSTALL_PREFIX=${partial}"
  -P "${WORK_DIR}/partial_install.cmake")
if(EXISTS "${partial}/include/notape/trace")
  message(FATAL_ERROR "consumer test: headers of a library that was not built are installed")
endif()
foreach(header IN ITEMS c_abi operator)  # a plugin needs no library
  if(NOT EXISTS "${partial}/include/notape/verify/plugin/${header}.h")
    message(FATAL_ERROR "consumer test: ${header}.h is not installed, which needs nothing that was built")
  endif()
endforeach()
set(find "${CMAKE_COMMAND}" -G "${GENERATOR}" "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}"
  "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}"
  "-DCMAKE_PREFIX_PATH=${partial}" -S "${SOURCE_DIR}")
step("configure without the missing component" ${find} -B "${WORK_DIR}/without")
execute_process(
  COMMAND ${find} -B "${WORK_DIR}/with" "-DNOTAPE_WANTED_VERSION=${VERSION};COMPONENTS;trace"
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(status EQUAL 0 OR NOT output MATCHES "notape::trace was not built")
  message(FATAL_ERROR "consumer test: a missing component is not named (${status}):\n${output}")
endif()

# Programs, and the output of the first, stand in documents, word for word.
function(expect_in document text)
  file(READ "${SOURCE_DIR}/../../${document}" whole)
  string(FIND "${whole}" "${text}" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "consumer test: ${document} does not contain:\n${text}")
  endif()
endfunction()
file(READ "${SOURCE_DIR}/timeline.cpp" program)
expect_in(trace/README.md "${program}")
file(READ "${SOURCE_DIR}/train.cpp" program)
expect_in(paper_examples/nn/README.md "${program}")
file(READ "${SOURCE_DIR}/models.cpp" program)
expect_in(paper_examples/models/README.md "${program}")
if(NOT PROVENANCE)
  return()  # the output names no places
endif()
execute_process(COMMAND "${WORK_DIR}/build/consumer" OUTPUT_VARIABLE output)
file(READ "${SOURCE_DIR}/main.cpp" program)
expect_in(README.md "${program}")
expect_in(README.md "${output}")
