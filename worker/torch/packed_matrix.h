#ifndef MEANFIELD_WORKER_TORCH_PACKED_MATRIX_H_
#define MEANFIELD_WORKER_TORCH_PACKED_MATRIX_H_

#include <cstdint>
#include <memory>

namespace meanfield {

// A matrix laid out once for many products from the left with few rows each:
// the weights of a recurrent layer, multiplied in every step by the states of
// the sequences that reach it. (MKL lays the whole matrix out anew in every
// product: with 4 rows of 256 that takes longer than the product itself, with
// 16 half as long.)
//
// Each element is summed in the order of the rows of the matrix, whatever the
// other rows of the product. With AVX2 and FMA, products are rounded once with
// their sum; without, they are rounded first: as the numerics class says.
class PackedMatrix {
 public:
  enum class Layout { kAsIs, kTransposed };

  // The matrix is [depth, width], row by row in `values`; kTransposed: it is
  // stored as its transpose [width, depth].
  PackedMatrix(const float* values, int64_t depth, int64_t width,
               Layout layout);

  // to [rows, width] = or += from [rows, depth] · matrix. Rows of `from` and
  // `to` lie `from_stride` and `to_stride` apart.
  void Multiply(const float* from, int64_t from_stride, int64_t rows, float* to,
                int64_t to_stride) const;
  void MultiplyAdd(const float* from, int64_t from_stride, int64_t rows,
                   float* to, int64_t to_stride) const;

 private:
  const int64_t depth_;
  const int64_t width_;
  // Blocks of rows; in a block panels of 16 columns, the last one filled up
  // with zeros; in a panel row by row.
  std::unique_ptr<float[]> panels_;
};

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_PACKED_MATRIX_H_
