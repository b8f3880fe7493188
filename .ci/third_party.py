#!/usr/bin/env python3
"""Prints the licences of everything that is linked into the two programs, with their texts.

Run in the workspace. Fails if a package has no licence that we accept; .ci/deny.toml has the same list for cargo-deny.
"""

import json
import pathlib
import subprocess
import sys

ACCEPTED = {
    "MIT", "MIT-0", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "ISC", "OFL-1.1", "Unicode-3.0",
    "Unlicense", "Zlib", "0BSD", "LicenseRef-UFL-1.0", "Ubuntu-font-1.0", "Apache-2.0 WITH LLVM-exception",
}
TEXTS = ("licen", "copying", "notice", "unlicense")


def metadata():
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", "x86_64-unknown-linux-gnu"]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def linked(data):
    """The packages that the programs are built from, without those for tests and builds alone."""
    nodes = {node["id"]: node for node in data["resolve"]["nodes"]}
    seen, waiting = set(), list(data["workspace_members"])
    while waiting:
        identity = waiting.pop()
        if identity in seen:
            continue
        seen.add(identity)
        for dependency in nodes[identity]["deps"]:
            if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                waiting.append(dependency["pkg"])
    packages = {package["id"]: package for package in data["packages"]}
    return sorted((packages[identity] for identity in seen - set(data["workspace_members"])), key=lambda it: it["name"])


def is_accepted(expression):
    """Whether an SPDX expression can be met by accepted licences alone. `/` is an old way to write OR."""
    either = expression.replace("/", " OR ").replace("(", " ").replace(")", " ").split(" OR ")
    return any(all(term.strip() in ACCEPTED for term in choice.split(" AND ")) for choice in either) or (
        # (A OR B) AND C: every AND part must have an accepted choice.
        all(any(term.strip(" ()") in ACCEPTED for term in part.split(" OR ")) for part in expression.split(" AND "))
    )


def main():
    refused = []
    for package in linked(metadata()):
        licence = package["license"] or "none stated"
        if not is_accepted(licence):
            refused.append(f"{package['name']} {package['version']}: {licence}")
        print("=" * 100)
        print(f"{package['name']} {package['version']} ({licence})")
        print(", ".join(package["authors"]))
        folder = pathlib.Path(package["manifest_path"]).parent
        for path in sorted(folder.iterdir()):
            if path.is_file() and path.name.lower().startswith(TEXTS):
                print(f"\n--- {path.name}\n\n{path.read_text(encoding='utf-8', errors='replace').strip()}\n")
    for line in refused:
        print(f"third_party.py: a licence that is not accepted: {line}", file=sys.stderr)
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
