#include "coordinator/corpus/loaded_corpus.h"

#include <numeric>
#include <utility>

#include "common/base/status.h"
#include "common/base/strings.h"
#include "coordinator/corpus/label_check.h"

namespace meanfield::corpus {
namespace {

using SampleNumbers = std::vector<int64_t>;

SampleNumbers AllOf(const SampleTable& table) {
  SampleNumbers all(static_cast<size_t>(table.size()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// A file without a text, and why it has none.
absl::Status NoText(std::string_view split, const SampleTable& table) {
  std::string message =
      StrCat("the ", split, " file ", table.path(), " holds no text",
             split == "training" ? " to train on" : "");
  if (table.num_skipped() > 0) {
    StrAppend(&message, "; texts without a token: ", table.num_skipped());
  }
  const BadLineCounts& bad = table.bad_lines();
  if (bad.texts_left_out > 0) {
    StrAppend(&message,
              "; texts left out because of bad lines: ", bad.texts_left_out,
              ", of ", bad.left_out.count(), " bad line(s) the first: ",
              bad.left_out.ToStatus(table.path()).message());
  }
  return absl::InvalidArgumentError(message);
}

absl::StatusOr<SampleTable> Load(const std::string& path,
                                 std::string_view split,
                                 const CorpusFormat& format) {
  MEANFIELD_ASSIGN_OR_RETURN(SampleTable table,
                             SampleTable::Load(path, format));
  if (table.size() == 0) return NoText(split, table);
  return table;
}

absl::Status LoadNamed(const std::string& path, std::string_view split,
                       const CorpusFormat& format,
                       std::optional<SampleTable>& table) {
  if (path.empty()) return absl::OkStatus();
  MEANFIELD_ASSIGN_OR_RETURN(table, Load(path, split, format));
  return absl::OkStatus();
}

// Where the tags stand for spans each must be one of a span.
absl::Status CheckSpans(const CorpusFormat& format, std::string_view split,
                        SampleTable& table) {
  const OddSpanTags odd = FindOddSpanTags(table);
  if (odd.faults.empty()) return absl::OkStatus();
  if (format.on_bad_line == OnBadLine::kFail) {
    return odd.faults.ToStatus(table.path());
  }
  table.LeaveOut(odd.sentences, odd.faults);
  return table.size() == 0 ? NoText(split, table) : absl::OkStatus();
}

absl::Status DecideLabelKind(const CorpusFormat& format, LoadedCorpus& loaded) {
  if (!format.tagged) return absl::OkStatus();
  loaded.label_kind = LabelKind::kToken;
  if (!format.spans_possible || !HasSpans(loaded.train)) {
    return absl::OkStatus();
  }
  loaded.label_kind = LabelKind::kSpan;
  MEANFIELD_RETURN_IF_ERROR(CheckSpans(format, "training", loaded.train));
  for (auto* table : {&loaded.dev_file, &loaded.test_file}) {
    if (!table->has_value()) continue;
    MEANFIELD_RETURN_IF_ERROR(CheckSpans(
        format, table == &loaded.dev_file ? "dev" : "test", **table));
  }
  return absl::OkStatus();
}

absl::Status CheckHeldOut(std::string_view field, double fraction,
                          const SampleNumbers& part, int64_t num_samples) {
  if (fraction == 0 || !part.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      StrCat("corpus.", field, " ", fraction, " of ", num_samples,
             " training texts is none; name a file or a larger share"));
}

absl::Status CheckFractions(double dev, double test) {
  if (dev >= 0 && test >= 0 && dev + test < 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      StrCat("corpus.dev_fraction ", dev, " and test_fraction ", test,
             ": expected shares from 0 that leave something to train"));
}

absl::Status Split(const LoadOptions& options, LoadedCorpus& loaded) {
  const double dev = loaded.dev_file ? 0 : options.dev_fraction;
  const double test = loaded.test_file ? 0 : options.test_fraction;
  MEANFIELD_RETURN_IF_ERROR(CheckFractions(dev, test));
  const int64_t size = loaded.train.size();
  loaded.parts = HoldOut(size, dev, test, options.seed, options.task);
  MEANFIELD_RETURN_IF_ERROR(
      CheckHeldOut("dev_fraction", dev, loaded.parts.dev, size));
  MEANFIELD_RETURN_IF_ERROR(
      CheckHeldOut("test_fraction", test, loaded.parts.test, size));
  if (loaded.dev_file) loaded.parts.dev = AllOf(*loaded.dev_file);
  if (loaded.test_file) loaded.parts.test = AllOf(*loaded.test_file);
  return absl::OkStatus();
}

}  // namespace

std::vector<const SampleTable*> LoadedCorpus::tables() const {
  std::vector<const SampleTable*> all = {&train};
  if (dev_file) all.push_back(&*dev_file);
  if (test_file) all.push_back(&*test_file);
  return all;
}

absl::StatusOr<LoadedCorpus> LoadCorpus(const CorpusFormat& format,
                                        const LoadOptions& options) {
  LoadedCorpus loaded;
  MEANFIELD_ASSIGN_OR_RETURN(loaded.train,
                             Load(format.train, "training", format));
  MEANFIELD_RETURN_IF_ERROR(
      LoadNamed(format.dev, "dev", format, loaded.dev_file));
  MEANFIELD_RETURN_IF_ERROR(
      LoadNamed(format.test, "test", format, loaded.test_file));
  MEANFIELD_RETURN_IF_ERROR(DecideLabelKind(format, loaded));
  MEANFIELD_RETURN_IF_ERROR(Split(options, loaded));
  return loaded;
}

}  // namespace meanfield::corpus
