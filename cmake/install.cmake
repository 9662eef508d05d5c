# cmake --install: the library, the headers under include/notape/<room>/, the command, and a package
# for find_package(notape CONFIG). Headers keep their spelling: #include "autograd/tensor/tensor.h".

include(CMakePackageConfigHelpers)

set(notape_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/notape")

install(TARGETS notape torch_compat EXPORT notapeTargets)
if(TARGET notape_cuda)
  install(TARGETS notape_cuda LIBRARY)  # found at run time, never linked
endif()
if(TARGET notape_verify_library)
  install(TARGETS notape_verify_library EXPORT notapeTargets LIBRARY)
endif()
if(TARGET notape_command)
  install(TARGETS notape_command RUNTIME)
endif()

# Only headers with an installed library to link.
set(notape_public_rooms autograd ops)
if(TARGET notape_verify_library)
  list(APPEND notape_public_rooms verify)
endif()
foreach(room IN LISTS notape_public_rooms)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/${room}"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/notape"
    FILES_MATCHING PATTERN "*.h" PATTERN "*.cuh"
    PATTERN "ops/include" EXCLUDE
    PATTERN "testing" EXCLUDE)
endforeach()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/ops/include/"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/notape")

install(EXPORT notapeTargets NAMESPACE notape:: DESTINATION "${notape_package_dir}")
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/notapeConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/notapeConfig.cmake"
  INSTALL_DESTINATION "${notape_package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/notapeConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/notapeConfig.cmake" "${PROJECT_BINARY_DIR}/notapeConfigVersion.cmake"
  DESTINATION "${notape_package_dir}")
