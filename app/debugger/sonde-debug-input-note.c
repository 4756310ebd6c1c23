/* SPDX-License-Identifier: Apache-2.0 */
#include "app/debugger/sonde-debug-input-note.h"

#include "data/base/sonde-text.h"
#include "viewers/sonde-badge.h"

#define RESOURCE "/org/sonde/Sonde/debugger/sonde-debug-input-note.ui"
#define MAX_NAMED 3

struct _SondeDebugInputNote
{
  GtkWidget parent_instance;

  SondeDebugSession *session;
  GtkWidget *box, *mark, *sentence, *load, *random;
  gboolean given, dismissed;
};

G_DEFINE_FINAL_TYPE (SondeDebugInputNote, sonde_debug_input_note, GTK_TYPE_WIDGET)

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

/* Hidden while there is nothing to say, so that a screen reader does not come by. */
static void
update (SondeDebugInputNote *note)
{
  const SondeSessionStatus *status = sonde_debug_session_get_status (note->session);
  g_autofree char *sentence
      = make_sentence (note, status, sonde_debug_session_get_graph (note->session));

  gtk_widget_set_visible (GTK_WIDGET (note), sentence != NULL);
  if (sentence == NULL)
    return;
  gtk_label_set_text (GTK_LABEL (note->sentence), sentence);
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
sonde_debug_input_note_dispose (GObject *object)
{
  g_clear_pointer (&SONDE_DEBUG_INPUT_NOTE (object)->box, gtk_widget_unparent);
  G_OBJECT_CLASS (sonde_debug_input_note_parent_class)->dispose (object);
}

static void
sonde_debug_input_note_class_init (SondeDebugInputNoteClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_debug_input_note_dispose;
  g_type_ensure (SONDE_TYPE_BADGE);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_ALERT);
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugInputNote, box);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugInputNote, mark);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugInputNote, sentence);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugInputNote, load);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugInputNote, random);
  gtk_widget_class_bind_template_callback (widget_class, on_dismiss);
}

static void
sonde_debug_input_note_init (SondeDebugInputNote *note)
{
  gtk_widget_init_template (GTK_WIDGET (note));
  sonde_badge_set_state (SONDE_BADGE (note->mark), SONDE_STATE_PAUSED);
}
