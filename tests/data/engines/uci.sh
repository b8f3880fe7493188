#!/bin/sh
# A chess program that speaks UCI and nothing else: sh uci.sh [FILE]. What it is told goes to FILE. As Black it answers with the
# move of the e-, d- or c-pawn that is still at home, one after the other.
log=${1:-/dev/null}
moves=0

say() { printf '%s\n' "$*"; }

while read -r line; do
    say "$line" >>"$log"
    case $line in
    uci)
        say "id name Example"
        say "option name Hash type spin default 16 min 1 max 1024"
        say "option name Ponder type check default false"
        say "option name Style type combo default Solid var Solid var Very Risky"
        say "option name Book File type string default <empty>"
        say "option name Clear Hash type button"
        say "option name UCI_Chess960 type check default false"
        say uciok
        ;;
    isready) say readyok ;;
    position*)
        set -- $line
        moves=$(($# > 3 ? $# - 3 : 0))
        ;;
    go*)
        case $moves in
        1) say "bestmove e7e5" ;;
        3) say "bestmove d7d6" ;;
        *) say "bestmove c7c6" ;;
        esac
        ;;
    quit) exit 0 ;;
    setoption* | ucinewgame) ;;
    *) say "Unknown command: '$line'." ;;
    esac
done
