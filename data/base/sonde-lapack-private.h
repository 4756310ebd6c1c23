/* SPDX-License-Identifier: Apache-2.0
 * How the library is found; of its own so that a test can look for one that is not there. */
#pragma once

#include <cblas.h>
#include <lapacke.h>

#include <glib.h>

G_BEGIN_DECLS

/* Functions of the library; their types are those of its headers. */
typedef struct
{
  __typeof__ (LAPACKE_dpotrf) *dpotrf;
  __typeof__ (LAPACKE_dpotrs) *dpotrs;
  __typeof__ (LAPACKE_dsyevr) *dsyevr;
  __typeof__ (cblas_dsyrk) *dsyrk;
  __typeof__ (cblas_dsymv) *dsymv;
} SondeLapack;

/**
 * sonde_lapack_open:
 * @name: of a shared library, as “liblapacke.so.3”; it stays loaded
 *
 * OpenBLAS is told to use one thread.
 * Errors: NOT_FOUND when there is none, or when it lacks a function.
 */
gboolean sonde_lapack_open (const char *name, SondeLapack *lapack, GError **error);

G_END_DECLS
