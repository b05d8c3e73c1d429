#include "coordinator/job/corpus_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/strings.h"
#include "coordinator/job/validate.h"
#include "google/protobuf/message.h"

namespace meanfield::job {
namespace {

namespace fs = std::filesystem;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr std::array kSplits = {"train", "dev", "test"};

// The message of the chosen format (every one has the three fields); null:
// none is chosen.
const FieldDescriptor* FormatField(const proto::Corpus& corpus) {
  return corpus.GetReflection()->GetOneofFieldDescriptor(
      corpus, proto::Corpus::descriptor()->FindOneofByName("format"));
}

std::string SplitFile(const Message& format, const char* split) {
  return format.GetReflection()->GetString(
      format, format.GetDescriptor()->FindFieldByName(split));
}

// What is wrong with a file as a corpus; empty: nothing.
std::string FileFault(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) {
    return errno == ENOENT ? "there is no such file" : std::strerror(errno);
  }
  if (S_ISDIR(info.st_mode)) return "it is a folder, not a file";
  if (!S_ISREG(info.st_mode)) return "it is not a regular file";
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::strerror(errno);
  close(file);
  return "";
}

bool IsSameFile(const std::string& a, const std::string& b) {
  std::error_code error;
  return !a.empty() && !b.empty() && fs::equivalent(a, b, error) && !error;
}

// The formats that name plain files (the others name globs and stems).
bool NamesFiles(const proto::Corpus& corpus) {
  return FormatField(corpus) != nullptr && !corpus.has_text() &&
         !corpus.has_wmt_qe();
}

void CheckTaskFiles(const std::string& folder, const proto::Corpus& corpus,
                    const std::string& path, Checks& checks) {
  const std::string format = Member(path, FormatName(corpus));
  const CorpusFiles files = FilesOf(corpus);
  for (const auto& [split, file] :
       {std::pair("train", files.train), std::pair("dev", files.dev),
        std::pair("test", files.test)}) {
    if (file.empty()) continue;
    const std::string fault = FileFault(file);
    if (fault.empty()) continue;
    checks.Wrong(Member(format, split),
                 StrCat("cannot read the ", split, " file ", file, ": ", fault,
                        " (relative paths start from ", folder, ")"));
  }
  for (const auto& [split, file] :
       {std::pair("dev", files.dev), std::pair("test", files.test)}) {
    if (IsSameFile(files.train, file)) {
      checks.Warn(Member(format, split),
                  StrCat("the ", split,
                         " file is the train file: its "
                         "scores say nothing about new texts"));
    }
  }
}

// Each file of word vectors and its path in the job.
std::vector<std::pair<proto::Embeddings::WordVectors*, std::string>> VectorsOf(
    proto::JobSpec& job) {
  std::vector<std::pair<proto::Embeddings::WordVectors*, std::string>> vectors;
  for (int i = 0; i < job.task_size(); ++i) {
    if (!job.task(i).has_model()) continue;
    proto::Model& model = *job.mutable_task(i)->mutable_model();
    const bool tagger = model.has_sequence_tagger();
    if (!tagger && !model.has_text_classifier()) continue;
    auto& list = tagger
                     ? *model.mutable_sequence_tagger()->mutable_embeddings()
                     : *model.mutable_text_classifier()->mutable_embeddings();
    const std::string path =
        Member(Member(Element("task", i), "model"),
               tagger ? "sequence_tagger" : "text_classifier");
    for (int k = 0; k < list.size(); ++k) {
      if (list[k].word_vectors().file().empty()) continue;
      vectors.emplace_back(
          list[k].mutable_word_vectors(),
          Member(Member(Element(Member(path, "embeddings"), k), "word_vectors"),
                 "file"));
    }
  }
  return vectors;
}

std::string Resolve(const std::string& folder, const std::string& file) {
  return (fs::path(folder) / file).lexically_normal().string();
}

}  // namespace

CorpusFiles FilesOf(const proto::Corpus& corpus) {
  const FieldDescriptor* field = FormatField(corpus);
  if (field == nullptr) return {};
  const Message& format = corpus.GetReflection()->GetMessage(corpus, field);
  return {SplitFile(format, "train"), SplitFile(format, "dev"),
          SplitFile(format, "test")};
}

void ResolveCorpusFiles(const std::string& folder, proto::JobSpec& job) {
  for (proto::Task& task : *job.mutable_task()) {
    const FieldDescriptor* field = FormatField(task.corpus());
    if (field == nullptr) continue;
    proto::Corpus& corpus = *task.mutable_corpus();
    Message& format = *corpus.GetReflection()->MutableMessage(&corpus, field);
    for (const char* split : kSplits) {
      const std::string file = SplitFile(format, split);
      if (file.empty()) continue;
      format.GetReflection()->SetString(
          &format, format.GetDescriptor()->FindFieldByName(split),
          Resolve(folder, file));
    }
  }
  for (const auto& [vectors, path] : VectorsOf(job)) {
    vectors->set_file(Resolve(folder, vectors->file()));
  }
}

void CheckCorpusFiles(const std::string& folder, const proto::JobSpec& job,
                      Checks& checks) {
  for (int i = 0; i < job.task_size(); ++i) {
    if (!NamesFiles(job.task(i).corpus())) continue;
    CheckTaskFiles(folder, job.task(i).corpus(),
                   Member(Element("task", i), "corpus"), checks);
  }
  proto::JobSpec copy = job;
  for (const auto& [vectors, path] : VectorsOf(copy)) {
    const std::string fault = FileFault(vectors->file());
    if (fault.empty()) continue;
    checks.Wrong(path,
                 StrCat("cannot read the word vectors ", vectors->file(), ": ",
                        fault, " (relative paths start from ", folder, ")"));
  }
}

}  // namespace meanfield::job
