/* SPDX-License-Identifier: Apache-2.0
 * Why the misclassifications were made: each reason with how many it explains, what it means and what to
 * do. */
#pragma once

#include <adwaita.h>

#include "explain/session/sonde-explain-types.h"

G_BEGIN_DECLS

#define SONDE_TYPE_EXPLAIN_REASONS (sonde_explain_reasons_get_type ())
G_DECLARE_FINAL_TYPE (SondeExplainReasons, sonde_explain_reasons, SONDE, EXPLAIN_REASONS, AdwBin)

/* Signals: "chosen" (guint reason): SONDE_N_CATEGORIES: none any more. */
GtkWidget *sonde_explain_reasons_new (void);

/* @counts: (array fixed-size=SONDE_N_CATEGORIES) (nullable): NULL: not told yet. @notes: (nullable)
 * (element-type utf8) */
void sonde_explain_reasons_set_counts (SondeExplainReasons *reasons, const guint *counts,
                                       GPtrArray *notes);
/* Instead of a list: why there is none, and the button that helps. @button, @action: (nullable) */
void sonde_explain_reasons_set_empty (SondeExplainReasons *reasons, const char *sentence,
                                      const char *button, const char *action);
void sonde_explain_reasons_choose (SondeExplainReasons *reasons, SondeErrorCategory reason);

G_END_DECLS
