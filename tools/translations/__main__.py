"""`python -m tools.translations [FOLDER]`: bring the Linguist files up to date with the program, and compile them.

FOLDER: JSON files, each an object of English sentences with their translations, that are merged. What is missing or
faulty is listed, and stays English in the program.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from gpuplanner_gui.drawing.language import ENGLISH
from gpuplanner_gui.drawing.translations import LANGUAGES
from tools.translations.linguist import compile_ts, faults_of, translations_in, ts_file, write_ts
from tools.translations.sources import program_sources


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.translations", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="translations to merge, as JSON")
    parser.add_argument("--language", choices=[code for code in LANGUAGES if code != ENGLISH], default="zh_TW")
    parser.add_argument("--list", type=Path, help="write the sentences that lack a translation, as JSON")
    options = parser.parse_args()
    path = ts_file(options.language)
    translations = translations_in(path)
    for merged in sorted(options.folder.glob("*.json")) if options.folder else ():
        translations |= json.loads(merged.read_text(encoding="utf-8"))
    sources = program_sources()
    for source in sources:
        for fault in faults_of(source.text, translations.get(source.text, source.text)):
            print(f"{fault}: {source.text!r} {translations[source.text]!r}", file=sys.stderr)
            translations.pop(source.text, None)
    write_ts(path, options.language, sources, translations)
    compile_ts(path)
    missing = [source for source in sources if source.text not in translations]
    print(f"{len(sources)} sentences, {len(missing)} of them not translated")
    if options.list:
        listed = [{"source": source.text, "file": source.file, "line": source.line} for source in missing]
        options.list.write_text(json.dumps(listed, ensure_ascii=False, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
