/* SPDX-License-Identifier: Apache-2.0
 * What could not be read of runs, as a widget for popovers. */
#pragma once

#include "app/workspace/sonde-workspace.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Files, offsets, lengths and reasons of @runs (element-type SondeRun), and gaps the writer noted.
 * Returns: (transfer floating): a scrolled list. */
GtkWidget *sonde_damage_list_new (SondeWorkspace *workspace, GPtrArray *runs);

G_END_DECLS
