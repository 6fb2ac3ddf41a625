// Names and addresses of hosts, networks and interfaces, and a socket's own properties. Records that libc
// keeps in memory of its own (gethostbyname) are handed to the program: writing them is told, since the next
// call of any thread overwrites them.
#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/ether.h>
#include <resolv.h>
#include <sys/socket.h>

#include "runtime/abi/interposed_call.h"

namespace heddle::abi {
namespace {

// An address that the kernel wrote: as much of it as there was room for.
void writes_address(const ProgramCall& call, const void* to, const socklen_t* length, socklen_t room) {
  call.writes_object(length);
  if (to != nullptr && length != nullptr) call.writes(to, *length < room ? *length : room);
}

std::size_t bytes_of_address(int family) { return family == AF_INET6 ? sizeof(in6_addr) : sizeof(in_addr); }

// The answer of a function with _r at its end: the record, the strings in the buffer (whose end only libc
// knows; its first byte stands for it), and the pointer to the record.
template <typename Record>
void answers(const ProgramCall& call, int error, const Record* record, const char* buffer,
             Record* const* found) {
  call.writes_object(found);
  if (error != 0 || *found == nullptr) return;
  call.writes_object(record);
  call.writes(buffer, 1);
}

}  // namespace
}  // namespace heddle::abi

using heddle::abi::answers;
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

#define HEDDLE_LOOKS_UP(Record, name, parameters, arguments, before) \
  HEDDLE_SEEN(Record*, name, parameters, arguments, before, call.writes_object(result))
HEDDLE_LOOKS_UP(hostent, gethostbyname, (const char* name), (name), call.reads_text(name))
HEDDLE_LOOKS_UP(hostent, gethostbyname2, (const char* name, int family), (name, family),
                call.reads_text(name))
HEDDLE_LOOKS_UP(hostent, gethostbyaddr, (const void* address, socklen_t length, int family),
                (address, length, family), call.reads(address, length))
HEDDLE_LOOKS_UP(hostent, gethostent, (), (), HEDDLE_NOTHING)
HEDDLE_LOOKS_UP(netent, getnetbyname, (const char* name), (name), call.reads_text(name))
HEDDLE_LOOKS_UP(netent, getnetbyaddr, (std::uint32_t net, int type), (net, type), HEDDLE_NOTHING)
HEDDLE_LOOKS_UP(netent, getnetent, (), (), HEDDLE_NOTHING)
HEDDLE_LOOKS_UP(protoent, getprotobyname, (const char* name), (name), call.reads_text(name))
HEDDLE_LOOKS_UP(protoent, getprotobynumber, (int number), (number), HEDDLE_NOTHING)
HEDDLE_LOOKS_UP(protoent, getprotoent, (), (), HEDDLE_NOTHING)
HEDDLE_LOOKS_UP(servent, getservbyname, (const char* name, const char* protocol), (name, protocol),
                call.reads_text(name);
                call.reads_text(protocol))
HEDDLE_LOOKS_UP(servent, getservbyport, (int port, const char* protocol), (port, protocol),
                call.reads_text(protocol))

HEDDLE_SEEN(int, gethostbyname_r,
            (const char* name, hostent* record, char* buffer, std::size_t room, hostent** found, int* error),
            (name, record, buffer, room, found, error), call.reads_text(name),
            answers(call, result, record, buffer, found))
HEDDLE_SEEN(int, gethostbyname2_r,
            (const char* name, int family, hostent* record, char* buffer, std::size_t room, hostent** found,
             int* error),
            (name, family, record, buffer, room, found, error), call.reads_text(name),
            answers(call, result, record, buffer, found))
HEDDLE_SEEN(int, gethostbyaddr_r,
            (const void* address, socklen_t length, int family, hostent* record, char* buffer,
             std::size_t room, hostent** found, int* error),
            (address, length, family, record, buffer, room, found, error), call.reads(address, length),
            answers(call, result, record, buffer, found))
HEDDLE_SEEN(int, gethostent_r,
            (hostent * record, char* buffer, std::size_t room, hostent** found, int* error),
            (record, buffer, room, found, error), HEDDLE_NOTHING,
            answers(call, result, record, buffer, found))
HEDDLE_SEEN(int, getprotobyname_r,
            (const char* name, protoent* record, char* buffer, std::size_t room, protoent** found),
            (name, record, buffer, room, found), call.reads_text(name),
            answers(call, result, record, buffer, found))
HEDDLE_SEEN(int, getprotobynumber_r,
            (int number, protoent* record, char* buffer, std::size_t room, protoent** found),
            (number, record, buffer, room, found), HEDDLE_NOTHING,
            answers(call, result, record, buffer, found))
HEDDLE_SEEN(int, getprotoent_r, (protoent * record, char* buffer, std::size_t room, protoent** found),
            (record, buffer, room, found), HEDDLE_NOTHING, answers(call, result, record, buffer, found))
