/* SPDX-License-Identifier: Apache-2.0
 * The bar about an engine that does not respond. */
#include "app/debugger/sonde-debug-not-responding.h"

#include "viewers/sonde-badge.h"
#include "data/base/sonde-text.h"

struct _SondeDebugNotResponding
{
  GtkWidget parent_instance;

  SondeDebugSession *session; /* lent by the page */
  GtkWidget *sentence, *pause, *end;
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

static GtkWidget *
make_button (const char *label, const char *action, const char *tooltip)
{
  GtkWidget *button = gtk_button_new_with_label (label);

  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  gtk_widget_set_tooltip_text (button, tooltip);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (button, "small-toggle");
  return button;
}

static void
sonde_debug_not_responding_dispose (GObject *object)
{
  GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (object));

  if (child != NULL)
    gtk_widget_unparent (child);
  G_OBJECT_CLASS (sonde_debug_not_responding_parent_class)->dispose (object);
}

static void
sonde_debug_not_responding_class_init (SondeDebugNotRespondingClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_debug_not_responding_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (GTK_WIDGET_CLASS (klass), GTK_ACCESSIBLE_ROLE_ALERT);
}

static void
sonde_debug_not_responding_init (SondeDebugNotResponding *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6), *mark = sonde_badge_new ();

  sonde_badge_set_state (SONDE_BADGE (mark), SONDE_STATE_PAUSED);
  gtk_widget_set_valign (mark, GTK_ALIGN_CENTER);
  self->sentence = gtk_label_new (NULL);
  gtk_label_set_wrap (GTK_LABEL (self->sentence), TRUE);
  gtk_label_set_xalign (GTK_LABEL (self->sentence), 0);
  gtk_label_set_selectable (GTK_LABEL (self->sentence), TRUE);
  gtk_widget_set_hexpand (self->sentence, TRUE);
  self->pause
      = make_button (_ ("Pause"), "debug.pause", _ ("Pause as soon as the engine responds again"));
  self->end = make_button (_ ("End Engine"), "debug.end",
                           _ ("Kill immediately; unwritten data will be lost"));
  gtk_box_append (GTK_BOX (box), mark);
  gtk_box_append (GTK_BOX (box), self->sentence);
  gtk_box_append (GTK_BOX (box), self->pause);
  gtk_box_append (GTK_BOX (box), self->end);
  gtk_widget_add_css_class (box, "debug-not-responding");
  gtk_widget_set_parent (box, GTK_WIDGET (self));
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}
