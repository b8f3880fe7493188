#!/usr/bin/env python3
"""Prints the licences of everything that is linked into the two programs, with their texts. Run in the workspace.

.ci/dependencies.py checks that we accept them.
"""

import pathlib

import dependencies

TEXTS = ("licen", "copying", "notice", "unlicense")


def main():
    for package in dependencies.linked(dependencies.metadata()):
        print("=" * 100)
        print(f"{package['name']} {package['version']} ({package['license']})")
        print(", ".join(package["authors"]))
        folder = pathlib.Path(package["manifest_path"]).parent
        for path in sorted(folder.iterdir()):
            if path.is_file() and path.name.lower().startswith(TEXTS):
                print(f"\n--- {path.name}\n\n{path.read_text(encoding='utf-8', errors='replace').strip()}\n")


if __name__ == "__main__":
    main()
