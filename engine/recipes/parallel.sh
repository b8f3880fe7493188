#!/bin/sh
# A match with GNU parallel: 8 shards, two at a time. Copy this file, and change the match. Run it again to continue after Ctrl-C
# or a crash; --sshlogin host1,host2 spreads the shards over machines that share the directory.
#
# -q keeps arguments with blanks whole. The job log makes a second run repeat only the shards that failed.
set -e
parallel -q -j 2 --joblog my-match.log --resume-failed \
    canopy-engine match --game connect-four --engine search=uct --engine search=lgr2 --games 64 --go "nodes 1000" --plies 4 \
    --out my-match --shard {}/8 ::: 1 2 3 4 5 6 7 8
canopy-engine report my-match
