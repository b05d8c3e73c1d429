#include "coordinator/corpus/word_vectors.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string_view>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/container/flat_hash_set.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/tensor/safetensors.h"
#include "coordinator/corpus/encoding.h"
#include "coordinator/corpus/fault_list.h"
#include "coordinator/corpus/mapped_file.h"
#include "coordinator/corpus/word_vector_rows.h"

namespace meanfield::corpus {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

absl::Status CheckSignature(std::string_view bytes, const std::string& path) {
  struct Signature {
    std::string_view bytes;
    std::string_view problem;
  };
  static constexpr Signature kRefused[] = {
      {"\x1F\x8B", "is gzip-compressed; unpack it first (gunzip)"},
      {"PK\x03\x04", "is a zip archive; unpack it first (unzip)"},
      {"BZh91AY&SY", "is bzip2-compressed; unpack it first (bunzip2)"},
      {"\xFD\x37zXZ", "is xz-compressed; unpack it first (unxz)"},
      {"\xBA\x16\x4F\x2F",
       "is a fastText model; word vectors are in the .vec file beside it"},
      {"\x80\x02",
       "is a Python pickle (gensim); save it with "
       "save_word2vec_format first"},
      {"\x80\x03",
       "is a Python pickle (gensim); save it with "
       "save_word2vec_format first"},
      {"\x80\x04",
       "is a Python pickle (gensim); save it with "
       "save_word2vec_format first"},
  };
  for (const Signature& refused : kRefused) {
    if (bytes.starts_with(refused.bytes)) {
      return absl::InvalidArgumentError(
          StrCat("file of word vectors ", path, " ", refused.problem));
    }
  }
  return absl::OkStatus();
}

// Counts rows of a kind, and knows the first.
struct OddRows {
  uint64_t count = 0;
  uint64_t first = 0;
  std::string first_word;
  void Add(const WordVectorRows::Row& row) {
    if (count++ > 0) return;
    first = row.number;
    first_word = Quoted(row.word);
  }
};

// Leaves the rows that become rows of the tensor.
std::vector<std::string> DropOddRows(const std::string& path,
                                     WordVectorRows& table) {
  OddRows repeated;
  OddRows not_utf8;
  absl::flat_hash_set<std::string_view> seen;
  seen.reserve(table.rows.size());
  std::erase_if(table.rows, [&](const WordVectorRows::Row& row) {
    if (FindInvalid(row.word, Encoding::kUtf8) != std::string_view::npos) {
      not_utf8.Add(row);
      return true;
    }
    if (seen.insert(row.word).second) return false;
    repeated.Add(row);
    return true;
  });
  std::vector<std::string> warnings;
  if (repeated.count > 0) {
    warnings.push_back(StrCat(PlaceOf(path, table.binary, repeated.first), ": ",
                              repeated.count,
                              " row(s) of words that were "
                              "there before are left out, the first here (",
                              repeated.first_word, ")"));
  }
  if (not_utf8.count > 0) {
    warnings.push_back(StrCat(PlaceOf(path, table.binary, not_utf8.first), ": ",
                              not_utf8.count,
                              " row(s) whose word is not UTF-8 "
                              "are left out, the first here"));
  }
  return warnings;
}

absl::Status FillTensor(const WordVectorRows& table, const std::string& path,
                        std::span<float> tensor) {
  const auto size = static_cast<size_t>(table.vector_size);
  FaultList faults;
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const absl::Status status =
        ReadValues(table, table.rows[i], tensor.subspan(i * size, size));
    if (status.ok()) continue;
    if (table.binary) {
      return Annotate(status, PlaceOf(path, true, table.rows[i].number));
    }
    faults.Add(table.rows[i].number, std::string(status.message()));
  }
  return faults.ToStatus(path);
}

absl::StatusOr<Blob> WriteTensor(const WordVectorRows& table,
                                 const std::string& path,
                                 const TensorSpec& spec, BlobStore& blobs) {
  const std::string temporary = blobs.NewTemporary();
  absl::Cleanup remove = [&temporary] { std::remove(temporary.c_str()); };
  {
    MEANFIELD_ASSIGN_OR_RETURN(SafetensorsWriter writer,
                               SafetensorsWriter::Create(temporary, {spec}));
    MEANFIELD_RETURN_IF_ERROR(
        FillTensor(table, path, writer.MutableAs<float>(spec.name)));
    MEANFIELD_RETURN_IF_ERROR(writer.Finish());
  }
  MEANFIELD_ASSIGN_OR_RETURN(Blob blob,
                             blobs.Adopt(temporary, Durability::kDurable));
  std::move(remove).Cancel();
  return blob;
}

}  // namespace

absl::StatusOr<WordVectors> ReadWordVectors(const std::string& path,
                                            std::string tensor_name,
                                            BlobStore& blobs) {
  MEANFIELD_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(path));
  MEANFIELD_RETURN_IF_ERROR(CheckSignature(file.bytes(), path));
  std::string_view bytes = file.bytes();
  if (bytes.starts_with(kByteOrderMark)) {
    bytes.remove_prefix(kByteOrderMark.size());
  }
  MEANFIELD_ASSIGN_OR_RETURN(WordVectorRows table,
                             path.ends_with(".bin")
                                 ? ParseBinaryVectors(bytes, path)
                                 : ParseTextVectors(bytes, path));
  WordVectors vectors;
  vectors.warnings = DropOddRows(path, table);
  vectors.tensor.spec = {.name = std::move(tensor_name),
                         .dtype = DType::kF32,
                         .shape = {static_cast<int64_t>(table.rows.size()) + 1,
                                   table.vector_size}};
  MEANFIELD_ASSIGN_OR_RETURN(
      vectors.tensor.file,
      WriteTensor(table, path, vectors.tensor.spec, blobs));
  std::vector<std::string> words;
  words.reserve(table.rows.size());
  for (const WordVectorRows::Row& row : table.rows) {
    words.emplace_back(row.word);
  }
  vectors.words = Dictionary(std::move(words));
  return vectors;
}

}  // namespace meanfield::corpus
