// Main program of a fuzz target where libFuzzer is not: FOLDER [NUMBER] runs
// the target over the files of FOLDER, then over mutations of them, or over one
// of the mutations. Mutation i depends on FOLDER's files and i only.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "common/base/random.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
// Of the sanitizers' run time, where it is linked.
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(
    void (*callback)());

namespace meanfield {
namespace {

using Input = std::vector<uint8_t>;

constexpr uint64_t kMutations = 20'000;
constexpr uint64_t kLongest = 1 << 16;  // bytes

char current[256];  // what is being run, for the message after a crash

void SayWhatRan() {
  if (write(STDERR_FILENO, current, strnlen(current, sizeof(current))) < 0) {
    _exit(1);
  }
}

void OnSignal(int signal) {
  SayWhatRan();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

std::vector<Input> ReadSeeds(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Input> seeds;
  for (const std::string& path : paths) {
    std::ifstream in(path, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(in),
                       std::istreambuf_iterator<char>());
  }
  return seeds;
}

// A piece of an input, as [begin, end).
std::pair<size_t, size_t> Piece(const Input& input, CounterRng& rng) {
  const size_t begin = rng.Below(input.size() + 1);
  const size_t left = input.size() - begin;
  const size_t length = rng.Below(std::min<size_t>(left, 64) + 1);
  return {begin, begin + length};
}

void Insert(const Input& from, Input& input, CounterRng& rng) {
  const auto [begin, end] = Piece(from, rng);
  const Input piece(from.begin() + begin, from.begin() + end);
  input.insert(input.begin() + rng.Below(input.size() + 1), piece.begin(),
               piece.end());
}

void Edit(const std::vector<Input>& seeds, Input& input, CounterRng& rng) {
  constexpr char kTelling[] = "{}[]\",:\\0123456789-+.eE \n\t\0\x7f\x80\xff";
  const auto byte = [&] {
    return static_cast<uint8_t>(rng.Below(2) == 0
                                    ? rng.Below(256)
                                    : kTelling[rng.Below(sizeof(kTelling))]);
  };
  switch (rng.Below(7)) {
    case 0:
      if (!input.empty()) {
        input[rng.Below(input.size())] ^= uint8_t{1} << rng.Below(8);
      }
      break;
    case 1:
      if (!input.empty()) input[rng.Below(input.size())] = byte();
      break;
    case 2:
      input.insert(input.begin() + rng.Below(input.size() + 1), byte());
      break;
    case 3: {
      const auto [begin, end] = Piece(input, rng);
      input.erase(input.begin() + begin, input.begin() + end);
      break;
    }
    case 4:
      Insert(Input(input), input, rng);
      break;
    case 5:
      Insert(seeds[rng.Below(seeds.size())], input, rng);
      break;
    case 6:
      input.resize(rng.Below(input.size() + 9));
      break;
  }
}

Input Mutation(const std::vector<Input>& seeds, uint64_t number) {
  CounterRng rng(DeriveSeed({.round = number, .purpose = "fuzz"}));
  Input input = seeds[rng.Below(seeds.size())];
  // One edit most often: parsers stop at the first fault.
  uint64_t edits = 1;
  while (edits < 8 && rng.Below(2) == 0) ++edits;
  for (uint64_t i = 0; i < edits; ++i) Edit(seeds, input, rng);
  if (input.size() > kLongest) input.resize(kLongest);
  input.shrink_to_fit();  // so that a sanitizer sees reads past the end
  return input;
}

void Run(const Input& input, const char* kind, uint64_t number) {
  std::snprintf(current, sizeof(current), "while running %s %llu\n", kind,
                static_cast<unsigned long long>(number));
  LLVMFuzzerTestOneInput(input.data(), input.size());
}

int Main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s FOLDER [NUMBER]\n", argv[0]);
    return 2;
  }
  const std::vector<Input> seeds = ReadSeeds(argv[1]);
  if (seeds.empty()) {
    std::fprintf(stderr, "no seeds in %s\n", argv[1]);
    return 2;
  }
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE}) {
    std::signal(signal, OnSignal);
  }
  if (__sanitizer_set_death_callback != nullptr) {
    __sanitizer_set_death_callback(SayWhatRan);
  }
  if (argc > 2) {
    const uint64_t number = std::strtoull(argv[2], nullptr, 10);
    Run(Mutation(seeds, number), "mutation", number);
    return 0;
  }
  for (size_t i = 0; i < seeds.size(); ++i) Run(seeds[i], "seed", i);
  for (uint64_t i = 0; i < kMutations; ++i) {
    Run(Mutation(seeds, i), "mutation", i);
  }
  return 0;
}

}  // namespace
}  // namespace meanfield

int main(int argc, char** argv) { return meanfield::Main(argc, argv); }
