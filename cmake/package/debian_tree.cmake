# CPack runs this on the tree that becomes the Debian package: manual pages as Debian has them, the change log (the file
# HEDDLE_CHANGELOG, from scripts/package).
set(share ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share)
find_program(gzip gzip REQUIRED)
file(GLOB pages ${share}/man/man1/*.1)
if(HEDDLE_CHANGELOG)
  configure_file(${HEDDLE_CHANGELOG} ${share}/doc/heddle/changelog COPYONLY)
  list(APPEND pages ${share}/doc/heddle/changelog)
endif()
# -n: no time of the build in the package.
execute_process(COMMAND ${gzip} -9n ${pages} COMMAND_ERROR_IS_FATAL ANY)
