/* SPDX-License-Identifier: Apache-2.0
 * The bar about an engine that does not respond. */
#include "app/debugger/sonde-debug-not-responding.h"

#include "viewers/sonde-badge.h"
#include "data/base/sonde-text.h"

#define RESOURCE "/org/sonde/Sonde/debugger/sonde-debug-not-responding.ui"

struct _SondeDebugNotResponding
{
  GtkWidget parent_instance;

  SondeDebugSession *session; /* borrowed from the page */
  GtkWidget *box, *mark, *sentence, *pause, *end;
};

G_DEFINE_FINAL_TYPE (SondeDebugNotResponding, sonde_debug_not_responding, GTK_TYPE_WIDGET)

/* Hidden while there is nothing to say, so that a screen reader does not come by. */
static void
update (SondeDebugNotResponding *self)
{
  const char *silence = sonde_debug_session_get_silence (self->session);
  const SondeSessionStatus *status = sonde_debug_session_get_status (self->session);
  SondeSessionClient *client = sonde_debug_session_get_client (self->session);

  gtk_widget_set_visible (GTK_WIDGET (self), silence != NULL);
  if (silence == NULL || client == NULL)
    return;
  gtk_label_set_text (GTK_LABEL (self->sentence), silence);
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
sonde_debug_not_responding_dispose (GObject *object)
{
  g_clear_pointer (&SONDE_DEBUG_NOT_RESPONDING (object)->box, gtk_widget_unparent);
  G_OBJECT_CLASS (sonde_debug_not_responding_parent_class)->dispose (object);
}

static void
sonde_debug_not_responding_class_init (SondeDebugNotRespondingClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_debug_not_responding_dispose;
  g_type_ensure (SONDE_TYPE_BADGE);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_ALERT);
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugNotResponding, box);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugNotResponding, mark);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugNotResponding, sentence);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugNotResponding, pause);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugNotResponding, end);
}

static void
sonde_debug_not_responding_init (SondeDebugNotResponding *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  sonde_badge_set_state (SONDE_BADGE (self->mark), SONDE_STATE_PAUSED);
}
