/* SPDX-License-Identifier: Apache-2.0
 * Which model on which data: a form with what is needed first and what is rarely needed below.
 * Files can be dropped on it. What is wrong with them is said by whoever opens them. */
#pragma once

#include <adwaita.h>

#include "explain/session/sonde-explain-types.h"

G_BEGIN_DECLS

#define SONDE_TYPE_EXPLAIN_CHOOSER (sonde_explain_chooser_get_type ())
G_DECLARE_FINAL_TYPE (SondeExplainChooser, sonde_explain_chooser, SONDE, EXPLAIN_CHOOSER, AdwBin)

/* Signals: "open" (): the form is filled and shall be used; "cancelled" (): back to what was
 * there. */
GtkWidget *sonde_explain_chooser_new (void);

void sonde_explain_chooser_set_settings (SondeExplainChooser *chooser,
                                         const SondeExplanationSettings *settings);
/* Empty fields are NULL. (transfer full) */
SondeExplanationSettings *sonde_explain_chooser_dup_settings (SondeExplainChooser *chooser);

/* A sentence above the button (nullable). */
void sonde_explain_chooser_set_error (SondeExplainChooser *chooser, const char *sentence);
void sonde_explain_chooser_set_can_cancel (SondeExplainChooser *chooser, gboolean can_cancel);

/* What is missing, as a sentence. (transfer full) (nullable): NULL: nothing */
char *sonde_explain_chooser_dup_problem (const SondeExplanationSettings *settings);

/* A file that was dropped or given: a model, data or labels, by what it is. FALSE: none of them, or
 * two files at once that are the same. */
gboolean sonde_explain_chooser_take_file (SondeExplainChooser *chooser, GFile *file);

G_END_DECLS
