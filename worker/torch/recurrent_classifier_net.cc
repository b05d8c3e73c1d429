#include <ATen/Functions.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "worker/torch/dropout.h"
#include "worker/torch/embedding_stack.h"
#include "worker/torch/label_scores.h"
#include "worker/torch/net.h"
#include "worker/torch/packed_batch.h"
#include "worker/torch/rnn.h"
#include "worker/torch/tensor_names.h"

namespace meanfield {
namespace {

// Xavier's rule of a weight [to, from].
void InitializeXavier(const at::Tensor& weight) {
  const double bound =
      std::sqrt(6.0 / static_cast<double>(weight.size(0) + weight.size(1)));
  weight.data().uniform_(-bound, bound);
}

// The rows of a packed batch at the ends of its texts, in the order of the
// batch. Texts without tokens have none.
struct TextEnds {
  std::vector<int64_t> texts;  // those that have tokens
  std::vector<int64_t> first_rows;
  std::vector<int64_t> last_rows;
};

TextEnds FindEnds(const Batch& batch, const PackedBatch& packed) {
  std::vector<int64_t> row_of_position(packed.batch_sizes.size());
  int64_t row = 0;
  for (size_t t = 0; t < row_of_position.size(); ++t) {
    row_of_position[t] = row;
    row += packed.batch_sizes[t];
  }
  std::vector<int64_t> place_of_text(batch.size(), -1);
  for (size_t place = 0; place < packed.samples.size(); ++place) {
    place_of_text[packed.samples[place]] = static_cast<int64_t>(place);
  }
  TextEnds ends;
  for (int64_t text = 0; text < batch.size(); ++text) {
    const int64_t place = place_of_text[text];
    if (place < 0) continue;
    const int64_t length = batch.offsets[text + 1] - batch.offsets[text];
    ends.texts.push_back(text);
    ends.first_rows.push_back(place);
    ends.last_rows.push_back(row_of_position[length - 1] + place);
  }
  return ends;
}

// Flair's TextClassifier on DocumentRNNEmbeddings. Works on packed rows:
// padding is never computed.
class RecurrentClassifierNet : public Net {
 public:
  RecurrentClassifierNet(const TextClassifierConfig& config, at::Device device,
                         EmbeddingGradient gradient);

  void Initialize() override;
  at::Tensor Loss(const Batch& batch) override {
    return labels_.Loss(Scores(batch, /*training=*/true), batch);
  }
  void Predict(const Batch& batch, Predictions& predictions) override {
    labels_.Predict(Scores(batch, /*training=*/false), batch, predictions);
  }

 private:
  int64_t rnn_input_size() const {
    return document_.reproject_words_dimension.value_or(words_.size());
  }
  int64_t document_size() const {
    return (document_.rnn.bidirectional ? 2 : 1) * rnn_.output_size();
  }
  at::Tensor Scores(const Batch& batch, bool training) const;
  // [texts, document_size()]; zeros for a text without tokens, whose scores are
  // the decoder's bias then.
  at::Tensor Documents(const Batch& batch, bool training) const;
  at::Tensor RnnInput(const Batch& batch, const PackedBatch& packed,
                      bool training) const;
  // [texts that have tokens, document_size()], from the RNN's outputs.
  at::Tensor TextVectors(const at::Tensor& outputs, const TextEnds& ends,
                         bool training) const;

