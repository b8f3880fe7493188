#!/bin/sh
# An engine that misbehaves: sh rogue.sh MODE [K]. It speaks UGI and plays connect four, column after column.
mode=$1
which=${2:-1}
moves=0
asked=0
readied=0

say() { printf '%s\n' "$*"; }
hang() { while :; do sleep 1; done; }

case $mode in
deaf) trap '' TERM INT HUP ;;
noisy-death)
    echo "the memory is gone" >&2
    echo "so am I" >&2
    exit 3
    ;;
parent) sleep 1000 & ;;
# Children that leave the process group: one whose parent stays, without the environment, and one whose parent is gone.
sessions)
    env -i setsid sleep 1000 &
    (setsid sleep 1001 &)
    ;;
sessions-crash) (setsid sleep 1002 >/dev/null 2>&1 &) ;;
esac

while read -r line; do
    case $line in
    ugi)
        case $mode in
        hang-start) hang ;;
        slow-start) sleep 1 ;;
        esac
        say "id name Rogue"
        say "option name Skill type spin default 1 min 0 max 10"
        say ugiok
        ;;
    isready)
        readied=$((readied + 1))
        # The first is after the options, the second after the new game.
        [ "$mode" = hang-ready ] && [ "$readied" -gt "$which" ] && hang
        say readyok
        ;;
    position*)
        set -- $line
        moves=$(($# > 3 ? $# - 3 : 0))
        ;;
    "query gameover")
        [ "$mode" = lie-open ] && say "response false" && continue
        say "response true"
        ;;
    "query result")
        [ "$mode" = lie-draw ] && say "response draw" && continue
        [ "$moves" -gt 0 ] && say "response p1win"
        ;;
    go*)
        asked=$((asked + 1))
        column=$((moves % 7 + 1))
        if [ "$asked" -ge "$which" ]; then
            case $mode in
            illegal) column=9 ;;
            garbage)
                printf '\001\377\376 what\n'
                say "bestmove"
                continue
                ;;
            nonsense) column="e2e4 ponder e7e5" ;;
            claim) column=0000 ;;
            crash | sessions-crash)
                echo "out of luck" >&2
                exit 7
                ;;
            kill) kill -SEGV $$ ;;
            term) kill -TERM $$ ;;
            hang-move) hang ;;
            close)
                exec 1>&-
                hang
                ;;
            late)
                sleep 0.4
                ;;
            stubborn)
                read -r line
                hang
                ;;
            flood)
                while :; do say "info string la la la la la la la la la la la la la la la"; done
                ;;
            endless)
                while :; do printf 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'; done
                ;;
            twice) say "bestmove $column" ;;
            esac
        fi
        say "info depth 1 nodes 1 score cp 0"
        say "bestmove $column"
        ;;
    quit)
        [ "$mode" = deaf ] && hang
        exit 0
        ;;
    esac
done
[ "$mode" = deaf ] && hang
exit 0
