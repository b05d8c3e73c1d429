#ifndef MEANFIELD_COORDINATOR_REPORT_EVENT_FILE_H_
#define MEANFIELD_COORDINATOR_REPORT_EVENT_FILE_H_

#include <string>
#include <string_view>

#include "proto/event.pb.h"

namespace meanfield::report {

// TensorBoard's event file of a run: train/loss, learning_rate, dev/loss and
// dev/<score> by round. A function of the records alone.
std::string EventFile(const proto::RunDetails& run);
// events.out.tfevents.<unix time>.<host>
std::string EventFileName(const proto::RunDetails& run, std::string_view host);

// One record in TFRecord framing: length, its checksum, data, its checksum.
std::string TfRecord(std::string_view data);

}  // namespace meanfield::report

#endif  // MEANFIELD_COORDINATOR_REPORT_EVENT_FILE_H_
