/* SPDX-License-Identifier: Apache-2.0
 * `sonde debug`: starts an engine for a model or recipe, or attaches to one that runs; then the
 * window, or lines of text. */
#include <string.h>
#include <unistd.h>

#include "app/cli/models/sonde-cli-model-options.h"
#include "app/cli/sonde-cli.h"
#include "app/cli/sonde-debug-check.h"
#include "app/dap/sonde-dap.h"
#include "app/repl/sonde-repl.h"
#include "app/sonde-window-module.h"
#include "data/arrays/sonde-json.h"
#include "data/base/sonde-text.h"
#include "engine/session/sonde-model-keys.h"
#include "engine/session/client/sonde-session-proxy.h"
#include "engine/session/client/sonde-session-target.h"
#include "engine/session/sonde-session-directory.h"

#define QUIT_MS 120000 /* for a training to write its checkpoint */

typedef struct
{
  char **inputs, **sets;
  char *run, *script, *check, *at, *device;
  int threads;
  gboolean repl, dap, json, attach, proxy;
  char **operands;
} DebugOptions;

static void
options_clear (DebugOptions *options)
{
  g_strfreev (options->inputs);
  g_strfreev (options->sets);
  g_strfreev (options->operands);
  g_free (options->run);
  g_free (options->script);
  g_free (options->check);
  g_free (options->at);
  g_free (options->device);
}

/* ---- running sessions ---------------------------------------------------- */

/* @whole: with all that is known of them, for another machine that asks */
static void
print_sessions (const GPtrArray *sessions, gboolean whole)
{
  for (guint i = 0; i < sessions->len; i++)
    {
      const SondeSessionEntry *entry = g_ptr_array_index (sessions, i);
      g_autofree char *line = whole ? sonde_session_entry_to_line (entry)
                                    : g_strdup_printf ("%d\t%s", entry->pid, entry->title);

      g_print ("%s\n", line);
    }
  if (sessions->len == 0)
    g_printerr (_ ("No running session to attach to.\n"));
}

static void
print_sessions_json (const GPtrArray *sessions)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autofree char *line = NULL;

  json_builder_begin_object (builder);
  sonde_json_begin_array (builder, "sessions");
  for (guint i = 0; i < sessions->len; i++)
    {
      const SondeSessionEntry *entry = g_ptr_array_index (sessions, i);

      json_builder_begin_object (builder);
      sonde_json_set_int (builder, "pid", entry->pid);
      sonde_json_set_string (builder, "title", entry->title);
      sonde_json_set_int (builder, "step", (gint64) MIN (entry->step, G_MAXINT64));
      sonde_json_set_int (builder, "since", entry->since);
      sonde_json_set_string (builder, "command", entry->command);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  line = sonde_json_to_line (builder);
  g_print ("%s\n", line);
}

/* @host: (nullable): another machine */
static int
list_sessions (const SondeCliCommand *command, const DebugOptions *options, const char *host)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) sessions = host != NULL ? sonde_session_list_of_host (host, &error)
                                                : sonde_session_list (NULL, NULL, &error);

  if (sessions == NULL)
    return sonde_cli_fail (command, error);
  if (options->json)
    print_sessions_json (sessions);
  else
    print_sessions (sessions, options->proxy);
  return SONDE_EXIT_DONE;
}

/* ---- the session --------------------------------------------------------- */

/* "FILE" or "NAME=FILE" */
static void
parse_input (char *argument, SondeSessionInput *input)
{
  char *equals = strchr (argument, '=');

  input->name = equals != NULL ? argument : NULL;
  input->path = equals != NULL ? equals + 1 : argument;
  if (equals != NULL)
    *equals = '\0';
}

