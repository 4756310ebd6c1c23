/* SPDX-License-Identifier: Apache-2.0
 * Elements of any number type as unsigned numbers in the same order, so that sorting and searching
 * are written once. */
#pragma once

#include "data/values/sonde-dtype.h"

G_BEGIN_DECLS

/**
 * sonde_sort_keys:
 * @from: @n elements of @dtype (a number type or bool), @step apart
 * @keys: (out): @n keys; a < b exactly when key (a) < key (b). Both zeros are equal, NaN is above
 *   +Inf and equal to itself, as NumPy sorts
 */
void sonde_sort_keys (SondeDtype dtype, const void *from, gint64 n, gint64 step, guint64 *keys);

typedef struct
{
  guint64 key;
  gint64 index;
} SondeSortEntry;

/* By key, stable, in linear time. @scratch: room for @n, undefined afterwards */
void sonde_sort_entries (SondeSortEntry *entries, SondeSortEntry *scratch, gint64 n);

/* There are keys for @dtype. */
gboolean sonde_sort_key_knows (SondeDtype dtype);

G_END_DECLS
