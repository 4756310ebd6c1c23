/* SPDX-License-Identifier: Apache-2.0
 * The text debugger in the page. */
#include "app/debugger/panels/sonde-debug-console.h"

#include <string.h>

#include "app/debugger/sonde-debug-widgets.h"
#include "data/base/sonde-error.h"

#define MAX_CHARS 400000 /* the oldest lines go */
#define PROMPT "(sonde) "

struct _SondeDebugConsole
{
  GtkBox parent_instance;

  SondeDebugSession *session; /* borrowed from the page */
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

/* The pictures of the graph show it, too. */
static void
take_findings (SondeDebugConsole *self, const SondeCommandResult *answer)
{
  if (answer->kind == SONDE_COMMAND_RESULT_DIVERGENCE)
    sonde_debug_session_take_divergence (self->session, answer->divergence);
  else if (answer->kind == SONDE_COMMAND_RESULT_PRECISION)
    sonde_debug_session_take_precision (self->session, answer->precision.found);
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
    {
      sonde_command_result_to_text (answer, text);
      take_findings (self, answer);
    }
  else
    g_string_printf (text, "%s\n", sonde_error_get_text (error));
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
      append (self, sonde_error_get_text (error), "answer");
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
  gtk_widget_dispose_template (GTK_WIDGET (object), SONDE_TYPE_DEBUG_CONSOLE);
  G_OBJECT_CLASS (sonde_debug_console_parent_class)->dispose (object);
}

static void
sonde_debug_console_class_init (SondeDebugConsoleClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_debug_console_dispose;
  gtk_widget_class_set_template_from_resource (
      widget_class, "/org/sonde/Sonde/debugger/panels/sonde-debug-console.ui");
  gtk_widget_class_bind_template_child (widget_class, SondeDebugConsole, view);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugConsole, entry);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugConsole, stop);
  gtk_widget_class_bind_template_callback (widget_class, on_line);
  gtk_widget_class_bind_template_callback (widget_class, on_key);
  gtk_widget_class_bind_template_callback (widget_class, on_stop);
}

static void
sonde_debug_console_init (SondeDebugConsole *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->lines = g_ptr_array_new_with_free_func (g_free);
  self->buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (self->view));
  gtk_text_buffer_create_tag (self->buffer, "typed", "weight", PANGO_WEIGHT_BOLD, NULL);
  gtk_text_buffer_create_tag (self->buffer, "answer", NULL);
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
