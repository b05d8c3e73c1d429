#!/usr/bin/env python3
"""Makes a text classification corpus of Debian's package lists.

usage: debian_sections.py PACKAGES TRANSLATIONS OUT_DIR

PACKAGES and TRANSLATIONS are the texts of `Packages` and `Translation-en`
indices. Writes OUT_DIR/section.train.txt and OUT_DIR/section.test.txt, one
package description a line: `__label__SECTION word word ...`.

A text is the first 60 words and signs of the long description (the short one
where there is no long one), in lower case. Of identical texts the first stays.
A tenth of the source packages is test data, chosen by a hash of their names, so
that the packages built from one source are never on both sides.
"""

import hashlib
import pathlib
import re
import sys

TOKENS_PER_TEXT = 60
FEWEST_TEXTS = 1000
TOKEN = re.compile(r"[^\W_]+|[^\w\s]")
LONG_DESCRIPTION = re.compile(r"Description-[A-Za-z_]+")


def stanzas(path):
    """The records of a Debian control file, as field name -> lines."""
    fields, value = {}, None
    with open(path, encoding="utf-8", errors="replace", newline="\n") as file:
        for line in file:
            line = line.rstrip("\r\n")
            if not line:
                if fields:
                    yield fields
                fields, value = {}, None
            elif line[0] in " \t":
                if value is not None:
                    value.append(line.strip())
            else:
                name, _, rest = line.partition(":")
                value = fields[name] = [rest.strip()]
    if fields:
        yield fields


def long_descriptions(path):
    """Long descriptions by the checksum that the package records name."""
    by_checksum = {}
    for fields in stanzas(path):
        checksum = fields.get("Description-md5")
        for name, lines in fields.items():
            if checksum and name != "Description-md5" and LONG_DESCRIPTION.fullmatch(name):
                by_checksum[checksum[0]] = lines
    return by_checksum


def text_of(lines):
    """Words and signs; a line of one dot is a paragraph's end."""
    words = []
    for line in lines:
        if line != ".":
            words += TOKEN.findall(line.lower())
        if len(words) >= TOKENS_PER_TEXT:
            break
    return " ".join(words[:TOKENS_PER_TEXT])


def is_test(source):
    digest = hashlib.sha256(source.encode("utf-8", "replace")).digest()
    return int.from_bytes(digest, "big") % 10 == 0


def examples(packages, translations):
    """(is test, line of the corpus) of each package with a text of its own."""
    long_by_checksum = long_descriptions(translations)
    seen = set()
    for fields in stanzas(packages):
        if "Package" not in fields or "Section" not in fields:
            continue
        checksum = fields.get("Description-md5", [""])[0]
        lines = long_by_checksum.get(checksum) or fields.get("Description", [])
        text = text_of(lines)
        section = fields["Section"][0].rpartition("/")[2]
        if not text or not section or text in seen:
            continue
        seen.add(text)
        source = fields.get("Source", fields["Package"])[0].split(" ")[0]
        yield is_test(source), f"__label__{section} {text}\n"


def main(arguments):
    if len(arguments) != 3:
        sys.exit(__doc__)
    packages, translations, out = map(pathlib.Path, arguments)
    train, test = [], []
    for in_test, line in examples(packages, translations):
        (test if in_test else train).append(line)
    if min(len(train), len(test)) < FEWEST_TEXTS:
        sys.exit(
            f"only {len(train)} training and {len(test)} test texts in these "
            "package lists; expected those of Debian's main archive"
        )
    for name, lines in (("train", train), ("test", test)):
        (out / f"section.{name}.txt").write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (OSError, UnicodeError) as error:
        sys.exit(f"debian_sections.py: {error}")
