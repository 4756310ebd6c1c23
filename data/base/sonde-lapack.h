/* SPDX-License-Identifier: Apache-2.0
 * Small dense problems in doubles, solved by LAPACK: liblapacke is loaded by the first function that
 * is called here, so that a process that solves nothing does not pay for it. It works on the calling
 * thread alone: with the same library the same input gives the same bits. Any thread; one works at a
 * time, the others wait.
 *
 * Symmetric matrices are [n, n], row-major; of @a only entries with row ≥ column are read.
 * Errors of all: NOT_FOUND with the Debian package to install when there is no LAPACKE, LIMIT when
 * n² is too large for it, NO_MEMORY, INVALID when an entry is not finite. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * sonde_lapack_factorise:
 * @a: (inout): positive semi-definite; the lower triangle becomes L of A = L Lᵀ (dpotrf)
 * @least: smallest square of a diagonal entry of L that counts as more than rounding
 * @regular: (out): FALSE when a smaller one was met, and @a is of no use any more
 */
gboolean sonde_lapack_factorise (double *a, gint64 n, double least, gboolean *regular,
                                 GError **error);

/* @x: (inout): [n], b of A x = b becomes x. @factor: of a sonde_lapack_factorise() that succeeded
 * with @regular (dpotrs) */
void sonde_lapack_solve (const double *factor, gint64 n, double *x);

/**
 * sonde_lapack_find_eigenvectors:
 * @a: used up
 * @k: how many are wanted, 1 to n
 * @values: (out caller-allocates): [n]: the first @k are the largest eigenvalues, the largest first
 * @vectors: (out caller-allocates): [k, n]: their eigenvectors of length 1, of either sign
 *
 * One of a matrix where it stands out is found by power iteration, to a residual of 1e-13; others by
 * dsyevr: Dhillon, Parlett, Vömel, ACM TOMS 32 (2006).
 */
gboolean sonde_lapack_find_eigenvectors (double *a, gint64 n, gint64 k, double *values,
                                         double *vectors, GError **error);

/**
 * sonde_lapack_add_products:
 * @x: [rows, columns], row-major
 * @of_rows: A += X Xᵀ, n = rows; else A += Xᵀ X, n = columns
 * @a: (inout): entries with row ≥ column alone (dsyrk)
 */
gboolean sonde_lapack_add_products (const double *x, gint64 rows, gint64 columns, gboolean of_rows,
                                    double *a, GError **error);

G_END_DECLS
