#!/bin/sh
# A chess program that speaks UCI and ponders: sh ponder.sh LOG. What it is told goes to LOG. As White it moves the e-, d- and c-pawn,
# and expects an answer by the e-, a- and c-pawn.
log=$1
answer=

say() { printf '%s\n' "$*"; }

while read -r line; do
    say "$line" >>"$log"
    case $line in
    uci)
        say "option name Ponder type check default false"
        say uciok
        ;;
    isready) say readyok ;;
    position*)
        set -- $line
        case $(($# > 3 ? $# - 3 : 0)) in
        0) answer="e2e4 ponder e7e5" ;;
        2) answer="d2d4 ponder a7a6" ;;
        *) answer="c2c4 ponder c7c6" ;;
        esac
        ;;
    "go ponder"*) ;;
    go* | ponderhit | stop) say "bestmove $answer" ;;
    quit) exit 0 ;;
    esac
done
