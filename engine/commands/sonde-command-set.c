/* SPDX-License-Identifier: Apache-2.0
 * Setting values, and the list of all edits. */
#include <string.h>

#include "engine/commands/sonde-command-table.h"
#include "engine/debug/changes/sonde-edit.h"

#define SHOWN_NAMES 6

typedef struct
{
  SondeCommand parent;
  char *target, *what;
} Set;

/* ---- JSON ---------------------------------------------------------------- */

static void
json_part (const char *name, const SondeStatistics *statistics, JsonBuilder *builder)
{
  sonde_json_begin_object (builder, name);
  sonde_command_json_statistics (statistics, builder);
  json_builder_end_object (builder);
}

static void
json_edit (const SondeEdit *edit, JsonBuilder *builder)
{
  sonde_json_set_int (builder, "edit", edit->number);
  sonde_json_set_string (builder, "kind", edit->kind);
  sonde_json_set_string (builder, "text", edit->text);
  sonde_json_set_int (builder, "step", (gint64) edit->step);
  sonde_json_set_int (builder, "position", edit->position);
  sonde_json_set_string (builder, "node", edit->node);
  sonde_json_set_int (builder, "branch", edit->branch);
  sonde_json_set_string (builder, "name", edit->value);
  if (edit->has_statistics)
    {
      sonde_json_set_string (builder, "slice", edit->slice);
      sonde_json_set_string (builder, "dtype", sonde_dtype_name (edit->dtype));
      sonde_json_set_shape (builder, "shape", &edit->shape);
      sonde_json_set_int (builder, "count", (gint64) edit->count);
      sonde_json_set_int (builder, "changed", (gint64) edit->changed);
      sonde_json_set_int (builder, "truncated", (gint64) edit->truncated);
      json_part ("old", &edit->before, builder);
      json_part ("new", &edit->after, builder);
    }
  if (edit->is_single)
    {
      sonde_json_set_double (builder, "old_number", edit->before_number);
      sonde_json_set_double (builder, "new_number", edit->after_number);
    }
  sonde_command_json_texts (edit->readers, "readers", builder);
  sonde_command_json_texts (edit->stale, "stale", builder);
  sonde_json_set_boolean (builder, "effect", edit->effect);
  sonde_json_set_string (builder, "warning", sonde_message_get_english (edit->warning));
}

static void
edit_to_json (const SondeCommandResult *result, JsonBuilder *builder)
{
  json_edit (g_ptr_array_index (result->edits, 0), builder);
}

