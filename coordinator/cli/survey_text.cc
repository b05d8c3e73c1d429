#include "coordinator/cli/survey_text.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "absl/strings/str_format.h"
#include "common/base/strings.h"
#include "coordinator/report/table.h"

namespace meanfield::cli {
namespace {

using report::Table;

// "62,730".
std::string Grouped(uint64_t number) {
  const std::string digits = StrCat(number);
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string UnknownShare(const corpus::SplitSurvey& split) {
  if (split.name == "train" || split.tokens == 0) return "";
  return absl::StrFormat("%.1f %%",
                         100.0 * static_cast<double>(split.unknown_tokens) /
                             static_cast<double>(split.tokens));
}

std::string SplitTable(const corpus::CorpusSurvey& survey) {
  Table table({{"split", Table::Align::kLeft},
               {"texts"},
               {"tokens"},
               {"words"},
               {"unknown"},
               {"min"},
               {"median"},
               {"mean"},
               {"p95"},
               {"max"}});
  for (const corpus::SplitSurvey& split : survey.splits) {
    const corpus::LengthSurvey& lengths = split.lengths;
    table.AddRow({split.name, Grouped(split.texts), Grouped(split.tokens),
                  Grouped(split.words), UnknownShare(split),
                  StrCat(lengths.min), StrCat(lengths.median),
                  absl::StrFormat("%.1f", lengths.mean), StrCat(lengths.p95),
                  StrCat(lengths.max)});
  }
  std::string text = table.ToString();
  for (const corpus::SplitSurvey& split : survey.splits) {
    StrAppend(&text, "  ", split.name, ": ", split.file,
              split.held_out ? " (held out of it)" : "",
              ", longest text in line ", split.lengths.longest_line, "\n");
  }
  return text +
         "  unknown: tokens whose word training lacks; min … max: tokens in a "
         "text\n";
}

// The counts of each label in each split; the most frequent of training first.
std::string LabelTable(const corpus::CorpusSurvey& survey) {
  constexpr size_t kShown = 25;
  const bool spans = survey.label_kind == corpus::LabelKind::kSpan;
  std::vector<Table::Column> columns = {
      {spans                                            ? "class"
       : survey.label_kind == corpus::LabelKind::kToken ? "tag"
                                                        : "label",
       Table::Align::kLeft, 40}};
  std::vector<std::string> order;
  std::map<std::string, std::vector<uint64_t>> counts;
  for (size_t i = 0; i < survey.splits.size(); ++i) {
    const corpus::SplitSurvey& split = survey.splits[i];
    columns.push_back({split.name});
    for (const auto& [label, count] : spans ? split.spans : split.labels) {
      std::vector<uint64_t>& row = counts[label];
      if (row.empty()) order.push_back(label);
      row.resize(survey.splits.size());
      row[i] = count;
    }
  }
  Table table(columns);
  for (size_t i = 0; i < std::min(order.size(), kShown); ++i) {
    std::vector<std::string> cells = {order[i]};
    for (const uint64_t count : counts[order[i]]) {
      cells.push_back(Grouped(count));
    }
    table.AddRow(std::move(cells));
  }
  std::string text = table.ToString();
  if (order.size() > kShown) {
    StrAppend(&text, "  and ", order.size() - kShown,
              " more (--json lists all)\n");
  }
  return text;
}

void AppendFaults(const corpus::FaultList& faults, const std::string& path,
                  std::string& text) {
  for (const corpus::FaultList::Fault& fault : faults.kept()) {
    StrAppend(&text, "    ", path, ":", fault.line, ": ", fault.what, "\n");
  }
  if (faults.count() > faults.kept().size()) {
    StrAppend(&text, "    and ", faults.count() - faults.kept().size(),
              " more\n");
  }
}

std::string FilesText(const corpus::CorpusSurvey& survey) {
  std::string text;
  for (const corpus::FileSurvey& file : survey.files) {
    const corpus::BadLineCounts& bad = file.bad_lines;
    if (!bad.left_out.empty()) {
      StrAppend(&text, "  ", file.path, ": ", bad.left_out.count(),
                " bad line(s), which leave out ", bad.texts_left_out,
                " text(s)\n");
      AppendFaults(bad.left_out, file.path, text);
    }
    if (!bad.fixed.empty()) {
      StrAppend(&text, "  ", file.path, ": ", bad.fixed.count(),
                " bad line(s) mended\n");
      AppendFaults(bad.fixed, file.path, text);
    }
    if (file.skipped_without_token > 0) {
      StrAppend(&text, "  ", file.path, ":", file.first_skipped_line, ": ",
                file.skipped_without_token,
                " text(s) without a token, the first here: left out\n");
    }
  }
  return text;
}

std::string FindingsText(const corpus::CorpusSurvey& survey) {
  std::string text;
  for (const corpus::Finding& finding : survey.findings) {
    StrAppend(&text, "  ", finding.what, ": ", Grouped(finding.count), "\n");
    for (const std::string& example : finding.examples) {
      StrAppend(&text, "    ", example, "\n");
    }
  }
  return text;
}

std::string Section(std::string_view title, const std::string& body) {
  return body.empty() ? "" : StrCat("\n", title, "\n", body);
}

}  // namespace

std::string SurveyText(const corpus::CorpusSurvey& survey) {
  const bool spans = survey.label_kind == corpus::LabelKind::kSpan;
  return StrCat(SplitTable(survey),
                Section(spans ? "Spans" : "Labels", LabelTable(survey)),
                Section("Odd lines", FilesText(survey)),
                Section("Worth a look", FindingsText(survey)));
}

}  // namespace meanfield::cli
