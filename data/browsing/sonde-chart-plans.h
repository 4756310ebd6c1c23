/* SPDX-License-Identifier: Apache-2.0
 * Which charts the shown runs want (custom scalars of TensorBoard): read in the background,
 * merged. */
#pragma once

#include "data/runs/sonde-run-store.h"

G_BEGIN_DECLS

typedef struct _SondeChartPlans SondeChartPlans;

/* @runs: of SondeRun: those that are shown; referenced
 * @changed: other plans than before; on the main thread */
SondeChartPlans *sonde_chart_plans_new (GListModel *runs, void (*changed) (void *user_data),
                                        void *user_data);
void sonde_chart_plans_free (SondeChartPlans *plans); /* nothing is called any more */
/* Looks at the shown runs again: of each the last layout, in the order of the runs. */
void sonde_chart_plans_update (SondeChartPlans *plans);
/* One of @runs (SondeRun) asks for charts: when nothing but they changed, the others need not be looked at. */
gboolean sonde_chart_plans_concern (GPtrArray *runs);
gboolean sonde_chart_plans_is_busy (SondeChartPlans *plans);

/* (element-type utf8) (transfer none): "Category: title", each once, in order */
GPtrArray *sonde_chart_plans_get_names (SondeChartPlans *plans);
/* Does any of the charts show this scalar? @tag: interned */
gboolean sonde_chart_plans_shows (SondeChartPlans *plans, const char *tag);
/* What the chart's @k-th name stands for: an expression that is anchored at the start, or NULL:
 * exactly that tag. (transfer full) */
GRegex *sonde_chart_plan_compile (const SondeChartPlan *plan, guint k);
/* The plan of a name. (nullable) (transfer none): until the next change */
const SondeChartPlan *sonde_chart_plans_find (const char *name, void *plans);

G_END_DECLS
