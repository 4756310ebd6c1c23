/* SPDX-License-Identifier: Apache-2.0
 * The bar about an engine that does not respond. */
#include "app/debugger/sonde-debug-not-responding.h"

#include "data/base/sonde-text.h"

struct _SondeDebugNotResponding
{
  SondeDebugNote parent_instance;

  SondeDebugSession *session; /* borrowed from the page */
  GtkWidget *pause, *end;
};

G_DEFINE_FINAL_TYPE (SondeDebugNotResponding, sonde_debug_not_responding, SONDE_TYPE_DEBUG_NOTE)

static void
update (SondeDebugNotResponding *self)
{
  const char *silence = sonde_debug_session_get_silence (self->session);
  const SondeSessionStatus *status = sonde_debug_session_get_status (self->session);
  SondeSessionClient *client = sonde_debug_session_get_client (self->session);

  sonde_debug_note_set_sentence (SONDE_DEBUG_NOTE (self), silence);
  if (silence == NULL || client == NULL)
    return;
  gtk_widget_set_visible (self->pause, status != NULL && status->state == SONDE_SESSION_RUNNING
                                           && status->in_control);
  gtk_button_set_label (GTK_BUTTON (self->end), sonde_session_client_is_attached (client)
                                                    ? _ ("Detach")
                                                    : _ ("End Engine"));
}

void
sonde_debug_not_responding_set_session (SondeDebugNotResponding *bar, SondeDebugSession *session)
{
  bar->session = session;
  g_signal_connect_object (session, "changed", G_CALLBACK (update), bar, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "over", G_CALLBACK (update), bar, G_CONNECT_SWAPPED);
  update (bar);
}

static void
sonde_debug_not_responding_class_init (SondeDebugNotRespondingClass *klass)
{
}

static void
sonde_debug_not_responding_init (SondeDebugNotResponding *self)
{
  SondeDebugNote *base = SONDE_DEBUG_NOTE (self);

  self->pause = sonde_debug_note_add_button (
      base, _ ("Pause"), _ ("Pause as soon as the engine responds again"), "debug.pause");
  self->end = sonde_debug_note_add_button (
      base, NULL, _ ("Kill immediately; unwritten data will be lost"), "debug.end");
}
