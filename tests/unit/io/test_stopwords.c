/* SPDX-License-Identifier: MIT */
#include <libstemmer.h>

#include "unit.h"

#include "base/mem.h"
#include "base/words.h"
#include "io/text/stopset.h"
#include "io/text/tokenizer.h"

TEST(lists_are_by_language)
{
    ck_assert_ptr_nonnull(tokenizer_stopwords("english"));
    ck_assert_ptr_eq(tokenizer_stopwords("en"),
                     tokenizer_stopwords("english"));
    ck_assert_ptr_eq(tokenizer_stopwords("ger"),
                     tokenizer_stopwords("german"));
    ck_assert_ptr_null(tokenizer_stopwords("klingon"));
    ck_assert_ptr_null(tokenizer_stopwords(""));
    ck_assert_ptr_null(tokenizer_stopwords("e"));
    ck_assert_ptr_null(tokenizer_stopwords("en eng"));
}

/* Where words are stemmed, their stop words are known. */
TEST(every_stemmer_has_a_list)
{
    kedge_error err = {0};

    for (const char **name = sb_stemmer_list(); *name != NULL; name++)
        ck_assert_msg(strcmp(*name, "porter") == 0 ||
                          tokenizer_stopwords(*name) != NULL, "%s", *name);
    ck_ok(tokenizer_check_stopwords("german", &err), err);
    ck_fails(tokenizer_check_stopwords("klingon", &err), KEDGE_EINVAL, err,
             "\"klingon\" is neither a known list of stop words nor a file:");
    ck_assert_ptr_nonnull(strstr(err.text, "yiddish"));
}

/* A line each, folded, once. */
static void check_list(const char *language)
{
    const char *at = tokenizer_stopwords(language);
    OWN(words_free) words list = {0};
    size_t twin;

    for (const char *end; (end = strchr(at, '\n')) != NULL; at = end + 1) {
        const size_t size = (size_t)(end - at);
        char folded[64];
        ck_assert_msg(tokenizer_fold(span_of(at, size), folded, 64) == size &&
                          memcmp(folded, at, size) == 0, "%s: %.*s", language,
                      (int)size, at);
        ck_assert(words_add(&list, at, size));
    }
    ck_assert_str_eq(at, "");
    ck_assert_uint_gt(list.count, 150);
    ck_assert_uint_lt(list.count, 500);
    mem_free(words_order(&list, &twin));
    ck_assert_msg(twin == SIZE_MAX, "%s comes twice",
                  words_get(&list, twin == SIZE_MAX ? 0 : twin));
}

TEST(words_are_as_the_tokenizer_gives_them)
{
    for (size_t i = 0; stopword_lists[i].name != NULL; i++)
        check_list(stopword_lists[i].name);
}

TEST(a_text_without_topic_is_empty)
{
    const char *at = tokenizer_stopwords("en");
    OWN(words_free) words list = {0};
    tokenizer_opts opts;
    tokenizer *t = NULL;
    kedge_error err = {0};
    span word;

    for (const char *end; (end = strchr(at, '\n')) != NULL; at = end + 1)
        ck_assert(words_add(&list, at, (size_t)(end - at)));
    tokenizer_opts_init(&opts);
    opts.stopwords = &list;
    ck_ok(tokenizer_create(&opts, &t, &err), err);
    tokenizer_begin(t, span_text("It's what you'd have done, i.e. not THEIRS; "
                                 "don\u2019t they? Let's be there, topic!"));
    ck_assert(tokenizer_next(t, &word));
    ck_assert(span_equal(word, span_text("topic")));
    ck_assert(!tokenizer_next(t, &word));
    tokenizer_free(t);
}
