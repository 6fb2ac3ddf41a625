#include "tool/cli/standard_streams.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "core/base/result.h"
#include "tool/base/temporary_file.h"

namespace heddle::cli {
namespace {

// One for each of the two streams; the stream's cookie, so it lives as long as the process.
struct Sink {
  int fd = -1;
  int error = 0;        // of the first failure that somebody has to be told
  bool closed = false;  // nobody reads it any more
};
Sink output_sink{STDOUT_FILENO};
Sink error_sink{STDERR_FILENO};

// Always takes everything: fmt::print throws where a stream does not, and a report must not end for it.
ssize_t write_to_sink(void* cookie, const char* data, size_t size) {
  Sink& sink = *static_cast<Sink*>(cookie);
  if (!sink.closed && sink.error == 0 && !write_all(sink.fd, {data, size}))
    (errno == EPIPE ? sink.closed = true : (sink.error = errno) != 0);
  return static_cast<ssize_t>(size);
}

void occupy(int fd) {
  if (fcntl(fd, F_GETFD) != -1 || errno != EBADF) return;
  // The lowest number that is free is this one.
  if (open("/dev/null", O_RDWR) < 0) memfd_create("heddle-closed-stream", 0);
}

void take_over(std::FILE*& stream, Sink& sink, int buffering) {
  std::FILE* own = fopencookie(&sink, "w", {nullptr, write_to_sink, nullptr, nullptr});
  if (own == nullptr) return;
  std::setvbuf(own, nullptr, buffering, BUFSIZ);
  stream = own;  // glibc's streams are variables that may be set (its manual, 12.2)
}

// A handler and not SIG_IGN: that would be inherited by the programs that we start.
void on_failed_write(int) {}

}  // namespace

void prepare_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) occupy(fd);
  struct sigaction action = {};
  action.sa_handler = on_failed_write;
  action.sa_flags = SA_RESTART;
  sigaction(SIGPIPE, &action, nullptr);
  sigaction(SIGXFSZ, &action, nullptr);
  take_over(stdout, output_sink, isatty(STDOUT_FILENO) != 0 ? _IOLBF : _IOFBF);
  take_over(stderr, error_sink, _IONBF);
}

int finish_standard_streams(int code) {
  std::fflush(stdout);
  std::fflush(stderr);
  if (output_sink.error == 0) return code;
  std::fprintf(stderr, "heddle: Cannot write to standard output: %s.\n", std::strerror(output_sink.error));
  return code != 0 ? code : static_cast<int>(ExitCode::kBadInput);
}

}  // namespace heddle::cli
