/* SPDX-License-Identifier: Apache-2.0
 * Cofactors of a square matrix. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* @matrix, @cofactors: n × n, row-major; may not be the same. Finite for singular matrices, too. */
void sonde_cofactor_compute (const double *matrix, gint64 n, double *cofactors);

G_END_DECLS
