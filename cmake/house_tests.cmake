# Tests of the house itself: arrows, budgets, format, and that an installed notape can be used.

find_package(Python3 COMPONENTS Interpreter REQUIRED)

# A build with sanitizers has those that are about its compiler, if that is the second one.
if(NOTAPE_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  return()
endif()

set(consumer_flags "")
if(NOTAPE_SANITIZE)
  set(consumer_flags "-fsanitize=${NOTAPE_SANITIZE}")
endif()
add_test(NAME house.installed_package_WorksForAConsumer
  COMMAND "${CMAKE_COMMAND}"
    "-DSOURCE_DIR=${PROJECT_SOURCE_DIR}/cmake/consumer_test"
    "-DBUILD_DIR=${PROJECT_BINARY_DIR}"
    "-DWORK_DIR=${PROJECT_BINARY_DIR}/consumer_test"
    "-DGENERATOR=${CMAKE_GENERATOR}"
    "-DCXX_COMPILER=${CMAKE_CXX_COMPILER}"
    "-DCXX_FLAGS=${consumer_flags}"
    "-DVERSION=${PROJECT_VERSION}"
    "-DPROVENANCE=${NOTAPE_PROVENANCE}"
    -P "${PROJECT_SOURCE_DIR}/cmake/run_consumer_test.cmake")
set_tests_properties(house.installed_package_WorksForAConsumer PROPERTIES
  LABELS house TIMEOUT 300 COST 100)

add_test(NAME house.language_TooOldIsOneLine
  COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/cmake/language_test.py"
    "${CMAKE_CXX_COMPILER}" "${PROJECT_SOURCE_DIR}")
set_tests_properties(house.language_TooOldIsOneLine PROPERTIES LABELS house TIMEOUT 120)

if(NOTAPE_SANITIZE)
  return()
endif()

function(notape_house_test name script)
  add_test(NAME house.${name}
    COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/.ci/${script}" ${ARGN})
  set_tests_properties(house.${name} PROPERTIES LABELS house TIMEOUT 120 SKIP_RETURN_CODE 77)
endfunction()

foreach(check IN ITEMS arrows budget format overloads)
  notape_house_test(${check} check_${check})
  notape_house_test(${check}_RejectsWhatItShould check_${check} --self-test)
endforeach()
notape_house_test(count_tests_CountsSkippedApart count_tests --self-test)
notape_house_test(run_together_FindsFailuresCrashesAndLeaks run_together --self-test)
notape_house_test(build_profile_AddsUp build_profile --self-test)
notape_house_test(claims claims --check)
notape_house_test(claims_RejectsWhatItShould claims --self-test)

if(TARGET notape_command AND NOTAPE_PROVENANCE)  # pictures of graphs name places
  notape_house_test(documents_ShowWhatCommandsPrint check_documents "${PROJECT_BINARY_DIR}")
  set_tests_properties(house.documents_ShowWhatCommandsPrint PROPERTIES
    DEPENDS house.installed_package_WorksForAConsumer)  # which builds check_swish
endif()

add_library(notape_load_test_crowd MODULE "${PROJECT_SOURCE_DIR}/cmake/load_test/crowd.cpp")
add_executable(notape_load_test "${PROJECT_SOURCE_DIR}/cmake/load_test/main.cpp")
target_link_libraries(notape_load_test PRIVATE ${CMAKE_DL_LIBS})
set(notape_late_libraries "$<TARGET_FILE:notape>")
foreach(library IN ITEMS notape_verify_library notape_trace_library notape_nn_library notape_cuda)
  if(TARGET ${library})
    list(APPEND notape_late_libraries "$<TARGET_FILE:${library}>")
  endif()
endforeach()
add_test(NAME house.library_CanBeLoadedLateIntoACrowdedProgram
  COMMAND notape_load_test "$<TARGET_FILE:notape_load_test_crowd>"
    "${PROJECT_BINARY_DIR}/load_test" ${notape_late_libraries})
set_tests_properties(house.library_CanBeLoadedLateIntoACrowdedProgram PROPERTIES
  LABELS house TIMEOUT 60)

if(TARGET notape_dist)
  add_test(NAME house.dist_RunsWhereNothingIsInstalled
    COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/cmake/dist.py" "${PROJECT_BINARY_DIR}" --test)
  set_tests_properties(house.dist_RunsWhereNothingIsInstalled PROPERTIES LABELS house TIMEOUT 120)
endif()
if(TARGET notape_command)
  add_test(NAME house.command_WorksInLittleAddressSpace
    COMMAND sh -c "ulimit -v 262144 && for words in help 'verify list' 'verify --help'; do \"$1\" $words > /dev/null || exit 1; done"
      sh "$<TARGET_FILE:notape_command>")
  set_tests_properties(house.command_WorksInLittleAddressSpace PROPERTIES LABELS house TIMEOUT 60)
endif()
