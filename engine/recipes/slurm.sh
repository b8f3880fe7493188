#!/bin/sh
#SBATCH --array=1-8
#SBATCH --cpus-per-task=1
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=slurm-%a.log
#SBATCH --signal=B:TERM@60
#
# A match as a Slurm job array: every task plays one of 8 shards. Copy this file, and change the match.
#
#   sbatch slurm.sh                                     all shards
#   canopy-engine status my-match --shards 8 --watch    how far they are
#   sbatch --array=$(canopy-engine status my-match --shards 8 --missing) slurm.sh
#                                                       only the shards that are not complete
#   canopy-engine report my-match                       the table
#
# Tasks may be cancelled, requeued and run twice: finished games are kept, and only missing ones are played. The number of shards
# stands here, and is not taken from Slurm: an array that is sent again for one shard has one task.
#
# exec: Slurm's signals go to the engine, and its exit code is the task's.
exec canopy-engine match --game connect-four --engine search=uct --engine search=lgr2 --games 64 --go "nodes 1000" --plies 4 \
    --out my-match --shard "$SLURM_ARRAY_TASK_ID/8"
