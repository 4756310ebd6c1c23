/* SPDX-License-Identifier: Apache-2.0
 * The runs that are shown as rows, what they were trained with and what came out as columns: first
 * the hyper-parameters and lineage facts that differ, then a number of each scalar; the others when
 * they are asked for. Any column sorts; a click makes the run the one that all pages show. */
#pragma once

#include "app/widgets/sonde-column-choices.h"
#include "app/workspace/sonde-workspace.h"
#include "data/browsing/sonde-trial-export.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define SONDE_TYPE_TRIAL_TABLE (sonde_trial_table_get_type ())
G_DECLARE_FINAL_TYPE (SondeTrialTable, sonde_trial_table, SONDE, TRIAL_TABLE, GtkBox)

/* @changed: (nullable): rows, columns, the sort or is_busy() are new */
GtkWidget *sonde_trial_table_new (SondeWorkspace *workspace, GFunc changed, void *user_data);

/* The workspace has changed: looks at its runs again, at their points soon. */
void sonde_trial_table_update (SondeTrialTable *table);

GListModel *sonde_trial_table_get_rows (SondeTrialTable *table); /* SondeTrial, as shown */
/* What filter and query leave, before the brush and the sort. (transfer none) */
GListModel *sonde_trial_table_get_matching (SondeTrialTable *table);
/* Of these only the ones in @brush: (transfer full) (nullable) (element-type SondeTrial): a set that
 * owns them; NULL: all */
void sonde_trial_table_take_brush (SondeTrialTable *table, GHashTable *brush);
guint sonde_trial_table_get_n_trials (SondeTrialTable *table); /* without any filter */
/* (element-type SondeTrialColumn) (transfer none): all there are, until the next change; with the
 * chosen statistic */
GPtrArray *sonde_trial_table_get_columns (SondeTrialTable *table);
guint sonde_trial_table_get_n_parameters (SondeTrialTable *table); /* of them, no scalars */
gboolean sonde_trial_table_is_busy (SondeTrialTable *table);

/* Columns by name. The choice of a person stays until they are reset, whatever comes and goes, and in the next window. */
gboolean sonde_trial_table_is_shown (SondeTrialTable *table, const SondeTrialColumn *column);
void sonde_trial_table_set_shown (SondeTrialTable *table, const char *name, gboolean shown);
/* For a chooser. (transfer none) */
SondeColumnChoices *sonde_trial_table_get_choices (SondeTrialTable *table);
/* Of the columns that are shown, as they stand. (transfer container) */
GPtrArray *sonde_trial_table_list_shown (SondeTrialTable *table);

/* Which number of the scalars. @n_last: of MEAN */
void sonde_trial_table_set_statistic (SondeTrialTable *table, SondeTrialStatistic statistic,
                                      guint n_last);

/* Rows whose title or one of whose parameters as "name=text" matches the regular expression, any
 * case; NULL or "": all. FALSE with @error: the old one stays. */
gboolean sonde_trial_table_set_filter (SondeTrialTable *table, const char *pattern, GError **error);
/* Rows for which the expression of sonde-trial-query.h holds, besides. NULL or "": all. Errors: as
 * there; the old one stays. */
gboolean sonde_trial_table_set_query (SondeTrialTable *table, const char *text, GError **error);
/* Why the query could not be answered for some row. (nullable) */
const char *sonde_trial_table_get_problem (SondeTrialTable *table);

gboolean sonde_trial_table_is_sorted (SondeTrialTable *table);
void sonde_trial_table_unsort (SondeTrialTable *table);

/* Rows and columns as shown. (transfer full) */
char *sonde_trial_table_dup_text (SondeTrialTable *table, SondeTrialFormat format);

G_END_DECLS
