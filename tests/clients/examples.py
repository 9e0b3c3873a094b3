"""Writes the examples of documents as programs, one for each document and language.

examples.py TARGET DOCUMENT...

A block of code that begins with an import begins a new program; the others continue the program before them. A block whose
language is followed by `no_run` is written into the folder `checked`, whose programs are checked but not run.
"""

import pathlib
import re
import sys

BLOCK = re.compile(r"^```(sh|python|ts)( no_run)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SUFFIXES = {"sh": "sh", "python": "py", "ts": "ts"}


def programs(document):
    """Returns the texts of the programs of a document, by language and whether they run."""
    found = {}
    for language, no_run, text in BLOCK.findall(document):
        kind = (language, not no_run)
        begins = language != "sh" and re.match(r"(import|from) ", text)
        if kind not in found or begins:
            found.setdefault(kind, []).append(text)
        else:
            found[kind][-1] += "\n" + text
    return found


def main(target, *documents):
    for position, document in enumerate(map(pathlib.Path, documents), 1):
        for (language, runs), texts in programs(document.read_text("utf-8")).items():
            for number, text in enumerate(texts, 1):
                # The order of the documents is that of the names, and several documents are a README.
                stem = f"example_{position:02}_{document.parent.name}_{document.stem}_{number}"
                stem = re.sub(r"\W", "_", stem).lower()
                folder = pathlib.Path(target, "run" if runs else "checked")
                folder.mkdir(parents=True, exist_ok=True)
                (folder / f"{stem}.{SUFFIXES[language]}").write_text(text, "utf-8")


main(*sys.argv[1:])
