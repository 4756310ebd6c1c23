/* SPDX-License-Identifier: Apache-2.0
 * Enabling, disabling, ignoring and removing breakpoints and watches, which share their ids. */
#include "engine/commands/sonde-command-table.h"

typedef struct
{
  SondeCommand parent;
  guint id; /* 0: all */
  guint64 count;
} Point;

static gboolean
parse_id (const char *text, guint *id, GError **error)
{
  guint64 number = 0;

  if (*text != '\0' && !sonde_words_parse_number (text, 1, "breakpoint number", &number, error))
    return FALSE;
  *id = (guint) MIN (number, G_MAXUINT);
  return TRUE;
}

static gboolean
parse (SondeCommand *command, const char *arguments, GError **error)
{
  return parse_id (arguments, &((Point *) command)->id, error);
}

static gboolean
parse_ignore (SondeCommand *command, const char *arguments, GError **error)
{
  Point *self = (Point *) command;
  g_autoptr (GPtrArray) words = sonde_words_split (arguments);

  if (words->len == 2)
    return parse_id (sonde_words_get (words, 0)->text, &self->id, error)
           && sonde_words_parse_number (sonde_words_get (words, 1)->text, 0, "count", &self->count,
                                        error);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "Breakpoint or count missing. Usage: ignore ID COUNT.");
  return FALSE;
}

static void
format (const SondeCommand *command, GString *line)
{
  const Point *self = (const Point *) command;

  if (self->id > 0)
    g_string_append_printf (line, " %u", self->id);
  if (command->class == &sonde_command_class_ignore)
    g_string_append_printf (line, " %" PRIu64, self->count);
}

static SondeSessionRequest *
make_request (const Point *self)
{
  const SondeCommandClass *class = self->parent.class;

  if (class == &sonde_command_class_ignore)
    return sonde_session_request_ignore_breakpoint (self->id, self->count);
  if (class == &sonde_command_class_clear)
    return sonde_session_request_remove_breakpoint (self->id);
  return sonde_session_request_enable_breakpoint (self->id, class == &sonde_command_class_enable);
}

static SondeCommandResult *
run (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  g_autoptr (SondeSessionReply) reply
      = sonde_command_runner_call (runner, make_request ((const Point *) command), error);

  return reply != NULL ? sonde_command_breakpoints_new (reply, TRUE) : NULL;
}

static SondeCommand *
new_point (const SondeCommandClass *class, guint id, guint64 count)
{
  Point *self = sonde_command_new (class);

  self->id = id;
  self->count = count;
  return &self->parent;
}

SondeCommand *
sonde_command_new_enable (guint id, gboolean enabled)
{
  return new_point (enabled ? &sonde_command_class_enable : &sonde_command_class_disable, id, 0);
}

SondeCommand *
sonde_command_new_ignore (guint id, guint64 count)
{
  return new_point (&sonde_command_class_ignore, id, count);
}

SondeCommand *
sonde_command_new_clear (guint id)
{
  return new_point (&sonde_command_class_clear, id, 0);
}

const SondeCommandClass sonde_command_class_enable
    = { .name = "enable",
        .arguments = "[ID]",
        .summary = N_ ("Enable a breakpoint or watchpoint, or all of them."),
        .size = sizeof (Point),
        .parse = parse,
        .format = format,
        .run = run };

const SondeCommandClass sonde_command_class_disable
    = { .name = "disable",
        .arguments = "[ID]",
        .summary = N_ ("Disable a breakpoint or watchpoint, or all of them."),
        .size = sizeof (Point),
        .parse = parse,
        .format = format,
        .run = run };

const SondeCommandClass sonde_command_class_ignore
    = { .name = "ignore",
        .arguments = "ID COUNT",
        .summary = N_ ("Ignore the next COUNT hits of a breakpoint or watchpoint."),
        .size = sizeof (Point),
        .parse = parse_ignore,
        .format = format,
        .run = run };

const SondeCommandClass sonde_command_class_clear
    = { .name = "clear",
        .arguments = "[ID]",
        .summary = N_ ("Delete a breakpoint or watchpoint, or all of them."),
        .size = sizeof (Point),
        .parse = parse,
        .format = format,
        .run = run };
