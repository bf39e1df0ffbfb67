/* SPDX-License-Identifier: MIT */
/*
 * A team by MPI, in a module of its own: the program is complete without it,
 * and is not slowed down by loading MPI where it works alone.
 *
 * Tickets are two messages and no window of MPI's: rank 0 answers between its
 * own pieces of work, which takes no thread and no support for one.
 */
#include "ranks.h"

#include <mpi.h>
#include <time.h>

enum { ASKED = 1, ANSWERED, LETTER };

#define LETTER_MOST (1 << 30) /* bytes of a message */

#define PAUSE_NANOSECONDS 1000000
#define TURNS 9
#define TURN_NANOSECONDS 100000000

static team self;
static kedge_comm together;
static uint64_t heard;

/* What rank 0 deals out. */
static struct {
    uint64_t next, count;
    unsigned told; /* ranks that know that there are no more */
} dealt;

static void mpi_gather(const void *mine, size_t bytes, void *all)
{
    MPI_Allgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE,
                  MPI_COMM_WORLD);
}

/* ---- what the library works with ---------------------------------------- */

/* MPI counts bytes in an int. */
static int piece_of(size_t bytes)
{
    return bytes < LETTER_MOST ? (int)bytes : LETTER_MOST;
}

static void mpi_hand(void *data, const void *value, size_t bytes, unsigned to)
{
    (void)data;
    for (const char *at = value; bytes > 0;) {
        const int n = piece_of(bytes);
        MPI_Send(at, n, MPI_BYTE, (int)to, LETTER, MPI_COMM_WORLD);
        at += n;
        bytes -= (size_t)n;
    }
}

static void mpi_take(void *data, void *value, size_t bytes, unsigned from)
{
    (void)data;
    for (char *at = value; bytes > 0;) {
        const int n = piece_of(bytes);
        MPI_Recv(at, n, MPI_BYTE, (int)from, LETTER, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        at += n;
        bytes -= (size_t)n;
    }
}

static void mpi_trade(void *data, const void *out, size_t out_bytes,
                      unsigned to, void *in, size_t in_bytes, unsigned from)
{
    const char *out_at = out;
    char *in_at = in;

    (void)data;
    while (out_bytes > 0 || in_bytes > 0) {
        const int given = piece_of(out_bytes), got = piece_of(in_bytes);
        MPI_Sendrecv(out_at, given, MPI_BYTE,
                     given > 0 ? (int)to : MPI_PROC_NULL, LETTER, in_at, got,
                     MPI_BYTE, got > 0 ? (int)from : MPI_PROC_NULL, LETTER,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        out_at += given;
        in_at += got;
        out_bytes -= (size_t)given;
        in_bytes -= (size_t)got;
    }
}

/* ---- tickets ------------------------------------------------------------ */

static void mpi_deal(uint64_t count)
{
    dealt.next = 0;
    dealt.count = count;
    dealt.told = 0;
}

static uint64_t next_ticket(void)
{
    if (dealt.next < dealt.count)
        return dealt.next++;
    dealt.told++;
    return dealt.count;
}

static void mpi_serve(void)
{
    for (;;) {
        MPI_Status from;
        uint64_t number;
        int waits;

        MPI_Iprobe(MPI_ANY_SOURCE, ASKED, MPI_COMM_WORLD, &waits, &from);
        if (!waits)
            return;
        MPI_Recv(NULL, 0, MPI_BYTE, from.MPI_SOURCE, ASKED, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        number = next_ticket();
        MPI_Send(&number, sizeof number, MPI_BYTE, from.MPI_SOURCE, ANSWERED,
                 MPI_COMM_WORLD);
    }
}

static uint64_t mpi_ticket(void)
{
    uint64_t number;

    if (self.rank == 0) {
        mpi_serve();
        return next_ticket();
    }
    MPI_Send(NULL, 0, MPI_BYTE, 0, ASKED, MPI_COMM_WORLD);
    MPI_Recv(&number, sizeof number, MPI_BYTE, 0, ANSWERED, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    return number;
}

static void mpi_settle(void)
{
    const struct timespec pause = {0, PAUSE_NANOSECONDS};

    while (dealt.told < self.size) {
        mpi_serve();
        nanosleep(&pause, NULL);
    }
}

static void mpi_leave(void)
{
    MPI_Finalize();
}

/* Where all fail alike, the first ends the others: OpenMPI's mpirun does not
 * always live through several who end it at once. */
static void mpi_abandon(int code)
{
    const unsigned turn = self.rank < TURNS ? self.rank : TURNS;
    const struct timespec pause = {0, turn * TURN_NANOSECONDS};

    nanosleep(&pause, NULL);
    MPI_Abort(MPI_COMM_WORLD, code);
}

__attribute__((visibility("default"))) team_join kedge_team_join;

const team *kedge_team_join(void)
{
    int rank, size;

    if (MPI_Init(NULL, NULL) != MPI_SUCCESS)
        return NULL;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    self = (team){.rank = (unsigned)rank, .size = (unsigned)size,
                  .gather = mpi_gather, .deal = mpi_deal,
                  .ticket = mpi_ticket, .serve = mpi_serve,
                  .settle = mpi_settle, .leave = mpi_leave,
                  .abandon = mpi_abandon, .together = &together};
    together = (kedge_comm){.rank = self.rank, .size = self.size,
                            .hand = mpi_hand, .take = mpi_take,
                            .trade = mpi_trade, .heard = &heard};
    return &self;
}
