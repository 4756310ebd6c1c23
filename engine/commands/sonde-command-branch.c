/* SPDX-License-Identifier: Apache-2.0
 * Branches: listing, making, switching. */
#include <string.h>

#include "engine/commands/sonde-command-table.h"

/**
 * Branch:
 * @what: what is asked for; a name alone switches to the branch of that name, or makes it
 * @name: (nullable)
 */
typedef struct
{
  SondeCommand parent;
  SondeBranchRequest what;
  gboolean by_name;
  char *name;
} Branch;

/* ---- the result ---------------------------------------------------------- */

static void
text_branch (const SondeBranch *info, GString *text)
{
  g_autoptr (GPtrArray) clauses = sonde_clauses_new ();
  g_autofree char *joined = NULL;

  sonde_clauses_add (clauses, "%s", info->name);
  sonde_clauses_add (clauses, _ ("position %u of %u"), info->position, info->n_steps);
  if (*info->node != '\0')
    sonde_clauses_add (clauses, _ ("before %s"), info->node);
  if (info->parent > 0)
    sonde_clauses_add (clauses, _ ("made from branch %u by “%s”"), info->parent, info->text);
  sonde_clauses_add (clauses, "%.1f MB", (double) info->bytes / 1e6);
  joined = sonde_clauses_join (clauses);
  g_string_append_printf (text, "%s %u: %s\n", info->current ? "*" : " ", info->number, joined);
}

static void
to_text (const SondeCommandResult *result, GString *text)
{
  if (result->branches.status != NULL)
    sonde_command_text_branch_place (result->branches.status, text);
  for (guint i = 0; i < result->branches.branches->len; i++)
    text_branch (g_ptr_array_index (result->branches.branches, i), text);
}

static void
json_branch (const SondeBranch *info, JsonBuilder *builder)
{
  json_builder_begin_object (builder);
  sonde_json_set_int (builder, "branch", info->number);
  sonde_json_set_string (builder, "name", info->name);
  sonde_json_set_boolean (builder, "current", info->current);
  sonde_json_set_int (builder, "parent", info->parent);
  sonde_json_set_string (builder, "text", info->text);
  sonde_json_set_string (builder, "node", info->node);
  sonde_json_set_int (builder, "position", info->position);
  sonde_json_set_int (builder, "positions", info->n_steps);
  sonde_json_set_int (builder, "bytes", (gint64) info->bytes);
  json_builder_end_object (builder);
}

static void
to_json (const SondeCommandResult *result, JsonBuilder *builder)
{
  if (result->branches.changed)
    sonde_json_set_string (builder, "event", "branch");
  if (result->branches.status != NULL)
    sonde_command_json_branch_place (result->branches.status, builder);
  sonde_json_begin_array (builder, "branches");
  for (guint i = 0; i < result->branches.branches->len; i++)
    json_branch (g_ptr_array_index (result->branches.branches, i), builder);
  json_builder_end_array (builder);
}

static void
result_clear (SondeCommandResult *result)
{
  g_ptr_array_unref (result->branches.branches);
  g_clear_pointer (&result->branches.status, sonde_session_status_free);
}

static const SondeCommandResultClass result_class = { to_text, to_json, result_clear };

/* ---- the command --------------------------------------------------------- */

static gboolean
parse (SondeCommand *command, const char *arguments, GError **error)
{
  Branch *self = (Branch *) command;
  gboolean make = g_str_equal (arguments, "new") || g_str_has_prefix (arguments, "new ");

  self->name = sonde_words_unquote (make ? arguments + strlen ("new") : arguments);
  if (*self->name == '\0')
    g_clear_pointer (&self->name, g_free);
  self->by_name = !make && self->name != NULL;
  self->what = make || self->name != NULL ? SONDE_BRANCH_MAKE : SONDE_BRANCH_LIST;
  return TRUE;
}

static void
format (const SondeCommand *command, GString *line)
{
  const Branch *self = (const Branch *) command;

  if (self->what == SONDE_BRANCH_MAKE && !self->by_name)
    g_string_append (line, " new");
  if (self->name != NULL)
    sonde_command_append_word (line, self->name);
}

static void
clear (SondeCommand *command)
{
  g_free (((Branch *) command)->name);
}

/* Is @word the number or the name of an existing branch? */
static gboolean
is_branch (const GPtrArray *branches, const char *word)
{
  guint64 number = 0;

  if (g_ascii_string_to_unsigned (word, 10, 0, G_MAXUINT64, &number, NULL))
    return TRUE; /* the engine reports numbers that do not exist */
  for (guint i = 0; i < branches->len; i++)
    if (g_str_equal (((const SondeBranch *) g_ptr_array_index (branches, i))->name, word))
      return TRUE;
  return FALSE;
}

static SondeCommandResult *
run (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  const Branch *self = (const Branch *) command;
  SondeBranchRequest what = self->what;
  g_autoptr (SondeSessionReply) reply = sonde_command_runner_call (
      runner, sonde_session_request_branch (SONDE_BRANCH_LIST, NULL), error);
  SondeCommandResult *result;

  if (reply == NULL || reply->branches == NULL)
    return NULL;
  if (self->by_name)
    what = is_branch (reply->branches, self->name) ? SONDE_BRANCH_SWITCH : SONDE_BRANCH_MAKE;
  if (what != SONDE_BRANCH_LIST)
    {
      g_clear_pointer (&reply, sonde_session_reply_free);
      reply = sonde_command_runner_call (
          runner, sonde_session_request_branch (what, self->name != NULL ? self->name : ""), error);
      if (reply == NULL || reply->branches == NULL)
        return NULL;
      sonde_command_runner_set_listed (runner, 0);
    }
  result = sonde_command_result_new (SONDE_COMMAND_RESULT_BRANCHES, &result_class);
  result->branches.branches = g_steal_pointer (&reply->branches);
  result->branches.status = g_steal_pointer (&reply->status);
  result->branches.changed = what != SONDE_BRANCH_LIST;
  return result;
}

SondeCommand *
sonde_command_new_branch (SondeBranchRequest what, const char *name)
{
  Branch *self = sonde_command_new (&sonde_command_class_branch);

  self->what = what;
  self->name = g_strdup (name);
  return &self->parent;
}

const SondeCommandClass sonde_command_class_branch
    = { .name = "branch",
        .arguments = "[NAME|new [NAME]|NUMBER]",
        .summary = N_ ("List branches, save the current state as a branch, or switch to one."),
        .effect = SONDE_COMMAND_CHANGES,
        .size = sizeof (Branch),
        .parse = parse,
        .format = format,
        .run = run,
        .clear = clear };
