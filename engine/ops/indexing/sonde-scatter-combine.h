/* SPDX-License-Identifier: Apache-2.0
 * Combining runs of elements in memory: what the reduction attribute of the scattering operators
 * means. */
#pragma once

#include "data/values/sonde-dtype.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_COMBINE_NONE, /* replace */
  SONDE_COMBINE_ADD,
  SONDE_COMBINE_MULTIPLY,
  SONDE_COMBINE_MAXIMUM, /* NaN wins */
  SONDE_COMBINE_MINIMUM,
  SONDE_N_COMBINES
} SondeCombine;

/* to[i] = to[i] ∘ from[i] for @n elements. Integers wrap; bool takes OR for ADD and MAXIMUM, AND
 * for the others. */
typedef void (*SondeCombineLoop) (gint64 n, const void *from, void *to);

/* to[places[i]] = to[places[i]] ∘ from[i], in order. */
typedef void (*SondeCombineAtLoop) (gint64 n, const void *from, const gint64 *places, void *to);

/* The loop of @how and @dtype; NULL where there is none (strings can only be replaced). */
SondeCombineLoop sonde_combine_find (SondeCombine how, SondeDtype dtype);
SondeCombineAtLoop sonde_combine_find_at (SondeCombine how, SondeDtype dtype);

/* "none", "add", "mul", "max", "min". FALSE for another name. */
gboolean sonde_combine_from_name (const char *name, SondeCombine *how);
/* The names, for the table of attributes. */
extern const char *const sonde_combine_names[];

G_END_DECLS
