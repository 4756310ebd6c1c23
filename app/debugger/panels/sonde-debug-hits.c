/* SPDX-License-Identifier: Apache-2.0
 * Hits. */
#include "app/debugger/panels/sonde-debug-hits.h"

#include <math.h>

#include "app/debugger/sonde-debug-widgets.h"
#include "app/widgets/sonde-accessible.h"
#include "engine/frontend/sonde-debug-describe.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

#define MAX_HITS 500 /* the newest */

struct _SondeDebugHits
{
  GtkBox parent_instance;

  SondeDebugSession *session; /* borrowed from the page */
  GtkWidget *list, *before, *after;
};

G_DEFINE_FINAL_TYPE (SondeDebugHits, sonde_debug_hits, GTK_TYPE_BOX)

/* Why a value could not be checked. (transfer full) */
static char *
describe_unchecked (guint unchecked)
{
  static const struct
  {
    guint flag;
    const char *words;
  } rows[] = {
    { SONDE_UNCHECKED_NAN, N_ ("NaN in value") },
    { SONDE_UNCHECKED_INFINITY, N_ ("infinity in value") },
    { SONDE_UNCHECKED_NO_PREVIOUS, N_ ("no previous value") },
    { SONDE_UNCHECKED_MEMORY, N_ ("memory limit") },
    { SONDE_UNCHECKED_NO_HISTORY, N_ ("no history") },
  };
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if ((unchecked & rows[i].flag) != 0)
      sonde_debug_append (text, "%s", _ (rows[i].words));
  return g_string_free (text, FALSE);
}

/* What was met, or why it could not be checked. (transfer full) */
static char *
describe (const SondeWatchHit *hit)
{
  g_autofree char *reason = hit->unchecked != 0 ? describe_unchecked (hit->unchecked) : NULL;
  g_autofree char *threshold
      = isnan (hit->threshold) ? g_strdup ("") : sonde_format_number (hit->threshold);

  if (reason != NULL)
    return g_strdup_printf (_ ("%s: not checked (%s)"), hit->condition, reason);
  if (hit->explanation != NULL)
    return g_strdup (sonde_message_get_text (hit->explanation));
  return g_strdup_printf ("%s %s %s", hit->condition, hit->parameter != NULL ? hit->parameter : "",
                          threshold);
}

static void
add_hit (SondeDebugHits *self, const SondeWatchHit *hit)
{
  GtkWidget *box = sonde_debug_list_add (self->list), *row = sonde_debug_row_of (box), *label;
  g_autofree char *what = describe (hit), *actual = sonde_format_number (hit->actual);
  g_autofree char *number
      = hit->unchecked == 0 ? g_strdup_printf (_ ("actual %s"), actual) : g_strdup ("");
  g_autofree char *when = g_strdup_printf (_ ("step %" PRIu64), hit->step);

  gtk_box_append (GTK_BOX (box),
                  sonde_debug_name_label (*hit->value != '\0' ? hit->value : hit->node, "heading"));
  label = sonde_debug_name_label (what, NULL);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_box_append (GTK_BOX (box), label);
  gtk_box_append (GTK_BOX (box), sonde_debug_label (number, "error"));
  gtk_box_append (GTK_BOX (box), sonde_debug_label (when, "dim-label"));
  g_object_set_data_full (G_OBJECT (row), "node", g_strdup (hit->node), g_free);
  g_object_set_data_full (G_OBJECT (row), "value", g_strdup (hit->value), g_free);
  sonde_name_by_text (row);
}

static void
update (SondeDebugHits *self)
{
  GPtrArray *hits = sonde_debug_session_get_hits (self->session);
  guint n = hits != NULL ? hits->len : 0;

  sonde_debug_list_clear (self->list);
  for (guint i = n > MAX_HITS ? n - MAX_HITS : 0; i < n; i++)
    add_hit (self, g_ptr_array_index (hits, i));
  gtk_widget_set_sensitive (self->before, n > 0);
  gtk_widget_set_sensitive (self->after, n > 0);
}

static void
on_row_activated (SondeDebugHits *self, GtkListBoxRow *row)
{
  const char *value = g_object_get_data (G_OBJECT (row), "value"),
             *node = g_object_get_data (G_OBJECT (row), "node");

  gtk_list_box_select_row (GTK_LIST_BOX (self->list), row);
  if (!sonde_debug_session_focus_name (self->session, node))
    sonde_debug_session_focus_name (self->session, value);
  if (value != NULL && *value != '\0')
    sonde_debug_session_show_value (self->session, value);
}

static void
move (SondeDebugHits *self, int by)
{
  GtkListBoxRow *selected = gtk_list_box_get_selected_row (GTK_LIST_BOX (self->list));
  int at = selected != NULL ? gtk_list_box_row_get_index (selected) + by : 0;
  GtkListBoxRow *row = gtk_list_box_get_row_at_index (GTK_LIST_BOX (self->list), MAX (at, 0));

  if (row == NULL)
    return;
  gtk_widget_grab_focus (GTK_WIDGET (row)); /* scrolls */
  on_row_activated (self, row);
}

static void
on_before (SondeDebugHits *self)
{
  move (self, -1);
}

static void
on_after (SondeDebugHits *self)
{
  move (self, 1);
}

static void
on_recheck (SondeDebugHits *self)
{
  sonde_debug_session_recheck (self->session);
}

static void
sonde_debug_hits_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), SONDE_TYPE_DEBUG_HITS);
  G_OBJECT_CLASS (sonde_debug_hits_parent_class)->dispose (object);
}

static void
sonde_debug_hits_class_init (SondeDebugHitsClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_debug_hits_dispose;
  gtk_widget_class_set_template_from_resource (
      widget_class, "/org/sonde/Sonde/debugger/panels/sonde-debug-hits.ui");
  gtk_widget_class_bind_template_child (widget_class, SondeDebugHits, list);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugHits, before);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugHits, after);
  gtk_widget_class_bind_template_callback (widget_class, on_row_activated);
  gtk_widget_class_bind_template_callback (widget_class, on_before);
  gtk_widget_class_bind_template_callback (widget_class, on_after);
  gtk_widget_class_bind_template_callback (widget_class, on_recheck);
}

static void
sonde_debug_hits_init (SondeDebugHits *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

GtkWidget *
sonde_debug_hits_new (SondeDebugSession *session)
{
  SondeDebugHits *self = g_object_new (SONDE_TYPE_DEBUG_HITS, NULL);

  self->session = session;
  g_signal_connect_object (session, "hits", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  return GTK_WIDGET (self);
}
