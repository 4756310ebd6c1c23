/* SPDX-License-Identifier: Apache-2.0
 * Commands that let the run go on, and stop it. */
#include "engine/commands/sonde-command-table.h"

/* @target: (nullable): of until; owned */
typedef struct
{
  SondeCommand parent;
  SondeResume resume;
  char *target;
} Resume;

/* ---- parsing ------------------------------------------------------------- */

static const struct
{
  const SondeCommandClass *class;
  SondeResumeKind kind;
} kinds[] = {
  { &sonde_command_class_continue, SONDE_RESUME_CONTINUE },
  { &sonde_command_class_step, SONDE_RESUME_STEP },
  { &sonde_command_class_next, SONDE_RESUME_NEXT },
  { &sonde_command_class_into, SONDE_RESUME_INTO },
  { &sonde_command_class_out, SONDE_RESUME_OUT },
  { &sonde_command_class_until, SONDE_RESUME_UNTIL },
};

static SondeResumeKind
kind_of (const SondeCommandClass *class)
{
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (kinds[i].class == class)
      return kinds[i].kind;
  return SONDE_RESUME_CONTINUE;
}

static gboolean
parse_count (SondeCommand *command, const char *arguments, GError **error)
{
  Resume *self = (Resume *) command;

  self->resume.kind = kind_of (command->class);
  self->resume.count = 1;
  return *arguments == '\0'
         || sonde_words_parse_number (arguments, 1, N_ ("count"), &self->resume.count, error);
}

static gboolean
parse_until (SondeCommand *command, const char *arguments, GError **error)
{
  Resume *self = (Resume *) command;

  self->resume.kind = SONDE_RESUME_UNTIL;
  self->resume.target = self->target = sonde_words_unquote (arguments);
  return TRUE;
}

static void
format (const SondeCommand *command, GString *line)
{
  const Resume *self = (const Resume *) command;

  if (self->target != NULL)
    sonde_command_append_word (line, self->target);
  else if (self->resume.count > 1)
    g_string_append_printf (line, " %" PRIu64, self->resume.count);
}

static void
clear (SondeCommand *command)
{
  g_free (((Resume *) command)->target);
}

/* ---- running ------------------------------------------------------------- */

static SondeCommandResult *
run_resume (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  const Resume *self = (const Resume *) command;

  return sonde_command_runner_resume (runner, sonde_session_request_resume (&self->resume), error);
}

static SondeCommandResult *
run_continue (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  const SondeResume resume = { .kind = SONDE_RESUME_CONTINUE };

  return sonde_command_runner_resume (runner, sonde_session_request_resume (&resume), error);
}

static SondeCommandResult *
run_run (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  g_autoptr (SondeSessionStatus) status = sonde_command_runner_get_status (runner, error);
  g_autoptr (SondeSessionReply) reply = NULL;

  if (status == NULL)
    return NULL;
  if (status->state == SONDE_SESSION_PAUSED || status->state == SONDE_SESSION_RUNNING)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "The run has already been started; use continue to resume it, or "
                       "restart to go back to the beginning.");
      return NULL;
    }
  if (status->state == SONDE_SESSION_ENDED)
    {
      reply = sonde_command_runner_call (runner, sonde_session_request_restart (), error);
      if (reply == NULL)
        return NULL;
    }
  return run_continue (command, runner, error);
}

static SondeCommandResult *
run_pause (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  g_autoptr (SondeSessionReply) reply
      = sonde_command_runner_go (runner, sonde_session_request_pause (), error);
  SondeSessionStatus *status
      = reply != NULL ? sonde_command_runner_get_status (runner, error) : NULL;

  if (status == NULL)
    return NULL;
  if (status->state == SONDE_SESSION_RUNNING) /* a loop that is not ours, on its way to a node */
    {
      sonde_session_status_free (status);
      return sonde_command_runner_wait (runner, error);
    }
  sonde_command_runner_drain (runner); /* its event reports the same stop */
  return sonde_command_stop_new (runner, status, status->state == SONDE_SESSION_ENDED);
}

static SondeCommandResult *
run_wait (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  return sonde_command_runner_wait (runner, error);
}

/* ---- constructors -------------------------------------------------------- */

SondeCommand *
sonde_command_new_run (void)
{
  return sonde_command_new (&sonde_command_class_run);
}

SondeCommand *
sonde_command_new_resume (const SondeResume *resume)
{
  const SondeCommandClass *class = &sonde_command_class_continue;
  Resume *self;

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (kinds[i].kind == resume->kind)
      class = kinds[i].class;
  self = sonde_command_new (class);
  self->resume = *resume;
  self->resume.target = self->target = g_strdup (resume->target);
  return &self->parent;
}

SondeCommand *
sonde_command_new_pause (void)
{
  return sonde_command_new (&sonde_command_class_pause);
}

SondeCommand *
sonde_command_new_wait (void)
{
  static const SondeCommandClass class = { .name = "wait",
                                           .effect = SONDE_COMMAND_RESUMES,
                                           .run = run_wait };

  return sonde_command_new (&class);
}

/* ---- the table ----------------------------------------------------------- */

const SondeCommandClass sonde_command_class_run
    = { .name = "run",
        .alias = "r",
        .arguments = "",
        .summary = N_ ("Start the run, or start it again after it ended."),
        .effect = SONDE_COMMAND_RESUMES,
        .run = run_run };

const SondeCommandClass sonde_command_class_continue
    = { .name = "continue",
        .alias = "c",
        .arguments = "",
        .summary = N_ ("Continue until the next breakpoint or the end."),
        .effect = SONDE_COMMAND_RESUMES,
        .size = sizeof (Resume),
        .run = run_continue,
        .clear = clear };

const SondeCommandClass sonde_command_class_pause
    = { .name = "pause",
        .arguments = "",
        .summary = N_ ("Stop before the next node (same as Ctrl-C)."),
        .run = run_pause };

#define RESUMING(word, short_form, form, text, parser)                                             \
  const SondeCommandClass sonde_command_class_##word = { .name = #word,                            \
                                                         .alias = short_form,                      \
                                                         .arguments = form,                        \
                                                         .summary = text,                          \
                                                         .effect = SONDE_COMMAND_RESUMES,          \
                                                         .size = sizeof (Resume),                  \
                                                         .parse = parser,                          \
                                                         .format = format,                         \
                                                         .run = run_resume,                        \
                                                         .clear = clear }

RESUMING (step, "s", "[N]", N_ ("Execute one node, or N nodes."), parse_count);
RESUMING (next, "n", "[N]", N_ ("Execute one node; step over a scope that begins here."),
          parse_count);
RESUMING (into, NULL, "[N]", N_ ("Step into a subgraph, a function or a fused node."), parse_count);
RESUMING (out, NULL, "[N]",
          N_ ("Continue until the end of the innermost fused node, scope, function or subgraph."),
          parse_count);
RESUMING (until, "u", "NODE|step:N|iteration:N|phase:P|end:P|end",
          N_ ("Continue until a location is reached; P is forward, backward or optimiser."),
          parse_until);
