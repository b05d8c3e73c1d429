#!/usr/bin/env bash
# Fetches Debian's package descriptions and makes a text classification corpus
# of them: which section of the archive does a package belong to?
#
#   deploy/quickstart/fetch_sections.sh DATA_DIR
#
# Writes DATA_DIR/section.train.txt and section.test.txt, one text a line,
# `__label__SECTION text`. Needs apt-get, python3 and the network (16 MB), but
# no root: the package lists go to a temporary folder, nothing of the system is
# changed. Complete data is used again; delete DATA_DIR to fetch it anew.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

say() { printf 'sections: %s\n' "$*"; }
die() { printf 'sections: error: %s\n' "$*" >&2; exit 1; }

# Lists of our own, with the long descriptions, whatever the system is set to
# (container images switch them off; only a file given by -c can clear that).
# The system's hooks must not run: they clean up the system's own folders.
write_apt_configuration() {
  cat > "$1/apt.conf" <<TEXT
#clear Acquire::Languages;
Acquire::Languages { "en"; };
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
Dir::State::lists "$1/lists";
Dir::Cache "$1/cache";
APT::Sandbox::User "root";
APT::Update::Error-Mode "any";
Acquire::Retries "3";
TEXT
}

fetch_lists() {
  mkdir -p "$1/lists/partial" "$1/cache"
  write_apt_configuration "$1"
  apt-get -qq -c "$1/apt.conf" update >"$1/log" 2>&1 || {
    tail -n 5 "$1/log" >&2
    die "apt-get could not fetch the package lists (see above). Is the network up, are the proxy and /etc/apt/sources.list right?"
  }
}

# The lists may be compressed on disk. A missing kind of list is an empty text.
cat_lists() {
  local list
  for list in "$@"; do
    if [ -e "$list" ]; then "$helper" cat-file "$list"; echo; fi
  done
}

is_complete() { (cd "$1" && [ -f SHA256SUMS ] && sha256sum --status -c SHA256SUMS); }

report() {
  say "$1: $(wc -l < "$1/section.train.txt") training and" \
    "$(wc -l < "$1/section.test.txt") test texts," \
    "$(cut -d' ' -f1 "$1/section.train.txt" | sort -u | wc -l) sections"
}

make_corpus() {
  local data=$1 scratch
  scratch=$(mktemp -d "$data/.fetch-XXXXXX")
  # shellcheck disable=SC2064  # the folder's name as it is now
  trap "rm -rf '$scratch'" EXIT
  say "fetching package lists (16 MB) ..."
  fetch_lists "$scratch"
  say "making the corpus ..."
  cat_lists "$scratch"/lists/*_Translation-en* > "$scratch/translations"
  cat_lists "$scratch"/lists/*_Packages* > "$scratch/packages"
  python3 "$here/debian_sections.py" "$scratch/packages" \
    "$scratch/translations" "$scratch" || die "no corpus was made"
  (cd "$scratch" && sha256sum section.train.txt section.test.txt > SHA256SUMS)
  # The sums come last: data without them is not complete.
  rm -f "$data/SHA256SUMS"
  mv "$scratch/section.train.txt" "$scratch/section.test.txt" "$data/"
  mv "$scratch/SHA256SUMS" "$data/"
}

case ${1:-} in -h|--help) sed -n '2,11s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
if [ $# -ne 1 ] || [ -z "$1" ] || [ "${1#-}" != "$1" ]; then
  echo "usage: deploy/quickstart/fetch_sections.sh DATA_DIR" >&2
  exit 2
fi
mkdir -p "$1" || die "cannot make the folder $1"
data=$(cd "$1" && pwd)
exec 9>"$data/.lock" || die "cannot write in $data"
flock 9  # a second run waits for the first, then finds its data
if is_complete "$data"; then
  say "complete, used again"
  report "$data"
  exit 0
fi
rm -rf "$data"/.fetch-*  # of runs that were killed
helper=/usr/lib/apt/apt-helper
command -v apt-get >/dev/null && [ -x "$helper" ] ||
  die "the data comes by apt, but this system has no apt-get; on a Debian 12 machine run this script and copy its DATA_DIR here"
command -v python3 >/dev/null ||
  die "needs python3: apt-get install python3-minimal, or run deploy/bootstrap.sh"
make_corpus "$data"
report "$data"
