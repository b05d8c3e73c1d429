#include "common/blob/hash.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/base/check.h"
#include "common/base/status.h"
#include "xxhash.h"

namespace meanfield {
namespace {

constexpr std::string_view kPrefix = "xxh3-";
constexpr size_t kHexDigits = 32;
constexpr size_t kReadBytes = size_t{1} << 20;

std::string FormatId(const XXH128_hash_t& hash) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, hash);
  std::string id(kPrefix);
  for (const unsigned char byte : canonical.digest) {
    id.push_back(kDigits[byte >> 4]);
    id.push_back(kDigits[byte & 15]);
  }
  return id;
}

}  // namespace

struct BlobHasher::State {
  State() : xxh(XXH3_createState()) {
    MEANFIELD_CHECK(xxh != nullptr, "out of memory");
    XXH3_128bits_reset(xxh);
  }
  ~State() { XXH3_freeState(xxh); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  XXH3_state_t* xxh;
};

bool IsBlobId(std::string_view id) {
  if (id.size() != kPrefix.size() + kHexDigits || !id.starts_with(kPrefix)) {
    return false;
  }
  id.remove_prefix(kPrefix.size());
  return std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  });
}

std::string BlobIdOf(std::span<const std::byte> bytes) {
  return FormatId(XXH3_128bits(bytes.data(), bytes.size()));
}

absl::StatusOr<std::string> BlobIdOfFile(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return ErrnoStatus(errno, "open", path);
  BlobHasher hasher;
  std::vector<std::byte> buffer(kReadBytes);
  ssize_t got;
  do {
    got = read(fd, buffer.data(), buffer.size());
    if (got > 0) {
      hasher.Update(std::span(buffer).first(static_cast<size_t>(got)));
    }
  } while (got > 0 || (got < 0 && errno == EINTR));
  const int error = errno;
  close(fd);
  if (got < 0) return ErrnoStatus(error, "read", path);
  return hasher.Finish();
}

uint64_t ChunkChecksum(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

BlobHasher::BlobHasher() : state_(std::make_unique<State>()) {}

BlobHasher::~BlobHasher() = default;

void BlobHasher::Update(std::span<const std::byte> bytes) {
  XXH3_128bits_update(state_->xxh, bytes.data(), bytes.size());
}

std::string BlobHasher::Finish() const {
  return FormatId(XXH3_128bits_digest(state_->xxh));
}

}  // namespace meanfield
