#ifndef MEANFIELD_COORDINATOR_REPORT_REPORT_H_
#define MEANFIELD_COORDINATOR_REPORT_REPORT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/blob/blob_store.h"
#include "proto/event.pb.h"
#include "proto/plan.pb.h"

namespace meanfield::report {

// Writes or refreshes the output folder of a run from its records (design:
// report.json, report.txt, rounds.tsv, manifest.json, best.safetensors,
// final.safetensors, model.json, training.json, dictionaries.json,
// predictions/, events.out.tfevents.*). Only files that changed are written,
// each atomically. The store holds OutputBlobs.
absl::Status WriteOutputFolder(const proto::RunDetails& run,
                               const BlobStore& blobs,
                               const std::string& folder);
std::vector<proto::BlobRef> OutputBlobs(const proto::RunDetails& run);

// Numbers that are not finite are null.
std::string ReportJson(const proto::RunDetails& run);
// The report for a person, at most 80 columns wide (but for paths and
// commands). `folder`: where WriteOutputFolder wrote; empty: nowhere here.
std::string ReportText(const proto::RunDetails& run, const std::string& folder);
// One line a round; tokens, examples, bytes and epochs are running totals.
std::string RoundsTsv(const proto::RunDetails& run);

}  // namespace meanfield::report

#endif  // MEANFIELD_COORDINATOR_REPORT_REPORT_H_
