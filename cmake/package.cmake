# What CPack makes of the installed tree: a Debian package. scripts/package calls it, with the version and the change log.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME heddle)
set(CPACK_PACKAGE_CONTACT "heddle maintainers <maintainers@heddle.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "finds, replays and explains concurrency bugs in C and C++")
set(CPACK_PACKAGE_DESCRIPTION "heddle finds data races, deadlocks, lost wake-ups and failed assertions that need
a rare order of threads. It wraps the compiler (heddle cc, heddle c++), runs the
program many times, decides itself which thread goes next and which value a load
returns, and replays what it has found.

heddle c++ --full needs clang-19. heddle replay --gdb needs gdb.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# The test interpreter needs libheddle.so.0, which is in this package and in no other.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/lib)
# A compiler comes along unless the user has one or says no: `apt install` is one command, and a machine that only runs
# what another one built does without (--no-install-recommends).
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "g++ | c++-compiler")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "clang-19, gdb, libpq5")
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package/debian_tree.cmake)
include(CPack)
