#include "coordinator/driver/update_spool.h"

#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/base/log.h"
#include "common/base/status.h"
#include "common/blob/files.h"
#include "common/blob/hash.h"
#include "coordinator/driver/upload_file.h"

namespace meanfield::driver {
namespace {

constexpr char kNoteSuffix[] = ".accepted";

std::string RoundPrefix(uint32_t round) {
  return absl::StrCat("round-", round, "-");
}

absl::StatusOr<proto::SpooledUpdate> ReadNote(const std::string& path) {
  MEANFIELD_ASSIGN_OR_RETURN(const std::string bytes, ReadWholeFile(path));
  proto::SpooledUpdate update;
  if (!update.ParseFromString(bytes)) {
    return absl::DataLossError(absl::StrCat(path, " is damaged"));
  }
  return update;
}

// DATA_LOSS where the update is not the one that its note speaks of.
absl::StatusOr<proto::SpooledUpdate> ReadChecked(const std::string& path) {
  MEANFIELD_ASSIGN_OR_RETURN(proto::SpooledUpdate update,
                             ReadNote(path + kNoteSuffix));
  MEANFIELD_ASSIGN_OR_RETURN(const std::string id, BlobIdOfFile(path));
  if (id == update.result().output().id()) return update;
  return absl::DataLossError(absl::StrCat(path, " is ", id, ", expected ",
                                          update.result().output().id()));
}

}  // namespace

absl::StatusOr<UpdateSpool> UpdateSpool::Open(store::RunStore& store,
                                              const std::string& run) {
  MEANFIELD_ASSIGN_OR_RETURN(const std::string folder, store.RunFolder(run));
  UpdateSpool spool(absl::StrCat(folder, "/updates"));
  MEANFIELD_RETURN_IF_ERROR(MakePrivateFolder(spool.folder_));
  return spool;
}

std::string UpdateSpool::PathOf(uint32_t round, const std::string& task,
                                uint32_t shard) const {
  return absl::StrCat(folder_, "/", RoundPrefix(round), task, "-shard-", shard);
}

absl::StatusOr<std::string> UpdateSpool::Take(
    const std::string& path, uint32_t round,
    const proto::ShardPlan& shard) const {
  const std::string to = PathOf(round, shard.task(), shard.shard());
  RemoveFile(to + kNoteSuffix);
  MEANFIELD_RETURN_IF_ERROR(RenameFile(path, to));
  return to;
}

absl::Status UpdateSpool::Accept(const proto::SpooledUpdate& update) const {
  const std::string note =
      PathOf(update.round(), update.task(), update.shard()) + kNoteSuffix;
  const std::string part = note + ".part";
  RemoveFile(part);
  const std::string bytes = update.SerializeAsString();
  MEANFIELD_RETURN_IF_ERROR(
      WriteNewFile(part, std::as_bytes(std::span(bytes))));
  return RenameFile(part, note);
}

void UpdateSpool::Drop(uint32_t round, const proto::ShardPlan& shard) const {
  const std::string path = PathOf(round, shard.task(), shard.shard());
  RemoveFile(path + kNoteSuffix);
  RemoveFile(path);
}

std::optional<UpdateSpool::Found> UpdateSpool::Find(
    uint32_t round, const proto::ShardPlan& shard) const {
  const std::string path = PathOf(round, shard.task(), shard.shard());
  absl::StatusOr<proto::SpooledUpdate> update = ReadChecked(path);
  if (update.ok()) return Found{path, *std::move(update)};
  if (!absl::IsNotFound(update.status())) {
    Log(LogLevel::kWarning, "update_not_kept",
        {{"path", path}, {"reason", update.status().ToString()}});
  }
  Drop(round, shard);
  return std::nullopt;
}

void UpdateSpool::KeepOnly(uint32_t open_round) const {
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator(folder_, error)) {
    const std::string name = entry.path().filename().string();
    if (!absl::StartsWith(name, RoundPrefix(open_round))) {
      RemoveFile(entry.path().string());
    }
  }
}

}  // namespace meanfield::driver
