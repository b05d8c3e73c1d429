#ifndef MEANFIELD_COMMON_KERNELS_RESULT_H_
#define MEANFIELD_COMMON_KERNELS_RESULT_H_

#include <string>
#include <utility>
#include <variant>

namespace meanfield::kernels {

// What failed (a CUDA call, a missing device), for a person.
struct Error {
  std::string what;
};

// A value or an Error; this room knows no Abseil.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT: converts
  Result(Error error) : state_(std::move(error)) {}  // NOLINT: converts

  bool ok() const { return std::holds_alternative<T>(state_); }
  T& value() { return std::get<T>(state_); }
  const std::string& error() const { return std::get<Error>(state_).what; }

 private:
  std::variant<T, Error> state_;
};

struct Done {};

}  // namespace meanfield::kernels

#define MEANFIELD_KERNELS_RETURN_IF_ERROR(result)          \
  do {                                                     \
    if (auto result_ = (result); !result_.ok()) {          \
      return ::meanfield::kernels::Error{result_.error()}; \
    }                                                      \
  } while (false)

// Assigns the value of a Result to `target`, or returns its Error.
#define MEANFIELD_KERNELS_ASSIGN_OR_RETURN(target, result) \
  do {                                                     \
    auto result_ = (result);                               \
    if (!result_.ok()) {                                   \
      return ::meanfield::kernels::Error{result_.error()}; \
    }                                                      \
    target = std::move(result_.value());                   \
  } while (false)

#endif  // MEANFIELD_COMMON_KERNELS_RESULT_H_
