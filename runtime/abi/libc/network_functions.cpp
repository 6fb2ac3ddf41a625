// Names and addresses of hosts, networks and interfaces, and a socket's own properties.
#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/ether.h>
#include <resolv.h>
#include <sys/socket.h>

#include "runtime/abi/libc/database_records.h"

namespace heddle::abi {
namespace {

// An address that the kernel wrote: as much of it as there was room for.
void writes_address(const ProgramCall& call, const void* to, const socklen_t* length, socklen_t room) {
  call.writes_object(length);
  if (to != nullptr && length != nullptr) call.writes(to, *length < room ? *length : room);
}

std::size_t bytes_of_address(int family) { return family == AF_INET6 ? sizeof(in6_addr) : sizeof(in_addr); }

}  // namespace
}  // namespace heddle::abi

using heddle::abi::bytes_of_address;
using heddle::abi::writes_address;

// --- sockets

#define HEDDLE_ASKS_SOCKET(name)                                                                      \
  HEDDLE_SEEN(int, name, (int descriptor, sockaddr* to, socklen_t* length), (descriptor, to, length), \
              call.reads_object(length);                                                              \
              const socklen_t room = length != nullptr ? *length : 0,                                 \
              if (result == 0) writes_address(call, to, length, room))
HEDDLE_ASKS_SOCKET(getsockname)
HEDDLE_ASKS_SOCKET(getpeername)
HEDDLE_SEEN(int, getsockopt, (int descriptor, int level, int option, void* to, socklen_t* length),
            (descriptor, level, option, to, length), call.reads_object(length);
            const socklen_t room = length != nullptr ? *length : 0,
            if (result == 0) writes_address(call, to, length, room))
HEDDLE_SEEN(int, setsockopt, (int descriptor, int level, int option, const void* from, socklen_t length),
            (descriptor, level, option, from, length), call.reads(from, length), HEDDLE_NOTHING)

// --- addresses as text

HEDDLE_SEEN(int, inet_aton, (const char* text, in_addr* to), (text, to), call.reads_text(text),
            if (result != 0) call.writes_object(to))
HEDDLE_SEEN(int, inet_pton, (int family, const char* text, void* to), (family, text, to),
            call.reads_text(text), if (result == 1) call.writes(to, bytes_of_address(family)))
HEDDLE_SEEN(
    const char*, inet_ntop, (int family, const void* from, char* to, socklen_t room),
    (family, from, to, room), HEDDLE_NOTHING, if (result != nullptr) {
      call.reads(from, bytes_of_address(family));
      call.writes_text(result);
    })
HEDDLE_SEEN(in_addr_t, inet_addr, (const char* text), (text), call.reads_text(text), HEDDLE_NOTHING)
HEDDLE_SEEN(ether_addr*, ether_aton, (const char* text), (text), call.reads_text(text),
            call.writes_object(result))
HEDDLE_SEEN(ether_addr*, ether_aton_r, (const char* text, ether_addr* to), (text, to), call.reads_text(text),
            call.writes_object(result))
HEDDLE_SEEN(char*, ether_ntoa, (const ether_addr* from), (from), call.reads_object(from),
            call.writes_text(result))
HEDDLE_SEEN(char*, ether_ntoa_r, (const ether_addr* from, char* to), (from, to), call.reads_object(from),
            call.writes_text(result))
HEDDLE_SEEN(int, ether_hostton, (const char* name, ether_addr* to), (name, to), call.reads_text(name),
            if (result == 0) call.writes_object(to))
HEDDLE_SEEN(int, ether_ntohost, (char* to, const ether_addr* from), (to, from), call.reads_object(from),
            if (result == 0) call.writes_text(to))
HEDDLE_SEEN(
    int, ether_line, (const char* text, ether_addr* to, char* name), (text, to, name), call.reads_text(text),
    if (result == 0) {
      call.writes_object(to);
      call.writes_text(name);
    })
HEDDLE_SEEN(
    int, dn_expand,
    (const unsigned char* message, const unsigned char* end, const unsigned char* from, char* to, int room),
    (message, end, from, to, room), HEDDLE_NOTHING, if (result >= 0) {
      call.reads(from, static_cast<std::size_t>(result));
      call.writes_text(to);
    })
