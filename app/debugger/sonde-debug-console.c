/* SPDX-License-Identifier: Apache-2.0
 * The text debugger in the page. */
#include "app/debugger/sonde-debug-console.h"

#include <string.h>

#include "app/debugger/sonde-debug-parts.h"

#define MAX_CHARS 400000 /* the oldest lines go */
#define PROMPT "(sonde) "

struct _SondeDebugConsole
{
  GtkBox parent_instance;

  SondeDebugSession *session; /* lent by the page */
  GtkWidget *view, *entry, *stop;
  GtkTextBuffer *buffer;
  GPtrArray *lines; /* that were typed */
  guint at;         /* among them, lines->len: a new one */
};

G_DEFINE_FINAL_TYPE (SondeDebugConsole, sonde_debug_console, GTK_TYPE_BOX)

static void
append (SondeDebugConsole *self, const char *text, const char *tag)
{
  GtkTextIter end, start;
  int extra = gtk_text_buffer_get_char_count (self->buffer) - MAX_CHARS;
  g_autofree char *valid = g_utf8_make_valid (text, -1);

  if (extra > 0)
    {
      gtk_text_buffer_get_start_iter (self->buffer, &start);
      gtk_text_buffer_get_iter_at_offset (self->buffer, &end, extra);
      gtk_text_iter_forward_line (&end);
      gtk_text_buffer_delete (self->buffer, &start, &end);
    }
  gtk_text_buffer_get_end_iter (self->buffer, &end);
  gtk_text_buffer_insert_with_tags_by_name (self->buffer, &end, valid, -1, tag, NULL);
  gtk_text_buffer_get_end_iter (self->buffer, &end);
  gtk_text_buffer_place_cursor (self->buffer, &end);
  gtk_text_view_scroll_mark_onscreen (GTK_TEXT_VIEW (self->view),
                                      gtk_text_buffer_get_insert (self->buffer));
}

static void
update_busy (SondeDebugConsole *self)
{
  SondeCommandRunner *runner = sonde_debug_session_get_console (self->session);

  gtk_widget_set_visible (self->stop, runner != NULL && sonde_command_runner_is_busy (runner));
  gtk_widget_set_sensitive (self->entry, runner != NULL);
}

static void
on_answer (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeDebugConsole) self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeCommandResult) answer
      = sonde_command_runner_run_finish (SONDE_COMMAND_RUNNER (source), result, &error);
  g_autoptr (GString) text = g_string_new (NULL);

  if (self->buffer == NULL || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  if (answer != NULL)
    sonde_command_result_to_text (answer, text);
  else
    g_string_printf (text, "%s\n", error->message);
  append (self, text->str, "answer");
  sonde_debug_session_refresh_breakpoints (self->session);
  update_busy (self);
}

/* A log point. */
static void
on_log (SondeDebugConsole *self, const char *node, const char *text)
{
  g_autofree char *line = g_strdup_printf ("%s: %s\n", node, text);

  append (self, line, "answer");
}

static void
on_line (SondeDebugConsole *self)
{
  g_autofree char *line
      = g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (self->entry))));
  g_autofree char *echo = g_strdup_printf (PROMPT "%s\n", line);
  SondeCommandRunner *runner = sonde_debug_session_get_console (self->session);
  g_autoptr (GError) error = NULL;
  SondeCommand *command;

  if (*line == '\0' || runner == NULL)
    return;
  if (self->lines->len == 0
      || !g_str_equal (g_ptr_array_index (self->lines, self->lines->len - 1), line))
    g_ptr_array_add (self->lines, g_strdup (line));
  self->at = self->lines->len;
  gtk_editable_set_text (GTK_EDITABLE (self->entry), "");
  append (self, echo, "typed");
  command = sonde_command_parse (line, &error);
  if (command != NULL)
    sonde_command_runner_run_async (runner, command, NULL, on_answer, g_object_ref (self));
  else if (error != NULL)
    {
      append (self, error->message, "answer");
      append (self, "\n", "answer");
    }
  update_busy (self);
}

/* ---- keys ---------------------------------------------------------------- */

static void
set_entry (SondeDebugConsole *self, const char *text)
{
  gtk_editable_set_text (GTK_EDITABLE (self->entry), text);
  gtk_editable_set_position (GTK_EDITABLE (self->entry), -1);
}

/* What all names have in common replaces the last word; several are listed. */
static void
on_completed (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeDebugConsole) self = data;
  g_auto (GStrv) names
      = sonde_command_runner_complete_finish (SONDE_COMMAND_RUNNER (source), result, NULL);
  g_autofree char *line = NULL, *common = NULL, *all = NULL, *full = NULL;
  char *word;
  gsize same;

  if (names == NULL || names[0] == NULL || self->buffer == NULL)
    return;
  line = g_strdup (gtk_editable_get_text (GTK_EDITABLE (self->entry)));
  word = strrchr (line, ' ') != NULL ? strrchr (line, ' ') + 1 : line;
  same = strlen (names[0]);
  for (guint i = 1; names[i] != NULL; i++)
    for (gsize k = 0; k < same; k++)
      if (names[i][k] != names[0][k])
        same = k;
  if (!g_str_has_prefix (names[0], word))
    return;
  common = g_strndup (names[0], same);
  full = g_strdup_printf ("%.*s%s%s", (int) (word - line), line, common,
                          names[1] == NULL ? " " : "");
  all = g_strjoinv ("  ", names);
  if (names[1] != NULL && same == strlen (word))
    {
      append (self, all, "answer");
      append (self, "\n", "answer");
    }
  set_entry (self, full);
}

