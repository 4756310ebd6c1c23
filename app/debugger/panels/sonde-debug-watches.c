/* SPDX-License-Identifier: Apache-2.0
 * Expressions at every stop. */
#include "app/debugger/panels/sonde-debug-watches.h"

#include <math.h>

#include "app/debugger/sonde-debug-widgets.h"
#include "app/widgets/sonde-accessible.h"
#include "engine/frontend/sonde-debug-describe.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-format.h"

struct _SondeDebugWatches
{
  GtkBox parent_instance;

  SondeDebugSession *session; /* borrowed from the page */
  GtkWidget *list, *entry;
  guint serial; /* of the stop */
};

G_DEFINE_FINAL_TYPE (SondeDebugWatches, sonde_debug_watches, GTK_TYPE_BOX)

typedef struct
{
  SondeDebugWatches *self;
  GtkWidget *label;
  guint serial;
} Asked;

/* A single number as itself, several by their range and mean. (transfer full) */
static char *
describe (const SondeStatistics *s)
{
  g_autofree char *min = sonde_format_number (s->min), *max = sonde_format_number (s->max);
  g_autofree char *mean = sonde_format_number (s->mean);
  gint64 bad = s->nan + s->pos_inf + s->neg_inf;

  if (s->count == 1)
    return sonde_format_number (s->nan > 0       ? NAN
                                : s->pos_inf > 0 ? INFINITY
                                : s->neg_inf > 0 ? -INFINITY
                                                 : s->min);
  return bad > 0 ? g_strdup_printf (P_ ("%s … %s · mean %s · %" PRIi64 " not finite",
                                        "%s … %s · mean %s · %" PRIi64 " not finite", bad),
                                    min, max, mean, bad)
                 : g_strdup_printf (_ ("%s … %s · mean %s"), min, max, mean);
}

static void
on_numbers (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autofree Asked *asked = data;
  g_autoptr (SondeDebugWatches) self = asked->self;
  g_autoptr (GtkWidget) label = asked->label;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionReply) reply
      = sonde_session_client_send_finish (SONDE_SESSION_CLIENT (source), result, &error);
  g_autofree char *text
      = reply != NULL ? describe (&reply->statistics) : g_strdup (sonde_error_get_text (error));

  if (asked->serial != self->serial || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  gtk_label_set_text (GTK_LABEL (label), text);
  gtk_widget_set_tooltip_text (label, text);
  if (reply != NULL)
    gtk_widget_remove_css_class (label, "dim-label");
  else
    gtk_widget_add_css_class (label, "dim-label");
}

static void
ask (SondeDebugWatches *self, GtkWidget *label, const char *expression)
{
  Asked *asked = g_new0 (Asked, 1);

  *asked = (Asked){ g_object_ref (self), g_object_ref (label), self->serial };
  if (sonde_debug_session_send (self->session,
                                sonde_debug_session_statistics_request (self->session, expression),
                                NULL, on_numbers, asked))
    return;
  g_object_unref (asked->self);
  g_object_unref (asked->label);
  g_free (asked);
}

static void
update (SondeDebugWatches *self)
{
  GtkListBoxRow *row;

  self->serial++;
  if (!sonde_debug_session_has_position (self->session))
    return;
  for (int i = 0; (row = gtk_list_box_get_row_at_index (GTK_LIST_BOX (self->list), i)) != NULL; i++)
    ask (self, g_object_get_data (G_OBJECT (row), "label"),
         g_object_get_data (G_OBJECT (row), "expression"));
}

static void
on_remove (GtkButton *button, SondeDebugWatches *self)
{
  gtk_list_box_remove (GTK_LIST_BOX (self->list),
                       gtk_widget_get_ancestor (GTK_WIDGET (button), GTK_TYPE_LIST_BOX_ROW));
}

static void
add (SondeDebugWatches *self, const char *expression)
{
  GtkWidget *box = sonde_debug_list_add (self->list), *row = sonde_debug_row_of (box);
  GtkWidget *name = sonde_debug_name_label (expression, "mono"),
            *value = sonde_debug_label ("…", NULL);
  GtkWidget *button = sonde_debug_icon_button ("list-remove-symbolic", _ ("Remove"), NULL, NULL);

  gtk_widget_set_hexpand (value, TRUE);
  gtk_label_set_xalign (GTK_LABEL (value), 1);
  gtk_box_append (GTK_BOX (box), name);
  gtk_box_append (GTK_BOX (box), value);
  gtk_box_append (GTK_BOX (box), button);
  g_signal_connect_object (button, "clicked", G_CALLBACK (on_remove), self, 0);
  g_object_set_data_full (G_OBJECT (row), "expression", g_strdup (expression), g_free);
  g_object_set_data (G_OBJECT (row), "label", value);
  sonde_set_name (row, expression);
  if (sonde_debug_session_has_position (self->session))
    ask (self, value, expression);
}

static void
on_entered (SondeDebugWatches *self)
{
  g_autofree char *text
      = g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (self->entry))));

  if (*text == '\0')
    return;
  add (self, text);
  gtk_editable_set_text (GTK_EDITABLE (self->entry), "");
}

static void
on_row_activated (SondeDebugWatches *self, GtkListBoxRow *row)
{
  sonde_debug_session_show_value (self->session, g_object_get_data (G_OBJECT (row), "expression"));
}

static void
sonde_debug_watches_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), SONDE_TYPE_DEBUG_WATCHES);
  G_OBJECT_CLASS (sonde_debug_watches_parent_class)->dispose (object);
}

static void
sonde_debug_watches_class_init (SondeDebugWatchesClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_debug_watches_dispose;
  gtk_widget_class_set_template_from_resource (
      widget_class, "/org/sonde/Sonde/debugger/panels/sonde-debug-watches.ui");
  gtk_widget_class_bind_template_child (widget_class, SondeDebugWatches, list);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugWatches, entry);
  gtk_widget_class_bind_template_callback (widget_class, on_row_activated);
  gtk_widget_class_bind_template_callback (widget_class, on_entered);
}

static void
sonde_debug_watches_init (SondeDebugWatches *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

GtkWidget *
sonde_debug_watches_new (SondeDebugSession *session)
{
  SondeDebugWatches *self = g_object_new (SONDE_TYPE_DEBUG_WATCHES, NULL);

  self->session = session;
  g_signal_connect_object (session, "moved", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "loaded", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  return GTK_WIDGET (self);
}
