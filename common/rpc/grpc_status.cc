#include "common/rpc/grpc_status.h"

#include <cstdint>

#include "common/base/strings.h"

namespace meanfield::rpc {
namespace {

// gRPC percent-encodes what is not printable ASCII.
size_t EncodedBytes(char c) {
  return c >= 0x20 && c < 0x7f && c != '%' ? 1 : 3;
}

std::string BoundedMessage(std::string_view message) {
  size_t encoded = 0;
  for (size_t i = 0; i < message.size(); ++i) {
    encoded += EncodedBytes(message[i]);
    if (encoded > kMaxStatusBytes) {
      return StrCat(Utf8Prefix(message, i), " … (", message.size() - i,
                    " more bytes)");
    }
  }
  return std::string(message);
}

bool IsContinuation(char c) { return (static_cast<uint8_t>(c) & 0xc0) == 0x80; }

// Bytes of the well-formed UTF-8 character that `text` starts with, or 0.
size_t CharacterBytes(std::string_view text) {
  const uint8_t lead = static_cast<uint8_t>(text[0]);
  if (lead < 0x80) return 1;
  const size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < size) return 0;
  for (size_t i = 1; i < size; ++i) {
    if (!IsContinuation(text[i])) return 0;
  }
  const uint8_t second = static_cast<uint8_t>(text[1]);
  const bool overlong =
      (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
  const bool surrogate = lead == 0xed && second > 0x9f;
  const bool too_large = lead == 0xf4 && second > 0x8f;
  return overlong || surrogate || too_large ? 0 : size;
}

}  // namespace

grpc::Status ToGrpcStatus(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  return grpc::Status(static_cast<grpc::StatusCode>(status.raw_code()),
                      BoundedMessage(StdView(status.message())));
}

absl::Status FromGrpcStatus(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()),
                      status.error_message());
}

std::string Utf8Prefix(std::string_view text, size_t max_bytes) {
  std::string prefix;
  while (!text.empty()) {
    const size_t size = CharacterBytes(text);
    const std::string_view character = size == 0 ? "?" : text.substr(0, size);
    if (prefix.size() + character.size() > max_bytes) break;
    prefix += character;
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return prefix;
}

}  // namespace meanfield::rpc
