"""Writes the examples of the served reference as programs, which are checked but not run.

reference.py ADDRESS TARGET
"""

import html.parser
import json
import pathlib
import sys
import urllib.request

LANGUAGES = {"sh", "py", "ts", "rs"}


class Page(html.parser.HTMLParser):
    """The examples of a page, and the pages next to it."""

    def __init__(self, address):
        super().__init__()
        self.examples = {}
        self.links = set()
        self.example = None
        with urllib.request.urlopen(address) as reply:
            self.feed(reply.read().decode())

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "a":
            self.links.add(attributes.get("href", "").partition("#")[0])
        if tag == "pre" and "data-operation" in attributes:
            self.example = (attributes["data-operation"], attributes["data-language"])
            self.examples[self.example] = ""

    def handle_endtag(self, tag):
        if tag == "pre":
            self.example = None

    def handle_data(self, data):
        if self.example is not None:
            self.examples[self.example] += data


def main(address, target):
    index = f"{address}/api/v1/docs"
    examples = {}
    for link in Page(index).links:
        if link.startswith("docs/") and not link.endswith(".md"):
            examples |= Page(f"{address}/api/v1/{link}").examples
    with urllib.request.urlopen(f"{address}/api/v1/openapi.json") as reply:
        paths = json.load(reply)["paths"].values()
    operations = {operation["operationId"] for path in paths for operation in path.values()}
    expected = {(operation, language) for operation in operations for language in LANGUAGES}
    assert examples.keys() == expected, examples.keys() ^ expected
    folder = pathlib.Path(target)
    folder.mkdir(parents=True, exist_ok=True)
    for (operation, language), text in examples.items():
        (folder / f"reference_{operation}.{language}").write_text(text, "utf-8")
    print(len(examples), "examples of", len(operations), "operations")


main(*sys.argv[1:])
