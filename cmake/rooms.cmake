# How a room becomes targets. Files are found by name, so a new operator needs no edit here:
#   *_test.cpp, testing/*.cpp   belong to the room's test program
#   every other *.cpp           belongs to the room's library

set(notape_test_source_pattern "(_test\\.(cpp|cu)|/testing/[^/]*\\.(cpp|cu))$")

# notape_sources(<variable> <pattern>... [EXCLUDE <regex>...]): the files of the current directory's
# tree that match the glob patterns, without test sources.
function(notape_sources variable)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "EXCLUDE")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${arg_UNPARSED_ARGUMENTS})
  foreach(pattern IN LISTS notape_test_source_pattern arg_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX "${pattern}")
  endforeach()
  set(${variable} "${sources}" PARENT_SCOPE)
endfunction()

# notape_unite(<target> <count> <source>...): <count> sources of one folder (0: all) are compiled as one file, if
# NOTAPE_UNITY: half the cost of a small file is its headers. So a name in an unnamed namespace is unique in its folder.
function(notape_unite target count)
  if(NOT NOTAPE_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set(folders "")
  foreach(source IN LISTS ARGN)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    list(APPEND folders "${folder}")
    list(APPEND sources_of_${folder} "${source}")
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    set(number 0)
    foreach(source IN LISTS sources_of_${folder})
      set(group "${folder}")
      if(count GREATER 0)
        math(EXPR part "${number} / ${count}")
        string(APPEND group "_${part}")
      endif()
      set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${group}")
      math(EXPR number "${number} + 1")
    endforeach()
  endforeach()
endfunction()

# notape_precompile(<target> <header>...): compiled once for all C++ files of the target. An edit of one recompiles
# all, so: headers that rarely change or that nearly all include. A build with clang goes without (CMakePresets.json).
function(notape_precompile target)
  if(NOTAPE_PRECOMPILE AND TARGET ${target})
    list(TRANSFORM ARGN REPLACE "^.+$" "$<$<COMPILE_LANGUAGE:CXX>:<\\0$<ANGLE-R>>" OUTPUT_VARIABLE headers)
    target_precompile_headers(${target} PRIVATE ${headers})
  endif()
endfunction()

# notape_object_library(<target> LIBRARIES <library>... [EXCLUDE <regex>...] [UNITE <count> <regex>]):
# the current room as an OBJECT library. UNITE: how many files may be compiled as one, and which.
# Objects linked straight into a program or shared library keep their static registrations; a STATIC
# library would drop the files nobody calls.
function(notape_object_library target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES;EXCLUDE;UNITE")
  notape_sources(sources *.cpp EXCLUDE ${arg_EXCLUDE})
  if(NOT sources)  # a room of headers only, so far
    set(sources "${CMAKE_CURRENT_BINARY_DIR}/${target}_is_empty.cpp")
    file(CONFIGURE OUTPUT "${sources}" CONTENT "")
  endif()
  add_library(${target} OBJECT ${sources})
  if(arg_UNITE)
    list(POP_FRONT arg_UNITE count pattern)
    list(FILTER sources INCLUDE REGEX "${pattern}")
    notape_unite(${target} ${count} ${sources})
  endif()
  target_include_directories(${target} PUBLIC
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR};${PROJECT_SOURCE_DIR}/ops/include>")
  target_link_libraries(${target} PUBLIC ${arg_LIBRARIES})
endfunction()

# notape_component_library(<name> [SOURCES <source>...] LIBRARIES <library>...): libnotape_<name>.so, which others link as
# notape::<name> (install.cmake).
function(notape_component_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES;SOURCES")
  set(target notape_${name}_library)
  add_library(${target} SHARED ${arg_SOURCES})
  add_library(notape::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES
    LINKER_LANGUAGE CXX
    EXPORT_NAME ${name}
    OUTPUT_NAME notape_${name}
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    INSTALL_RPATH "$ORIGIN")
  target_include_directories(${target} PUBLIC
    "$<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>")
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES} PUBLIC notape)
endfunction()

# notape_tests(<room> LIBRARIES <library>... [TIMEOUT <seconds>] [PREFIX <of names>] [EXCLUDE <regex>...]): all test sources
# of the current room as one GoogleTest program <room>_tests, one CTest test per case, labelled with the
# room's name. A room without test sources gets none.
function(notape_tests room)
  if(NOT NOTAPE_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT;PREFIX" "LIBRARIES;EXCLUDE")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 180)
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp *.cu)
  list(FILTER sources INCLUDE REGEX "${notape_test_source_pattern}")
  if(NOT NOTAPE_HAVE_CUDA)
    list(APPEND arg_EXCLUDE "\\.cu$")
  endif()
  foreach(pattern IN LISTS arg_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX "${pattern}")
  endforeach()
  if(NOT sources)
    return()
  endif()
  add_executable(${room}_tests ${sources})
  # Tests are most of what is compiled and little of what runs: the optimiser and the checks for
  # undefined behaviour go to what is tested.
  target_compile_options(${room}_tests PRIVATE
    "$<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O0>")
  if(NOTAPE_SANITIZE MATCHES "undefined")
    target_compile_options(${room}_tests PRIVATE
      "$<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=undefined>")
  endif()
  notape_unite(${room}_tests 0 ${sources})
  target_link_libraries(${room}_tests PRIVATE
    ${arg_LIBRARIES} GTest::gtest GTest::gmock GTest::gtest_main rapidcheck rapidcheck_gtest
    fmt::fmt quadmath)
  notape_precompile(${room}_tests algorithm functional map memory string vector
    gtest/gtest.h gmock/gmock.h rapidcheck.h rapidcheck/gtest.h autograd/autograd.h)
  include(GoogleTest)
  gtest_discover_tests(${room}_tests
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
    TEST_PREFIX "${arg_PREFIX}"
    PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS ${room})
endfunction()
