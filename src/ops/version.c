/* SPDX-License-Identifier: MIT */
#include <kedge/status.h>

#include <pthread.h>
#include <stdio.h>

#include "linalg/blas.h"
#include "io/reader.h"
#include "store/store.h"

static char libraries[512];
static pthread_once_t libraries_once = PTHREAD_ONCE_INIT;

static void libraries_fill(void)
{
    char blas[64];

    blas_version(blas);
    snprintf(libraries, sizeof libraries, "%s, zlib %s, %s",
             store_library_versions(), reader_library_version(),
             blas);
}

const char *kedge_version(void)
{
    return KEDGE_VERSION;
}

const char *kedge_library_versions(void)
{
    pthread_once(&libraries_once, libraries_fill);
    return libraries;
}
