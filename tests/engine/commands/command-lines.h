/* SPDX-License-Identifier: Apache-2.0
 * Lines of the debugger, run on a session as a front end does: parsed, run, rendered. */
#pragma once

#include "engine/commands/sonde-command-runner.h"

/**
 * CommandLines:
 * @json: answers are rendered as JSON, one object a line, else as text
 * @go_on: FALSE after the last line
 * @said: what was said by the present line
 */
typedef struct
{
  SondeSessionClient *client;
  SondeCommandRunner *runner;
  gboolean json, go_on;
  GString *said;
} CommandLines;

CommandLines *command_lines_new (SondeSessionClient *client, gboolean json);
void command_lines_free (CommandLines *lines);
/* Events that came before the answer, then the answer. (transfer full) */
char *command_lines_say (CommandLines *lines, const char *line);
