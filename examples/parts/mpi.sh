#!/bin/sh
# SPDX-License-Identifier: MIT
#SBATCH --job-name=kedge
#SBATCH --ntasks=8
#SBATCH --cpus-per-task=2
#SBATCH --mem-per-cpu=2G
#
#   sbatch --ntasks=8 examples/parts/mpi.sh VOCAB STORE TOPICS SHARD...
#
# Reads the shards, fits TOPICS topics and infers the topic proportions of all
# documents, with one process per Slurm task (without Slurm: RANKS processes,
# by default 2). STORE.0, STORE.1, ... have the documents, STORE the model,
# STORE.shares.0, STORE.shares.1, ... the topic proportions. Run again, also
# with more shards at the end, it continues where it stopped.
set -eu

ranks=${SLURM_NTASKS:-${RANKS:-2}}
threads=${SLURM_CPUS_PER_TASK:-1}
vocab=$1 store=$2 topics=$3
shift 3
together() {
    mpirun -n "$ranks" kedge "$@" --threads "$threads" --memory 2G --quiet
}
together ingest "$store" "$@" --vocab "$vocab"
together fit "$store" -k "$topics"
together infer "$store" -o "$store.shares"
