#!/usr/bin/env bash
# Says whether the GPUs of this machine fit the pinned LibTorch.
#
#   deploy/gpu_support.sh          prints one line per finding
#
# exit 0: build a GPU worker · 1: no NVIDIA driver, build for the CPU · 2: GPUs
# are there but do not fit; the lines say what would.
# NVIDIA_SMI names another nvidia-smi (tests use it).
set -u

wheel_cuda=13.0
minimum_driver=580      # first branch that runs CUDA 13
# GPU generations compiled into the wheel, as compute capability x 10.
generations="75 80 86 90 100 120"
smi=${NVIDIA_SMI:-nvidia-smi}

query() { "$smi" --query-gpu="$1" --format=csv,noheader 2>/dev/null; }

# Newest CUDA that a driver branch runs.
cuda_of_driver() {
  local branch=$1
  if   (( branch >= 580 )); then echo 13.0
  elif (( branch >= 570 )); then echo 12.8
  elif (( branch >= 560 )); then echo 12.6
  elif (( branch >= 550 )); then echo 12.4
  elif (( branch >= 525 )); then echo 12.x
  else echo 11.x; fi
}

# A generation runs on code of its own major version, built for it or an older
# minor version.
generation_fits() {
  local have=$1 built
  for built in $generations; do
    (( built / 10 == have / 10 && built <= have )) && return 0
  done
  return 1
}

if ! command -v "$smi" >/dev/null 2>&1 || ! drivers=$(query driver_version) ||
   [ -z "$drivers" ]; then
  echo "no NVIDIA driver found: workers will use the CPU"
  exit 1
fi

verdict=0
driver=$(head -n 1 <<<"$drivers")
branch=${driver%%.*}
if (( branch < minimum_driver )); then
  echo "driver $driver runs CUDA $(cuda_of_driver "$branch") at most; the pinned LibTorch is built for CUDA $wheel_cuda and needs driver $minimum_driver or newer: upgrade the driver, or pass -DMEANFIELD_TORCH=/path with a LibTorch for CUDA $(cuda_of_driver "$branch")"
  verdict=2
else
  echo "driver $driver fits CUDA $wheel_cuda"
fi

fitting=0
while IFS=, read -r name capability; do
  capability=$(tr -d ' .' <<<"$capability")
  if [ -n "$capability" ] && generation_fits "$capability"; then
    echo "GPU $name (sm_$capability) fits"
    fitting=$((fitting + 1))
  else
    echo "GPU $name (sm_$capability) is not one of the generations in the pinned LibTorch (sm_${generations// /, sm_}): it needs an older LibTorch, passed as -DMEANFIELD_TORCH=/path"
  fi
done < <(query name,compute_cap)
(( fitting > 0 )) || verdict=2
exit $verdict