static gboolean
on_key (GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state,
        SondeDebugConsole *self)
{
  SondeCommandRunner *runner = sonde_debug_session_get_console (self->session);

  if (key == GDK_KEY_Up && self->at > 0)
    set_entry (self, g_ptr_array_index (self->lines, --self->at));
  else if (key == GDK_KEY_Down && self->at < self->lines->len)
    {
      self->at++;
      set_entry (self,
                 self->at < self->lines->len ? g_ptr_array_index (self->lines, self->at) : "");
    }
  else if (key == GDK_KEY_Tab && runner != NULL)
    sonde_command_runner_complete_async (runner, gtk_editable_get_text (GTK_EDITABLE (self->entry)),
                                         on_completed, g_object_ref (self));
  else
    return GDK_EVENT_PROPAGATE;
  return GDK_EVENT_STOP;
}

static void
on_stop (SondeDebugConsole *self)
{
  SondeCommandRunner *runner = sonde_debug_session_get_console (self->session);

  if (runner != NULL)
    sonde_command_runner_interrupt_async (runner);
}

/* ---- class --------------------------------------------------------------- */

static void
sonde_debug_console_dispose (GObject *object)
{
  SondeDebugConsole *self = SONDE_DEBUG_CONSOLE (object);

  self->buffer = NULL;
  g_clear_pointer (&self->lines, g_ptr_array_unref);
  G_OBJECT_CLASS (sonde_debug_console_parent_class)->dispose (object);
}

static void
sonde_debug_console_class_init (SondeDebugConsoleClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_debug_console_dispose;
}

static void
make_view (SondeDebugConsole *self)
{
  GtkWidget *scrolled = gtk_scrolled_window_new ();

  self->view = gtk_text_view_new ();
  self->buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (self->view));
  gtk_text_buffer_create_tag (self->buffer, "typed", "weight", PANGO_WEIGHT_BOLD, NULL);
  gtk_text_buffer_create_tag (self->buffer, "answer", NULL);
  gtk_text_view_set_editable (GTK_TEXT_VIEW (self->view), FALSE);
  gtk_text_view_set_monospace (GTK_TEXT_VIEW (self->view), TRUE);
  gtk_text_view_set_wrap_mode (GTK_TEXT_VIEW (self->view), GTK_WRAP_WORD_CHAR);
  gtk_text_view_set_left_margin (GTK_TEXT_VIEW (self->view), 12);
  gtk_text_view_set_right_margin (GTK_TEXT_VIEW (self->view), 12);
  gtk_text_view_set_top_margin (GTK_TEXT_VIEW (self->view), 6);
  gtk_widget_add_css_class (self->view, "console");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Console output", -1);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), self->view);
  gtk_widget_set_vexpand (scrolled, TRUE);
  gtk_box_append (GTK_BOX (self), scrolled);
}

static void
sonde_debug_console_init (SondeDebugConsole *self)
{
  GtkWidget *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkEventController *keys = gtk_event_controller_key_new ();

  self->lines = g_ptr_array_new_with_free_func (g_free);
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self), GTK_ORIENTATION_VERTICAL);
  make_view (self);
  self->entry = gtk_entry_new ();
  gtk_entry_set_placeholder_text (GTK_ENTRY (self->entry),
                                  "print conv1.weight[0], break op:Relu, help…");
  gtk_widget_set_hexpand (self->entry, TRUE);
  gtk_widget_add_css_class (self->entry, "mono");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->entry), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Command", -1);
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect_object (keys, "key-pressed", G_CALLBACK (on_key), self, 0);
  gtk_widget_add_controller (self->entry, keys);
  g_signal_connect_object (self->entry, "activate", G_CALLBACK (on_line), self, G_CONNECT_SWAPPED);
  self->stop
      = sonde_debug_icon_button ("media-playback-stop-symbolic",
                                 "Stop the Command (Pauses the Run)", G_CALLBACK (on_stop), self);
  gtk_widget_set_visible (self->stop, FALSE);
  gtk_widget_set_margin_start (line, 12);
  gtk_widget_set_margin_end (line, 12);
  gtk_widget_set_margin_top (line, 6);
  gtk_widget_set_margin_bottom (line, 6);
  gtk_box_append (GTK_BOX (line), self->entry);
  gtk_box_append (GTK_BOX (line), self->stop);
  gtk_box_append (GTK_BOX (self), line);
}

GtkWidget *
sonde_debug_console_new (SondeDebugSession *session)
{
  SondeDebugConsole *self = g_object_new (SONDE_TYPE_DEBUG_CONSOLE, NULL);

  self->session = session;
  g_signal_connect_object (session, "changed", G_CALLBACK (update_busy), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "log", G_CALLBACK (on_log), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "over", G_CALLBACK (update_busy), self, G_CONNECT_SWAPPED);
  return GTK_WIDGET (self);
}
