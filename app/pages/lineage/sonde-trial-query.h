/* SPDX-License-Identifier: Apache-2.0
 * Which trials a person asks for by their numbers: "lr < 0.01 and accuracy.best > 0.9", in the
 * language of docs/expressions.md with columns for values. */
#pragma once

#include "data/browsing/sonde-trial-columns.h"

G_BEGIN_DECLS

typedef struct _SondeTrialQuery SondeTrialQuery;

/**
 * sonde_trial_query_new:
 * @columns: (element-type SondeTrialColumn): what names are looked for in; copied. A name may end
 *   in ".last", ".best", ".min", ".max" or ".mean": that number of a scalar; else it is the one its
 *   column shows. What stands in quotes and is no column is a text: `optimiser == "adam"`
 *
 * Errors: INVALID with the place; NOT_FOUND for a name, with the nearest.
 */
SondeTrialQuery *sonde_trial_query_new (const char *text, GPtrArray *columns, GError **error);
void sonde_trial_query_free (SondeTrialQuery *query); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeTrialQuery, sonde_trial_query_free)

/* Does it hold for @trial? What the trial does not have is NaN: no comparison holds. FALSE with
 * @error where a text is calculated with. */
gboolean sonde_trial_query_matches (SondeTrialQuery *query, SondeTrial *trial, GError **error);

G_END_DECLS
