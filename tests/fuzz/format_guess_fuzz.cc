// Any bytes as a file whose format is to be guessed; the first byte chooses
// what the user says of it. What is guessed can be read: readers take the
// corpus as it is.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/check.h"
#include "coordinator/corpus/corpus_format.h"
#include "coordinator/corpus/encoding_guess.h"
#include "coordinator/corpus/format_guess.h"
#include "coordinator/corpus/odd_characters.h"
#include "coordinator/corpus/sample_table.h"
#include "coordinator/corpus/text_file.h"

namespace meanfield::corpus {
namespace {

GuessOptions OptionsFor(uint8_t choice) {
  constexpr const char* kFormats[] = {"",         "conll",      "conllu",
                                      "fasttext", "label_text", "csv"};
  GuessOptions options{.format = kFormats[choice % 6]};
  if (choice & 0x40) options.delimiter = "|";
  if (choice & 0x80) options.label_column = "1";
  return options;
}

// The job would name a file.
proto::Corpus WithFile(proto::Corpus corpus) {
  if (corpus.has_conll()) corpus.mutable_conll()->set_train("x");
  if (corpus.has_conllu()) corpus.mutable_conllu()->set_train("x");
  if (corpus.has_fasttext()) corpus.mutable_fasttext()->set_train("x");
  if (corpus.has_label_text()) corpus.mutable_label_text()->set_train("x");
  if (corpus.has_csv()) corpus.mutable_csv()->set_train("x");
  corpus.set_on_bad_line(proto::Corpus::FIX);
  return corpus;
}

void Guess(const GuessOptions& options, std::string bytes) {
  const absl::StatusOr<Encoding> encoding = GuessEncoding(bytes);
  if (!encoding.ok()) return;
  const absl::StatusOr<TextFile> file =
      TextFile::FromBytes(std::move(bytes), "fuzz", *encoding);
  if (!file.ok()) return;
  FindOddCharacters(*file);
  const absl::StatusOr<FormatGuess> guess = GuessFormat(*file, options);
  if (!guess.ok()) {
    MEANFIELD_CHECK(!guess.status().message().empty(), "no reason");
    return;
  }
  const absl::StatusOr<CorpusFormat> format =
      MakeCorpusFormat(WithFile(guess->corpus), guess->multi_label);
  if (!format.ok()) {
    // The user may name a CoNLL-U label that there is not.
    MEANFIELD_CHECK(!options.label_column.empty(), "a format of no reader");
    return;
  }
  SampleTable::Load(*file, *format).status().IgnoreError();
}

}  // namespace
}  // namespace meanfield::corpus

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  meanfield::corpus::Guess(
      meanfield::corpus::OptionsFor(data[0]),
      std::string(reinterpret_cast<const char*>(data) + 1, size - 1));
  return 0;
}
