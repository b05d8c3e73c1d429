#ifndef MEANFIELD_COORDINATOR_CORPUS_SPAN_TAGS_H_
#define MEANFIELD_COORDINATOR_CORPUS_SPAN_TAGS_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/metric/spans.h"

namespace meanfield::corpus {

// "B-", "I-", "E-" or "S-" and anything after it.
bool HasSpanPrefix(std::string_view tag);
// No span: "O", or "_" (CoNLL-U's empty field).
bool IsOutside(std::string_view tag);

// The spans that gold tags in BIO, IOB1, IO or BIOES mean, by conlleval's rule:
// B- and S- start one, I- and E- do after no span, after another class and
// after E- or S-. The prefix ends at the first "-" (classes may hold more).
std::vector<LabeledSpan> GoldSpans(std::span<const std::string_view> tags);

std::vector<std::string> ToBioes(std::span<const LabeledSpan> spans,
                                 size_t num_tokens);
// What conlleval reads: "B-" on the first token, "I-" on the others.
std::vector<std::string> ToBio(std::span<const LabeledSpan> spans,
                               size_t num_tokens);

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_SPAN_TAGS_H_
