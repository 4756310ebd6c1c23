/* SPDX-License-Identifier: Apache-2.0
 * Names in the expressions of watches, on a plan. */
#pragma once

#include "engine/debug/watches/sonde-watch-values.h"
#include "engine/live/sonde-watch-table.h"

G_BEGIN_DECLS

/* A value's name, or a node's, meaning its first output. (nullable) */
SondeGraphValue *sonde_watch_find_named (const SondeGraph *graph, const char *name);
/* x of "… on PATTERN": each of the values. */
gboolean sonde_watch_is_placeholder (const SondeArmedWatch *watch, const char *name);
/* The number of the step, unless a value has that name. */
gboolean sonde_watch_is_step (const SondeGraph *graph, const char *name);
/* NOT_FOUND with the nearest. */
void sonde_watch_set_name_error (const SondeGraph *graph, const char *name, GError **error);

/* Whether the plan has all values that an expression names. Errors: NOT_FOUND with the nearest. */
gboolean sonde_watch_check_names (const SondeWatchPlan *watched, SondeArmedWatch *watch,
                                  GError **error);
/* The value that is made last of those that the expression names, and by which step; x left out.
 * FALSE: not all are there. */
gboolean sonde_watch_last_read (const SondeWatchPlan *watched, SondeArmedWatch *watch,
                                SondeGraphValue **value, guint *step);

G_END_DECLS
