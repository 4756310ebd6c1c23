/* SPDX-License-Identifier: Apache-2.0
 * Lines to commands and back. */
#include "engine/commands/sonde-command.h"

#include <string.h>

#include "engine/commands/sonde-command-table.h"
#include "engine/live/sonde-nearest.h"

/* ---- words that commands begin with -------------------------------------- */

/* The table by command words: topics of one word are one entry, whose arguments are joined. */
static GArray *
collect_words (void)
{
  GArray *words = g_array_new (FALSE, FALSE, sizeof (SondeCommandHelp));
  const SondeCommandClass *class;

  for (guint k = 0; (class = sonde_command_table_get (k)) != NULL; k++)
    {
      SondeCommandHelp *last
          = words->len > 0 ? &g_array_index (words, SondeCommandHelp, words->len - 1) : NULL;
      g_autofree char *form = class->topic == NULL ? g_strdup (class->arguments)
                              : *class->arguments == '\0'
                                  ? g_strdup (class->topic)
                                  : g_strdup_printf ("%s %s", class->topic, class->arguments);
      const SondeCommandHelp help
          = { class->name, class->alias, g_intern_string (form), class->summary, class->effect };

      if (last != NULL && g_str_equal (last->name, class->name))
        {
          g_autofree char *joined = g_strconcat (last->arguments, "|", form, NULL);

          last->arguments = g_intern_string (joined);
        }
      else
        g_array_append_val (words, help);
    }
  return words;
}

static const GArray *
get_words (void)
{
  static gsize words = 0;

  if (g_once_init_enter (&words))
    g_once_init_leave (&words, (gsize) collect_words ());
  return (const GArray *) words;
}

static const SondeCommandHelp *
get_word (guint k)
{
  return k < get_words ()->len ? &g_array_index (get_words (), SondeCommandHelp, k) : NULL;
}

const SondeCommandHelp *
sonde_command_help (guint k)
{
  return get_word (k);
}

static const char *
word_candidate (guint k, gpointer data)
{
  return get_word (k)->name;
}

static void
set_unknown_error (const char *word, GError **error)
{
  const char *nearest = sonde_nearest_name (word, word_candidate, get_words ()->len, NULL);

  if (nearest != NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "Unknown command “%s”; the closest match is “%s”.", word, nearest);
  else
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "Unknown command “%s”; type help for a list of commands.", word);
}

/* The one word that begins with @beginning; NULL with @error for none and for several. */
static const SondeCommandHelp *
find_beginning (const char *beginning, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);
  const SondeCommandHelp *found = NULL, *word;
  guint n = 0;

  for (guint k = 0; (word = get_word (k)) != NULL; k++)
    if (g_str_has_prefix (word->name, beginning))
      {
        g_string_append_printf (names, "%s%s", n++ > 0 ? ", " : "", word->name);
        found = word;
      }
  if (n == 0)
    set_unknown_error (beginning, error);
  if (n > 1)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "Ambiguous command “%s”: %s.", beginning, names->str);
  return n == 1 ? found : NULL;
}

const SondeCommandHelp *
sonde_command_find (const char *word, GError **error)
{
  const SondeCommandHelp *found;

  for (guint k = 0; (found = get_word (k)) != NULL; k++)
    if (g_str_equal (found->name, word) || g_strcmp0 (found->alias, word) == 0)
      return found;
  return find_beginning (word, error);
}

/* ---- parsing ------------------------------------------------------------- */

static void
set_unknown_topic_error (const SondeCommandHelp *word, const char *topic, GError **error)
{
  g_autoptr (GString) topics = g_string_new (NULL);
  const SondeCommandClass *class;

  for (guint k = 0; (class = sonde_command_table_get (k)) != NULL; k++)
    if (g_str_equal (class->name, word->name) && class->topic != NULL)
      g_string_append_printf (topics, "%s%s", topics->len > 0 ? ", " : "", class->topic);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "Unknown topic “%s”; topics of %s: %s.", topic, word->name, topics->str);
}

/* The class of word @name, and of the topic that @arguments begins with; @arguments is moved behind
 * that. */
static const SondeCommandClass *
find_class (const SondeCommandHelp *word, const char **arguments, GError **error)
{
  gsize length = strcspn (*arguments, " \t");
  g_autofree char *topic = g_strndup (*arguments, length);
  const SondeCommandClass *class, *found = NULL;
  guint n = 0;

  for (guint k = 0; (class = sonde_command_table_get (k)) != NULL; k++)
    {
      if (!g_str_equal (class->name, word->name))
        continue;
      if (class->topic == NULL)
        return class;
      if (length > 0 && g_str_has_prefix (class->topic, topic))
        {
          found = class;
          n++;
        }
    }
  if (n == 1)
    {
      *arguments += length + strspn (*arguments + length, " \t");
      return found;
    }
  if (n == 0 && length > 0)
    set_unknown_topic_error (word, topic, error);
  else
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID, "Usage: %s %s.",
                     word->name, word->arguments);
  return NULL;
}

