#include "common/base/strings.h"
#include "coordinator/cli/survey_text.h"

namespace meanfield::cli {
namespace {

using Json = nlohmann::ordered_json;

const char* KindName(corpus::LabelKind kind) {
  switch (kind) {
    case corpus::LabelKind::kDocument:
      return "document";
    case corpus::LabelKind::kToken:
      return "token";
    case corpus::LabelKind::kSpan:
      return "span";
  }
  return "";
}

Json CountsJson(const corpus::LabelCounts& counts) {
  Json object = Json::object();
  for (const auto& [label, count] : counts) object[label] = count;
  return object;
}

Json LengthsJson(const corpus::LengthSurvey& lengths) {
  return {{"min", lengths.min},   {"median", lengths.median},
          {"mean", lengths.mean}, {"p95", lengths.p95},
          {"max", lengths.max},   {"longest_line", lengths.longest_line}};
}

Json SplitJson(const corpus::SplitSurvey& split, corpus::LabelKind kind) {
  Json json = {{"file", split.file},
               {"held_out", split.held_out},
               {"texts", split.texts},
               {"tokens", split.tokens},
               {"words", split.words},
               {"unknown_tokens", split.unknown_tokens},
               {"unlabelled", split.unlabelled},
               {"lengths", LengthsJson(split.lengths)},
               {"labels", CountsJson(split.labels)}};
  if (kind == corpus::LabelKind::kSpan) json["spans"] = CountsJson(split.spans);
  return json;
}

Json FileJson(const corpus::FileSurvey& file) {
  Json first = Json::array();
  for (const auto* faults : {&file.bad_lines.left_out, &file.bad_lines.fixed}) {
    for (const corpus::FaultList::Fault& fault : faults->kept()) {
      first.push_back(StrCat(file.path, ":", fault.line, ": ", fault.what));
    }
  }
  return {{"path", file.path},
          {"bad_lines",
           {{"left_out", file.bad_lines.left_out.count()},
            {"fixed", file.bad_lines.fixed.count()},
            {"texts_left_out", file.bad_lines.texts_left_out},
            {"first", first}}},
          {"skipped_without_token", file.skipped_without_token}};
}

}  // namespace

nlohmann::ordered_json SurveyJson(const corpus::CorpusSurvey& survey) {
  Json splits = Json::object();
  for (const corpus::SplitSurvey& split : survey.splits) {
    splits[split.name] = SplitJson(split, survey.label_kind);
  }
  Json files = Json::array();
  for (const corpus::FileSurvey& file : survey.files) {
    files.push_back(FileJson(file));
  }
  Json findings = Json::array();
  for (const corpus::Finding& finding : survey.findings) {
    findings.push_back({{"kind", finding.kind},
                        {"what", finding.what},
                        {"count", finding.count},
                        {"examples", finding.examples}});
  }
  return {{"label_kind", KindName(survey.label_kind)},
          {"multi_label", survey.multi_label},
          {"splits", splits},
          {"files", files},
          {"findings", findings}};
}

}  // namespace meanfield::cli
