/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <kedge/kedge.h>

/* Bytes of a member of a kind; 0: any number. */
static size_t size_of(kedge_field_kind kind)
{
    switch (kind) {
    case KEDGE_FIELD_FLAG:
        return sizeof(bool);
    case KEDGE_FIELD_STRING:
        return sizeof(const char *);
    case KEDGE_FIELD_CHOICE:
        return sizeof(unsigned);
    case KEDGE_FIELD_TEXT:
    case KEDGE_FIELD_DIGEST:
        return 0;
    default:
        return 8;
    }
}

TEST(members_are_of_their_kind)
{
    const kedge_fields *table;

    for (size_t i = 0; (table = kedge_fields_get(i)) != NULL; i++) {
        ck_assert_ptr_eq(kedge_fields_find(table->result), table);
        for (size_t n = 0; n < table->count; n++) {
            const kedge_field *const f = &table->fields[n];
            const size_t size = size_of(f->kind);
            ck_assert_uint_le(f->offset + f->size, table->size);
            ck_assert_msg(size == 0 || f->size == size, "%s of %s", f->name,
                          table->result);
            ck_assert((f->label != NULL) == (f->shown != KEDGE_SHOWN_NEVER));
            ck_assert(f->kind != KEDGE_FIELD_CHOICE || f->names != NULL);
        }
    }
    ck_assert_ptr_null(kedge_fields_find("kedge_nothing"));
    ck_assert_ptr_null(kedge_fields_find(NULL));
}

/* Of one part each name stands for one member. */
TEST(names_are_different)
{
    const kedge_fields *table;

    for (size_t i = 0; (table = kedge_fields_get(i)) != NULL; i++)
        for (size_t n = 0; n < table->count; n++)
            for (size_t b = 0; b < n; b++)
                ck_assert_msg(
                    table->fields[n].part != table->fields[b].part ||
                        strcmp(table->fields[n].name, table->fields[b].name),
                    "%s of %s", table->fields[n].name, table->result);
}
