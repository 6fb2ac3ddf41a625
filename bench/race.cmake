# The race detector's benchmarks: the same instrumented loops on the detector and on ThreadSanitizer.
find_package(benchmark REQUIRED)

add_library(race_loops OBJECT race_loops.cpp)
target_include_directories(race_loops PRIVATE ${PROJECT_SOURCE_DIR})
target_compile_options(race_loops PRIVATE -O2 -fno-tree-vectorize -fsanitize=thread)

add_library(race_shim SHARED race_shim.cpp)
target_compile_options(race_shim PRIVATE ${HEDDLE_WARNINGS} ${HEDDLE_RUNTIME_FLAGS} -fno-builtin)
target_link_libraries(race_shim PRIVATE heddle_race)

add_executable(race_accesses race_accesses.cpp race_new_epoch_heddle.cpp $<TARGET_OBJECTS:race_loops>)
target_link_libraries(race_accesses PRIVATE race_shim benchmark::benchmark)

add_executable(race_accesses_tsan race_accesses.cpp race_new_epoch_tsan.cpp $<TARGET_OBJECTS:race_loops>)
target_link_options(race_accesses_tsan PRIVATE -fsanitize=thread)
target_link_libraries(race_accesses_tsan PRIVATE benchmark::benchmark)

foreach(target race_accesses race_accesses_tsan)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_options(${target} PRIVATE ${HEDDLE_WARNINGS})
endforeach()
