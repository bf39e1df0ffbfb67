#!/bin/sh
# SPDX-License-Identifier: MIT
#SBATCH --job-name=kedge
#SBATCH --ntasks=8
#SBATCH --cpus-per-task=2
#SBATCH --mem-per-cpu=2G
#
#   sbatch --ntasks=8 examples/parts/mpi.sh VOCAB STORE TOPICS SHARD...
#
# Reads the shards, fits so many topics and finds what every document is made
# of, by as many processes as there are tasks, or RANKS where there is no Slurm.
# STORE.0, STORE.1 and so on have the documents, STORE the model, and
# STORE.shares.0, ... the topic proportions. Run again, with more shards after
# the first ones, it continues where it ended.
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
