/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_REPORT_STARVE_H
#define TESTS_UNIT_REPORT_STARVE_H
/* Work whose first, second, ... allocation fails, until none does. */
#include "base/gate.h"
#include "unit.h"

typedef kedge_status starve_work(void *data, kedge_error *err);

/* `work` leaves nothing behind when it fails. */
static inline void starve(starve_work *work, void *data)
{
    kedge_status st = KEDGE_ENOMEM;

    for (long k = 0; st != KEDGE_OK; k++) {
        kedge_error err = {0};
        gate_allow(k);
        st = work(data, &err);
        gate_open();
        ck_assert(st == KEDGE_OK ? k > 0 : st == KEDGE_ENOMEM);
        ck_assert_int_lt(k, 10000);
    }
}

#endif
