#include "common/rpc/address.h"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "common/base/strings.h"

namespace meanfield::rpc {
namespace {

absl::Status Malformed(std::string_view text, std::string_view why) {
  return absl::InvalidArgumentError(
      StrCat("\"", text, "\" is not an address: ", why,
             "; expected host:port, for example 127.0.0.1:7070 or "
             "[::1]:7070"));
}

bool IsDottedQuad(std::string_view host) {
  return host.find_first_not_of("0123456789.") == std::string_view::npos;
}

struct FreeAddresses {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};

// errno of the first step that fails, 0 when binding succeeds.
int TryBind(const addrinfo& candidate) {
  const int fd =
      socket(candidate.ai_family, candidate.ai_socktype | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno;
  const int reuse = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof(reuse));
  int error = 0;
  if (bind(fd, candidate.ai_addr, candidate.ai_addrlen) != 0 ||
      listen(fd, 1) != 0) {
    error = errno;
  }
  close(fd);
  return error;
}

}  // namespace

absl::StatusOr<Address> ParseAddress(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return Malformed(text, "no port");
  std::string_view host = text.substr(0, colon);
  const std::string_view port = text.substr(colon + 1);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return Malformed(text, "an IPv6 host needs brackets");
  }
  if (host.empty()) return Malformed(text, "no host");
  if (host.find_first_of("/ []\t\n") != std::string_view::npos) {
    return Malformed(text, "the host holds a character that hosts cannot");
  }
  Address address{.host = std::string(host)};
  if (port.empty() ||
      port.find_first_not_of("0123456789") != std::string_view::npos ||
      !absl::SimpleAtoi(AbslView(port), &address.port) ||
      address.port > 65535) {
    return Malformed(text, "the port is not a number from 0 to 65535");
  }
  return address;
}

std::string ToString(const Address& address) {
  return address.host.find(':') != std::string::npos
             ? StrCat("[", address.host, "]:", address.port)
             : StrCat(address.host, ":", address.port);
}

bool IsLoopback(const Address& address) {
  return address.host == "localhost" || address.host == "::1" ||
         (address.host.starts_with("127.") && IsDottedQuad(address.host));
}

absl::Status WhyNotListening(const Address& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const int failed =
      getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(),
                  &hints, &found);
  std::string reason = "the cause is unknown; try again";
  if (failed != 0) {
    reason = StrCat("the host is unknown: ", gai_strerror(failed));
  }
  const std::unique_ptr<addrinfo, FreeAddresses> list(found);
  for (const addrinfo* a = list.get(); a != nullptr; a = a->ai_next) {
    if (const int error = TryBind(*a); error != 0) {
      reason = std::strerror(error);
      break;
    }
  }
  return absl::UnavailableError(
      StrCat("cannot listen on ", ToString(address), ": ", reason));
}

}  // namespace meanfield::rpc
