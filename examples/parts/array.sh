#!/bin/sh
# SPDX-License-Identifier: MIT
#SBATCH --job-name=kedge
#SBATCH --cpus-per-task=2
#SBATCH --mem=3G
#
#   sbatch --array=1-100 examples/parts/array.sh LIST VOCAB FOLDER
#
# A part of a Slurm array: reads the shard that line SLURM_ARRAY_TASK_ID of LIST
# names and leaves what it counted and sketched in FOLDER, which all nodes see.
# The store itself may lie on a disk of the node: STORES names a folder there.
# A task that is run again goes on where it ended. When all have ended:
#
#   kedge sketch import FOLDER/all FOLDER/*.sketch
set -eu

shard=$(sed -n "${SLURM_ARRAY_TASK_ID}p" "$1")
name=$(printf 'part%05d' "$SLURM_ARRAY_TASK_ID")
store=${STORES:-$3}/$name
kedge ingest "$store" "$shard" --vocab "$2" --memory 2G --quiet \
    --threads "${SLURM_CPUS_PER_TASK:-1}"
kedge sketch export "$store" -o "$3/$name.sketch" --quiet
