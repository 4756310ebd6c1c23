/* SPDX-License-Identifier: Apache-2.0
 * Completion of command lines: commands, values, functions of expressions. */
#include <string.h>

#include "engine/commands/sonde-command-runner-private.h"
#include "engine/commands/sonde-command-table.h"
#include "engine/live/sonde-expression.h"

#define VALUES_MS 1000

static void
complete_commands (const char *text, GPtrArray *names)
{
  const SondeCommandHelp *help;

  for (guint k = 0; (help = sonde_command_help (k)) != NULL; k++)
    if (g_str_has_prefix (help->name, text))
      g_ptr_array_add (names, g_strdup (help->name));
}

/* The second words of a command that has them: start, stop and save of profile. FALSE: it has none, or @line is
 * beyond them. */
static gboolean
complete_topics (const char *line, const char *text, GPtrArray *names)
{
  gsize length = strcspn (line, " \t");
  g_autofree char *word = g_strndup (line, length);
  const SondeCommandHelp *help = sonde_command_find (word, NULL);
  const SondeCommandClass *class;
  guint n = names->len;

  if (help == NULL || strpbrk (line + length + strspn (line + length, " \t"), " \t") != NULL)
    return FALSE;
  for (guint k = 0; (class = sonde_command_table_get (k)) != NULL; k++)
    if (class->topic != NULL && g_str_equal (class->name, help->name)
        && g_str_has_prefix (class->topic, text))
      g_ptr_array_add (names, g_strdup (class->topic));
  return names->len > n;
}

static void
complete_values (SondeCommandRunner *self, const char *text, GPtrArray *names)
{
  g_autoptr (SondeSessionReply) reply = sonde_session_client_call (
      self->client, sonde_session_request_values (NULL), VALUES_MS, NULL);

  for (guint i = 0; reply != NULL && i < reply->values->len; i++)
    {
      const SondeValueInfo *info = g_ptr_array_index (reply->values, i);

      if (g_str_has_prefix (info->name, text))
        g_ptr_array_add (names, g_strdup (info->name));
      if (info->producer != NULL && !g_str_equal (info->producer, info->name)
          && g_str_has_prefix (info->producer, text))
        g_ptr_array_add (names, g_strdup (info->producer));
    }
}

static void
complete_functions (const char *text, GPtrArray *names)
{
  const SondeExpressionHelp *help;

  for (guint k = 0; (help = sonde_expression_help (k)) != NULL; k++)
    if (g_str_has_prefix (help->name, text))
      g_ptr_array_add (names, g_strconcat (help->name, "(", NULL));
}

/* @line asks for an expression at its end. */
static gboolean
takes_expression (const char *line)
{
  static const char *const words[] = { "print", "p", "display", "stats", "save", "watch", NULL };
  g_autofree char *word = g_strndup (line, strcspn (line, " \t"));

  return g_strv_contains (words, word) || strstr (line, " if ") != NULL
         || strchr (line, '{') != NULL;
}

/* The part of @text behind the last operator or parenthesis: a further value or function. */
static void
complete_inside (SondeCommandRunner *self, const char *text, GPtrArray *names)
{
  const char *word = text + strlen (text);
  g_autoptr (GPtrArray) found = g_ptr_array_new_with_free_func (g_free);

  while (word > text && strchr ("(,+-*%<>=!&|?{\"", word[-1]) == NULL)
    word--;
  complete_functions (word, found);
  if (word > text)
    complete_values (self, word, found);
  for (guint i = 0; i < found->len; i++)
    g_ptr_array_add (names, g_strdup_printf ("%.*s%s", (int) (word - text), text,
                                             (char *) g_ptr_array_index (found, i)));
}

char **
sonde_command_runner_complete (SondeCommandRunner *runner, const char *line, const char *text)
{
  GPtrArray *names = g_ptr_array_new ();
  const char *start = line + strspn (line, " \t");

  if (strpbrk (start, " \t") == NULL)
    complete_commands (text, names);
  else if (!complete_topics (start, text, names))
    complete_values (runner, text, names);
  if (strpbrk (start, " \t") != NULL && takes_expression (start))
    complete_inside (runner, text, names);
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (names, FALSE);
}
