/* SPDX-License-Identifier: Apache-2.0
 * A slider over the steps of some records, bound to the step cursor of all pages: it stands at the
 * last of the steps at or before the cursor, else at the first one, and moves the cursor. */
#pragma once

#include "app/workspace/sonde-step-cursor.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define SONDE_TYPE_STEP_SCALE (sonde_step_scale_get_type ())
G_DECLARE_FINAL_TYPE (SondeStepScale, sonde_step_scale, SONDE, STEP_SCALE, GtkBox)

/* Once, before any other call. */
void sonde_step_scale_set_cursor (SondeStepScale *scale, SondeStepCursor *cursor);

/* What its steps are, in place of those that all pages share. */
void sonde_step_scale_set_label (SondeStepScale *scale, const char *label);

/* @steps: (element-type gint64): ascending, each once; copied */
void sonde_step_scale_set_steps (SondeStepScale *scale, GArray *steps);
guint sonde_step_scale_get_n_steps (SondeStepScale *scale);
gint64 sonde_step_scale_get_step (SondeStepScale *scale); /* where it stands; 0 without steps */

G_END_DECLS
