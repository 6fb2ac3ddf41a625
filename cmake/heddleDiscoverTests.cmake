# Read by ctest for each heddle_discover_tests(): asks the GoogleTest program for its cases and adds a test for each.
# `heddle test` runs a campaign for every case that the program lists, so a filter makes it one case.

execute_process(COMMAND "${heddle_program}" --gtest_list_tests
  OUTPUT_VARIABLE heddle_listing ERROR_VARIABLE heddle_errors RESULT_VARIABLE heddle_status)
if(NOT heddle_status EQUAL 0)
  # A test that cannot be found fails and is seen; no test at all would pass unseen.
  add_test("${heddle_prefix}${heddle_target}_NOT_LISTED" "${heddle_program}_NOT_LISTED")
  message("heddle_discover_tests: '${heddle_program} --gtest_list_tests' failed (${heddle_status}): ${heddle_errors}")
  set(heddle_listing "")
endif()

# One line is one list element: take the characters away that mean something in a list.
string(REGEX REPLACE "[][;]" "_" heddle_listing "${heddle_listing}")
string(REPLACE "\n" ";" heddle_listing "${heddle_listing}")
set(heddle_suite "")
foreach(heddle_line IN LISTS heddle_listing)
  if(heddle_line MATCHES "^([^ #]+\\.)( *#.*)?$")
    set(heddle_suite "${CMAKE_MATCH_1}")
  elseif(heddle_suite AND heddle_line MATCHES "^  ([^ #]+)")
    set(heddle_case "${heddle_suite}${CMAKE_MATCH_1}")
    if(NOT heddle_case MATCHES "(^|[./])DISABLED_")
      set(heddle_folder "")
      if(heddle_output)
        string(MAKE_C_IDENTIFIER "${heddle_case}" heddle_folder)
        list(GET heddle_output 1 heddle_base)
        set(heddle_folder -o "${heddle_base}/${heddle_folder}")
      endif()
      add_test("${heddle_prefix}${heddle_case}" "${heddle_tool}" test ${heddle_folder} ${heddle_options} --
               "${heddle_program}" "--gtest_filter=${heddle_case}")
      if(heddle_properties)
        set_tests_properties("${heddle_prefix}${heddle_case}" PROPERTIES ${heddle_properties})
      endif()
    endif()
  endif()
endforeach()
