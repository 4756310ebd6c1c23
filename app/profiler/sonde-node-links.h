/* SPDX-License-Identifier: Apache-2.0
 * The ways from a row to the node that it is about: to the graph and to the debugger. Hidden where there is none. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define SONDE_TYPE_NODE_LINKS (sonde_node_links_get_type ())
G_DECLARE_FINAL_TYPE (SondeNodeLinks, sonde_node_links, SONDE, NODE_LINKS, GtkBox)

GtkWidget *sonde_node_links_new (void);
/* @node: (nullable): of the model as it was written; copied */
void sonde_node_links_set_node (SondeNodeLinks *links, const char *node);

G_END_DECLS
