/* SPDX-License-Identifier: Apache-2.0 */
#include "app/debugger/sonde-debug-note.h"

#include "viewers/sonde-badge.h"

typedef struct
{
  GtkLabel *sentence;
} SondeDebugNotePrivate;

G_DEFINE_TYPE_WITH_PRIVATE (SondeDebugNote, sonde_debug_note, GTK_TYPE_BOX)

void
sonde_debug_note_set_sentence (SondeDebugNote *note, const char *sentence)
{
  SondeDebugNotePrivate *priv = sonde_debug_note_get_instance_private (note);

  g_return_if_fail (SONDE_IS_DEBUG_NOTE (note));
  gtk_widget_set_visible (GTK_WIDGET (note), sentence != NULL);
  if (sentence != NULL)
    gtk_label_set_text (priv->sentence, sentence);
}

GtkWidget *
sonde_debug_note_add_button (SondeDebugNote *note, const char *label, const char *tooltip,
                             const char *action)
{
  GtkWidget *button = gtk_button_new_with_label (label != NULL ? label : "");

  g_return_val_if_fail (SONDE_IS_DEBUG_NOTE (note), NULL);
  gtk_widget_set_tooltip_text (button, tooltip);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (button, "small-toggle");
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  gtk_box_append (GTK_BOX (note), button);
  return button;
}

static void
sonde_debug_note_class_init (SondeDebugNoteClass *klass)
{
  gtk_widget_class_set_accessible_role (GTK_WIDGET_CLASS (klass), GTK_ACCESSIBLE_ROLE_ALERT);
}

static void
sonde_debug_note_init (SondeDebugNote *note)
{
  SondeDebugNotePrivate *priv = sonde_debug_note_get_instance_private (note);
  GtkWidget *mark = sonde_badge_new ();

  sonde_badge_set_state (SONDE_BADGE (mark), SONDE_STATE_PAUSED);
  gtk_widget_set_valign (mark, GTK_ALIGN_CENTER);
  priv->sentence = g_object_new (GTK_TYPE_LABEL, "wrap", TRUE, "wrap-mode", PANGO_WRAP_WORD_CHAR,
                                 "xalign", 0.0, "selectable", TRUE, "hexpand", TRUE, NULL);
  gtk_box_set_spacing (GTK_BOX (note), 6);
  gtk_box_append (GTK_BOX (note), mark);
  gtk_box_append (GTK_BOX (note), GTK_WIDGET (priv->sentence));
  gtk_widget_add_css_class (GTK_WIDGET (note), "debug-note");
  gtk_widget_set_visible (GTK_WIDGET (note), FALSE);
}
