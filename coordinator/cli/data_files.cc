#include "coordinator/cli/data_files.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "coordinator/corpus/encoding.h"
#include "coordinator/corpus/encoding_guess.h"
#include "coordinator/corpus/text_file.h"

namespace meanfield::cli {

namespace fs = std::filesystem;

namespace {

enum Split : size_t { kTrain, kDev, kTest, kNumSplits };
constexpr std::string_view kSplitNames[] = {"train", "dev", "test"};

// A word of its own between other characters than letters.
bool HasWord(std::string_view name, std::string_view word) {
  for (size_t at = name.find(word); at != std::string_view::npos;
       at = name.find(word, at + 1)) {
    const size_t end = at + word.size();
    const bool starts = at == 0 || !absl::ascii_isalpha(name[at - 1]);
    const bool ends = end == name.size() || !absl::ascii_isalpha(name[end]);
    if (starts && ends) return true;
  }
  return false;
}

// kNumSplits: the name does not tell.
Split SplitOfName(const std::string& path) {
  const std::string name =
      absl::AsciiStrToLower(fs::path(path).filename().string());
  if (absl::StrContains(name, "train")) return kTrain;
  if (absl::StrContains(name, "testa")) return kDev;
  if (absl::StrContains(name, "dev") || absl::StrContains(name, "valid") ||
      HasWord(name, "val")) {
    return kDev;
  }
  if (absl::StrContains(name, "test") || HasWord(name, "eval")) return kTest;
  return kNumSplits;
}

std::string NamesOf(const std::vector<std::string>& paths) {
  return absl::StrJoin(paths, ", ", [](std::string* out, const auto& path) {
    out->append(fs::path(path).filename().string());
  });
}

// Files that may be a corpus, by name; sorted.
absl::StatusOr<std::vector<std::string>> FilesIn(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    const std::string extension = entry.path().extension().string();
    const bool other =
        absl::StartsWith(name, ".") || absl::StartsWith(name, "README") ||
        absl::StartsWith(name, "LICENSE") || extension == ".gz" ||
        extension == ".swp" || extension == ".zip" || extension == ".md" ||
        extension == ".textproto" || absl::EndsWith(name, "~");
    if (!other && entry.is_regular_file()) {
      files.push_back(entry.path().string());
    }
  }
  if (error) return ErrnoStatus(error.value(), "read the folder", folder);
  std::sort(files.begin(), files.end());
  return files;
}

// Of several files of a split those that hold a corpus.
void KeepCorpora(const corpus::GuessOptions& options,
                 std::vector<std::string>& files) {
  if (files.size() < 2) return;
  std::erase_if(files, [&](const std::string& path) {
    return !corpus::GuessFormat(path, options).ok();
  });
}

absl::StatusOr<DataFiles> AssignFolder(const std::string& folder,
                                       const corpus::GuessOptions& options) {
  MEANFIELD_ASSIGN_OR_RETURN(const std::vector<std::string> files,
                             FilesIn(folder));
  if (files.size() == 1) return DataFiles{.train = files[0]};
  std::vector<std::string> splits[kNumSplits + 1];
  for (const std::string& file : files) {
    splits[SplitOfName(file)].push_back(file);
  }
  std::string chosen[kNumSplits];
  for (const Split split : {kTrain, kDev, kTest}) {
    KeepCorpora(options, splits[split]);
    if (splits[split].size() > 1) {
      return absl::InvalidArgumentError(
          StrCat(folder, ": several files look like ", kSplitNames[split], ": ",
                 NamesOf(splits[split]),
                 "; name the files, in the order train, dev, test"));
    }
    if (!splits[split].empty()) chosen[split] = splits[split][0];
  }
  if (chosen[kTrain].empty()) {
    std::vector<std::string>& rest = splits[kNumSplits];
    KeepCorpora(options, rest);
    if (rest.size() == 1) chosen[kTrain] = rest[0];
  }
  if (chosen[kTrain].empty()) {
    return absl::InvalidArgumentError(StrCat(
        folder, ": no file of it is named train, nor is one only a corpus; ",
        "saw ", files.empty() ? "none" : NamesOf(files),
        "; name the files, in the order train, dev, test"));
  }
  return DataFiles{chosen[kTrain], chosen[kDev], chosen[kTest]};
}

// All options but those that were decided on the training file.
absl::Status CheckSameFormat(const std::string& train, const std::string& path,
                             const corpus::FormatGuess& expected,
                             const corpus::GuessOptions& options) {
  const absl::StatusOr<corpus::FormatGuess> guess =
      corpus::GuessFormat(path, options);
  // Undecided on its own: the training file decides.
  if (!guess.ok() ||
      guess->corpus.format_case() == expected.corpus.format_case()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      StrCat(path, " looks like ", FormatName(guess->corpus), ", but ", train,
             " like ", FormatName(expected.corpus),
             "; the files of a corpus have one format (--format says which)"));
}

bool IsAscii(const std::string& path) {
  const auto file = corpus::TextFile::Open(path, corpus::Encoding::kLatin1);
  return file.ok() &&
         std::all_of(file->text().begin(), file->text().end(), [](char c) {
           return static_cast<unsigned char>(c) < 0x80;
         });
}

// One encoding that suits both files: `encoding` is the first's.
absl::Status JoinEncodings(const std::string& path, const std::string& other,
                           std::string& encoding) {
  if (encoding == other || (other == "utf-8" && IsAscii(path))) {
    return absl::OkStatus();
  }
  const bool single_byte = encoding != "utf-8" && other != "utf-8";
  if (single_byte) {
    encoding = "windows-1252";  // has all of iso-8859-1 but control characters
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(StrCat(
      path, " looks like ", other, ", the files before it like ", encoding,
      "; convert them to one (iconv), or say it with ", "--encoding"));
}

absl::Status DecideEncoding(const std::vector<std::string>& paths,
                            const corpus::GuessOptions& options,
                            proto::Corpus& corpus) {
  if (!options.encoding.empty()) return absl::OkStatus();
  std::string encoding = corpus.encoding();
  std::string first = paths.front();
  for (size_t i = 1; i < paths.size(); ++i) {
    MEANFIELD_ASSIGN_OR_RETURN(const corpus::Encoding guess,
                               corpus::GuessFileEncoding(paths[i]));
    const std::string other(corpus::EncodingName(guess));
    // Files that are ASCII so far suit any.
    if (encoding == "utf-8" && other != "utf-8" &&
        std::all_of(paths.begin(), paths.begin() + static_cast<ptrdiff_t>(i),
                    IsAscii)) {
      encoding = other;
      continue;
    }
    MEANFIELD_RETURN_IF_ERROR(JoinEncodings(paths[i], other, encoding));
  }
  corpus.set_encoding(encoding);
  return absl::OkStatus();
}

template <typename Files>
void SetPaths(const DataFiles& files, Files& format) {
  format.set_train(files.train);
  if (!files.dev.empty()) format.set_dev(files.dev);
  if (!files.test.empty()) format.set_test(files.test);
}

}  // namespace

absl::StatusOr<DataFiles> AssignSplits(const std::vector<std::string>& paths,
                                       const corpus::GuessOptions& options) {
  if (paths.size() == 1 && fs::is_directory(paths[0])) {
    return AssignFolder(paths[0], options);
  }
  if (paths.size() == 1) return DataFiles{.train = paths[0]};
  if (paths.size() > kNumSplits) {
    return absl::InvalidArgumentError(
        StrCat("saw ", paths.size(), " files, expected up to three: train, ",
               "dev and test"));
  }
  std::string splits[kNumSplits];
  std::vector<std::string> rest;
  for (const std::string& path : paths) {
    const Split split = SplitOfName(path);
    if (split == kNumSplits) {
      rest.push_back(path);
    } else if (splits[split].empty()) {
      splits[split] = path;
    } else {
      return absl::InvalidArgumentError(
          StrCat(splits[split], " and ", path, " both look like ",
                 kSplitNames[split], "; rename one, or leave it out"));
    }
  }
  size_t next = 0;
  for (std::string& split : splits) {
    if (split.empty() && next < rest.size()) split = rest[next++];
  }
  if (splits[kTrain].empty()) {
    return absl::InvalidArgumentError(
        StrCat("none of the files is the training file: ", NamesOf(paths)));
  }
  return DataFiles{splits[kTrain], splits[kDev], splits[kTest]};
}

absl::StatusOr<corpus::FormatGuess> UnderstandFiles(
    const DataFiles& files, const corpus::GuessOptions& options) {
  MEANFIELD_ASSIGN_OR_RETURN(corpus::FormatGuess guess,
                             corpus::GuessFormat(files.train, options));
  std::vector<std::string> paths = {files.train};
  for (const std::string& path : {files.dev, files.test}) {
    if (path.empty()) continue;
    paths.push_back(path);
    MEANFIELD_RETURN_IF_ERROR(
        CheckSameFormat(files.train, path, guess, options));
  }
  MEANFIELD_RETURN_IF_ERROR(DecideEncoding(paths, options, guess.corpus));
  SetFiles(files, guess.corpus);
  return guess;
}

std::string FormatName(const proto::Corpus& corpus) {
  const google::protobuf::FieldDescriptor* field =
      corpus.GetReflection()->GetOneofFieldDescriptor(
          corpus, proto::Corpus::descriptor()->FindOneofByName("format"));
  return field == nullptr ? "no format" : field->name();
}

void SetFiles(const DataFiles& files, proto::Corpus& corpus) {
  if (corpus.has_conll()) SetPaths(files, *corpus.mutable_conll());
  if (corpus.has_conllu()) SetPaths(files, *corpus.mutable_conllu());
  if (corpus.has_fasttext()) SetPaths(files, *corpus.mutable_fasttext());
  if (corpus.has_label_text()) SetPaths(files, *corpus.mutable_label_text());
  if (corpus.has_csv()) SetPaths(files, *corpus.mutable_csv());
}

}  // namespace meanfield::cli
