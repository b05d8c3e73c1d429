#!/usr/bin/env bash
# Trains on each of the real corpora with the job that `meanfield init` proposes
# for it, and prints a table of scores and times.
#
#   tests/benchmark/scores.sh CORPORA [NAME...]     all, or those named
#
# CORPORA is a folder with ner/, pos/ and cls/. Results go to runs/scores.
set -euo pipefail
corpora=$(cd "${1:?folder of the corpora}" && pwd)
shift
cd "$(dirname "$0")/../.."
bin=${MEANFIELD_BIN:-build/release/bin}
workers=${WORKERS:-2}
out=${OUT:-runs/scores}
mkdir -p "$out/data"

# name, epochs at most, files for init, more arguments of train
corpora_list() {
  local broad="$corpora/ner/broad_twitter" data=$out/data
  cat "$broad"/{a,b,e,g}.conll > "$data/broad.train.conll"
  head -n 17000 "$broad/h.conll" > "$data/broad.dev.conll"
  cp "$broad/f.conll" "$data/broad.test.conll"
  for part in train dev test; do
    zcat "$corpora/pos/masc_tagged/masc_$part.tsv.gz" > "$data/masc.$part.tsv"
  done
  { sed 's/^/pos\t/' "$corpora/cls/sentence_polarity/rt-polarity.pos"
    sed 's/^/neg\t/' "$corpora/cls/sentence_polarity/rt-polarity.neg"
  } > "$data/polarity.txt"
  local fix='--set task.corpus.on_bad_line=FIX'
  local held='--set task.corpus.dev_fraction=0.1 --set task.corpus.test_fraction=0.1'
  cat <<LIST
wnut17|20|$corpora/ner/wnut17/wnut17train.conll $corpora/ner/wnut17/emerging.dev.conll $corpora/ner/wnut17/emerging.test.annotated|
uner_danish|20|$corpora/ner/uner_Danish-DDT/da_ddt-ud-train.iob2 $corpora/ner/uner_Danish-DDT/da_ddt-ud-dev.iob2 $corpora/ner/uner_Danish-DDT/da_ddt-ud-test.iob2|
broad_twitter|12|$data/broad.train.conll $data/broad.dev.conll $data/broad.test.conll|$fix
europeana_nl|8|$corpora/ner/europeana/enp_NL.kb.bio|$fix $held
masc|3|$data/masc.train.tsv $data/masc.dev.tsv $data/masc.test.tsv|
atis|10|$corpora/pos/ud_English-Atis/en_atis-ud-train.conllu $corpora/pos/ud_English-Atis/en_atis-ud-dev.conllu $corpora/pos/ud_English-Atis/en_atis-ud-test.conllu|
vietnamese|15|$corpora/pos/ud_Vietnamese-VTB/vi_vtb-ud-train.conllu $corpora/pos/ud_Vietnamese-VTB/vi_vtb-ud-dev.conllu $corpora/pos/ud_Vietnamese-VTB/vi_vtb-ud-test.conllu|
sms_spam|20|$corpora/cls/sms_spam/sms.tsv|$held
sentence_polarity|20|$data/polarity.txt|$held
udhr_langid|20|$corpora/cls/udhr_langid/train.txt $corpora/cls/udhr_langid/dev.txt $corpora/cls/udhr_langid/test.txt|
LIST
}

row() { printf '%-18s %6s %-10s %7s %7s %8s %8s\n' "$@"; }

train_one() {
  local name=$1 epochs=$2 files=$3 more=$4
  # shellcheck disable=SC2086
  "$bin/meanfield" init $files > "$out/$name.textproto"
  rm -rf "${out:?}/$name"
  # shellcheck disable=SC2086
  "$bin/meanfield" train "$out/$name.textproto" --workers "$workers" \
    --set shards="$workers" --set stop.max_epochs="$epochs" $more \
    --out "$out/$name" > "$out/$name.log" 2>&1 || {
    echo "$name failed: see $out/$name.log" >&2
    return 0
  }
  python3 - "$out/$name/report.json" "$name" <<'PY'
import json, sys
report, name = json.load(open(sys.argv[1])), sys.argv[2]
test = report["final"].get("test") or {}
metric = report["best"]["metric"]
wall = sum(r["wall_s"] for r in report["rounds"])
busy = sum(w["busy_s"] for w in report["workers"])
print("%-18s %6d %-10s %7.4f %7s %7.0fs %7.0fs" % (
    name, len(report["rounds"]), metric, report["best"]["score"],
    "%.4f" % test[metric] if metric in test else "-", wall, busy))
PY
}

row corpus rounds metric dev test wall busy
corpora_list | while IFS='|' read -r name epochs files more; do
  [ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
  train_one "$name" "$epochs" "$files" "$more"
done
