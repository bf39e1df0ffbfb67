/* SPDX-License-Identifier: MIT */
#include "io/formats/formats.h"

#include <strings.h>

#include "base/fail.h"
#include "io/formats/delimited.h"
#include "io/fields.h"
#include "io/formats/jsonl.h"
#include "io/formats/ldac.h"
#include "io/formats/mtx.h"
#include "io/formats/plainlines.h"
#include "io/formats/svmlight.h"
#include "io/formats/vowpal.h"

/* By kedge_format. */
static const record_format *const formats[] = {
    [KEDGE_FORMAT_JSONL] = &format_jsonl,
    [KEDGE_FORMAT_LINES] = &format_lines,
    [KEDGE_FORMAT_MALLET] = &format_mallet,
    [KEDGE_FORMAT_TSV] = &format_tsv,
    [KEDGE_FORMAT_CSV] = &format_csv,
    [KEDGE_FORMAT_SVMLIGHT] = &format_svmlight,
    [KEDGE_FORMAT_LDAC] = &format_ldac,
    [KEDGE_FORMAT_MTX] = &format_mtx,
    [KEDGE_FORMAT_VW] = &format_vowpal,
    [KEDGE_FORMAT_FILES] = &format_whole,
};

#define FORMATS (sizeof formats / sizeof *formats)

bool formats_known(kedge_format format)
{
    return (size_t)format < FORMATS;
}

const record_format *formats_get(kedge_format format)
{
    return formats_known(format) ? formats[format] : NULL;
}

/* Whether a name ends so, or so and with the end of a compressed file. */
static bool ends_with(span name, const char *end)
{
    static const char *const packed[] = {".gz", ".zst"};
    const size_t size = strlen(end);

    for (size_t i = 0; i < 2; i++) {
        const size_t more = strlen(packed[i]);
        if (name.size > more && strncasecmp(name.bytes + name.size - more,
                                            packed[i], more) == 0)
            name.size -= more;
    }
    return name.size > size &&
           strncasecmp(name.bytes + name.size - size, end, size) == 0;
}

/* What a name ends with tells where the content does not. */
static kedge_format formats_named(const char *name)
{
    static const struct {
        const char *end;
        kedge_format format;
    } known[] = {
        {".csv", KEDGE_FORMAT_CSV},       {".tsv", KEDGE_FORMAT_TSV},
        {".jsonl", KEDGE_FORMAT_JSONL},   {".ndjson", KEDGE_FORMAT_JSONL},
        {".html", KEDGE_FORMAT_FILES},    {".htm", KEDGE_FORMAT_FILES},
        {".xhtml", KEDGE_FORMAT_FILES},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (ends_with(span_text(name), known[i].end))
            return known[i].format;
    return KEDGE_FORMAT_AUTO;
}

/* What follows the brace that a text begins with: a brace alone is none of
 * JSON. */
static kedge_status begins_object(lines *in, bool *yes, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    span text;
    size_t i = 0;

    TRY(lines_look(in, 4096, &text, err));
    for (bool brace = false; i < text.size; i++) {
        if (strchr(" \t\r\n", text.bytes[i]) != NULL)
            continue;
        if (brace || text.bytes[i] != '{')
            break;
        brace = true;
    }
    *yes = i == text.size || strchr("[\"}", text.bytes[i]) != NULL;
out:
    return st;
}

kedge_status formats_recognise(lines *in, const record_opts *opts,
                               kedge_format *out, kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    bool yes = false;

    *out = formats_named(lines_name(in));
    for (size_t f = 0; f < FORMATS && !yes; f++) {
        if (formats[f] == NULL || formats[f]->recognise == NULL)
            continue;
        TRY(formats[f]->recognise(in, opts, &yes, err));
        if (yes)
            *out = (kedge_format)f;
    }
out:
    return st;
}

kedge_status formats_are_records(lines *in, const record_opts *opts, bool *yes,
                                 kedge_error *err)
{
    kedge_status st = KEDGE_OK;
    kedge_format format;

    TRY(formats_recognise(in, opts, &format, err));
    *yes = format == KEDGE_FORMAT_TSV || format == KEDGE_FORMAT_CSV ||
           formats_named(lines_name(in)) == KEDGE_FORMAT_JSONL;
    if (format == KEDGE_FORMAT_JSONL && !*yes)
        TRY(begins_object(in, yes, err));
out:
    return st;
}
