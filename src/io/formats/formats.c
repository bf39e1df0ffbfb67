/* SPDX-License-Identifier: MIT */
/* The table of formats, and which of them a source is in. */
#include <strings.h>

#include "base/fail.h"
#include "io/format.h"

static const record_format *const formats[] = {
    [KEDGE_FORMAT_UCI] = &format_uci,
    [KEDGE_FORMAT_JSONL] = &format_jsonl,
    [KEDGE_FORMAT_LINES] = &format_lines,
    [KEDGE_FORMAT_MALLET] = &format_mallet,
    [KEDGE_FORMAT_TSV] = &format_tsv,
    [KEDGE_FORMAT_CSV] = &format_csv,
    [KEDGE_FORMAT_SVMLIGHT] = &format_svmlight,
    [KEDGE_FORMAT_LDAC] = &format_ldac,
    [KEDGE_FORMAT_MTX] = &format_mtx,
    [KEDGE_FORMAT_VW] = &format_vowpal,
    [KEDGE_FORMAT_FILES] = &format_files,
};

#define FORMATS (sizeof formats / sizeof *formats)

const record_format *formats_get(kedge_format format)
{
    return (size_t)format < FORMATS ? formats[format] : NULL;
}

static bool ends_with(span name, span end)
{
    return name.size > end.size &&
           strncasecmp(name.bytes + name.size - end.size, end.bytes,
                       end.size) == 0;
}

/* What a name ends with says where the content does not; a compressed file's
 * has the end of that behind it. */
static kedge_format formats_named(const char *file)
{
    static const span packed[] = {{".gz", 3}, {".zst", 4}};
    span name = span_text(file);

    for (size_t i = 0; i < 2; i++)
        if (ends_with(name, packed[i]))
            name.size -= packed[i].size;
    for (size_t f = 0; f < FORMATS; f++) {
        span left, end;
        if (formats[f] == NULL || formats[f]->endings == NULL)
            continue;
        left = span_text(formats[f]->endings);
        while (fields_next(&left, &end))
            if (ends_with(name, end))
                return (kedge_format)f;
    }
    return KEDGE_FORMAT_AUTO;
}

kedge_status formats_recognise(lines *in, const record_opts *opts,
                               kedge_format *out, kedge_error *err)
{
    bool yes = false;

    *out = formats_named(lines_name(in));
    for (size_t f = KEDGE_FORMAT_UCI + 1; f < FORMATS && !yes; f++) {
        if (formats[f]->recognise == NULL)
            continue;
        PASS(formats[f]->recognise(in, opts, &yes, err));
        if (yes)
            *out = (kedge_format)f;
    }
    return KEDGE_OK;
}

/* What follows the brace that a text begins with: a brace alone is none of
 * JSON. */
static kedge_status begins_object(lines *in, bool *yes, kedge_error *err)
{
    span text;
    size_t i = 0;

    PASS(lines_look(in, 4096, &text, err));
    for (bool brace = false; i < text.size; i++) {
        if (strchr(" \t\r\n", text.bytes[i]) != NULL)
            continue;
        if (brace || text.bytes[i] != '{')
            break;
        brace = true;
    }
    *yes = i == text.size || strchr("[\"}", text.bytes[i]) != NULL;
    return KEDGE_OK;
}

kedge_status formats_are_records(lines *in, const record_opts *opts, bool *yes,
                                 kedge_error *err)
{
    kedge_format format;

    PASS(formats_recognise(in, opts, &format, err));
    *yes = format == KEDGE_FORMAT_TSV || format == KEDGE_FORMAT_CSV ||
           formats_named(lines_name(in)) == KEDGE_FORMAT_JSONL;
    if (format == KEDGE_FORMAT_JSONL && !*yes)
        PASS(begins_object(in, yes, err));
    return KEDGE_OK;
}
