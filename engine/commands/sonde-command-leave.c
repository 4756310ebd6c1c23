/* SPDX-License-Identifier: Apache-2.0
 * Detaching and quitting. */
#include "engine/commands/sonde-command-table.h"

static void
detached_to_text (const SondeCommandResult *result, GString *text)
{
  g_string_append (text, _ ("Detached; the run continues.\n"));
}

static const SondeCommandResultClass detached_class = { .to_text = detached_to_text };
static const SondeCommandResultClass done_class = { NULL, NULL, NULL };

SondeCommandResult *
sonde_command_done_new (void)
{
  return sonde_command_result_new (SONDE_COMMAND_RESULT_DONE, &done_class);
}

static SondeCommandResult *
run_detach (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  sonde_command_runner_detach (runner);
  return sonde_command_result_new (SONDE_COMMAND_RESULT_DETACHED, &detached_class);
}

static SondeCommandResult *
run_quit (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  return sonde_command_runner_leave (runner, error) ? sonde_command_done_new () : NULL;
}

SondeCommand *
sonde_command_new_detach (void)
{
  return sonde_command_new (&sonde_command_class_detach);
}

SondeCommand *
sonde_command_new_quit (void)
{
  return sonde_command_new (&sonde_command_class_quit);
}

const SondeCommandClass sonde_command_class_detach
    = { .name = "detach",
        .arguments = "",
        .summary = N_ ("Detach and let the run continue."),
        .effect = SONDE_COMMAND_LEAVES,
        .run = run_detach };

const SondeCommandClass sonde_command_class_quit
    = { .name = "quit",
        .alias = "q",
        .arguments = "",
        .summary = N_ ("End a run that was launched; detach from one that was attached to."),
        .effect = SONDE_COMMAND_LEAVES,
        .run = run_quit };
