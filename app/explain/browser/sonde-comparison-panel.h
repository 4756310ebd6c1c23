/* SPDX-License-Identifier: Apache-2.0
 * Two models on the same samples: which misclassifications went, which came, which stayed, and whether that
 * is more than luck. */
#pragma once

#include <adwaita.h>

#include "explain/browsing/sonde-model-change.h"

G_BEGIN_DECLS

#define SONDE_TYPE_COMPARISON_PANEL (sonde_comparison_panel_get_type ())
G_DECLARE_FINAL_TYPE (SondeComparisonPanel, sonde_comparison_panel, SONDE, COMPARISON_PANEL, AdwBin)

/* Signals: "chosen" (guint change): SONDE_N_EXPLAIN_CHANGES: none any more. Its button is the
 * action "explain.compare". */
GtkWidget *sonde_comparison_panel_new (void);

/* @items: (element-type SondeExplainItem): all samples, with the second model's answers. @first,
 * @second: names */
void sonde_comparison_panel_set_items (SondeComparisonPanel *panel, GPtrArray *items,
                                       const char *first, const char *second);
/* No second model. */
void sonde_comparison_panel_clear (SondeComparisonPanel *panel);
void sonde_comparison_panel_choose (SondeComparisonPanel *panel, SondeExplainChange change);

G_END_DECLS
