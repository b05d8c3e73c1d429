#ifndef MEANFIELD_COORDINATOR_REPORT_ADVICE_H_
#define MEANFIELD_COORDINATOR_REPORT_ADVICE_H_

#include <string>

#include "proto/event.pb.h"

namespace meanfield::report {

// "What to try next": commands that fit what this run showed.
std::string Advice(const proto::RunDetails& run, const std::string& folder);

// A word as a POSIX shell reads it back.
std::string ShellQuote(const std::string& word);

}  // namespace meanfield::report

#endif  // MEANFIELD_COORDINATOR_REPORT_ADVICE_H_
