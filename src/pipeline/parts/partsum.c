/* SPDX-License-Identifier: MIT */
/* What one store would send another travels through a file without a name. */
#include "pipeline/parts/partsum.h"

#include <inttypes.h>
#include <string.h>

#include "base/again.h"
#include "base/fail.h"
#include "pipeline/elsewhere.h"
#include "pipeline/parts/partin.h"

kedge_status partsum_is(const char *path, bool *is, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    store *s = NULL;
    store_totals t;
    uint64_t own;

    *is = false;
    TRY(kedge_store_open(path, KEDGE_OPEN_READ, &s, err));
    TRY(store_begin_read(s, &txn, err));
    TRY(store_get_totals(txn, &t, err));
    TRY(elsewhere_own(txn, &t, &own, err));
    *is = t.parts > 0;
    if (*is && own > 0)
        TRY(kedge_fail(err, KEDGE_EINVAL,
                       "%s: the documents of %" PRIu64 " part%s are elsewhere "
                       "and %" PRIu64 " are here: it cannot be merged; 'kedge "
                       "sketch export' and 'import' add up what was counted "
                       "and sketched", path, t.parts,
                       t.parts == 1 ? "" : "s", own));
out:
    store_abort(&txn);
    kedge_store_close(s);
    return st;
}

/* A file that is written, then read from its beginning. */
typedef struct passage {
    int fd;
    uint64_t at, size;
} passage;

static bool passage_write(void *data, const void *bytes, size_t size)
{
    passage *const p = data;
    const bool done = again_write_at(p->fd, bytes, size, p->size);

    p->size += size;
    return done;
}

static kedge_status passage_read(void *data, void *to, size_t room, size_t *got,
                                 kedge_error *err)
{
    passage *const p = data;
    const uint64_t left = p->size - p->at;

    *got = left < room ? (size_t)left : room;
    if (!again_read_at(p->fd, to, *got, p->at))
        return kedge_fail(err, KEDGE_EIO, "cannot read what was sent: %s",
                          errno == 0 ? "some of it is gone" : strerror(errno));
    p->at += *got;
    return KEDGE_OK;
}

/* All sketches, or where there are none the counts. */
static kedge_status passage_fill(passage *p, const char *path,
                                 const kedge_control *control, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    store_txn *txn = NULL;
    kedge_sketch_export_result sent;
    kedge_sketch_export_opts opts;
    store *s = NULL;
    store_view any;
    uint32_t number;

    kedge_sketch_export_opts_init(&opts);
    TRY(kedge_store_open(path, KEDGE_OPEN_READ, &s, err));
    TRY(store_begin_read(s, &txn, err));
    st = store_next_view(txn, 0, &number, &any, err);
    store_abort(&txn);
    opts.counts = st == KEDGE_ENOTFOUND;
    if (!opts.counts)
        TRY(st);
    TRY(kedge_sketch_export(s, passage_write, p, &opts, control, &sent, err));
out:
    kedge_store_close(s);
    return st;
}

kedge_status partsum_add(store *into, const char *path,
                         const kedge_control *control,
                         kedge_sketch_import_result *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    passage p = {.fd = again_open_nameless(store_path(into))};

    *out = (kedge_sketch_import_result){0};
    if (p.fd < 0)
        return kedge_fail(err, KEDGE_EIO, "%s: cannot make a file: %s",
                          store_path(into), strerror(errno));
    TRY(passage_fill(&p, path, control, err));
    TRY(partin_take(into, &(parcel_source){passage_read, &p}, path, control,
                    out, err));
out:
    close(p.fd);
    return st;
}