HEDDLE_SEEN(int, dn_comp,
            (const char* from, unsigned char* to, int room, unsigned char** known, unsigned char** last),
            (from, to, room, known, last), call.reads_text(from),
            if (result >= 0) call.writes(to, static_cast<std::size_t>(result)))

// --- interfaces

HEDDLE_SEEN(char*, if_indextoname, (unsigned index, char* to), (index, to), HEDDLE_NOTHING,
            call.writes_text(result))
HEDDLE_SEEN(unsigned, if_nametoindex, (const char* name), (name), call.reads_text(name), HEDDLE_NOTHING)
HEDDLE_SEEN(int, getifaddrs, (ifaddrs * *to), (to), HEDDLE_NOTHING, if (result == 0) call.writes_object(to))

// --- databases

HEDDLE_SEEN(int, getaddrinfo, (const char* host, const char* service, const addrinfo* hints, addrinfo** to),
            (host, service, hints, to), call.reads_text(host);
            call.reads_text(service); call.reads_object(hints), if (result == 0) call.writes_object(to))
HEDDLE_SEEN(
    int, getnameinfo,
    (const sockaddr* from, socklen_t length, char* host, socklen_t host_room, char* service,
     socklen_t service_room, int flags),
    (from, length, host, host_room, service, service_room, flags), call.reads(from, length),
    if (result == 0) {
      if (host_room != 0) call.writes_text(host);
      if (service_room != 0) call.writes_text(service);
    })

HEDDLE_FINDS_RECORD(hostent, gethostbyname, (const char* name), (name), call.reads_text(name))
HEDDLE_FINDS_RECORD(hostent, gethostbyname2, (const char* name, int family), (name, family),
                    call.reads_text(name))
HEDDLE_FINDS_RECORD(hostent, gethostbyaddr, (const void* address, socklen_t length, int family),
                    (address, length, family), call.reads(address, length))
HEDDLE_FINDS_RECORD(hostent, gethostent, (), (), HEDDLE_NOTHING)
HEDDLE_FINDS_RECORD(netent, getnetbyname, (const char* name), (name), call.reads_text(name))
HEDDLE_FINDS_RECORD(netent, getnetbyaddr, (std::uint32_t net, int type), (net, type), HEDDLE_NOTHING)
HEDDLE_FINDS_RECORD(netent, getnetent, (), (), HEDDLE_NOTHING)
HEDDLE_FINDS_RECORD(protoent, getprotobyname, (const char* name), (name), call.reads_text(name))
HEDDLE_FINDS_RECORD(protoent, getprotobynumber, (int number), (number), HEDDLE_NOTHING)
HEDDLE_FINDS_RECORD(protoent, getprotoent, (), (), HEDDLE_NOTHING)
HEDDLE_FINDS_RECORD(servent, getservbyname, (const char* name, const char* protocol), (name, protocol),
                    call.reads_text(name);
                    call.reads_text(protocol))
HEDDLE_FINDS_RECORD(servent, getservbyport, (int port, const char* protocol), (port, protocol),
                    call.reads_text(protocol))

// (hostent's have their own error number.)
#define HEDDLE_FILLS_HOST(name, parameters, arguments, before) \
  HEDDLE_FILLS_RECORD_AND(hostent, name, parameters, arguments, (, int* error), (, error), before)
HEDDLE_FILLS_HOST(gethostbyname_r, (const char* name, ), (name, ), call.reads_text(name))
HEDDLE_FILLS_HOST(gethostbyname2_r, (const char* name, int family, ), (name, family, ), call.reads_text(name))
HEDDLE_FILLS_HOST(gethostbyaddr_r, (const void* address, socklen_t length, int family, ),
                  (address, length, family, ), call.reads(address, length))
HEDDLE_FILLS_HOST(gethostent_r, (), (), HEDDLE_NOTHING)
HEDDLE_FILLS_RECORD(protoent, getprotobyname_r, (const char* name, ), (name, ), call.reads_text(name))
HEDDLE_FILLS_RECORD(protoent, getprotobynumber_r, (int number, ), (number, ), HEDDLE_NOTHING)
HEDDLE_FILLS_RECORD(protoent, getprotoent_r, (), (), HEDDLE_NOTHING)
