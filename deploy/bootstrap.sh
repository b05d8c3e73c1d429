#!/usr/bin/env bash
# Installs what Meanfield is built from: Debian's packages (needs root) and the
# pinned LibTorch (into a cache folder of yours). Safe to run again: what is
# there is not touched.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: deploy/bootstrap.sh [--tests] [--gpu auto|yes|no] [--any-system]
       deploy/bootstrap.sh --uninstall

  --tests       also what the tests need (GoogleTest, clang-format, ...)
  --gpu         build for the GPU: auto (default) looks for a driver that fits
  --any-system  try on a system other than Debian 12 (nobody has tested it)
  --uninstall   remove what this script placed outside the system's packages

Root is needed only to install packages that are missing (directly, or through
sudo). LibTorch goes to ~/.cache/meanfield.
TEXT
}

here=$(cd "$(dirname "$0")" && pwd)
cache=$HOME/.cache/meanfield
libtorch=$cache/libtorch-2.11.0
build_packages=(
  ca-certificates ccache cmake g++ git libabsl-dev libcli11-dev
  libgrpc++-dev libprotobuf-dev libspdlog-dev libsqlite3-dev libsqlitecpp-dev
  libutf8proc-dev libxxhash-dev ninja-build nlohmann-json3-dev pkg-config
  protobuf-compiler protobuf-compiler-grpc python3 python3-pip)
test_packages=(
  clang clang-format libbenchmark-dev libclang-rt-14-dev libgmock-dev
  libgtest-dev)

say() { printf 'bootstrap: %s\n' "$*"; }
die() { printf 'bootstrap: error: %s\n' "$*" >&2; exit 1; }

parse_arguments() {
  tests=no gpu=auto any_system=no uninstall=no
  while [ $# -gt 0 ]; do
    case $1 in
      --tests) tests=yes ;;
      --gpu) gpu=${2:-}; shift $(($# > 1)) ;;
      --any-system) any_system=yes ;;
      --uninstall) uninstall=yes ;;
      -h|--help) usage; exit 0 ;;
      *) usage >&2; printf 'unknown argument: %s\n' "$1" >&2; exit 2 ;;
    esac
    shift
  done
  case $gpu in
    auto|yes|no) ;;
    *) echo "--gpu must be auto, yes or no, not '$gpu'" >&2; exit 2 ;;
  esac
}

check_system() {
  local machine id version
  machine=$(uname -m)
  [ "$(uname -s)" = Linux ] || die "Linux only; this is $(uname -s)"
  [ "$machine" = x86_64 ] ||
    die "this machine is $machine, but the pinned LibTorch is for x86_64 only"
  id=$(. /etc/os-release; echo "${ID:-unknown}")
  version=$(. /etc/os-release; echo "${VERSION_ID:-unknown}")
  if [ "$id $version" = "debian 12" ]; then return; fi
  [ "$any_system" = yes ] ||
    die "supported is Debian 12; this is $id $version. --any-system tries all the same"
  say "$id $version is not a tested system; trying because of --any-system"
  command -v apt-get >/dev/null || die "no apt-get here: install by hand: ${build_packages[*]}"
}

missing_packages() {
  local package
  for package in "${packages[@]}"; do
    dpkg-query -W -f='${Status}\n' "$package" 2>/dev/null |
      grep -q '^install ok installed' || echo "$package"
  done
}

decide_gpu() {
  kind=cpu
  [ "$gpu" = no ] && return
  local findings verdict=0
  findings=$("$here/gpu_support.sh") || verdict=$?
  while read -r line; do say "$line"; done <<<"$findings"
  if [ "$verdict" = 0 ]; then kind=cuda
  elif [ "$gpu" = yes ]; then die "--gpu yes, but see above"
  fi
}

libtorch_complete() { [ -f "$libtorch/.complete-$kind" ] || [ -f "$libtorch/.complete-cuda" ]; }

announce() {
  local megabytes=0 gigabytes=0 minutes=0
  if [ ${#missing[@]} -gt 0 ]; then
    say "packages to install (needs root): ${missing[*]}"
    megabytes=$((megabytes + 210)); gigabytes=1; minutes=2
    if [ "$tests" = yes ]; then megabytes=$((megabytes + 50)); fi
  fi
  if ! libtorch_complete; then
    if [ "$kind" = cuda ]; then
      say "LibTorch 2.11.0 with CUDA 13.0 to $libtorch"
      megabytes=$((megabytes + 2400)); gigabytes=$((gigabytes + 6)); minutes=$((minutes + 6))
    else
      say "LibTorch 2.11.0 (CPU) to $libtorch"
      megabytes=$((megabytes + 545)); gigabytes=$((gigabytes + 1)); minutes=$((minutes + 2))
    fi
  fi
  if [ "$megabytes" = 0 ]; then
    say "everything is there"
  else
    say "about $megabytes MB to download, $gigabytes GB of disk, $minutes minutes at 50 Mbit/s or more"
  fi
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null; then sudo "$@"
  else die "not root and no sudo; ask root to run: apt-get install ${missing[*]}"
  fi
}

install_packages() {
  [ ${#missing[@]} -gt 0 ] || return 0
  as_root apt-get -qq update || say "apt-get update failed; going on with the lists that are here"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y \
    install --no-install-recommends "${missing[@]}" >/dev/null ||
    die "apt-get could not install: ${missing[*]}"
  mapfile -t missing < <(missing_packages)
  [ ${#missing[@]} = 0 ] || die "still missing after apt-get: ${missing[*]}"
}

install_libtorch() {
  libtorch_complete && return 0
  mkdir -p "$cache"
  local requirements=(-r "$here/libtorch-cpu.txt")
  work=$(mktemp -d "$cache/unpack.XXXXXX")  # global: the trap outlives this
  trap 'rm -rf "$work"' EXIT
  [ "$kind" = cuda ] && requirements+=(-r "$here/libtorch-cuda.txt")
  say "downloading LibTorch (pip checks the pinned hashes)"
  python3 -m pip download --quiet --disable-pip-version-check --no-deps \
    --require-hashes --only-binary=:all: --python-version 3.11 --abi cp311 \
    --implementation cp --abi none --platform manylinux_2_28_x86_64 \
    --platform manylinux_2_27_x86_64 --platform manylinux_2_25_x86_64 \
    --platform manylinux_2_18_x86_64 --platform manylinux2014_x86_64 \
    --platform manylinux2010_x86_64 --platform manylinux1_x86_64 \
    --dest "$work/wheels" "${requirements[@]}" ||
    die "pip could not download LibTorch (network, disk space in $cache, or a changed hash)"
  say "unpacking"
  python3 "$here/unpack_wheels.py" "$work/tree" "$kind" "$work"/wheels/*.whl ||
    die "could not unpack LibTorch into $cache (disk full?)"
  touch "$work/tree/.complete-$kind"
  rm -rf "$libtorch"
  mv "$work/tree" "$libtorch"
}

remove_everything() {
  rm -rf "$cache"
  say "removed $cache; Debian's packages stay (apt-get remove them if you like)"
}

parse_arguments "$@"
if [ "$uninstall" = yes ]; then remove_everything; exit 0; fi
check_system
packages=("${build_packages[@]}")
if [ "$tests" = yes ]; then packages+=("${test_packages[@]}"); fi
mapfile -t missing < <(missing_packages)
decide_gpu
announce
install_packages
install_libtorch
say "ready: LibTorch is in $libtorch/torch"
