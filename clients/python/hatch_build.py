"""Generates `linepress.rest` from the OpenAPI document of the server when the package is built.

The generated part is not in the repository, so it cannot differ from the document. A source distribution contains it.
`python hatch_build.py` generates it for work on this package.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent
DOCUMENT = ROOT.parent.parent / "docs" / "openapi.json"
GENERATED = ROOT / "src" / "linepress" / "rest"


class GenerateClient(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        # A source distribution has this file, and the generated part.
        if not (ROOT / "PKG-INFO").exists():
            generate()


def generate() -> None:
    document = json.loads(DOCUMENT.read_text("utf-8"))
    simplify(document)
    with tempfile.TemporaryDirectory() as folder:
        simplified, config = Path(folder, "openapi.json"), Path(folder, "config.json")
        simplified.write_text(json.dumps(document), "utf-8")
        config.write_text(json.dumps(settings()), "utf-8")
        command = [sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none", "--overwrite"]
        command += ["--path", simplified, "--output-path", GENERATED, "--config", config]
        command += ["--custom-template-path", ROOT / "templates", "--fail-on-warning"]
        subprocess.run(command, check=True)


def settings() -> dict[str, Any]:
    files = ["application/pdf", "application/zip", "image/png"]
    # Without the folder of the generated modules in the path, one of which is `types`.
    ruff = f"{sys.executable} -P -m ruff"
    return {
        # The generator supports only one content type for files.
        "content_type_overrides": {name: "application/octet-stream" for name in files},
        # A program writes audience="child" instead of audience=Audience.CHILD, and new values are no errors.
        "literal_enums": True,
        "docstrings_on_attributes": True,
        "post_hooks": [f"{ruff} check . --fix-only --extend-select=I --quiet", f"{ruff} format . --quiet"],
    }


def simplify(document: dict[str, Any]) -> None:
    """Removes what the hand-made layer takes care of: errors, which it raises, and keys, which it creates."""
    methods = {"get", "put", "post", "patch", "delete"}
    for path in document["paths"].values():
        for operation in (path[method] for method in methods & path.keys()):
            responses = operation["responses"]
            operation["responses"] = {status: reply for status, reply in responses.items() if status < "300"}
            for parameter in operation.get("parameters", []):
                if parameter["name"] == "Idempotency-Key":
                    parameter["required"] = False


if __name__ == "__main__":
    generate()
