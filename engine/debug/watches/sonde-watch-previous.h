/* SPDX-License-Identifier: Apache-2.0
 * Values that expressions of watches read as prev(…): their tensors of the last two steps. */
#pragma once

#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

/* Name -> tensors. (transfer full) */
GHashTable *sonde_watch_previous_new (void);
/* A copy of @tensor is what @name was in @step. */
void sonde_watch_previous_keep (GHashTable *values, guint64 step, const char *name,
                                SondeTensor *tensor);
/* What it was in @step. (transfer none) (nullable) */
SondeTensor *sonde_watch_previous_find (GHashTable *values, guint64 step, const char *name);

G_END_DECLS
