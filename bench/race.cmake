# The race detector's benchmarks: the same instrumented loops on the detector and on ThreadSanitizer.
find_package(benchmark REQUIRED)

add_library(race_loops OBJECT speed/race_loops.cpp)
target_include_directories(race_loops PRIVATE ${PROJECT_SOURCE_DIR})
target_compile_options(race_loops PRIVATE -O2 -fno-tree-vectorize -fsanitize=thread)

# The shim defines the program's memcpy and memset, so it goes without the header that gives those names to the private
# copies; the detector's own calls still reach those.
set(race_shim_flags ${HEDDLE_RUNTIME_FLAGS})
list(FILTER race_shim_flags EXCLUDE REGEX freestanding)
add_library(race_shim SHARED race_shim.cpp)
target_compile_options(race_shim PRIVATE ${HEDDLE_WARNINGS} ${race_shim_flags} -fno-builtin -fomit-frame-pointer)
target_link_libraries(race_shim PRIVATE heddle_race)

add_executable(race_accesses race_accesses.cpp race_new_epoch_heddle.cpp $<TARGET_OBJECTS:race_loops>)
target_link_libraries(race_accesses PRIVATE race_shim benchmark::benchmark)

add_executable(race_accesses_tsan race_accesses.cpp race_new_epoch_tsan.cpp $<TARGET_OBJECTS:race_loops>)
target_link_options(race_accesses_tsan PRIVATE -fsanitize=thread)
target_link_libraries(race_accesses_tsan PRIVATE benchmark::benchmark)

# Without the procedure linkage table between the program and the runtime: what the detector itself costs.
add_executable(race_accesses_static race_accesses.cpp race_new_epoch_heddle.cpp race_shim.cpp
               $<TARGET_OBJECTS:race_loops>)
target_compile_options(race_accesses_static PRIVATE -fno-builtin)
target_link_libraries(race_accesses_static PRIVATE heddle_race benchmark::benchmark)

foreach(target race_accesses race_accesses_tsan race_accesses_static)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_options(${target} PRIVATE ${HEDDLE_WARNINGS})
endforeach()

# clang's runtime is newer than g++ 12's and twice as fast.
find_program(HEDDLE_BENCH_CLANGXX NAMES clang++-19 clang++)
if(HEDDLE_BENCH_CLANGXX)
  add_custom_command(
    OUTPUT ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/race_accesses_tsan_clang
    COMMAND ${HEDDLE_BENCH_CLANGXX} -fsanitize=thread -o ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/race_accesses_tsan_clang
            $<TARGET_OBJECTS:race_accesses_tsan> $<TARGET_OBJECTS:race_loops> -lbenchmark
    DEPENDS race_accesses_tsan race_loops
    COMMAND_EXPAND_LISTS VERBATIM)
  # Not part of `all`: the compiler may lack its runtime.
  add_custom_target(race_accesses_tsan_clang DEPENDS ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/race_accesses_tsan_clang)
endif()

add_executable(race_detector_bench race_detector.cpp)
target_compile_options(race_detector_bench PRIVATE ${HEDDLE_WARNINGS})
target_link_libraries(race_detector_bench PRIVATE heddle_race benchmark::benchmark)
