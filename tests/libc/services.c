/* flags: -D_GNU_SOURCE -fno-builtin -Wno-deprecated-declarations */
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <grp.h>
#include <math.h>
#include <net/if.h>
#include <netdb.h>
#include <pwd.h>
#include <regex.h>
#include <search.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "accesses.h"

static int file;
static regex_t compiled;
static void before(void) {
  char path[] = "/tmp/libc_accesses_XXXXXX";
  file = mkstemp(path);
  unlink(path);
  sink += write(file, "some text to be read again", 26);
  regcomp(&compiled, "(te)x", 0);
}
static int by_byte(const void* x, const void* y) { return *(const char*)x - *(const char*)y; }
static int by_address(const void* x, const void* y) { return (x > y) - (x < y); }

/* clang-format off */
WRITES(qsort, "text", qsort(b, 4, 1, by_byte))
WRITES(lsearch, "t", size_t count = 1; lsearch("x", b, &count, 1, by_byte))
WRITES(tsearch, "", void** root = (void**)b; tsearch("x", root, by_address))
WRITES(gmtime_r, "", time_t t = 0; gmtime_r(&t, (struct tm*)b))
WRITES(localtime_r, "", time_t t = 0; localtime_r(&t, (struct tm*)b))
READS(gmtime, "", gmtime((time_t*)b))
WRITES(mktime, "", mktime((struct tm*)b))
WRITES(asctime_r, "", struct tm t = {0}; asctime_r(&t, b))
WRITES(ctime_r, "", time_t t = 0; ctime_r(&t, b))
WRITES(strftime, "", struct tm t = {0}; strftime(b, ROOM, "%Y", &t))
READS(strptime, "12", struct tm t; strptime(b, "%H", &t))
WRITES(clock_gettime, "", clock_gettime(CLOCK_REALTIME, (struct timespec*)b))
WRITES(clock_getres, "", clock_getres(CLOCK_REALTIME, (struct timespec*)b))
WRITES(gettimeofday, "", extern int gettimeofday(void*, void*); gettimeofday(b, NULL))
WRITES(time, "", time((time_t*)b))
READS(nanosleep, "", nanosleep((struct timespec*)b, NULL))
READS(getenv, "HOME", sink += getenv(b) != NULL)
READS(setenv, "NAME", setenv(b, "value", 1))
READS(unsetenv, "NAME", unsetenv(b))
WRITES(stat, "", stat("/", (struct stat*)b))
WRITES(fstat, "", fstat(file, (struct stat*)b))
READS(lstat, "/tmp", struct stat s; lstat(b, &s))
WRITES(statvfs, "", statvfs("/", (struct statvfs*)b))
WRITES(pread, "", sink += pread(file, b, 8, 0))
READS(pwrite, "text", sink += pwrite(file, b, 4, 0))
WRITES(preadv, "", struct iovec part = {b, 8}; sink += preadv(file, &part, 1, 0))
READS(pwritev, "text", struct iovec part = {b, 4}; sink += pwritev(file, &part, 1, 0))
WRITES(readlink, "", sink += readlink("/proc/self/exe", b, ROOM))
WRITES(getcwd, "", sink += getcwd(b, ROOM) != NULL)
READS(realpath, "/tmp", free(realpath(b, NULL)))
READS(glob, "/tm?", glob_t g; glob(b, 0, NULL, &g); globfree(&g))
READS(scandir, "/proc/self/fdinfo/..", struct dirent** list; scandir(b, &list, NULL, NULL))
WRITES(inet_pton, "", inet_pton(AF_INET, "1.2.3.4", b))
READS(inet_ntop, "", char to[64]; inet_ntop(AF_INET, b, to, sizeof to))
READS(inet_aton, "1.2.3.4", struct in_addr to; inet_aton(b, &to))
READS(if_nametoindex, "lo", if_nametoindex(b))
READS(getpwnam, "root", getpwnam(b))
WRITES(getpwuid_r, "", struct passwd* found; char room[1024]; getpwuid_r(0, (struct passwd*)b, room, sizeof room, &found))
WRITES(getgrgid_r, "", struct group* found; char room[1024]; getgrgid_r(0, (struct group*)b, room, sizeof room, &found))
READS(getprotobyname, "tcp", getprotobyname(b))
WRITES(frexp, "", frexp(8.5, (int*)b))
WRITES(modf, "", modf(8.5, (double*)b))
WRITES(sincos, "", double c; sincos(1.0, (double*)b, &c))
WRITES(remquo, "", remquo(8.5, 2.0, (int*)b))
WRITES(lgamma_r, "", lgamma_r(8.5, (int*)b))
WRITES(rand_r, "", rand_r((unsigned*)b))
WRITES(uname, "", uname((struct utsname*)b))
WRITES(sysinfo, "", sysinfo((struct sysinfo*)b))
WRITES(sigemptyset, "", sigemptyset((sigset_t*)b))
READS(regexec, "text", sink += regexec(&compiled, b, 0, NULL, 0))
WRITES(confstr, "", confstr(_CS_PATH, b, ROOM))
/* clang-format on */

int main(int argc, char** argv) { return run_entries(argc, argv); }
