#include "coordinator/job/defaults.h"

#include <filesystem>

#include "absl/strings/ascii.h"
#include "common/base/strings.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"

namespace meanfield::job {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr uint32_t kTaggerHiddenSize = 256;
constexpr uint32_t kDocumentHiddenSize = 128;
constexpr size_t kMaxNameLength = 64;

// The value that job.proto's `[default = …]` gives.
void SetDefault(Message& message, const FieldDescriptor& field) {
  const Reflection& reflection = *message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_UINT32:
      return reflection.SetUInt32(&message, &field,
                                  field.default_value_uint32());
    case FieldDescriptor::CPPTYPE_UINT64:
      return reflection.SetUInt64(&message, &field,
                                  field.default_value_uint64());
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return reflection.SetDouble(&message, &field,
                                  field.default_value_double());
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection.SetBool(&message, &field, field.default_value_bool());
    case FieldDescriptor::CPPTYPE_ENUM:
      return reflection.SetEnum(&message, &field, field.default_value_enum());
    case FieldDescriptor::CPPTYPE_STRING:
      return reflection.SetString(&message, &field,
                                  field.default_value_string());
    default:
      return;
  }
}

void FillScalars(Message& message) {
  const google::protobuf::Descriptor& type = *message.GetDescriptor();
  const Reflection& reflection = *message.GetReflection();
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      for (int k = 0;
           field.is_repeated() && k < reflection.FieldSize(message, &field);
           ++k) {
        FillScalars(*reflection.MutableRepeatedMessage(&message, &field, k));
      }
      if (!field.is_repeated() && reflection.HasField(message, &field)) {
        FillScalars(*reflection.MutableMessage(&message, &field));
      }
    } else if (field.has_default_value() &&
               !reflection.HasField(message, &field)) {
      SetDefault(message, field);
    }
  }
}

// "my job.v2.textproto" -> "my-job.v2".
std::string NameFromPath(const std::string& path) {
  std::string name = std::filesystem::path(path).stem().string();
  for (char& c : name) {
    if (!absl::ascii_isalnum(c) && c != '.' && c != '_') c = '-';
  }
  if (!name.empty() && (name[0] == '.' || name[0] == '-')) {
    name.insert(0, "job");
  }
  if (name.size() > kMaxNameLength) name.resize(kMaxNameLength);
  return name.empty() ? "job" : name;
}

void FillRnn(uint32_t hidden_size, bool bidirectional, proto::Rnn& rnn) {
  if (!rnn.has_hidden_size()) rnn.set_hidden_size(hidden_size);
  if (!rnn.has_bidirectional()) rnn.set_bidirectional(bidirectional);
}

void FillModel(proto::Model& model) {
  if (model.has_text_classifier()) {
    proto::TextClassifier& classifier = *model.mutable_text_classifier();
    if (classifier.embeddings().empty()) {
      classifier.add_embeddings()->mutable_one_hot();
    }
    if (classifier.document_case() == proto::TextClassifier::DOCUMENT_NOT_SET) {
      classifier.mutable_bag();
    }
    if (classifier.has_rnn()) {
      FillRnn(kDocumentHiddenSize, false, *classifier.mutable_rnn());
    }
  }
  if (model.has_sequence_tagger()) {
    proto::SequenceTagger& tagger = *model.mutable_sequence_tagger();
    if (tagger.embeddings().empty()) {
      tagger.add_embeddings()->mutable_one_hot();
    }
    FillRnn(kTaggerHiddenSize, true, *tagger.mutable_rnn());
  }
}

// A bag has no use for the fields that go with an RNN: only those that the job
// gives stay, for the validator to see.
void KeepOfRnnFields(const proto::TextClassifier& written,
                     proto::TextClassifier& classifier) {
  if (!written.has_reproject_words()) classifier.clear_reproject_words();
  if (!written.has_dropout()) classifier.clear_dropout();
  if (!written.has_word_dropout()) classifier.clear_word_dropout();
  if (!written.has_locked_dropout()) classifier.clear_locked_dropout();
}

void FillTraining(proto::Training& training) {
  if (training.optimizer_case() == proto::Training::OPTIMIZER_NOT_SET) {
    training.mutable_sgd();
  }
  proto::Training::Adam* adam = training.has_adam() ? training.mutable_adam()
                                : training.has_adamw()
                                    ? training.mutable_adamw()
                                    : nullptr;
  if (adam != nullptr && adam->betas().empty()) {
    adam->add_betas(0.9);
    adam->add_betas(0.999);
  }
}

}  // namespace

void FillDefaults(const DefaultsContext& context, proto::JobSpec& job,
                  PositionTable& positions) {
  if (!job.has_name()) job.set_name(NameFromPath(context.job_path));
  if (!job.has_shards()) job.set_shards(context.default_shards.value_or(1));
  if (job.schedule().when_case() == proto::Schedule::WHEN_NOT_SET) {
    job.mutable_schedule()->set_local_epochs(1);
  }
  if (job.server_optimizer().kind_case() ==
      proto::ServerOptimizer::KIND_NOT_SET) {
    job.mutable_server_optimizer()->mutable_avg();
  }
  for (int i = 0; i < job.task_size(); ++i) {
    proto::Task& task = *job.mutable_task(i);
    if (job.task_size() == 1 && !task.has_name()) task.set_name("task");
    if (!task.has_training() && job.has_training()) {
      *task.mutable_training() = job.training();
      positions.CopyTree("training", StrCat("task[", i, "].training"));
    }
    if (task.has_model()) FillModel(*task.mutable_model());
    FillTraining(*task.mutable_training());
    if (task.model().has_text_classifier() && !task.has_metric()) {
      task.set_metric(task.model().text_classifier().multi_label()
                          ? "micro_f1"
                          : "accuracy");
    }
  }
  job.clear_training();
  const proto::JobSpec written = job;
  FillScalars(job);
  for (int i = 0; i < job.task_size(); ++i) {
    if (!job.task(i).model().text_classifier().has_bag()) continue;
    KeepOfRnnFields(
        written.task(i).model().text_classifier(),
        *job.mutable_task(i)->mutable_model()->mutable_text_classifier());
  }
}

}  // namespace meanfield::job
