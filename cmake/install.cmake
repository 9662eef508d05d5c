# cmake --install: the library, the headers under include/notape/<room>/, the command, and a package
# for find_package(notape CONFIG). Headers keep their spelling: #include "autograd/tensor/tensor.h".
# Of a build of some targets only, what was built is installed.

include(CMakePackageConfigHelpers)

set(notape_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/notape")
set(notape_include_dir "${CMAKE_INSTALL_INCLUDEDIR}/notape")

install(TARGETS notape torch_compat EXPORT notapeTargets LIBRARY OPTIONAL)
install(EXPORT notapeTargets NAMESPACE notape:: DESTINATION "${notape_package_dir}")
foreach(found_at_run_time IN ITEMS notape_cuda notape_cudnn notape_cusolver notape_proofs)  # and never linked
  if(TARGET ${found_at_run_time})
    install(TARGETS ${found_at_run_time} LIBRARY OPTIONAL)
  endif()
endforeach()
if(TARGET notape_command)
  install(TARGETS notape_command RUNTIME OPTIONAL)
endif()
foreach(room IN ITEMS autograd ops)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/${room}"
    DESTINATION "${notape_include_dir}"
    FILES_MATCHING PATTERN "*.h" PATTERN "*.cuh"
    PATTERN "${room}/include" EXCLUDE
    PATTERN "testing" EXCLUDE)
endforeach()
install(FILES "${PROJECT_SOURCE_DIR}/autograd/tensor/gdb_printer.py"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/notape")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/ops/include/" DESTINATION "${notape_include_dir}")

# notape_install_component(<name> <room> [<folder>...]): libnotape_<name>, if it was built, with the
# headers of the room's folders (of all, if none is named) and of its include/, as notape::<name>.
# Headers without a library to link would be promises that nobody keeps.
function(notape_install_component name room)
  if(NOT TARGET notape_${name}_library)
    return()
  endif()
  install(TARGETS notape_${name}_library EXPORT notape_${name} LIBRARY OPTIONAL)
  install(EXPORT notape_${name} NAMESPACE notape:: DESTINATION "${notape_package_dir}")
  set(folders "\"${PROJECT_SOURCE_DIR}/${room}\"")
  set(destination "${notape_include_dir}")
  if(ARGN)
    list(TRANSFORM ARGN REPLACE "^.+$" "\"${PROJECT_SOURCE_DIR}/${room}/\\0\"" OUTPUT_VARIABLE folders)
    string(APPEND destination "/${room}")
  endif()
  list(JOIN folders " " folders)
  install(CODE "
    if(EXISTS \"$<TARGET_FILE:notape_${name}_library>\")
      file(INSTALL DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${destination}\" TYPE DIRECTORY FILES ${folders}
        FILES_MATCHING PATTERN \"*.h\" PATTERN \"${room}/include\" EXCLUDE PATTERN \"testing\" EXCLUDE)
      file(INSTALL DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${notape_include_dir}\" TYPE DIRECTORY
        FILES \"${PROJECT_SOURCE_DIR}/${room}/include/\")
    else()
      message(STATUS \"notape::${name} is not built, so it is not installed\")
    endif()")
endfunction()

notape_install_component(verify verify)
# What a plugin in C or C++ includes needs no library.
foreach(component IN ITEMS "" "COMPONENT;dist;EXCLUDE_FROM_ALL")
  install(FILES "${PROJECT_SOURCE_DIR}/verify/plugin/c_abi.h" "${PROJECT_SOURCE_DIR}/verify/plugin/operator.h"
    "${PROJECT_SOURCE_DIR}/verify/plugin/dual.h" DESTINATION "${notape_include_dir}/verify/plugin" ${component})
  install(FILES "${PROJECT_SOURCE_DIR}/autograd/language.h" DESTINATION "${notape_include_dir}/autograd" ${component})
endforeach()
notape_install_component(trace trace)
notape_install_component(nn paper_examples nn optim data models)

configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/notapeConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/notapeConfig.cmake"
  INSTALL_DESTINATION "${notape_package_dir}"
  PATH_VARS CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/notapeConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/notapeConfig.cmake" "${PROJECT_BINARY_DIR}/notapeConfigVersion.cmake"
  DESTINATION "${notape_package_dir}")
