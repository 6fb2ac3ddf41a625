# Fails if the library needs anything of libc, libstdc++ or libgcc: it runs inside the tested program, where those are
# interposed or absent. Usage: cmake -DNM=nm -DLIBRARY=libheddle_race.a -P check_symbols.cmake
execute_process(COMMAND ${NM} -u ${LIBRARY} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "U [^\n]+" needed "${symbols}")
foreach(symbol ${needed})
  if(NOT symbol MATCHES "^U (_ZNK?6heddle|_GLOBAL_OFFSET_TABLE_)")
    message(SEND_ERROR "heddle_race needs ${symbol}")
  endif()
endforeach()
