/* SPDX-License-Identifier: Apache-2.0 */
#include "app/profiler/sonde-node-links.h"

#include "app/profiler/sonde-profiler-links.h"
#include "data/base/sonde-text.h"

struct _SondeNodeLinks
{
  GtkBox parent_instance;
  char *node; /* (nullable) */
};

G_DEFINE_FINAL_TYPE (SondeNodeLinks, sonde_node_links, GTK_TYPE_BOX)

void
sonde_node_links_set_node (SondeNodeLinks *links, const char *node)
{
  g_return_if_fail (SONDE_IS_NODE_LINKS (links));
  if (node != links->node)
    {
      g_free (links->node);
      links->node = g_strdup (node);
    }
  gtk_widget_set_visible (GTK_WIDGET (links), node != NULL);
}

static void
to_graph (SondeNodeLinks *links)
{
  sonde_profiler_go (GTK_WIDGET (links), "graph", links->node);
}

static void
to_debugger (SondeNodeLinks *links)
{
  sonde_profiler_go (GTK_WIDGET (links), "debugger", links->node);
}

static void
add (SondeNodeLinks *links, const char *words, GCallback clicked)
{
  GtkWidget *button = gtk_button_new_with_label (words);

  g_signal_connect_object (button, "clicked", clicked, links, G_CONNECT_SWAPPED);
  gtk_box_append (GTK_BOX (links), button);
}

static void
sonde_node_links_finalize (GObject *object)
{
  g_free (SONDE_NODE_LINKS (object)->node);
  G_OBJECT_CLASS (sonde_node_links_parent_class)->finalize (object);
}

static void
sonde_node_links_class_init (SondeNodeLinksClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sonde_node_links_finalize;
}

static void
sonde_node_links_init (SondeNodeLinks *links)
{
  gtk_box_set_spacing (GTK_BOX (links), 6);
  add (links, _ ("Show in Graph"), G_CALLBACK (to_graph));
  add (links, _ ("Show in Debugger"), G_CALLBACK (to_debugger));
  gtk_widget_set_visible (GTK_WIDGET (links), FALSE);
}

GtkWidget *
sonde_node_links_new (void)
{
  return g_object_new (SONDE_TYPE_NODE_LINKS, NULL);
}
