/* SPDX-License-Identifier: Apache-2.0 */
#include "app/debugger/sonde-debug-line-values.h"

#include "data/base/sonde-format.h"
#include "engine/frontend/sonde-debug-describe.h"

struct _SondeDebugLineValues
{
  GObject parent_instance;

  SondeDebugSession *session;
  SondeDebugListing *listing;
  GHashTable *asked;         /* positions that were asked for since the values are what they are */
  GCancellable *cancellable; /* (nullable): of the answer that is waited for */
  guint position;            /* where it stood, in which step of a training, in which branch */
  guint64 step;
  guint branch;
  guint idle;
  gboolean is_looking; /* the session is held meanwhile: something is still to be shown */
};

G_DEFINE_FINAL_TYPE (SondeDebugLineValues, sonde_debug_line_values, G_TYPE_OBJECT)

static void ask_next (SondeDebugLineValues *self);

/* "0.03796 ± 0.09282" with what is bad first. (transfer full) */
static char *
describe (const SondeStatistics *statistics)
{
  g_autofree char *mean = sonde_format_number (statistics->mean),
                  *deviation = sonde_format_number (statistics->std);
  g_autoptr (GString) text = g_string_new (NULL);

  sonde_debug_append_not_finite (text, statistics);
  if (statistics->count == 1)
    sonde_debug_append (text, "= %s", mean);
  else if (statistics->count > 1)
    sonde_debug_append (text, "%s ± %s", mean, deviation);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* What the answer is for. */
typedef struct
{
  SondeDebugLineValues *self;
  guint line;
} Question;

/* A value that is not there, as one that was overwritten, leaves its line as it is. */
static void
on_statistics (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autofree Question *question = data;
  g_autoptr (SondeDebugLineValues) self = question->self;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionReply) reply
      = sonde_session_client_send_finish (SONDE_SESSION_CLIENT (source), result, &error);
  g_autofree char *text = reply != NULL ? describe (&reply->statistics) : NULL;

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED) || self->session == NULL)
    return;
  g_clear_object (&self->cancellable);
  if (text != NULL && *text != '\0')
    sonde_debug_listing_set_value (self->listing, question->line, text);
  ask_next (self);
}

static gboolean
ask (SondeDebugLineValues *self, guint line, const char *value)
{
  Question *question = g_new0 (Question, 1);

  *question = (Question){ g_object_ref (self), line };
  self->cancellable = g_cancellable_new ();
  if (sonde_debug_session_send (self->session, sonde_session_request_statistics (value),
                                self->cancellable, on_statistics, question))
    return TRUE;
  g_clear_object (&self->cancellable);
  g_object_unref (question->self);
  g_free (question);
  return FALSE;
}

static void
set_looking (SondeDebugLineValues *self, gboolean is_looking)
{
  if (self->is_looking == is_looking)
    return;
  self->is_looking = is_looking;
  if (is_looking)
    sonde_debug_session_hold (self->session);
  else
    sonde_debug_session_release (self->session);
}

/* Asks for the first line in sight whose node has run and whose value nobody asked for. FALSE: there is
 * none. */
static gboolean
ask_first (SondeDebugLineValues *self)
{
  SondeDebugSteps *steps = sonde_debug_session_get_steps (self->session);
  guint first, last;

  if (!sonde_debug_session_has_position (self->session))
    return FALSE;
  sonde_debug_listing_get_visible (self->listing, &first, &last);
  for (guint line = first; line <= last; line++)
    {
      guint position = sonde_debug_steps_find_line (steps, line);
      const SondeStepInfo *step = sonde_debug_steps_get (steps, position);

      if (step == NULL || position >= self->position || step->outputs == NULL
          || step->outputs[0] == NULL
          || !g_hash_table_add (self->asked, GUINT_TO_POINTER (position)))
        continue;
      return ask (self, line, step->outputs[0]);
    }
  return FALSE;
}

static void
ask_next (SondeDebugLineValues *self)
{
  if (self->cancellable == NULL)
    set_looking (self, ask_first (self) || sonde_debug_listing_is_writing (self->listing));
}

static gboolean
on_idle (gpointer data)
{
  SondeDebugLineValues *self = data;

  self->idle = 0;
  ask_next (self);
  return G_SOURCE_REMOVE;
}

/* After the panels have asked for what is looked at. */
static void
look_soon (SondeDebugLineValues *self)
{
  if (self->idle != 0)
    return;
  set_looking (self, TRUE);
  self->idle = g_idle_add (on_idle, self);
}

static void
forget (SondeDebugLineValues *self)
{
  SondeDebugSteps *steps = sonde_debug_session_get_steps (self->session);
  GHashTableIter iter;
  gpointer position;

  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  g_hash_table_iter_init (&iter, self->asked);
  while (g_hash_table_iter_next (&iter, &position, NULL))
    {
      guint line = sonde_debug_steps_get_line (steps, GPOINTER_TO_UINT (position));

      if (line > 0)
        sonde_debug_listing_set_value (self->listing, line, NULL);
    }
  g_hash_table_remove_all (self->asked);
}

/* Going on within a step leaves what was made before as it is. */
static void
on_moved (SondeDebugLineValues *self)
{
  const SondeSessionStatus *status = sonde_debug_session_get_status (self->session);
  guint position;

  if (status == NULL || !sonde_debug_session_is_loaded (self->session))
    return;
  position = sonde_stop_get_outermost (&status->stop);
  if (position <= self->position || status->stop.step != self->step
      || status->branch != self->branch)
    forget (self);
  self->position = position;
  self->step = status->stop.step;
  self->branch = status->branch;
  look_soon (self);
}

/* The listing is another text, or a view of it another part. */
static void
on_loaded (SondeDebugLineValues *self)
{
  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  g_hash_table_remove_all (self->asked);
  self->position = 0;
}

static void
sonde_debug_line_values_dispose (GObject *object)
{
  SondeDebugLineValues *self = SONDE_DEBUG_LINE_VALUES (object);

  g_clear_handle_id (&self->idle, g_source_remove);
  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  g_clear_pointer (&self->asked, g_hash_table_unref);
  if (self->session != NULL)
    set_looking (self, FALSE);
  self->session = NULL;
  G_OBJECT_CLASS (sonde_debug_line_values_parent_class)->dispose (object);
}

static void
sonde_debug_line_values_class_init (SondeDebugLineValuesClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_debug_line_values_dispose;
}

static void
sonde_debug_line_values_init (SondeDebugLineValues *self)
{
  self->asked = g_hash_table_new (NULL, NULL);
}

SondeDebugLineValues *
sonde_debug_line_values_new (SondeDebugSession *session, SondeDebugListing *listing)
{
  SondeDebugLineValues *self = g_object_new (SONDE_TYPE_DEBUG_LINE_VALUES, NULL);

  self->session = session;
  self->listing = listing;
  g_signal_connect_object (session, "loaded", G_CALLBACK (on_loaded), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "moved", G_CALLBACK (on_moved), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (listing, "filled", G_CALLBACK (on_moved), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (listing, "written", G_CALLBACK (ask_next), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (listing, "scrolled", G_CALLBACK (look_soon), self, G_CONNECT_SWAPPED);
  return self;
}
