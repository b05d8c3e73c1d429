#ifndef MEANFIELD_COORDINATOR_CLI_JOB_PROPOSAL_H_
#define MEANFIELD_COORDINATOR_CLI_JOB_PROPOSAL_H_

#include <string>

#include "coordinator/corpus/format_guess.h"
#include "coordinator/corpus/survey.h"

namespace meanfield::cli {

// A job that trains on the corpus of `guess` (its files as the job shall name
// them), with settings that suit its size and labels, and comments on what was
// seen and what to change. `survey` is of that corpus, read as it says.
std::string ProposeJob(const corpus::FormatGuess& guess,
                       const corpus::CorpusSurvey& survey);

}  // namespace meanfield::cli

#endif  // MEANFIELD_COORDINATOR_CLI_JOB_PROPOSAL_H_
