#!/usr/bin/env bash
# Tests the Python package: engine/python/test.sh ENGINE [PYTHON]. With pytest where the Python has it, else by the test file itself.
set -euo pipefail
engine=$(realpath "$1")
python=$(command -v "${2:-python3}")
# Not resolved further: the link is what makes it the Python of a virtual environment.
case $python in /*) ;; *) python=$PWD/$python ;; esac
cd "$(dirname "$0")"
export CANOPY_ENGINE=$engine PYTHONDONTWRITEBYTECODE=1
viewer=$(dirname "$engine")/canopy-viewer
if [ -x "$viewer" ]; then export CANOPY_VIEWER=$viewer; fi
if "$python" -c 'import pytest' 2>/dev/null; then
    "$python" -m pytest -q -p no:cacheprovider tests
else
    "$python" tests/test_package.py
fi
