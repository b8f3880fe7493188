#!/usr/bin/env python3
"""Checks what is linked into the two programs: licences and sources by .ci/deny.toml, packages in several versions, and advisories.

    .ci/dependencies.py [--advisories DIRECTORY]

DIRECTORY is a checkout of RustSec's advisory-db. Prints a line a finding. A licence or a source that is not accepted, or a
vulnerability without a patch in our version, is a failure; all else is told. It needs nothing but cargo and Python 3.11, so that it
runs everywhere; `cargo deny --config .ci/deny.toml check` does the same and more.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tomllib

TARGET = "x86_64-unknown-linux-gnu"
# A package from a registry; anything else is a git repository.
REGISTRY = ("registry+", "sparse+")


def metadata():
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", TARGET]
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
    ours = set(data["workspace_members"])
    return sorted((packages[identity] for identity in seen - ours), key=lambda it: (it["name"], version(it["version"])))


class Policy:
    """The licences that .ci/deny.toml accepts."""

    def __init__(self):
        written = tomllib.loads((pathlib.Path(__file__).parent / "deny.toml").read_text(encoding="utf-8"))["licenses"]
        self.everywhere = set(written["allow"])
        self.exceptions = {one["crate"]: set(one["allow"]) for one in written["exceptions"]}

    def accepts(self, package):
        """Whether the licence, an SPDX expression, can be met by accepted ones alone. `/` is an old way to write OR."""
        accepted = self.everywhere | self.exceptions.get(package["name"], set())
        tokens = re.findall(r"[()]|[^()\s]+", (package["license"] or "").replace("/", " OR "))
        tokens.reverse()

        def choice():
            value = both()
            while tokens and tokens[-1] == "OR":
                tokens.pop()
                value = both() or value
            return value

        def both():
            value = one()
            while tokens and tokens[-1] == "AND":
                tokens.pop()
                value = one() and value
            return value

        def one():
            token = tokens.pop() if tokens else ""
            if token == "(":
                value = choice()
                return bool(tokens) and tokens.pop() == ")" and value
            if len(tokens) > 1 and tokens[-1] == "WITH":
                tokens.pop()
                token = f"{token} WITH {tokens.pop()}"
            return token in accepted

        return choice() and not tokens


def version(text):
    """A key that orders versions; one with a mark such as -alpha comes before the one without."""
    text, _, mark = text.split("+")[0].partition("-")
    numbers = [int(part) for part in text.split(".")]
    return (*(numbers + [0, 0])[:3], not mark, mark)


def is_in(number, ranges):
    """Whether a version is in one of RustSec's ranges, such as `< 0.10.0, >= 0.9.3`."""
    tests = {">=": lambda a, b: a >= b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, "<": lambda a, b: a < b, "=": lambda a, b: a == b}

    def holds(comparator):
        operator, limit = re.fullmatch(r"(>=|<=|>|<|=|\^|~)?\s*([0-9].*)", comparator.strip()).groups()
        limit = version(limit)
        if operator in tests:
            return tests[operator](number, limit)
        same = 2 if operator == "~" else next((at for at in range(2) if limit[at]), 2) + 1
        return number >= limit and number[:same] == limit[:same]

    return any(all(holds(comparator) for comparator in one.split(",")) for one in ranges)


def advisories(packages, directory):
    """What RustSec says of these packages in these versions: the advisory's number, what kind it is, and its title."""
    for package in packages:
        for path in sorted((directory / "crates" / package["name"]).glob("RUSTSEC-*.md")):
            text = path.read_text(encoding="utf-8")
            stated = tomllib.loads(text.split("```toml", 1)[1].split("```", 1)[0])
            advisory, number = stated["advisory"], version(package["version"])
            versions = stated.get("versions", {})
            if advisory.get("withdrawn") or is_in(number, versions.get("patched", []) + versions.get("unaffected", [])):
                continue
            title = re.search(r"^# (.*)", text, re.MULTILINE)
            yield package, advisory["id"], advisory.get("informational", "vulnerability"), title[1] if title else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--advisories", type=pathlib.Path)
    arguments = parser.parse_args()
    packages = linked(metadata())
    policy, failures = Policy(), 0

    def tell(is_failure, package, what):
        nonlocal failures
        failures += is_failure
        print(f"dependencies: {'REFUSED' if is_failure else 'note'}: {package['name']} {package['version']}: {what}")

    for before, package in zip([None, *packages], packages):
        if not policy.accepts(package):
            tell(True, package, f"licence {package['license'] or 'not stated'}")
        if not package["source"].startswith(REGISTRY):
            tell(True, package, f"comes from {package['source']}")
        if before and before["name"] == package["name"]:
            tell(False, package, f"linked beside {before['version']}")
    if arguments.advisories:
        if not (arguments.advisories / "crates").is_dir():
            parser.error(f"{arguments.advisories} is no advisory-db")
        for package, number, kind, title in advisories(packages, arguments.advisories):
            tell(kind == "vulnerability", package, f"{number}, {kind}: {title}")
    else:
        print("dependencies: NOT CHECKED: advisories, whose database is not here")
    print(f"dependencies: {len(packages)} packages, {failures} refused")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
