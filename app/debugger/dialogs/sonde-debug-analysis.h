/* SPDX-License-Identifier: Apache-2.0
 * The searches that take their time, each in a window of its own: where a NaN comes from, the first
 * divergent node, the smallest failing case, the precision search, a node run differently. They run
 * beside everything else and can be given up; nodes in the result lead to their place. */
#pragma once

#include <gtk/gtk.h>

#include "engine/frontend/sonde-debug-session.h"

G_BEGIN_DECLS

/* @name: of the action: "origin", "diverge", "reduce", "precision", "rerun". @value: (nullable):
 * that is selected */
void sonde_debug_analysis_open (GtkWidget *parent, SondeDebugSession *session, const char *name,
                                const char *value);

G_END_DECLS
