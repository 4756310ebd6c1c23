/* SPDX-License-Identifier: Apache-2.0
 * Changing nodes: attributes, bypassing. */
#include "engine/commands/sonde-command-table.h"
#include "engine/debug/changes/sonde-change-node.h"

/* @key, @value: (nullable): NULL of bypass */
typedef struct
{
  SondeCommand parent;
  char *node, *key, *value;
} NodeCommand;

/* ---- the result ---------------------------------------------------------- */

void
sonde_command_text_branch_place (const SondeSessionStatus *status, GString *text)
{
  g_autoptr (GPtrArray) clauses = sonde_clauses_new ();
  g_autofree char *place = NULL, *joined = NULL;

  sonde_clauses_add (clauses, "%s", sonde_command_label_state (status->state));
  if (*status->stop.node != '\0')
    {
      place = sonde_command_format_place (status->stop.moment, status->stop.node, status->stop.op);
      sonde_clauses_add (clauses, "%s", place);
    }
  joined = sonde_clauses_join (clauses);
  g_string_append_printf (text, _ ("Branch %u: %s\n"), status->branch, joined);
}

void
sonde_command_json_branch_place (const SondeSessionStatus *status, JsonBuilder *builder)
{
  sonde_json_set_int (builder, "branch", status->branch);
  sonde_json_set_string (builder, "state", sonde_session_state_name (status->state));
  sonde_json_set_string (builder, "node", status->stop.node);
  sonde_json_set_string (builder, "op", status->stop.op);
  sonde_json_set_string (builder, "when", sonde_moment_name (status->stop.moment));
  sonde_json_set_int (builder, "position", status->stop.position);
  sonde_json_set_int (builder, "positions", status->stop.n_steps);
  sonde_json_set_int (builder, "step", (gint64) status->stop.step);
}

static void
to_text (const SondeCommandResult *result, GString *text)
{
  const SondeCommandNodeChange *change = &result->change;

  sonde_command_text_branch_place (change->status, text);
  g_string_append_printf (text, "%u: %s\n", change->edit->number, change->edit->text);
  if (change->note != NULL)
    g_string_append_printf (text, "   %s\n", sonde_message_get_text (change->note));
}

static void
to_json (const SondeCommandResult *result, JsonBuilder *builder)
{
  const SondeCommandNodeChange *change = &result->change;

  sonde_json_set_string (builder, "event", "branch");
  sonde_command_json_branch_place (change->status, builder);
  sonde_json_set_int (builder, "edit", change->edit->number);
  sonde_json_set_string (builder, "kind", change->edit->kind);
  sonde_json_set_string (builder, "text", change->edit->text);
  sonde_json_set_string (builder, "name", change->edit->value);
  sonde_json_set_string (builder, "note", sonde_message_get_english (change->note));
}

static void
result_clear (SondeCommandResult *result)
{
  sonde_edit_free (result->change.edit);
  sonde_session_status_free (result->change.status);
  sonde_message_free (result->change.note);
}

static const SondeCommandResultClass result_class = { to_text, to_json, result_clear };

/* ---- commands ------------------------------------------------------------ */

static gboolean
parse_attr (SondeCommand *command, const char *arguments, GError **error)
{
  NodeCommand *self = (NodeCommand *) command;
  g_autoptr (SondeNodeChange) change = sonde_node_change_parse_attribute (arguments, error);

  if (change == NULL)
    return FALSE;
  self->node = sonde_words_unquote (change->node);
  self->key = g_steal_pointer (&change->key);
  self->value = g_steal_pointer (&change->value);
  return TRUE;
}

static gboolean
parse_bypass (SondeCommand *command, const char *arguments, GError **error)
{
  ((NodeCommand *) command)->node = sonde_words_unquote (arguments);
  if (*arguments != '\0')
    return TRUE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "No node given; use list to show the nodes.");
  return FALSE;
}

static void
format (const SondeCommand *command, GString *line)
{
  const NodeCommand *self = (const NodeCommand *) command;

  sonde_command_append_word (line, self->node);
  if (self->key != NULL)
    g_string_append_printf (line, ".%s = %s", self->key, self->value);
}

static void
clear (SondeCommand *command)
{
  NodeCommand *self = (NodeCommand *) command;

  g_free (self->node);
  g_free (self->key);
  g_free (self->value);
}

static SondeCommandResult *
run (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  const NodeCommand *self = (const NodeCommand *) command;
  SondeSessionRequest *request
      = self->key != NULL ? sonde_session_request_set_attribute (self->node, self->key, self->value)
                          : sonde_session_request_bypass (self->node);
  g_autoptr (SondeSessionReply) reply = sonde_command_runner_call (runner, request, error);
  SondeCommandResult *result;

  if (reply == NULL || reply->edits->len == 0 || reply->status == NULL)
    return NULL;
  sonde_command_runner_set_listed (runner, 0);
  result = sonde_command_result_new (SONDE_COMMAND_RESULT_NODE_CHANGED, &result_class);
  result->change.edit = sonde_edit_copy (g_ptr_array_index (reply->edits, 0));
  result->change.status = g_steal_pointer (&reply->status);
  result->change.note = g_steal_pointer (&reply->note);
  return result;
}

SondeCommand *
sonde_command_new_attr (const char *node, const char *key, const char *value)
{
  NodeCommand *self = sonde_command_new (&sonde_command_class_attr);

  self->node = g_strdup (node);
  self->key = g_strdup (key);
  self->value = g_strdup (value);
  return &self->parent;
}

SondeCommand *
sonde_command_new_bypass (const char *node)
{
  NodeCommand *self = sonde_command_new (&sonde_command_class_bypass);

  self->node = g_strdup (node);
  return &self->parent;
}

const SondeCommandClass sonde_command_class_attr
    = { .name = "attr",
        .arguments = "NODE.KEY = VALUE",
        .summary = N_ ("Set an attribute of a node, in a new branch."),
        .effect = SONDE_COMMAND_CHANGES,
        .size = sizeof (NodeCommand),
        .parse = parse_attr,
        .format = format,
        .run = run,
        .clear = clear };

const SondeCommandClass sonde_command_class_bypass
    = { .name = "bypass",
        .arguments = "NODE",
        .summary = N_ ("Bypass a node (output = first input), in a new branch."),
        .effect = SONDE_COMMAND_CHANGES,
        .size = sizeof (NodeCommand),
        .parse = parse_bypass,
        .format = format,
        .run = run,
        .clear = clear };
