#!/bin/sh
# An engine that says what it thinks and writes no trees: sh lines.sh uci|ugi|gtp. It plays connect four, column after column, and
# ends `go infinite` at stop.
dialect=$1
moves=0

say() { printf '%s\n' "$*"; }
column() { echo $(((moves + $1) % 7 + 1)); }
answer() { printf '=%s %s\n\n' "$id" "$*"; }

while read -r line; do
    id=
    case $dialect$line in
    gtp[0-9]*)
        id=${line%% *}
        line=${line#* }
        ;;
    esac
    set -- $line
    case $dialect:$line in
    uci:uci | ugi:ugi)
        say "id name Lines 1.0"
        say "option name Skill type spin default 1 min 0 max 10"
        say "${dialect}ok"
        ;;
    uci:isready | ugi:isready) say readyok ;;
    uci:position* | ugi:position*) moves=$(($# > 3 ? $# - 3 : 0)) ;;
    uci:go* | ugi:go*)
        first=$(column 0) second=$(column 1) third=$(column 2)
        say "info depth 1 multipv 1 score cp 100 nodes 7 time 1 pv $first"
        say "info depth 2 multipv 1 score cp -100 nodes 49 time 2 pv $first $second"
        say "info depth 2 multipv 2 score mate -1 nodes 49 time 2 pv $second $third"
        [ "$2" = infinite ] && while read -r line && [ "$line" != stop ]; do :; done
        say "bestmove $first ponder $second"
        ;;
    ugi:"query gameover") say "response false" ;;
    ugi:"query result") say "response none" ;;
    gtp:list_commands)
        printf '=%s name\nlist_commands\nclear_board\nboardsize\nplay\ngenmove\nundo\ntime_settings\nlz-analyze\nlz-genmove_analyze\nquit\n\n' "$id"
        ;;
    gtp:name) answer Lines ;;
    gtp:clear_board)
        moves=0
        answer
        ;;
    gtp:play*)
        moves=$((moves + 1))
        answer
        ;;
    gtp:genmove*)
        answer "$(column 0)"
        moves=$((moves + 1))
        ;;
    gtp:lz-*)
        printf '=%s\n' "$id"
        say "info move $(column 0) visits 90 winrate 6000 prior 5000 lcb 5500 order 0 pv $(column 0) $(column 1) info move $(column 1) visits 10 winrate 2500 prior 1000 lcb 2000 order 1 pv $(column 1)"
        if [ "$1" = lz-analyze ]; then
            # Until the next command, which is answered after it.
            read -r line
            printf '\n'
            answer Lines
        else
            say "play $(column 0)"
            printf '\n'
            moves=$((moves + 1))
        fi
        ;;
    gtp:quit)
        answer
        exit 0
        ;;
    gtp:*) answer ;;
    *:quit) exit 0 ;;
    esac
done
