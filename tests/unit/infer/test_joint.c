/* SPDX-License-Identifier: MIT */
#include "infer/joint.h"

#include "infer/planned.h"

UNIT_END(joint, joint, joint_free)

static double *settle(const planned *o, const joint_input *in, size_t portion,
                      joint_report *report)
{
    kedge_error err = {0};
    kedge_control control = {.threads = 1};
    double *const shares = dense_new(o->documents, o->k);
    const size_t half = o->documents / 2;
    OWN(joint_end) joint *w = NULL;

    ck_ok(joint_create(in, &w, &err), err);
    for (size_t m = 0; m < o->documents; m += portion)
        ck_ok(joint_add(w, o->documents - m < portion ? o->documents - m
                                                      : portion,
                        o->rows + m * joint_width(o->k), &err), err);
    ck_ok(joint_settle(w, &control, report, &err), err);
    ck_ok(joint_read(w, half, o->documents - half, shares + half * o->k,
                     &err), err);
    ck_ok(joint_read(w, 0, half, shares, &err), err);
    ck_fails(joint_read(w, half, o->documents + 1, shares, &err), KEDGE_EINVAL,
             err, "the documents changed between the two passes; run it "
                  "again");
    return shares;
}

/* Half of what shares differ by, on average of a document. */
static double apart(const planned *o, const double *w, const double *v)
{
    double sum = 0;

    for (size_t i = 0; i < o->documents * o->k; i++)
        sum += 0.5 * fabs(w[i] - v[i]);
    return sum / (double)o->documents;
}

static void check_report(const planned *o, const double *w,
                         const joint_report *r)
{
    const size_t k = o->k, wide = joint_width(k);
    OWNED double *mean = dense_new(k, k);
    double loss = 0;

    for (size_t m = 0; m < o->documents; m++) {
        loss += o->rows[m * wide + 2 * k];
        for (size_t i = 0; i < k; i++) {
            loss -= 2 * o->rows[m * wide + i] * w[m * k + i];
            for (size_t j = 0; j < k; j++) {
                const double ww = w[m * k + i] * w[m * k + j];
                mean[i * k + j] += ww / (double)o->documents;
                loss += o->gram[i * k + j] * ww;
            }
        }
    }
    ck_assert_uint_eq(r->documents, o->documents);
    ck_assert_double_eq_tol(r->loss, loss / (double)o->documents,
                            1e-9 * r->loss);
    ck_assert_double_eq_tol(r->strayed,
                            dense_distance(mean, o->prior->a, k * k), 1e-9);
}

/* Both come near A, where least squares are not, and near each other. */
TEST(correlations_are_kept)
{
    OWN(planned_free) planned o = planned_make(5, 700, 2);
    joint_input in = planned_input(&o, KEDGE_INFER_PADD);
    joint_report plain, report;
    OWNED double *one = NULL, *other = NULL, *first = NULL;

    in.rounds = 1;
    first = settle(&o, &in, 700, &plain);
    in.rounds = 60;
    one = settle(&o, &in, 700, &report);
    ck_assert(report.settled);
    ck_assert_uint_gt(report.rounds, 2);
    check_report(&o, one, &report);
    ck_assert_double_lt(report.strayed, 0.2 * plain.strayed);
    ck_assert_double_gt(report.loss, plain.loss);
    ck_assert_double_lt(apart(&o, one, o.truth), apart(&o, first, o.truth));
    in = planned_input(&o, KEDGE_INFER_PAMI);
    other = settle(&o, &in, 700, &report);
    check_report(&o, other, &report);
    ck_assert_double_lt(report.strayed, 0.2 * plain.strayed);
    ck_assert_double_lt(apart(&o, one, other), 0.02);
}

TEST(portions_and_threads_leave_no_trace)
{
    OWN(planned_free) planned o = planned_make(4, 2500, 3);

    for (int method = 0; method < 2; method++) {
        joint_input in = planned_input(
            &o, (kedge_infer_method)(KEDGE_INFER_PADD + method));
        joint_report report, again;
        OWNED double *one = NULL;
        in.rounds = 5;
        one = settle(&o, &in, 2500, &report);
        ck_assert_uint_eq(report.rounds, 5);
        ck_assert(!report.settled);
        for (unsigned threads = 1; threads <= 3; threads++) {
            OWN(pool_end) pool *p = dense_pool(threads);
            OWNED double *other = NULL;
            in.p = p;
            other = settle(&o, &in, 77 * threads * threads, &again);
            ck_assert_mem_eq(one, other, 2500 * 4 * sizeof *one);
            ck_assert(again.loss == report.loss);
            ck_assert(again.strayed == report.strayed);
            ck_assert(again.moved == report.moved);
        }
    }
}

TEST(no_documents_are_settled)
{
    OWN(planned_free) planned o = planned_make(3, 9, 1);
    const joint_input in = planned_input(&o, KEDGE_INFER_PAMI);
    joint_report report;

    o.documents = 0;
    free(settle(&o, &in, 1, &report));
    ck_assert(report.settled);
    ck_assert_uint_eq(report.rounds, 0);
}

static int stop_now(void *data)
{
    (void)data;
    return 1;
}

TEST(it_can_be_stopped)
{
    OWN(planned_free) planned o = planned_make(3, 9, 1);
    const joint_input in = planned_input(&o, KEDGE_INFER_PADD);
    const kedge_control control = {.threads = 1, .stop = stop_now};
    kedge_error err = {0};
    joint_report report;
    OWN(joint_end) joint *w = NULL;

    ck_ok(joint_create(&in, &w, &err), err);
    ck_ok(joint_add(w, 9, o.rows, &err), err);
    ck_fails(joint_settle(w, &control, &report, &err), KEDGE_ECANCELED, err,
             "");
}
