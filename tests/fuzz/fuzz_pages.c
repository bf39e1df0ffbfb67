/* SPDX-License-Identifier: MIT */
/*
 * Small stores of which one bit is another, of those that tell LMDB where things
 * are and how large: in its two first pages, in the heads of pages, of nodes, and
 * of what nodes lead to. As checksums are of what is stored and not of these,
 * kedge has to see it by itself, or with LMDB; the commands may then do anything
 * but crash, hang, abort, or ask for much memory.
 *
 * The first eight bytes of an input are a number: cases 0, 1, ... take bits that
 * are far apart, and each bit once in as many cases as there are.
 */
#include "fuzz.h"

#include "base/bytes.h"
#include "stores.h"

enum { PAGE = 4096, META_END = 160, HEAD = 16, NODE = 8, LEADS = 48,
       BRANCH = 1, LEAF = 2, LONG = 4, META = 8,
       STRIDE = 7919 }; /* no divisor of any count that there is */

typedef struct place {
    uint32_t store, at;
} place;

static place *places;
static size_t count;

static unsigned get_u16(const uint8_t *p)
{
    return p[0] | (unsigned)p[1] << 8;
}

static void note(size_t number, size_t from, size_t size)
{
    static size_t room;

    for (size_t i = 0; i < size && from + i < stores[number].size; i++) {
        if (count == room) {
            room = 2 * room + 1024;
            places = realloc(places, room * sizeof *places);
            PROMISE(places != NULL);
        }
        places[count++] = (place){(uint32_t)number, (uint32_t)(from + i)};
    }
}

/* Nodes with the flags 1 and 2 lead to a run of pages, or to a tree. */
static void note_nodes(size_t number, size_t page)
{
    const uint8_t *const p = stores[number].file + page;

    note(number, page + HEAD, get_u16(p + 12) - HEAD);
    for (size_t at = HEAD; at < get_u16(p + 12); at += 2) {
        const size_t node = get_u16(p + at);
        const unsigned flags = get_u16(p + node + 4);
        note(number, page + node, NODE);
        if (get_u16(p + 10) & LEAF && flags & 3)
            note(number, page + node + NODE + get_u16(p + node + 6),
                 flags & 2 ? LEADS : 8);
    }
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    stores_make();
    for (size_t s = 0; s < stores_count; s++)
        for (size_t page = 0; page < stores[s].size; page += PAGE) {
            const uint8_t *const p = stores[s].file + page;
            const unsigned flags = get_u16(p + 10);
            if (get_u64(p) != page / PAGE) /* within a run, or never written */
                continue;
            if (flags & META)
                note(s, page, META_END);
            else if (flags & (BRANCH | LEAF | LONG))
                note(s, page, HEAD);
            if (flags & (BRANCH | LEAF))
                note_nodes(s, page);
        }
    printf("%zu bits of heads\n", 8 * count);
    PROMISE(count > 0 && count % STRIDE != 0);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 8)
        return 0;
    const uint64_t bit = get_u64(data) % (8 * count) * STRIDE % (8 * count);
    const place at = places[bit / 8];
    uint8_t *const byte = &stores[at.store].file[at.at];
    chance c = chance_of(data + 8, size - 8);

    *command_now = "making it";
    *byte ^= (uint8_t)(1 << bit % 8);
    stores_copy(at.store, "store");
    *byte ^= (uint8_t)(1 << bit % 8);
    commands_some(&c);
    return 0;
}
