/* SPDX-License-Identifier: Apache-2.0 */
#include "app/debugger/value/sonde-debug-value-links.h"

#include "data/base/sonde-text.h"
#include "engine/frontend/sonde-debug-describe.h"
#include "viewers/paint/sonde-text-paint.h"

#define MAX_READERS 2

static void
on_link (GtkButton *button, SondeDebugSession *session)
{
  sonde_debug_session_focus_name (session, g_object_get_data (G_OBJECT (button), "node"));
}

static void
add_words (GtkBox *box, const char *words)
{
  GtkWidget *label = gtk_label_new (words);

  gtk_widget_add_css_class (label, "caption");
  gtk_widget_add_css_class (label, "dim-label");
  gtk_box_append (box, label);
}

static void
add_link (GtkBox *box, SondeDebugSession *session, const char *node)
{
  g_autofree char *visible = sonde_text_make_visible (node);
  g_autofree char *tip = g_strdup_printf (_ ("Go to %s"), visible);
  GtkWidget *label = gtk_label_new (visible), *button = gtk_button_new ();

  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_width_chars (GTK_LABEL (label), MIN (g_utf8_strlen (visible, -1), 6));
  gtk_label_set_max_width_chars (GTK_LABEL (label), 14);
  gtk_button_set_child (GTK_BUTTON (button), label);
  gtk_widget_add_css_class (button, "small-link");
  gtk_widget_set_tooltip_text (button, tip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, tip, -1);
  g_object_set_data_full (G_OBJECT (button), "node", g_strdup (node), g_free);
  g_signal_connect_object (button, "clicked", G_CALLBACK (on_link), session, 0);
  gtk_box_append (box, button);
}

void
sonde_debug_value_links_fill (GtkBox *box, SondeDebugSession *session, const char *name)
{
  SondeGraph *graph = sonde_debug_session_get_graph (session);
  SondeGraphValue *value
      = name != NULL && graph != NULL ? sonde_graph_find_value (graph, name) : NULL;
  GtkWidget *child;
  guint n;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (box))) != NULL)
    gtk_box_remove (box, child);
  gtk_widget_set_visible (GTK_WIDGET (box), value != NULL);
  if (value == NULL)
    return;
  add_words (box, value->producer != NULL ? _ ("from") : sonde_debug_describe_role (value->role));
  if (value->producer != NULL)
    add_link (box, session, value->producer->name);
  n = value->users->len;
  add_words (box, n > 0 ? _ ("· used by") : _ ("· not used"));
  for (guint i = 0; i < MIN (n, MAX_READERS); i++)
    add_link (box, session, ((SondeNode *) g_ptr_array_index (value->users, i))->name);
  if (n > MAX_READERS)
    {
      g_autofree char *more = g_strdup_printf ("+%u", n - MAX_READERS);

      add_words (box, more);
    }
}
