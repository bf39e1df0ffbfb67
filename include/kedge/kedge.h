/* SPDX-License-Identifier: MIT */
#ifndef KEDGE_KEDGE_H
#define KEDGE_KEDGE_H
/*
 * The whole library in one include.
 *
 *   kedge_store_open("news.kedge", KEDGE_OPEN_CREATE, &store, &err);
 *   kedge_ingest(store, files, count, NULL, NULL, &read, &err);
 *   kedge_fit(store, &topics, 1, NULL, NULL, &fitted, &err);
 *   kedge_model_load(store, NULL, NULL, &model, &err);
 *
 * Complete programs are in examples/.
 */
#include <kedge/control.h>
#include <kedge/diff.h>
#include <kedge/documents.h>
#include <kedge/eval.h>
#include <kedge/export.h>
#include <kedge/fields.h>
#include <kedge/fit.h>
#include <kedge/infer.h>
#include <kedge/ingest.h>
#include <kedge/saved.h>
#include <kedge/maintain.h>
#include <kedge/methods.h>
#include <kedge/model.h>
#include <kedge/parts.h>
#include <kedge/report.h>
#include <kedge/source.h>
#include <kedge/status.h>
#include <kedge/store.h>
#include <kedge/sweep.h>
#include <kedge/comm.h>
#include <kedge/verify.h>
#include <kedge/word.h>
#include <kedge/wordlist.h>
#endif
