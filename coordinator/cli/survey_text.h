#ifndef MEANFIELD_COORDINATOR_CLI_SURVEY_TEXT_H_
#define MEANFIELD_COORDINATOR_CLI_SURVEY_TEXT_H_

#include <string>

#include "coordinator/corpus/survey.h"
#include "nlohmann/json.hpp"

namespace meanfield::cli {

// For people: a table of splits, one of labels, then what may surprise.
std::string SurveyText(const corpus::CorpusSurvey& survey);

// The same for programs, all labels with it:
//   label_kind   "document", "token" or "span"
//   multi_label
//   splits       {"train": {file, held_out, texts, tokens, words,
//                unknown_tokens, unlabelled, lengths {min, median, mean, p95,
//                max, longest_line}, labels {name: count}, spans {class: count}
//                where the labels stand for spans}, …}
//   files        [{path, bad_lines {left_out, fixed, texts_left_out,
//                first ["file:line: …"]}, skipped_without_token}]
//   findings     [{kind, what, count, examples}]
nlohmann::ordered_json SurveyJson(const corpus::CorpusSurvey& survey);

}  // namespace meanfield::cli

#endif  // MEANFIELD_COORDINATOR_CLI_SURVEY_TEXT_H_
