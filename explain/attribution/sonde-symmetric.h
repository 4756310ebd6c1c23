/* SPDX-License-Identifier: Apache-2.0
 * Systems of linear equations with a symmetric, positive semi-definite matrix: normal equations. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * SondeSymmetric:
 * @n: equations
 * @factor: L of A = L Lᵀ as sonde_lapack_factorise() gives it, or, when @singular, the eigenvectors
 *   that count, [rank, n]
 * @values: (nullable): when @singular, their eigenvalues, [rank]
 * @singular: to double precision: solutions are those of least norm
 */
typedef struct
{
  gint64 n, rank;
  double *factor, *values;
  gboolean singular;
} SondeSymmetric;

/* @matrix: (transfer full): [n, n], both triangles. Errors: those of sonde-lapack.h */
gboolean sonde_symmetric_init (SondeSymmetric *symmetric, double *matrix, gint64 n, GError **error);
void sonde_symmetric_clear (SondeSymmetric *symmetric);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SondeSymmetric, sonde_symmetric_clear)

/* @right, @x: [n]; may be the same */
void sonde_symmetric_solve (const SondeSymmetric *symmetric, const double *right, double *x);

G_END_DECLS
