/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a text that may be mail. Beside not crashing, decoding takes
 * memory in proportion, says the same when it is asked again, and leaves the
 * text as it was; what comes out can be cut into words, HTML or not.
 */
#include "fuzz.h"

#include "io/text/mail.h"
#include "io/text/tokenizer.h"

static tokenizer *get_tokenizer(void)
{
    static tokenizer *made; /* never freed */
    tokenizer_opts opts;
    kedge_error err;

    tokenizer_opts_init(&opts);
    if (made == NULL)
        PROMISE(tokenizer_create(&opts, &made, &err) == KEDGE_OK);
    return made;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static mail one, other; /* never freed */
    tokenizer *const t = get_tokenizer();
    kedge_error err = {0};
    span text, first, second, word;
    char *copy;

    if (size == 0)
        return 0;
    copy = malloc(size); /* to its last byte */
    PROMISE(copy != NULL);
    memcpy(copy, data, size);
    text = span_of(copy, size);
    PROMISE(mail_text(&one, text, &first, &err) == KEDGE_OK);
    PROMISE(mail_text(&other, text, &second, &err) == KEDGE_OK);
    PROMISE(span_equal(first, second));
    PROMISE(memcmp(copy, data, size) == 0);
    PROMISE(first.size <= 4 * size + 64);
    tokenizer_begin(t, first);
    while (tokenizer_next(t, &word))
        PROMISE(word.size > 0);
    free(copy);
    return 0;
}
