/* SPDX-License-Identifier: Apache-2.0
 * A GtkFlowBox of tiles that come and go.
 *
 * A flow box of GTK 4.8 remembers the child that was clicked, or that the keys led to, beyond its removal, and uses it
 * with the next key. In a flow that was set up so it never gets to know one: what can be focused are the tiles, and
 * the arrow keys move between them. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Before there are children. Nothing can be selected or activated then. */
void sonde_tile_flow_set_up (GtkFlowBox *flow);

G_END_DECLS
