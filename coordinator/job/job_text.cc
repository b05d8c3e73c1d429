#include "coordinator/job/job_text.h"

#include "common/base/strings.h"
#include "coordinator/job/override.h"
#include "coordinator/job/scanner.h"
#include "coordinator/job/text_check.h"
#include "coordinator/job/text_reader.h"

namespace meanfield::job {

bool ReadJobText(const JobSource& source, proto::JobSpec& job,
                 PositionTable& positions, Findings& findings) {
  const Position start = {0, 1, 1};
  if (source.text.size() > kMaxJobBytes) {
    findings.AddFault(start, StrCat("larger than ", kMaxJobBytes,
                                    " bytes; is this a job file?"));
    return false;
  }
  if (!CheckBytes(source.text, start.source, findings)) return false;
  TextReader(Scan(source.text, start, findings), positions, findings)
      .ReadMessage(job);
  ApplyOverrides(source.overrides, job, positions, findings);
  return true;
}

}  // namespace meanfield::job