/* @request borrows from @options. Returns: (transfer full): its inputs */
static SondeSessionInput *
fill_request (const DebugOptions *options, SondeOpenRequest *request)
{
  guint n = options->inputs != NULL ? g_strv_length (options->inputs) : 0;
  SondeSessionInput *inputs = g_new0 (SondeSessionInput, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    parse_input (options->inputs[i], &inputs[i]);
  request->subject = options->operands[0];
  request->inputs = inputs;
  request->n_inputs = n;
  request->sets = (const char *const *) options->sets;
  request->run_directory = options->run;
  request->device = options->device;
  request->threads = options->threads;
  return inputs;
}

/* @stops: (out) (transfer full): breakpoints and watchpoints of a capture */
static SondeSessionClient *
launch (const DebugOptions *options, GPtrArray **stops, GError **error)
{
  g_autofree char *program = sonde_cli_dup_program ();
  g_autoptr (SondeSessionClient) client
      = sonde_session_client_spawn (program, options->threads, error);
  SondeOpenRequest request = { 0 };
  g_autofree SondeSessionInput *inputs = fill_request (options, &request);
  g_autoptr (SondeSessionReply) reply = NULL;

  if (client == NULL)
    return NULL;
  reply = sonde_session_client_call (client, sonde_session_request_open (&request), -1, error);
  if (reply != NULL)
    {
      *stops = g_steal_pointer (&reply->stops);
      return g_steal_pointer (&client);
    }
  sonde_session_client_quit_child (client, 5000);
  return NULL;
}

static int
run_text (const SondeCliCommand *command, const DebugOptions *options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionClient) client = NULL;
  g_autoptr (SondeRepl) repl = NULL;
  g_autoptr (GPtrArray) stops = NULL;
  SondeReplInterrupts *interrupts;
  gboolean go_on = TRUE;
  int status = SONDE_EXIT_DONE;

  sonde_repl_block_interrupts ();
  client = options->attach ? sonde_session_client_attach_target (options->operands[0], &error)
                           : launch (options, &stops, &error);
  if (client == NULL)
    return sonde_cli_fail (command, error);
  repl = sonde_repl_new (client, options->json, stdout, stderr);
  sonde_command_runner_restore_stops (sonde_repl_get_runner (repl), stops);
  interrupts = sonde_repl_interrupts_new (repl);
  if (options->script != NULL && !sonde_repl_run_file (repl, options->script, &go_on, &error))
    status = sonde_cli_fail (command, error);
  if (go_on && options->repl)
    sonde_repl_run (repl);
  status = MAX (status, sonde_repl_close (repl));
  sonde_repl_interrupts_free (interrupts);
  return status;
}

static int
run_dap (const SondeCliCommand *command, const DebugOptions *options)
{
  g_autofree char *program = sonde_cli_dup_program ();
  SondeOpenRequest request = { 0 };
  g_autofree SondeSessionInput *inputs = fill_request (options, &request);
  SondeDapOptions dap = { .program = program, .input = STDIN_FILENO, .output = STDOUT_FILENO };

  dap.attach = options->attach ? request.subject : NULL;
  dap.open = options->attach || request.subject == NULL ? NULL : &request;
  return sonde_dap_run (&dap) == 0 ? SONDE_EXIT_DONE : SONDE_EXIT_FAILED;
}

static int
run_check (const SondeCliCommand *command, const DebugOptions *options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) stops = NULL; /* of a capture; not used here */
  g_autoptr (SondeSessionClient) client = launch (options, &stops, &error);
  int status;

  if (client == NULL)
    return sonde_cli_fail (command, error);
  status = sonde_debug_check (command, client, options->check, options->at, options->json);
  sonde_session_client_quit_child (client, QUIT_MS);
  return status;
}

static int
run_window (const SondeCliCommand *command, char **argv)
{
  g_autofree char *program = sonde_cli_dup_program ();
  g_autoptr (GError) error = NULL, missing = NULL;
  SondeWindowModuleDebug debug = sonde_cli_find_in_window ("sonde_window_module_debug", &missing);

  if (debug != NULL)
    return debug (program, (const char *const *) argv);
  sonde_set_error (&error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                   "There is no window; --repl debugs without one. %s",
                   sonde_error_get_text (missing));
  return sonde_cli_fail (command, error);
}

/* ---- the command --------------------------------------------------------- */

/* Where another machine asks, by ssh. */
static int
run_proxy (const SondeCliCommand *command, int pid)
{
  g_autoptr (GError) error = NULL;

  if (!sonde_session_proxy_run (pid, NULL, STDIN_FILENO, STDOUT_FILENO, &error))
    return sonde_cli_fail (command, error);
  return SONDE_EXIT_DONE;
}

static int
run_attach (const SondeCliCommand *command, const DebugOptions *options, char **argv)
{
  const char *target = options->operands[0];
  g_auto (SondeSessionTarget) parsed = { 0 };
  g_autoptr (GError) error = NULL;

  if (target != NULL && !sonde_session_target_parse (target, &parsed, &error))
    return sonde_cli_fail (command, error);
  if (parsed.pid == 0)
    return list_sessions (command, options, parsed.host);
  if (options->proxy)
    return parsed.host == NULL ? run_proxy (command, parsed.pid)
                               : sonde_cli_misuse (command, "--proxy expects a process ID.");
  if (options->repl || options->script != NULL)
    return run_text (command, options);
  if (options->json)
    return sonde_cli_misuse (command, "--json requires --repl, -x or --check.");
  return run_window (command, argv);
}