static void
edits_to_json (const SondeCommandResult *result, JsonBuilder *builder)
{
  sonde_json_begin_array (builder, "edits");
  for (guint i = 0; i < result->edits->len; i++)
    {
      json_builder_begin_object (builder);
      json_edit (g_ptr_array_index (result->edits, i), builder);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

/* ---- text ---------------------------------------------------------------- */

/* Behind "old" and "new". */
static void
text_statistics (const SondeStatistics *statistics, GString *text)
{
  const gint64 infinite = statistics->pos_inf + statistics->neg_inf;

  g_string_append_printf (text, _ ("min %.6g  max %.6g  mean %.6g  std %.6g"), statistics->min,
                          statistics->max, statistics->mean, statistics->std);
  if (statistics->nan + infinite > 0)
    g_string_append_printf (text, "  nan %" PRIi64 "  inf %" PRIi64, statistics->nan, infinite);
  g_string_append_c (text, '\n');
}

static void
text_change (const SondeEdit *edit, GString *text)
{
  g_autofree char *shape = sonde_shape_to_string (&edit->shape);

  g_string_append_printf (text, _ ("  %s %s: %" PRIu64 " of %" PRIu64 " elements changed\n"),
                          sonde_dtype_name (edit->dtype), shape, edit->changed, edit->count);
  g_string_append (text, "  ");
  sonde_command_append_cell (text, C_ ("values of an edit", "old"), 5);
  text_statistics (&edit->before, text);
  g_string_append (text, "  ");
  sonde_command_append_cell (text, C_ ("values of an edit", "new"), 5);
  text_statistics (&edit->after, text);
}

static void
text_readers (const SondeEdit *edit, GString *text)
{
  if (edit->readers != NULL && edit->readers[0] != NULL)
    {
      g_autofree char *names = sonde_command_join_nodes (edit->readers, SHOWN_NAMES);

      g_string_append_printf (text, _ ("  will be read by %s\n"), names);
    }
  if (edit->stale != NULL && edit->stale[0] != NULL)
    {
      g_autofree char *names = sonde_command_join_nodes (edit->stale, SHOWN_NAMES);

      g_string_append_printf (text, _ ("  already read by %s, whose outputs are not recomputed\n"),
                              names);
    }
}

void
sonde_command_text_edit (const SondeEdit *edit, GString *text)
{
  g_string_append_printf (text, _ ("%u: %s (before %s, step %" PRIu64 ", branch %u)\n"),
                          edit->number, edit->text, edit->node, edit->step, edit->branch);
  if (edit->is_single)
    g_string_append_printf (text, "  %.9g -> %.9g\n", edit->before_number, edit->after_number);
  if (edit->has_statistics)
    text_change (edit, text);
  text_readers (edit, text);
  if (edit->warning != NULL)
    g_string_append_printf (text, "  %s\n", sonde_message_get_text (edit->warning));
}

static void
edits_to_text (const SondeCommandResult *result, GString *text)
{
  for (guint i = 0; i < result->edits->len; i++)
    sonde_command_text_edit (g_ptr_array_index (result->edits, i), text);
  if (result->edits->len == 0)
    g_string_append (text, _ ("No edits.\n"));
}

/* ---- results ------------------------------------------------------------- */

static void
edits_clear (SondeCommandResult *result)
{
  g_ptr_array_unref (result->edits);
}

static const SondeCommandResultClass edit_class = { edits_to_text, edit_to_json, edits_clear };
static const SondeCommandResultClass edits_class = { edits_to_text, edits_to_json, edits_clear };

/* ---- commands ------------------------------------------------------------ */

/* What is quoted may be the name alone: "3.bias"[0]. */
static char *
unquote_target (const char *target)
{
  const char *bracket = strrchr (target, '[');
  const char quote = *target;
  g_autofree char *name = NULL;

  if ((quote != '"' && quote != '\'') || bracket == NULL || bracket < target + 2
      || bracket[-1] != quote || !g_str_has_suffix (target, "]"))
    return sonde_words_unquote (target);
  name = sonde_words_unquote_part (target, 0, (gsize) (bracket - target));
  return g_strconcat (name, bracket, NULL);
}

static gboolean
parse (SondeCommand *command, const char *arguments, GError **error)
{
  Set *self = (Set *) command;
  g_autofree char *target = NULL;

  if (sonde_edit_split (arguments, &target, &self->what))
    {
      self->target = unquote_target (target);
      return TRUE;
    }
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "Target or new value missing. Usage: set VALUE[slice] = "
                   "NUMBER|file:F.npy|EXPR.");
  return FALSE;
}

static void
format (const SondeCommand *command, GString *line)
{
  const Set *self = (const Set *) command;

  sonde_command_append_word (line, self->target);
  g_string_append_printf (line, " = %s", self->what);
}

static void
clear (SondeCommand *command)
{
  g_free (((Set *) command)->target);
  g_free (((Set *) command)->what);
}

static SondeCommandResult *
run_set (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  const Set *self = (const Set *) command;
  g_autofree char *source = sonde_command_absolute_source (self->what);
  g_autoptr (SondeSessionReply) reply
      = sonde_command_runner_call (runner, sonde_session_request_set (self->target, source), error);
  SondeCommandResult *result;

  if (reply == NULL || reply->edits->len == 0)
    return NULL;
  result = sonde_command_result_new (SONDE_COMMAND_RESULT_EDIT, &edit_class);
  result->edits = g_steal_pointer (&reply->edits);
  return result;
}

static SondeCommandResult *
run_edits (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  g_autoptr (SondeSessionReply) reply = sonde_command_runner_call (
      runner, sonde_session_request_branch (SONDE_BRANCH_EDITS, NULL), error);
  SondeCommandResult *result;

  if (reply == NULL || reply->edits == NULL)
    return NULL;
  result = sonde_command_result_new (SONDE_COMMAND_RESULT_EDITS, &edits_class);
  result->edits = g_steal_pointer (&reply->edits);
  return result;
}

SondeCommand *
sonde_command_new_set (const char *target, const char *what)
{
  Set *self = sonde_command_new (&sonde_command_class_set);

  self->target = g_strdup (target);
  self->what = g_strdup (what);
  return &self->parent;
}

SondeCommand *
sonde_command_new_info_edits (void)
{
  return sonde_command_new (&sonde_command_class_info_edits);
}

const SondeCommandClass sonde_command_class_set
    = { .name = "set",
        .arguments = "VALUE[slice] = NUMBER|file:F.npy|EXPR",
        .summary = N_ ("Set a value or a part of it; nodes executed from here on read it."),
        .effect = SONDE_COMMAND_CHANGES,
        .size = sizeof (Set),
        .parse = parse,
        .format = format,
        .run = run_set,
        .clear = clear };

const SondeCommandClass sonde_command_class_info_edits
    = { .name = "info", .topic = "edits", .alias = "i", .arguments = "", .run = run_edits };
