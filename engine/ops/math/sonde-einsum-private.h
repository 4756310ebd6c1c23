/* SPDX-License-Identifier: Apache-2.0
 * The equation of Einsum, read against the ranks of its operands. */
#pragma once

#include "engine/ops/sonde-op-implement.h"

G_BEGIN_DECLS

/* Labels: 0 to 51 are the letters A to Z, a to z; behind them the dimensions of "...", which end at
 * the last label whatever their number. */
#define SONDE_EINSUM_LETTERS 52
#define SONDE_EINSUM_LABELS (SONDE_EINSUM_LETTERS + SONDE_MAX_RANK)

/* One label a dimension. */
typedef struct
{
  int n;
  guint8 labels[SONDE_MAX_RANK];
} SondeEinsumTerm;

/**
 * SondeEinsum:
 * @terms: (owned): of the @n operands
 * @output: without repeated labels
 */
typedef struct
{
  guint n;
  SondeEinsumTerm *terms;
  SondeEinsumTerm output;
} SondeEinsum;

/* @ranks: of the @n operands. Errors: SHAPE. */
gboolean sonde_einsum_read (SondeEinsum *einsum, const char *equation, const int *ranks, guint n,
                            GError **error);
void sonde_einsum_clear (SondeEinsum *einsum);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SondeEinsum, sonde_einsum_clear)

G_END_DECLS
