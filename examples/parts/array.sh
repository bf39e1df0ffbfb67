#!/bin/sh
# SPDX-License-Identifier: MIT
#SBATCH --job-name=kedge
#SBATCH --cpus-per-task=2
#SBATCH --mem=3G
#
#   sbatch --array=1-100 examples/parts/array.sh LIST VOCAB FOLDER
#
# One task of a Slurm array: reads a shard, line SLURM_ARRAY_TASK_ID of LIST,
# and exports its counts and sketch to FOLDER, which all nodes share. The store
# is in FOLDER too, or in the folder STORES, for example on a disk of the node.
# A task that is run again continues where it stopped. After the last task:
#
#   kedge sketch import FOLDER/all FOLDER/*.sketch
set -eu

shard=$(sed -n "${SLURM_ARRAY_TASK_ID}p" "$1")
name=$(printf 'part%05d' "$SLURM_ARRAY_TASK_ID")
store=${STORES:-$3}/$name
kedge ingest "$store" "$shard" --vocab "$2" --memory 2G --quiet \
    --threads "${SLURM_CPUS_PER_TASK:-1}"
kedge sketch export "$store" -o "$3/$name.sketch" --quiet