  const DocumentRnnConfig document_;
  const LabelScores labels_;
  EmbeddingStack words_;
  at::Tensor map_weight_;
  at::Tensor map_bias_;
  PackedRnn rnn_;
  at::Tensor decoder_weight_;
  at::Tensor decoder_bias_;
};

RecurrentClassifierNet::RecurrentClassifierNet(
    const TextClassifierConfig& config, at::Device device,
    EmbeddingGradient gradient)
    : Net(device),
      document_(std::get<DocumentRnnConfig>(config.document)),
      labels_(config, device),
      words_(config.embeddings,
             ListPrefixes("embeddings.embeddings.", config.embeddings.size()),
             gradient,
             [this](std::string name, at::IntArrayRef shape, TensorRole role) {
               return AddTensor(std::move(name), shape, role);
             }),
      map_weight_(AddTensor("embeddings.word_reprojection_map.weight",
                            {rnn_input_size(), words_.size()})),
      map_bias_(AddTensor("embeddings.word_reprojection_map.bias",
                          {rnn_input_size()})),
      rnn_(document_.rnn, rnn_input_size(), "embeddings.rnn.",
           [this](std::string name, at::IntArrayRef shape) {
             return AddTensor(std::move(name), shape);
           }),
      decoder_weight_(
          AddTensor(kDecoderWeight, {config.num_labels, document_size()})),
      decoder_bias_(AddTensor(kDecoderBias, {config.num_labels})) {}

void RecurrentClassifierNet::Initialize() {
  words_.Initialize();
  InitializeXavier(map_weight_);
  const double map_bound = 1 / std::sqrt(static_cast<double>(words_.size()));
  map_bias_.data().uniform_(-map_bound, map_bound);
  rnn_.Initialize();
  InitializeXavier(decoder_weight_);
  const double bound = 1 / std::sqrt(static_cast<double>(document_size()));
  decoder_bias_.data().uniform_(-bound, bound);
}

at::Tensor RecurrentClassifierNet::Scores(const Batch& batch,
                                          bool training) const {
  return at::linear(Documents(batch, training), decoder_weight_, decoder_bias_);
}

at::Tensor RecurrentClassifierNet::Documents(const Batch& batch,
                                             bool training) const {
  const PackedBatch packed = Pack(batch.offsets);
  const at::Tensor none =
      at::zeros({batch.size(), document_size()},
                decoder_weight_.options().requires_grad(false));
  if (packed.num_rows() == 0) return none;
  const at::Tensor outputs = rnn_.Forward(RnnInput(batch, packed, training),
                                          packed.batch_sizes, training);
  const TextEnds ends = FindEnds(batch, packed);
  const at::Tensor vectors = TextVectors(outputs, ends, training);
  if (vectors.size(0) == batch.size()) return vectors;
  return none.to(vectors.scalar_type())
      .index_copy(0, ToDevice(ends.texts), vectors);
}

at::Tensor RecurrentClassifierNet::RnnInput(const Batch& batch,
                                            const PackedBatch& packed,
                                            bool training) const {
  at::Tensor rows = words_.Forward(batch, packed);
  if (training) {
    rows = Dropout(rows, document_.dropout);
    if (document_.locked_dropout > 0) {
      rows = LockedDropout(rows, document_.locked_dropout,
                           packed.batch_sizes.front(),
                           ToDevice(packed.sequence_of_row));
    }
    rows = WordDropout(rows, document_.word_dropout);
  }
  if (!document_.reproject_words_dimension) return rows;
  return at::linear(rows, map_weight_, map_bias_);
}

// Only the outputs that are used are dropped out: masks of the others would
// change nothing.
at::Tensor RecurrentClassifierNet::TextVectors(const at::Tensor& outputs,
                                               const TextEnds& ends,
                                               bool training) const {
  std::vector<at::Tensor> rows;
  if (document_.rnn.bidirectional) {
    rows.push_back(outputs.index_select(0, ToDevice(ends.first_rows)));
  }
  rows.push_back(outputs.index_select(0, ToDevice(ends.last_rows)));
  at::Tensor vectors = at::stack(rows, 1);
  if (training) {
    vectors = Dropout(vectors, document_.dropout);
    if (document_.locked_dropout > 0) {
      // Both ends of a text share a mask.
      const at::Tensor ones = at::ones({vectors.size(0), 1, vectors.size(2)},
                                       vectors.options().requires_grad(false));
      vectors = vectors.mul(Dropout(ones, document_.locked_dropout));
    }
  }
  return vectors.flatten(1);
}

}  // namespace

std::unique_ptr<Net> MakeRecurrentClassifierNet(
    const TextClassifierConfig& config, at::Device device,
    EmbeddingGradient gradient) {
  return std::make_unique<RecurrentClassifierNet>(config, device, gradient);
}

}  // namespace meanfield