static gboolean
refuse_arguments (const SondeCommandClass *class, const char *arguments, GError **error)
{
  g_autofree char *name = g_strjoin (" ", class->name, class->topic, NULL);

  if (*arguments == '\0')
    return TRUE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "“%s” takes no arguments, but “%s” was given.", name, arguments);
  return FALSE;
}

SondeCommand *
sonde_command_parse (const char *line, GError **error)
{
  g_autofree char *valid = g_utf8_make_valid (line, -1);
  const char *trimmed = g_strstrip (valid);
  gsize length = strcspn (trimmed, " \t");
  g_autofree char *name = g_strndup (trimmed, length);
  const char *arguments = trimmed + length + strspn (trimmed + length, " \t");
  g_autoptr (SondeCommand) command = NULL;
  const SondeCommandHelp *word;
  const SondeCommandClass *class;

  if (*trimmed == '\0' || *trimmed == '#')
    return NULL;
  word = sonde_command_find (name, error);
  class = word != NULL ? find_class (word, &arguments, error) : NULL;
  if (class == NULL)
    return NULL;
  command = sonde_command_new (class);
  if (class->parse != NULL ? class->parse (command, arguments, error)
                           : refuse_arguments (class, arguments, error))
    return g_steal_pointer (&command);
  return NULL;
}

char *
sonde_command_dup_word (const char *line)
{
  g_autofree char *valid = g_strstrip (g_utf8_make_valid (line, -1));
  g_autofree char *word = g_strndup (valid, strcspn (valid, " \t"));
  const SondeCommandHelp *help = sonde_command_find (word, NULL);

  return g_strdup (help != NULL ? help->name : word);
}

char *
sonde_command_to_line (const SondeCommand *command)
{
  GString *line = g_string_new (command->class->name);

  if (command->class->topic != NULL)
    g_string_append_printf (line, " %s", command->class->topic);
  if (command->class->format != NULL)
    command->class->format (command, line);
  return g_string_free (line, FALSE);
}

char *
sonde_command_quote (const char *word)
{
  return sonde_words_quote (word);
}

/* ---- life ---------------------------------------------------------------- */

gpointer
sonde_command_new (const SondeCommandClass *class)
{
  SondeCommand *command = g_malloc0 (MAX (class->size, sizeof (SondeCommand)));

  command->class = class;
  return command;
}

void
sonde_command_free (SondeCommand *command)
{
  if (command == NULL)
    return;
  if (command->class->clear != NULL)
    command->class->clear (command);
  g_free (command);
}

const char *
sonde_command_get_name (const SondeCommand *command)
{
  return command->class->name;
}

SondeCommandEffect
sonde_command_get_effect (const SondeCommand *command)
{
  return command->class->effect;
}

/* ---- arguments that several commands have -------------------------------- */

SondeCommand *
sonde_text_command_new (const SondeCommandClass *class, const char *text)
{
  SondeTextCommand *command = sonde_command_new (class);

  command->text = g_strdup (text);
  return &command->parent;
}

gboolean
sonde_text_command_parse (SondeCommand *command, const char *arguments, GError **error)
{
  if (*arguments != '\0')
    ((SondeTextCommand *) command)->text = sonde_words_unquote (arguments);
  return TRUE;
}

void
sonde_text_command_format (const SondeCommand *command, GString *line)
{
  const SondeTextCommand *self = (const SondeTextCommand *) command;

  if (self->text != NULL)
    sonde_command_append_word (line, self->text);
}

void
sonde_text_command_clear (SondeCommand *command)
{
  g_free (((SondeTextCommand *) command)->text);
}

SondeCommand *
sonde_number_command_new (const SondeCommandClass *class, guint64 number)
{
  SondeNumberCommand *command = sonde_command_new (class);

  command->number = number;
  return &command->parent;
}

gboolean
sonde_number_command_parse (SondeCommand *command, const char *arguments, guint64 fallback,
                            const char *what, GError **error)
{
  SondeNumberCommand *self = (SondeNumberCommand *) command;

  self->number = fallback;
  return *arguments == '\0' || sonde_words_parse_number (arguments, 1, what, &self->number, error);
}

void
sonde_command_append_word (GString *line, const char *word)
{
  g_autofree char *quoted = sonde_words_quote (word);

  g_string_append_printf (line, " %s", quoted);
}

char *
sonde_command_absolute_path (const char *path)
{
  return g_canonicalize_filename (path, NULL);
}

char *
sonde_command_absolute_source (const char *what)
{
  g_autofree char *file = NULL, *path = NULL;
  const char *run = strstr (what, "@run:");

  if (run != NULL)
    {
      g_autofree char *value = g_strndup (what, (gsize) (run - what));

      path = g_canonicalize_filename (run + strlen ("@run:"), NULL); /* a step behind it stays */
      return g_strconcat (value, "@run:", path, NULL);
    }
  if (!g_str_has_prefix (what, "file:"))
    return g_strdup (what);
  file = sonde_words_unquote (what + strlen ("file:"));
  path = g_canonicalize_filename (file, NULL);
  return g_strconcat ("file:", path, NULL);
}
