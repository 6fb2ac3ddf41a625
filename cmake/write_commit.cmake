# cmake -DSOURCE=DIR -DOUTPUT=FILE -P write_commit.cmake: writes a source file with the commit of the tree in DIR.
# The file changes only when the commit does, so that nothing is built anew otherwise.
set(commit "unknown")
find_program(git git)
if(git)
  # A tree without a repository of its own may lie inside another one, whose commits say nothing of it.
  execute_process(COMMAND ${git} -C ${SOURCE} rev-parse --show-prefix
                  OUTPUT_VARIABLE prefix OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE status ERROR_QUIET)
  if(status EQUAL 0 AND prefix STREQUAL "")
    execute_process(COMMAND ${git} -C ${SOURCE} --no-optional-locks describe --tags --always --dirty --abbrev=12 --match v[0-9]*
                    OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE status ERROR_QUIET)
    if(status EQUAL 0 AND NOT described STREQUAL "")
      set(commit "${described}")
    endif()
  endif()
endif()
set(text "#include \"tool/cli/version.h\"\n\nnamespace heddle::cli {\nconst char kCommit[] = \"${commit}\";\n}\n")
set(before "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT before STREQUAL text)
  file(WRITE ${OUTPUT} "${text}")
endif()
