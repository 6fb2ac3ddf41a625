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
# As targets, so that a stripped installation has them stripped; of the folder then what is left.
foreach(target heddle_fixed_layout heddle_interpreter heddle_symbolic_pass)
  if(TARGET ${target})
    install(TARGETS ${target} RUNTIME DESTINATION lib/heddle LIBRARY DESTINATION lib/heddle)
  endif()
endforeach()
install(DIRECTORY ${CMAKE_BINARY_DIR}/lib/heddle/ DESTINATION lib/heddle USE_SOURCE_PERMISSIONS
        PATTERN fixed-layout EXCLUDE PATTERN litmus-interpreter EXCLUDE PATTERN symbolic-pass.so EXCLUDE)
install(DIRECTORY ${CMAKE_BINARY_DIR}/include/heddle DESTINATION include
        FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(DIRECTORY ${heddle_package_dir}/ DESTINATION lib/cmake/heddle)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/package/copyright DESTINATION share/doc/heddle)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/guide DESTINATION share/doc/heddle)
