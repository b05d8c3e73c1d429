// Real corpora beside the project: sentences and tokens as published.
#include <string>
#include <vector>

#include "coordinator/corpus/sample_table.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_folder.h"

namespace meanfield::corpus {
namespace {

using ::meanfield::testing::StatusIs;
using ::testing::HasSubstr;

struct Published {
  std::string file;
  std::string format;  // text proto of the corpus, but for the file
  int64_t samples = 0;
  int64_t tokens = 0;  // 0: not stated
};

absl::StatusOr<SampleTable> Load(const std::string& file,
                                 const std::string& format) {
  const std::string path = testing::SharedFolder() + "/corpora/" + file;
  const size_t brace = format.find('}');
  proto::Corpus corpus;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      format.substr(0, brace) + " train: \"" + path + "\" " +
          format.substr(brace),
      &corpus))
      << format;
  absl::StatusOr<CorpusFormat> made = MakeCorpusFormat(corpus);
  if (!made.ok()) return made.status();
  return SampleTable::Load(path, *made);
}

class RealCorpora : public ::testing::Test {
 protected:
  void SetUp() override {
    if (testing::SharedFolder().empty()) {
      GTEST_SKIP() << "the corpora beside the project are not here";
    }
  }
};

TEST_F(RealCorpora, Counts_AreThePublishedOnes) {
  const std::string two = "conll { label_column: 1 }";
  const std::string uner =
      "conll { text_column: 1 label_column: 2 comment_prefix: \"# \" }";
  const std::vector<Published> corpora = {
      {"ner/wnut17/wnut17train.conll", two, 3394, 62730},
      {"ner/wnut17/emerging.dev.conll", two, 1009, 15733},
      {"ner/wnut17/emerging.test.annotated", two, 1287, 23394},
      {"ner/europeana/enp_FR.bnf.bio", two, 1, 205916},
      {"ner/broad_twitter/g.conll", two, 2138, 34062},
      {"ner/uner_Danish-DDT/da_ddt-ud-train.iob2", uner, 4383, 80378},
      {"ner/uner_Chinese-GSDSIMP/zh_gsdsimp-ud-train.iob2", uner, 3997, 98616},
      {"pos/ud_English-Atis/en_atis-ud-train.conllu", "conllu { }", 4274,
       48655},
      {"pos/ud_Vietnamese-VTB/vi_vtb-ud-train.conllu",
       "conllu { label: \"xpos\" }", 1400, 20215},
      {"cls/sms_spam/sms.tsv", "label_text { }", 5574, 0},
      {"cls/udhr_langid/train.txt", "fasttext { }", 1224, 0},
  };
  for (const Published& published : corpora) {
    SCOPED_TRACE(published.file);
    ASSERT_OK_AND_ASSIGN(const SampleTable table,
                         Load(published.file, published.format));
    int64_t tokens = 0;
    for (int64_t i = 0; i < table.size(); ++i) {
      tokens += static_cast<int64_t>(table.tokens(i).size());
    }
    EXPECT_EQ(table.size(), published.samples);
    if (published.tokens != 0) {
      EXPECT_EQ(tokens, published.tokens);
    }
  }
}

TEST_F(RealCorpora, RowsWithEmptyTokens_AreNamed) {
  EXPECT_THAT(
      Load("ner/broad_twitter/f.conll", "conll { label_column: 1 }"),
      StatusIs(absl::StatusCode::kInvalidArgument,
               ::testing::AllOf(HasSubstr("f.conll:13046: saw an empty token"),
                                HasSubstr("f.conll:16303:"),
                                HasSubstr("f.conll:16304:"))));
}

TEST_F(RealCorpora, RowsOfOddWidth_AreNamed) {
  EXPECT_THAT(Load("ner/europeana/enp_DE.sbb.bio", "conll { label_column: 1 }"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("enp_DE.sbb.bio:129: saw 1 column")));
}

TEST_F(RealCorpora, QuotingReaderOnUnquotedTexts_ComplainsInsteadOfLosingRows) {
  EXPECT_THAT(Load("cls/sms_spam/sms.tsv",
                   "csv { delimiter: \"\\t\" text_column: \"1\" "
                   "label_column: \"0\" }"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("after a closing double quote")));
}

TEST_F(RealCorpora, CompressedFile_IsRefused) {
  EXPECT_THAT(
      Load("pos/masc_tagged/masc_train.tsv.gz", "conll { label_column: 1 }"),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("gzip-compressed")));
}

}  // namespace
}  // namespace meanfield::corpus
