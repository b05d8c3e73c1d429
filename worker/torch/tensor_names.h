#ifndef MEANFIELD_WORKER_TORCH_TENSOR_NAMES_H_
#define MEANFIELD_WORKER_TORCH_TENSOR_NAMES_H_

namespace meanfield {

// Keys of Flair's state_dict, letter for letter.
inline constexpr char kEmbeddingWeight[] = "embeddings.embedding_layer.weight";
inline constexpr char kDecoderWeight[] = "decoder.weight";
inline constexpr char kDecoderBias[] = "decoder.bias";

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_TENSOR_NAMES_H_
