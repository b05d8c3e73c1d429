#!/usr/bin/env bash
# From nothing to a trained model: installs, builds, fetches real text (Debian's
# own package descriptions), trains a classifier of them on two worker
# processes with federated averaging, and reports.
#
#   deploy/quickstart.sh [arguments of `meanfield train`]
#
# What was installed, built and fetched before is used again. The data is
# fetched by apt, without root; the run goes to runs/quickstart-<time>.
set -euo pipefail
cd "$(dirname "$0")/.."

case "${1:-}" in -h|--help) sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
step() { printf '\n== %s\n' "$1"; }

step "1/4 install what the build needs"
deploy/bootstrap.sh

step "2/4 build (10 to 15 minutes the first time on 2 cores)"
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
cmake --preset release >/dev/null
cmake --build --preset release

step "3/4 data: which archive section does a Debian package belong to?"
deploy/quickstart/fetch_sections.sh data/sections

step "4/4 train: 4 shards, 2 workers, federated averaging"
build/release/bin/meanfield train deploy/examples/sections.textproto \
  --corpus-root data/sections --workers 2 \
  --out "runs/quickstart-$(date -u +%Y%m%d-%H%M%S)" "$@"
