/* SPDX-License-Identifier: Apache-2.0
 * Which trials a person wants to see: those that match an expression over names and parameters, for which a query
 * holds, and, of these, those that are brushed in a picture. */
#pragma once

#include "app/workspace/sonde-workspace.h"
#include "data/browsing/sonde-trial-columns.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

typedef struct _SondeTrialFilter SondeTrialFilter;

SondeTrialFilter *sonde_trial_filter_new (SondeWorkspace *workspace);
void sonde_trial_filter_free (SondeTrialFilter *filter);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeTrialFilter, sonde_trial_filter_free)

/* Of pattern and query, and of the brush. (transfer none) */
GtkFilter *sonde_trial_filter_get_matching (SondeTrialFilter *filter);
GtkFilter *sonde_trial_filter_get_brushed (SondeTrialFilter *filter);

/* As those of the table. @columns: (element-type SondeTrialColumn): what the query can name */
gboolean sonde_trial_filter_set_pattern (SondeTrialFilter *filter, const char *pattern,
                                         GError **error);
gboolean sonde_trial_filter_set_query (SondeTrialFilter *filter, const char *text,
                                       GPtrArray *columns, GError **error);
/* Columns are others, or their numbers: names may mean something else. A column that is gone leaves the query as it
 * was. */
void sonde_trial_filter_ask_again (SondeTrialFilter *filter, GPtrArray *columns);
/* Numbers are others: what they are asked for may be answered otherwise. */
void sonde_trial_filter_refresh (SondeTrialFilter *filter);
/* @brush: (transfer full) (nullable) (element-type SondeTrial); NULL: all */
void sonde_trial_filter_take_brush (SondeTrialFilter *filter, GHashTable *brush);
/* Why the query could not be answered for some trial. (nullable) */
const char *sonde_trial_filter_get_problem (SondeTrialFilter *filter);

G_END_DECLS
