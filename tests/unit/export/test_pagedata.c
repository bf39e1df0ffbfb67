/* SPDX-License-Identifier: MIT */
#include "export/page.h"

#include "io/json.h"
#include "sample.h"
#include "base/gate.h"

static const char *const markup = "</script><img src=x onerror=\"hit()\">&";

/* A sample that would be markup wherever it could. */
static void gather(pagedata *d)
{
    kedge_model *const m = sample_new(false);
    kedge_error err = {0};

    words_free(&m->text);
    for (size_t i = 0; i < SAMPLE_WORDS; i++)
        ck_assert(words_add(&m->text, i == 1 ? markup : sample_word[i],
                            strlen(i == 1 ? markup : sample_word[i])));
    snprintf(m->name, sizeof m->name, "%s", markup);
    *d = (pagedata){.m = m, .sibling_count = 1};
    snprintf(d->siblings[0].name, sizeof d->siblings[0].name, "%s", markup);
    ck_ok(topicmap_make(m, &d->map, &err), err);
    ck_ok(pagewords_find(m, UINT64_MAX, &d->words, &err), err);
}

static void release(pagedata *d)
{
    topicmap_free(&d->map);
    pagewords_free(&d->words);
    kedge_model_free((kedge_model *)(uintptr_t)d->m);
}

static size_t members(const textbuf *text)
{
    json_value name, value;
    size_t count = 0;
    json j;

    json_open(&j, span_of(text->bytes, text->size));
    ck_assert(json_enter(&j, '{'));
    while (json_member(&j, &name, &value))
        count++;
    ck_assert(!json_wrong(&j));
    ck_assert(json_ended(&j));
    return count;
}

TEST(the_data_is_json_without_markup)
{
    kedge_error err = {0};
    OWN(textbuf_free) textbuf text;
    OWN(release) pagedata d;

    gather(&d);
    ck_ok(pagedata_write(&d, &text, &err), err);
    ck_assert_uint_eq(members(&text), 16);
    ck_assert_ptr_null(strpbrk(text.bytes, "<>&"));
    ck_assert_ptr_nonnull(strstr(text.bytes,
                                 "\"\\u003c/script\\u003e\\u003cimg src=x "
                                 "onerror=\\\"hit()\\\"\\u003e\\u0026\""));
    ck_assert_ptr_nonnull(strstr(text.bytes, "\xc3\xa4pfel"));
    ck_assert_ptr_null(strstr(text.bytes, ":nan"));
}

TEST(what_there_is_not_is_left_out)
{
    kedge_eval_topic each[SAMPLE_TOPICS] = {{.npmi = 0.25}, {.npmi = NAN}};
    kedge_eval_result eval = {.value = {0.125, NAN}};
    kedge_error err = {0};
    OWN(textbuf_free) textbuf text;
    OWN(release) pagedata d;

    gather(&d);
    ck_ok(pagedata_write(&d, &text, &err), err);
    ck_assert_ptr_null(strstr(text.bytes, "npmi\":"));
    ck_assert_ptr_null(strstr(text.bytes, "\"kept\""));
    ck_assert_ptr_nonnull(strstr(text.bytes, "\"batches\":[]"));
    ck_assert_ptr_nonnull(strstr(text.bytes, "\"measures\":[]"));
    textbuf_free(&text);
    d.each = each;
    d.eval = &eval;
    d.batches.there = true;
    ck_ok(pagedata_write(&d, &text, &err), err);
    ck_assert_ptr_nonnull(strstr(text.bytes, "\"npmi\":0.25,"));
    ck_assert_ptr_nonnull(strstr(text.bytes, "\"npmi\":null,"));
    ck_assert_ptr_nonnull(strstr(text.bytes, "\"measures\":[0.125,null,"));
    ck_assert_uint_eq(members(&text), 17);
}

TEST(memory_may_end_anywhere)
{
    OWN(release) pagedata d;
    kedge_error err = {0};

    gather(&d);
    GATE_LOOP {
        textbuf text;
        GATE_TRY(pagedata_write(&d, &text, &err));
        textbuf_free(&text);
    }
}
