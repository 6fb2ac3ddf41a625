# The installed tree: <prefix>/bin/heddle, lib/libheddle.so, lib/heddle/, include/heddle/, lib/cmake/heddle/. heddle
# finds the others from its own place, so the tree can be moved. Always lib/, never a multiarch folder below it.
include(CMakePackageConfigHelpers)

set(heddle_package_dir ${CMAKE_BINARY_DIR}/lib/cmake/heddle)  # the build tree is a usable prefix, too
configure_file(${PROJECT_SOURCE_DIR}/cmake/heddleConfig.cmake.in ${heddle_package_dir}/heddleConfig.cmake @ONLY)
configure_file(${PROJECT_SOURCE_DIR}/cmake/heddleDiscoverTests.cmake ${heddle_package_dir}/heddleDiscoverTests.cmake
               COPYONLY)
write_basic_package_version_file(${heddle_package_dir}/heddleConfigVersion.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)

if(TARGET heddle)
  install(TARGETS heddle RUNTIME DESTINATION bin)
endif()
if(TARGET heddle_runtime)
  install(TARGETS heddle_runtime LIBRARY DESTINATION lib)
endif()
install(DIRECTORY ${CMAKE_BINARY_DIR}/lib/heddle/ DESTINATION lib/heddle USE_SOURCE_PERMISSIONS)
install(DIRECTORY ${CMAKE_BINARY_DIR}/include/heddle DESTINATION include
        FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(DIRECTORY ${heddle_package_dir}/ DESTINATION lib/cmake/heddle)
