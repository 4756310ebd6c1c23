/* SPDX-License-Identifier: Apache-2.0
 * Commands that go back in time. */
#include "engine/commands/sonde-command-table.h"

/* @target: (nullable): owned */
typedef struct
{
  SondeCommand parent;
  SondeBack back;
  char *target;
  gboolean to_ready; /* restart without a node */
} Back;

/* ---- parsing ------------------------------------------------------------- */

static gboolean
parse_back (SondeCommand *command, const char *arguments, GError **error)
{
  Back *self = (Back *) command;

  self->back.kind = SONDE_BACK_STEPS;
  self->back.count = 1;
  return *arguments == '\0'
         || sonde_words_parse_number (arguments, 1, N_ ("count"), &self->back.count, error);
}

static gboolean
parse_restart (SondeCommand *command, const char *arguments, GError **error)
{
  Back *self = (Back *) command;

  self->to_ready = *arguments == '\0';
  self->back.kind = SONDE_BACK_NODE;
  self->back.target = self->target = self->to_ready ? NULL : sonde_words_unquote (arguments);
  return TRUE;
}

static void
format (const SondeCommand *command, GString *line)
{
  const Back *self = (const Back *) command;

  if (self->target != NULL)
    sonde_command_append_word (line, self->target);
  else if (self->back.count > 1)
    g_string_append_printf (line, " %" PRIu64, self->back.count);
}

static void
clear (SondeCommand *command)
{
  g_free (((Back *) command)->target);
}

/* ---- running ------------------------------------------------------------- */

static SondeCommandResult *
run_back (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  const Back *self = (const Back *) command;

  return sonde_command_runner_resume (runner, sonde_session_request_go_back (&self->back), error);
}

static SondeCommandResult *
run_reverse (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  const SondeBack back = { .kind = SONDE_BACK_REVERSE };

  return sonde_command_runner_resume (runner, sonde_session_request_go_back (&back), error);
}

static void
restarted_to_text (const SondeCommandResult *result, GString *text)
{
  g_string_append_printf (text, _ ("At the beginning, before %s (%s).\n"),
                          result->status->stop.node, result->status->stop.op);
}

static void
restarted_to_json (const SondeCommandResult *result, JsonBuilder *builder)
{
  sonde_json_set_string (builder, "state", sonde_session_state_name (result->status->state));
  sonde_json_set_string (builder, "node", result->status->stop.node);
  sonde_json_set_string (builder, "op", result->status->stop.op);
}

static void
restarted_clear (SondeCommandResult *result)
{
  sonde_session_status_free (result->status);
}

static const SondeCommandResultClass restarted_class
    = { restarted_to_text, restarted_to_json, restarted_clear };

static SondeCommandResult *
run_restart (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  g_autoptr (SondeSessionReply) reply = NULL;
  SondeCommandResult *result;

  if (!((const Back *) command)->to_ready)
    return run_back (command, runner, error);
  reply = sonde_command_runner_call (runner, sonde_session_request_restart (), error);
  if (reply == NULL || reply->status == NULL)
    return NULL;
  sonde_command_runner_set_listed (runner, 0);
  result = sonde_command_result_new (SONDE_COMMAND_RESULT_RESTARTED, &restarted_class);
  result->status = g_steal_pointer (&reply->status);
  return result;
}

static SondeCommandResult *
run_rewind (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  const SondeTextCommand *self = (const SondeTextCommand *) command;
  g_autofree char *path
      = self->text != NULL && *self->text != '\0' ? sonde_command_absolute_path (self->text) : NULL;
  g_autoptr (SondeSessionReply) reply
      = sonde_command_runner_go (runner, sonde_session_request_rewind (path), error);
  SondeCommandResult *result = reply != NULL ? sonde_command_runner_wait (runner, error) : NULL;

  if (result != NULL)
    result->stop.file = g_strdup (reply->path);
  return result;
}

/* ---- constructors -------------------------------------------------------- */

SondeCommand *
sonde_command_new_back (const SondeBack *back)
{
  const SondeCommandClass *class = back->kind == SONDE_BACK_REVERSE ? &sonde_command_class_reverse
                                   : back->kind == SONDE_BACK_NODE  ? &sonde_command_class_restart
                                                                    : &sonde_command_class_back;
  Back *self = sonde_command_new (class);

  self->back = *back;
  self->back.target = self->target = g_strdup (back->target);
  return &self->parent;
}

SondeCommand *
sonde_command_new_restart (void)
{
  Back *self = sonde_command_new (&sonde_command_class_restart);

  self->to_ready = TRUE;
  return &self->parent;
}

SondeCommand *
sonde_command_new_rewind (const char *path)
{
  return sonde_text_command_new (&sonde_command_class_rewind, path);
}

const SondeCommandClass sonde_command_class_back
    = { .name = "back",
        .arguments = "[N]",
        .summary = N_ ("Step back one node, or N nodes, also into earlier training steps."),
        .effect = SONDE_COMMAND_RESUMES,
        .size = sizeof (Back),
        .parse = parse_back,
        .format = format,
        .run = run_back,
        .clear = clear };

const SondeCommandClass sonde_command_class_reverse
    = { .name = "reverse",
        .arguments = "",
        .summary = N_ ("Run backwards to the previous breakpoint or watchpoint."),
        .effect = SONDE_COMMAND_RESUMES,
        .size = sizeof (Back),
        .run = run_reverse,
        .clear = clear };

const SondeCommandClass sonde_command_class_restart
    = { .name = "restart",
        .arguments = "[NODE]",
        .summary = N_ ("Go back to the beginning, or to the position before NODE."),
        .effect = SONDE_COMMAND_RESUMES,
        .size = sizeof (Back),
        .parse = parse_restart,
        .format = format,
        .run = run_restart,
        .clear = clear };

const SondeCommandClass sonde_command_class_rewind
    = { .name = "rewind",
        .arguments = "[FILE.npz]",
        .summary = N_ ("Save the batch of this training step and go back to its first node."),
        .effect = SONDE_COMMAND_RESUMES,
        .size = sizeof (SondeTextCommand),
        .parse = sonde_text_command_parse,
        .format = sonde_text_command_format,
        .run = run_rewind,
        .clear = sonde_text_command_clear };
