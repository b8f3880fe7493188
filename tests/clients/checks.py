"""What the scripts share: they run checks one after the other and say how long each took."""

import faulthandler
import sys
import time
import traceback


# A program that waits for an answer that does not come is ended, and says where it waited.
LONGEST = 120


def run(checks, transcript):
    """Runs the checks, or those of them that the command line names after its two programs, the engine and stockfish.

    `transcript` gives the last lines that passed between the programs, to be shown if a check fails.
    """
    if len(sys.argv) < 3:
        sys.exit(f"usage: {sys.argv[0]} ENGINE STOCKFISH [CHECK...]")
    engine, stockfish, *names = sys.argv[1:]
    unknown = set(names) - {check.__name__ for check in checks}
    if unknown:
        sys.exit(f"no such check: {', '.join(sorted(unknown))}")
    faulthandler.dump_traceback_later(LONGEST, exit=True)
    for check in checks:
        if names and check.__name__ not in names:
            continue
        begun = time.monotonic()
        try:
            said = check(engine, stockfish)
        except BaseException:
            traceback.print_exc(file=sys.stdout)
            print("The last that was said:")
            for line in transcript():
                print("   ", line)
            print(f"{check.__name__} failed")
            sys.exit(1)
        print(f"{check.__name__}: {said} ({time.monotonic() - begun:.1f} s)", flush=True)
