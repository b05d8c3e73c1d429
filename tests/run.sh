#!/usr/bin/env bash
# Installs what the tests need, builds, and runs them.
#
#   tests/run.sh            all but the long ones
#   tests/run.sh round      those whose name matches the regular expression
#   tests/run.sh --long     all
set -euo pipefail
cd "$(dirname "$0")/.."

selection=(-LE long) filter=()
while [ $# -gt 0 ]; do
  case $1 in
    --long) selection=() ;;
    -h|--help) sed -n '2,6s/^# \{0,1\}//p' "$0"; exit 0 ;;
    -*) echo "unknown option: $1 (see --help)" >&2; exit 2 ;;
    *) filter=(-R "$1") ;;
  esac
  shift
done

deploy/bootstrap.sh --tests
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
cmake --preset dev >/dev/null
cmake --build --preset dev
ctest --test-dir build/dev --output-on-failure -j "$(nproc)" \
  "${selection[@]}" "${filter[@]}"