static int
dispatch (const SondeCliCommand *command, const DebugOptions *options, char **argv)
{
  guint n = g_strv_length (options->operands);

  if (options->dap)
    return run_dap (command, options);
  if (options->check == NULL && options->at != NULL)
    return sonde_cli_misuse (command, "--at requires --check EXPR.");
  if (options->check != NULL && (options->attach || options->repl || options->script != NULL))
    return sonde_cli_misuse (command, "--check cannot be combined with --attach, --repl or -x.");
  if (options->proxy && !options->attach)
    return sonde_cli_misuse (command, "--proxy requires --attach.");
  if (n == 0 && !options->attach)
    return sonde_cli_misuse (command, "Nothing to debug: name a model, a recipe, a built-in model "
                                      "or a folder of dumped tensors, or use --attach.");
  if (options->attach && (options->inputs != NULL || options->sets != NULL || options->run != NULL))
    return sonde_cli_misuse (
        command, "--input, --set, --run and the options of a model cannot be used when attaching "
                 "to a running session.");
  if (options->attach)
    return run_attach (command, options, argv);
  if (options->check != NULL)
    return run_check (command, options);
  if (options->repl || options->script != NULL)
    return run_text (command, options);
  if (options->json)
    return sonde_cli_misuse (command, "--json requires --repl, -x or --check.");
  return run_window (command, argv);
}

static int
run_debug (const SondeCliCommand *command, int argc, char **argv)
{
  DebugOptions options = { 0 };
  SondeModelChoice choice = { NULL };
  const GOptionEntry entries[] = {
    { "input", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options.inputs,
      N_ ("Value of a model input; “random” in place of a file: standard normal, 0 or 1 for "
          "integers"),
      N_ ("[NAME=]FILE.npy") },
    { "set", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.sets, N_ ("Set a key of the recipe"),
      N_ ("section.key=VALUE") },
    SONDE_CLI_MODEL_OPTIONS (choice),
    { "run", 0, 0, G_OPTION_ARG_FILENAME, &options.run,
      N_ ("Run folder for the records of a training"), N_ ("DIR") },
    { "device", 0, 0, G_OPTION_ARG_STRING, &options.device,
      N_ ("Compute device: cpu (default) or reference"), N_ ("DEVICE") },
    { "threads", 0, 0, G_OPTION_ARG_INT, &options.threads, N_ ("Number of threads (default: all)"),
      "N" },
    { "attach", 0, 0, G_OPTION_ARG_NONE, &options.attach,
      N_ ("Attach to process PID, or to ssh:HOST:PID on another machine; without PID, list the "
          "running sessions"),
      NULL },
    { "proxy", 0, 0, G_OPTION_ARG_NONE, &options.proxy,
      N_ ("With --attach: speak for the session on stdin and stdout, for ssh"), NULL },
    { "repl", 0, 0, G_OPTION_ARG_NONE, &options.repl,
      N_ ("Read commands from stdin instead of opening the window"), NULL },
    { "script", 'x', 0, G_OPTION_ARG_FILENAME, &options.script,
      N_ ("Execute the commands of a file first"), N_ ("FILE") },
    { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, N_ ("Print each result as one line of JSON"),
      NULL },
    { "dap", 0, 0, G_OPTION_ARG_NONE, &options.dap,
      N_ ("Speak the Debug Adapter Protocol on stdin and stdout"), NULL },
    { "check", 0, 0, G_OPTION_ARG_STRING, &options.check,
      N_ ("Run and exit with status 1 if the expression holds at the end"), "EXPR" },
    { "at", 0, 0, G_OPTION_ARG_STRING, &options.at,
      N_ ("With --check: after this node, or at the end of this step"), N_ ("NODE|step:N") },
    { NULL },
  };
  int status = SONDE_EXIT_DONE;

  if (sonde_cli_parse (command, argc, argv, entries, 0, 1, &options.operands, &status))
    {
      options.sets
          = sonde_model_keys_add (options.sets, choice.signature, choice.weights, choice.shapes);
      status = dispatch (command, &options, argv);
    }
  sonde_model_choice_clear (&choice);
  options_clear (&options);
  return status;
}

const SondeCliCommand sonde_cli_command_debug = {
  .name = "debug",
  .synopsis = "MODEL|RECIPE|CAPTURE|DUMPDIR [--input [NAME=]F.npy]… [--repl | --check EXPR] | "
              "--attach [PID|ssh:HOST[:PID]]",
  .summary = N_ ("Debug the inference or the training of a model."),
  .details
  = N_ ("A model file is debugged in inference, a recipe or a built-in model in training; "
        "tensors dumped by MindSpore or msprobe can be inspected. With --repl, type “help” for the "
        "commands. A launched run ends with the debugger, an attached one continues. "
        "--check runs to the end (in training: of the last step) and exits with status 1 "
        "if the expression holds there, and with 0 if it does not or is unknown; if the "
        "check itself fails, the status is 1 as well and a message is printed on stderr. "
        "docs/expressions.md describes expressions."),
  .run = run_debug,
};
