/* SPDX-License-Identifier: Apache-2.0
 * Stops. */
#include "app/debugger/panels/sonde-debug-history.h"

#include "app/debugger/sonde-debug-widgets.h"
#include "app/widgets/sonde-accessible.h"
#include "engine/frontend/sonde-debug-describe.h"
#include "data/base/sonde-text.h"

#define MAX_STOPS 500

/* Where it was. */
typedef struct
{
  guint position;
  guint64 step;
  char *node;
} Place;

struct _SondeDebugHistory
{
  GtkBox parent_instance;

  SondeDebugSession *session; /* borrowed from the page */
  GtkWidget *list;
  guint n;
};

G_DEFINE_FINAL_TYPE (SondeDebugHistory, sonde_debug_history, GTK_TYPE_BOX)

static void
place_free (gpointer data)
{
  Place *place = data;

  g_free (place->node);
  g_free (place);
}

/* Runs there from here, forward or back. FALSE: it stands there, or cannot go now (@why). */
static gboolean
go_to (SondeDebugHistory *self, const Place *place, const char **why)
{
  const SondeSessionStatus *status = sonde_debug_session_get_status (self->session);
  SondeBack back = { .kind = SONDE_BACK_STEPS };
  guint position, n_steps;

  if (status == NULL || !status->in_control || !sonde_debug_session_has_position (self->session))
    {
      *why = _ ("Pause the run first.");
      return FALSE;
    }
  position = sonde_stop_get_outermost (&status->stop);
  n_steps = sonde_debug_steps_get_n (sonde_debug_session_get_steps (self->session));
  if (status->stop.step == place->step && place->position > position)
    {
      sonde_debug_session_resume (self->session, SONDE_RESUME_UNTIL, place->node);
      return TRUE;
    }
  if (place->step > status->stop.step)
    {
      g_autofree char *target = g_strdup_printf ("step:%" PRIu64, place->step);

      sonde_debug_session_resume (self->session, SONDE_RESUME_UNTIL, target);
      return TRUE;
    }
  back.count = (status->stop.step - place->step) * n_steps + position - place->position;
  if (back.count > 0)
    sonde_debug_session_go_back (self->session, &back);
  return back.count > 0;
}

static void
on_row_activated (SondeDebugHistory *self, GtkListBoxRow *row)
{
  const Place *place = g_object_get_data (G_OBJECT (row), "place");
  const char *why = NULL;

  if (!go_to (self, place, &why) && !sonde_debug_session_focus_name (self->session, place->node)
      && why != NULL)
    sonde_debug_session_report (self->session, why);
}

static const char *
end_of (SondeSessionResult result)
{
  return result == SONDE_SESSION_FAILED    ? _ ("end (failed)")
         : result == SONDE_SESSION_STOPPED ? _ ("end (stopped)")
                                           : _ ("end (completed)");
}

static void
add_stop (SondeDebugHistory *self, const SondeSessionStatus *status)
{
  const SondeStop *stop = &status->stop;
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *time = g_date_time_format (now, "%H:%M:%S"),
                  *reason = sonde_debug_describe_reason (stop);
  gboolean ended = status->state == SONDE_SESSION_ENDED;
  g_autofree char *number = g_strdup_printf ("%u", ++self->n);
  g_autofree char *node
      = ended ? g_strdup (end_of (status->end.result)) : sonde_debug_describe_location (stop);
  g_autofree char *step
      = sonde_activity_kind_has_steps (status->facts.kind)
            ? g_strdup_printf (_ ("step %" PRIu64 " · node %u"), stop->step, stop->position)
            : g_strdup_printf (_ ("node %u"), stop->position);
  GtkWidget *box = sonde_debug_list_add (self->list), *row = sonde_debug_row_of (box), *label;
  Place *place = g_new0 (Place, 1);

  label = sonde_debug_label (number, "dim-label");
  gtk_label_set_width_chars (GTK_LABEL (label), 3);
  gtk_label_set_xalign (GTK_LABEL (label), 1);
  gtk_box_append (GTK_BOX (box), label);
  label = sonde_debug_name_label (node, NULL);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_box_append (GTK_BOX (box), label);
  gtk_box_append (GTK_BOX (box), sonde_debug_label (ended ? "" : reason, "dim-label"));
  gtk_box_append (GTK_BOX (box), sonde_debug_label (step, "dim-label"));
  gtk_box_append (GTK_BOX (box), sonde_debug_label (time, "dim-label"));
  *place = (Place){ sonde_stop_get_outermost (stop), stop->step, g_strdup (stop->node) };
  g_object_set_data_full (G_OBJECT (row), "place", place, place_free);
  sonde_name_by_text (row);
  g_object_ref (row);
  gtk_list_box_remove (GTK_LIST_BOX (self->list), row);
  gtk_list_box_prepend (GTK_LIST_BOX (self->list), row);
  g_object_unref (row);
  row = GTK_WIDGET (gtk_list_box_get_row_at_index (GTK_LIST_BOX (self->list), MAX_STOPS));
  if (row != NULL)
    gtk_list_box_remove (GTK_LIST_BOX (self->list), row);
}

static void
on_moved (SondeDebugHistory *self)
{
  const SondeSessionStatus *status = sonde_debug_session_get_status (self->session);

  if (status != NULL
      && (status->state == SONDE_SESSION_PAUSED || status->state == SONDE_SESSION_ENDED))
    add_stop (self, status);
}

static void
on_loaded (SondeDebugHistory *self)
{
  sonde_debug_list_clear (self->list);
  self->n = 0;
  on_moved (self);
}

static void
sonde_debug_history_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), SONDE_TYPE_DEBUG_HISTORY);
  G_OBJECT_CLASS (sonde_debug_history_parent_class)->dispose (object);
}

static void
sonde_debug_history_class_init (SondeDebugHistoryClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_debug_history_dispose;
  gtk_widget_class_set_template_from_resource (
      widget_class, "/org/sonde/Sonde/debugger/panels/sonde-debug-history.ui");
  gtk_widget_class_bind_template_child (widget_class, SondeDebugHistory, list);
  gtk_widget_class_bind_template_callback (widget_class, on_row_activated);
}

static void
sonde_debug_history_init (SondeDebugHistory *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

GtkWidget *
sonde_debug_history_new (SondeDebugSession *session)
{
  SondeDebugHistory *self = g_object_new (SONDE_TYPE_DEBUG_HISTORY, NULL);

  self->session = session;
  g_signal_connect_object (session, "moved", G_CALLBACK (on_moved), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "loaded", G_CALLBACK (on_loaded), self, G_CONNECT_SWAPPED);
  return GTK_WIDGET (self);
}
