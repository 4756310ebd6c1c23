/* SPDX-License-Identifier: Apache-2.0 */
#include "app/debugger/sonde-debug-input-note.h"

#include "data/base/sonde-text.h"

#define MAX_NAMED 3

struct _SondeDebugInputNote
{
  SondeDebugNote parent_instance;

  SondeDebugSession *session;
  GtkWidget *load, *random;
  gboolean given, dismissed;
};

G_DEFINE_FINAL_TYPE (SondeDebugInputNote, sonde_debug_input_note, SONDE_TYPE_DEBUG_NOTE)

/* “a”, “b”, “c”, … : inputs that somebody gives; what a plan has laid out anew is an input of the graph,
 * too. @n: how many there are */
static char *
list_inputs (const SondeGraph *graph, guint *n)
{
  GString *names = g_string_new (NULL);

  *n = 0;
  for (guint i = 0; i < graph->inputs->len; i++)
    {
      const SondeGraphValue *value = graph->inputs->pdata[i];

      if (value->role != SONDE_ROLE_INPUT)
        continue;
      if (*n < MAX_NAMED)
        g_string_append_printf (names, "%s“%s”", *n > 0 ? ", " : "", value->name);
      ++*n;
    }
  if (*n > MAX_NAMED)
    g_string_append (names, ", …");
  return g_string_free (names, FALSE);
}

/* (nullable): nothing to say */
static char *
make_sentence (const SondeDebugInputNote *note, const SondeSessionStatus *status,
               const SondeGraph *graph)
{
  g_autofree char *names = NULL;
  guint n;

  if (status == NULL || graph == NULL || note->given || note->dismissed)
    return NULL;
  names = list_inputs (graph, &n);
  if (n == 0)
    return NULL;
  if (status->facts.kind == SONDE_ACTIVITY_INFERENCE)
    return g_strdup_printf (
        P_ ("No input given: %s is all zeros.", "No inputs given: %s are all zeros.", n), names);
  return status->facts.kind == SONDE_ACTIVITY_TRAINING && status->state == SONDE_SESSION_READY
             ? g_strdup_printf (_ ("%s: zeros until the first step loads its batch."), names)
             : NULL;
}

static void
update (SondeDebugInputNote *note)
{
  const SondeSessionStatus *status = sonde_debug_session_get_status (note->session);
  g_autofree char *sentence
      = make_sentence (note, status, sonde_debug_session_get_graph (note->session));

  sonde_debug_note_set_sentence (SONDE_DEBUG_NOTE (note), sentence);
  if (sentence == NULL)
    return;
  gtk_widget_set_visible (note->load, status->facts.kind == SONDE_ACTIVITY_INFERENCE);
  gtk_widget_set_visible (note->random, status->facts.kind == SONDE_ACTIVITY_INFERENCE);
}

void
sonde_debug_input_note_set_session (SondeDebugInputNote *note, SondeDebugSession *session)
{
  g_return_if_fail (SONDE_IS_DEBUG_INPUT_NOTE (note));
  note->session = session;
  g_signal_connect_object (session, "changed", G_CALLBACK (update), note, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "loaded", G_CALLBACK (update), note, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "over", G_CALLBACK (update), note, G_CONNECT_SWAPPED);
}

void
sonde_debug_input_note_begin (SondeDebugInputNote *note, gboolean given)
{
  g_return_if_fail (SONDE_IS_DEBUG_INPUT_NOTE (note));
  note->given = given;
  note->dismissed = FALSE;
  update (note);
}

static void
on_dismiss (SondeDebugInputNote *note)
{
  note->dismissed = TRUE;
  update (note);
}

static void
sonde_debug_input_note_class_init (SondeDebugInputNoteClass *klass)
{
}

static void
sonde_debug_input_note_init (SondeDebugInputNote *note)
{
  SondeDebugNote *base = SONDE_DEBUG_NOTE (note);
  GtkWidget *dismiss = gtk_button_new_from_icon_name ("window-close-symbolic");

  note->load = sonde_debug_note_add_button (base, _ ("Load…"), _ ("Run on an input from a file"),
                                            "debug.input");
  note->random = sonde_debug_note_add_button (
      base, _ ("Random"), _ ("Run on random numbers: standard normal, 0 or 1 for integers"),
      "debug.random-input");
  gtk_widget_set_tooltip_text (dismiss, _ ("Dismiss"));
  gtk_widget_set_valign (dismiss, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (dismiss, "flat");
  gtk_widget_add_css_class (dismiss, "small-toggle");
  gtk_accessible_update_property (GTK_ACCESSIBLE (dismiss), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Dismiss"), -1);
  g_signal_connect_swapped (dismiss, "clicked", G_CALLBACK (on_dismiss), note);
  gtk_box_append (GTK_BOX (note), dismiss);
}
