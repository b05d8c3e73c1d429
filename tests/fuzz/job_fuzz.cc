// Any text, any overrides (behind 0x01 bytes): every fault has a place in the
// text; a text without one means the same to protobuf's own parser; a job
// without one is given back by its explanation.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "common/base/check.h"
#include "coordinator/job/findings.h"
#include "coordinator/job/job.h"
#include "coordinator/job/job_text.h"
#include "coordinator/job/position_table.h"
#include "google/protobuf/text_format.h"

namespace meanfield::job {
namespace {

void CheckPlaces(const JobResult& result) {
  for (const Fault& fault : result.faults) {
    const bool placed = fault.line > 0 && fault.column > 0;
    const bool counts_the_rest = fault.message.starts_with("and ");
    MEANFIELD_CHECK(placed || counts_the_rest, FormatFaults({fault}));
  }
}

void CheckAgainstTextFormat(const JobSource& source) {
  Findings findings(source.path);
  PositionTable positions;
  proto::JobSpec job;
  ReadJobText({.text = source.text}, job, positions, findings);
  if (findings.has_faults() || source.text.starts_with("\xEF\xBB\xBF")) return;
  proto::JobSpec theirs;
  MEANFIELD_CHECK(
      google::protobuf::TextFormat::ParseFromString(source.text, &theirs),
      source.text);
  MEANFIELD_CHECK(theirs.SerializeAsString() == job.SerializeAsString(),
                  source.text);
}

void CheckExplanation(const JobResult& result) {
  if (!result.faults.empty()) return;
  const std::string text = ExplainJob(result.job);
  const JobResult back = LoadJob({.text = text, .path = "/job.textproto"});
  MEANFIELD_CHECK(back.faults.empty(), text + FormatFaults(back.faults));
  MEANFIELD_CHECK(
      back.job.SerializeAsString() == result.job.SerializeAsString(), text);
}

}  // namespace
}  // namespace meanfield::job

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Not of a view: the pieces of a null one are none.
  const std::string input(reinterpret_cast<const char*>(data), size);
  const std::vector<std::string> parts = absl::StrSplit(input, '\x01');
  meanfield::job::JobSource source;
  source.path = "/job.textproto";
  source.text = parts[0];
  source.overrides.assign(parts.begin() + 1, parts.end());
  const meanfield::job::JobResult result = meanfield::job::LoadJob(source);
  meanfield::job::CheckPlaces(result);
  meanfield::job::CheckAgainstTextFormat(source);
  meanfield::job::CheckExplanation(result);
  return 0;
}
