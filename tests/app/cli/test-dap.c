/* SPDX-License-Identifier: Apache-2.0
 * `sonde debug --dap` as editors use it: the order in which VS Code and nvim-dap send their
 * messages (taken from the protocol's overview and the two clients), each answer against what a
 * straight run of the network gives. */
#include <gio/gio.h>
#include <math.h>
#include <string.h>

#include "data/arrays/sonde-npy.h"
#include "data/models/sonde-model-file.h"
#include "tests/support/sonde-test-program.h"

#define SECONDS 60

/* ---- an editor ----------------------------------------------------------- */

/**
 * Editor: one client
 * @arrived: (element-type JsonObject): messages that nobody has asked for yet
 */
typedef struct
{
  char *folder;
  GSubprocess *program;
  GInputStream *in;
  GOutputStream *out;
  GQueue arrived;
  gint64 seq;
} Editor;

/* x [2, 3] -> double = x + x -> y = Relu (double) -> z = Softmax (y); root = Sqrt (double), which
 * has NaNs */
static void
write_model (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "net.onnx", NULL),
                  *input = g_build_filename (folder, "x.npy", NULL);
  g_autoptr (SondeGraph) graph = sonde_graph_new ("net");
  const SondeShape shape = { 2, { 2, 3 } };
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  SondeGraphValue *x = sonde_graph_add_input (graph, "x", &type), *both[] = { x, x };
  SondeNode *add = sonde_graph_add_node (graph, "add", "", "Add", both, 2, 1), *relu, *soft, *root;
  SondeGraphValue *value = sonde_node_get_output (add, 0);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  sonde_graph_set_opset (graph, "", 21);
  sonde_graph_rename_value (graph, value, "double");
  relu = sonde_graph_add_node (graph, "relu", "", "Relu", &value, 1, 1);
  value = sonde_node_get_output (relu, 0);
  sonde_graph_rename_value (graph, value, "y");
  soft = sonde_graph_add_node (graph, "soft", "", "Softmax", &value, 1, 1);
  sonde_node_set_int (soft, "axis", 1);
  sonde_graph_rename_value (graph, sonde_node_get_output (soft, 0), "z");
  sonde_graph_add_output (graph, sonde_node_get_output (soft, 0));
  value = sonde_node_get_output (add, 0);
  root = sonde_graph_add_node (graph, "root", "", "Sqrt", &value, 1, 1);
  sonde_graph_rename_value (graph, sonde_node_get_output (root, 0), "roots");
  sonde_graph_add_output (graph, sonde_node_get_output (root, 0));
  g_assert_true (sonde_model_save (NULL, path, graph, NULL));
  for (int i = 0; i < 6; i++)
    ((float *) tensor->data)[i] = (float) (i - 2);
  g_assert_true (sonde_npy_write (NULL, input, tensor, NULL));
}

static void
editor_init (Editor *editor, const char *subject)
{
  g_autoptr (GSubprocessLauncher) launcher
      = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE);
  g_autofree char *program = sonde_test_program_dup_path ();
  g_autoptr (GError) error = NULL;

  memset (editor, 0, sizeof *editor);
  editor->folder = sonde_test_folder_new ();
  g_queue_init (&editor->arrived);
  write_model (editor->folder);
  g_subprocess_launcher_set_cwd (launcher, editor->folder);
  g_subprocess_launcher_setenv (launcher, "XDG_RUNTIME_DIR", editor->folder, TRUE);
  g_subprocess_launcher_setenv (launcher, "XDG_CACHE_HOME", editor->folder, TRUE);
  editor->program
      = g_subprocess_launcher_spawn (launcher, &error, program, "debug", "--dap", subject, NULL);
  g_assert_no_error (error);
  editor->in = g_subprocess_get_stdout_pipe (editor->program);
  editor->out = g_subprocess_get_stdin_pipe (editor->program);
}

static void
editor_clear (Editor *editor)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (g_subprocess_wait (editor->program, NULL, &error));
  g_assert_cmpint (g_subprocess_get_exit_status (editor->program), ==, 0);
  g_queue_clear_full (&editor->arrived, (GDestroyNotify) json_object_unref);
  g_object_unref (editor->program);
  sonde_test_folder_free (editor->folder);
}

static void
write_bytes (Editor *editor, const char *bytes)
{
  g_assert_true (g_output_stream_write_all (editor->out, bytes, strlen (bytes), NULL, NULL, NULL));
  g_assert_true (g_output_stream_flush (editor->out, NULL, NULL));
}

/* @arguments: JSON, single quotes for double. Returns: its seq */
static gint64
send_request (Editor *editor, const char *command, const char *arguments)
{
  g_autofree char *quoted = g_strdelimit (g_strdup (arguments), "'", '"');
  g_autofree char *body
      = g_strdup_printf ("{\"seq\":%" G_GINT64_FORMAT ",\"type\":\"request\",\"command\":\"%s\","
                         "\"arguments\":%s}",
                         ++editor->seq, command, quoted);
  g_autofree char *frame = g_strdup_printf ("Content-Length: %zu\r\n\r\n%s", strlen (body), body);

  write_bytes (editor, frame);
  return editor->seq;
}

static char
read_byte (Editor *editor)
{
  char byte;
  gsize n = 0;

  g_assert_true (g_input_stream_read_all (editor->in, &byte, 1, &n, NULL, NULL));
  g_assert_cmpuint (n, ==, 1);
  return byte;
}

/* The next message of the stream. (transfer full) */
static JsonObject *
receive (Editor *editor)
{
  g_autoptr (GString) header = g_string_new (NULL);
  g_autofree char *body = NULL;
  g_autoptr (JsonNode) node = NULL;
  guint64 length;
  gsize n;

  while (!g_str_has_suffix (header->str, "\r\n\r\n"))
    g_string_append_c (header, read_byte (editor));
  g_assert_true (g_str_has_prefix (header->str, "Content-Length: "));
  length = g_ascii_strtoull (header->str + strlen ("Content-Length: "), NULL, 10);
  body = g_malloc0 (length + 1);
  g_assert_true (g_input_stream_read_all (editor->in, body, length, &n, NULL, NULL));
  g_assert_cmpuint (n, ==, length);
  node = sonde_test_parse_json (body);
  return json_object_ref (json_node_get_object (node));
}

/* The response to @seq, or with @event the next event of that name; others stay. (transfer full) */
static JsonObject *
take (Editor *editor, gint64 seq, const char *event)
{
  for (GList *l = editor->arrived.head;; l = l->next)
    {
      JsonObject *message;

      if (l == NULL)
        {
          g_queue_push_tail (&editor->arrived, receive (editor));
          l = editor->arrived.tail;
        }
      message = l->data;
      if (event != NULL
              ? g_strcmp0 (json_object_get_string_member_with_default (message, "event", NULL),
                           event)
                    == 0
              : json_object_get_int_member_with_default (message, "request_seq", -1) == seq)
        {
          g_queue_delete_link (&editor->arrived, l);
          return message;
        }
    }
}

/* Sends, and asserts that it went well. (transfer full): the body; empty when there is none */
static JsonObject *
ask (Editor *editor, const char *command, const char *arguments)
{
  g_autoptr (JsonObject) reply = take (editor, send_request (editor, command, arguments), NULL);

  if (!json_object_get_boolean_member (reply, "success"))
    g_test_message ("%s: %s", command, json_object_get_string_member (reply, "message"));
  g_assert_true (json_object_get_boolean_member (reply, "success"));
  g_assert_cmpstr (json_object_get_string_member (reply, "command"), ==, command);
  return json_object_has_member (reply, "body")
             ? json_object_ref (json_object_get_object_member (reply, "body"))
             : json_object_new ();
}

static void
ask_nothing (Editor *editor, const char *command, const char *arguments)
{
  g_autoptr (JsonObject) body = ask (editor, command, arguments);
}

static void
ask_fails (Editor *editor, const char *command, const char *arguments, const char *said)
{
  g_autoptr (JsonObject) reply = take (editor, send_request (editor, command, arguments), NULL);

  g_assert_false (json_object_get_boolean_member (reply, "success"));
  sonde_test_assert_contains (json_object_get_string_member (reply, "message"), said);
}

/* The body of the next event of that name. (transfer full) */
static JsonObject *
take_event (Editor *editor, const char *event)
{
  g_autoptr (JsonObject) message = take (editor, 0, event);

  return json_object_has_member (message, "body")
             ? json_object_ref (json_object_get_object_member (message, "body"))
             : json_object_new ();
}

/* Waits for the stop and asserts its reason, and what the description holds. */
static void
take_stop (Editor *editor, const char *reason, const char *where)
{
  g_autoptr (JsonObject) body = take_event (editor, "stopped");

  g_assert_cmpstr (json_object_get_string_member (body, "reason"), ==, reason);
  sonde_test_assert_contains (json_object_get_string_member (body, "description"), where);
  g_assert_true (json_object_get_boolean_member (body, "allThreadsStopped"));
}

static JsonObject *
element (JsonObject *body, const char *array, guint i)
{
  JsonArray *elements = json_object_get_array_member (body, array);

  g_assert_cmpuint (i, <, json_array_get_length (elements));
  return json_array_get_object_element (elements, i);
}

static guint
count (JsonObject *body, const char *array)
{
  return json_array_get_length (json_object_get_array_member (body, array));
}

/* The entry of that name. */
static JsonObject *
named (JsonObject *body, const char *array, const char *name)
{
  for (guint i = 0; i < count (body, array); i++)
    if (g_str_equal (json_object_get_string_member (element (body, array, i), "name"), name))
      return element (body, array, i);
  g_test_message ("there is no %s in %s", name, array);
  g_assert_not_reached ();
}

/* ---- what both ask at a stop --------------------------------------------- */

/* Line of the listing that begins with "NODE:". */
static guint
line_of (Editor *editor, const char *node)
{
  g_autoptr (JsonObject) body = ask (editor, "source", "{'sourceReference': 1}");
  g_auto (GStrv) lines = g_strsplit (json_object_get_string_member (body, "content"), "\n", -1);
  g_autofree char *prefix = g_strconcat (node, ":", NULL);

  for (guint i = 0; lines[i] != NULL; i++)
    if (g_str_has_prefix (lines[i], prefix))
      return i + 1;
  g_assert_not_reached ();
}

/* The listing lies beside the model, so that the editor can keep breakpoints in it. (transfer
 * full) */
static char *
listing_path (Editor *editor)
{
  g_autoptr (JsonObject) body = ask (editor, "loadedSources", "{}");
  const char *path = json_object_get_string_member (element (body, "sources", 0), "path");

  g_autofree char *beside = g_build_filename (editor->folder, "net.onnx.listing", NULL);

  g_assert_cmpstr (path, ==, beside);
  g_assert_true (g_file_test (path, G_FILE_TEST_IS_REGULAR));
  return g_strdup (path);
}

static void
set_line_breakpoint (Editor *editor, const char *node, const char *more)
{
  g_autofree char *path = listing_path (editor);
  g_autofree char *arguments
      = g_strdup_printf ("{'source': {'path': '%s'}, 'breakpoints': [{'line': %u%s}], "
                         "'sourceModified': false}",
                         path, line_of (editor, node), more);
  g_autoptr (JsonObject) body = ask (editor, "setBreakpoints", arguments);
  JsonObject *breakpoint = element (body, "breakpoints", 0);

  if (json_object_has_member (breakpoint, "message"))
    g_test_message ("%s", json_object_get_string_member (breakpoint, "message"));
  g_assert_true (json_object_get_boolean_member (breakpoint, "verified"));
  g_assert_cmpint (json_object_get_int_member (breakpoint, "line"), ==, line_of (editor, node));
}

/* Scope @scope of the first frame -> its variables. (transfer full) */
static JsonObject *
variables_of (Editor *editor, const char *scope)
{
  g_autoptr (JsonObject) stack
      = ask (editor, "stackTrace", "{'threadId': 1, 'startFrame': 0, 'levels': 20}");
  g_autofree char *frame
      = g_strdup_printf ("{'frameId': %" G_GINT64_FORMAT "}",
                         json_object_get_int_member (element (stack, "stackFrames", 0), "id"));
  g_autoptr (JsonObject) scopes = ask (editor, "scopes", frame);
  JsonObject *found = named (scopes, "scopes", scope);
  g_autofree char *reference
      = g_strdup_printf ("{'variablesReference': %" G_GINT64_FORMAT "}",
                         json_object_get_int_member (found, "variablesReference"));

  return ask (editor, "variables", reference);
}

/* Row @row of value @name, by its children: numbers against @expected [3]. */
static void
check_row (Editor *editor, const char *scope, const char *name, guint row, const float *expected)
{
  g_autoptr (JsonObject) variables = variables_of (editor, scope);
  JsonObject *variable = named (variables, "variables", name);
  g_autofree char *first
      = g_strdup_printf ("{'variablesReference': %" G_GINT64_FORMAT ", 'filter': 'indexed', "
                         "'start': 0, 'count': 2}",
                         json_object_get_int_member (variable, "variablesReference"));
  g_autoptr (JsonObject) rows = NULL;
  g_autoptr (JsonObject) elements = NULL;
  g_autofree char *second = NULL;

  g_assert_cmpint (json_object_get_int_member (variable, "indexedVariables"), ==, 2);
  g_assert_cmpstr (json_object_get_string_member (variable, "evaluateName"), ==, name);
  rows = ask (editor, "variables", first);
  g_assert_cmpuint (count (rows, "variables"), ==, 2);
  second = g_strdup_printf (
      "{'variablesReference': %" G_GINT64_FORMAT "}",
      json_object_get_int_member (element (rows, "variables", row), "variablesReference"));
  elements = ask (editor, "variables", second);
  g_assert_cmpuint (count (elements, "variables"), ==, 3);
  for (guint i = 0; i < 3; i++)
    {
      double number = g_ascii_strtod (
          json_object_get_string_member (element (elements, "variables", i), "value"), NULL);

      g_assert_cmpfloat_with_epsilon (number, expected[i], 1e-5);
    }
}

static void
check_evaluate (Editor *editor, const char *expression, const char *context, const char *expected)
{
  g_autofree char *arguments = g_strdup_printf (
      "{'expression': '%s', 'context': '%s', 'frameId': 1}", expression, context);
  g_autoptr (JsonObject) body = ask (editor, "evaluate", arguments);

  sonde_test_assert_contains (json_object_get_string_member (body, "result"), expected);
}

static const float double_1[] = { 2, 4, 6 }, y_0[] = { 0, 0, 0 };

/* ---- VS Code ------------------------------------------------------------- */

static void
begin_vscode (Editor *editor)
{
  gint64 launch;
  g_autoptr (JsonObject) abilities = ask (
      editor, "initialize",
      "{'clientID': 'vscode', 'clientName': 'Visual Studio Code', 'adapterID': 'sonde', "
      "'pathFormat': 'path', "
      "'linesStartAt1': true, 'columnsStartAt1': true, 'supportsVariableType': true, "
      "'supportsVariablePaging': true, 'supportsRunInTerminalRequest': true, 'locale': 'en', "
      "'supportsProgressReporting': true, 'supportsInvalidatedEvent': true, "
      "'supportsMemoryReferences': true}");

  g_assert_true (json_object_get_boolean_member (abilities, "supportsConfigurationDoneRequest"));
  g_assert_true (json_object_get_boolean_member (abilities, "supportsStepBack"));
  launch = send_request (editor, "launch",
                         "{'program': 'net.onnx', 'inputs': ['x=x.npy'], 'request': 'launch'}");
  {
    g_autoptr (JsonObject) initialized = take_event (editor, "initialized");
  }
  set_line_breakpoint (editor, "relu", "");
  ask_nothing (editor, "setFunctionBreakpoints", "{'breakpoints': []}");
  ask_nothing (editor, "setDataBreakpoints", "{'breakpoints': []}");
  ask_nothing (editor, "setExceptionBreakpoints", "{'filters': [], 'filterOptions': []}");
  ask_nothing (editor, "configurationDone", "{}");
  {
    g_autoptr (JsonObject) reply = take (editor, launch, NULL);

    g_assert_true (json_object_get_boolean_member (reply, "success"));
  }
  ask_nothing (editor, "threads", "{}");
  take_stop (editor, "breakpoint", "relu");
}

static void
test_vscode (void)
{
  Editor editor;

  editor_init (&editor, NULL);
  begin_vscode (&editor);
  {
    g_autoptr (JsonObject) threads = ask (&editor, "threads", "{}");
    g_autoptr (JsonObject) top
        = ask (&editor, "stackTrace", "{'threadId': 1, 'startFrame': 0, 'levels': 1}");
    g_autoptr (JsonObject) rest
        = ask (&editor, "stackTrace", "{'threadId': 1, 'startFrame': 1, 'levels': 19}");

    g_assert_cmpuint (count (threads, "threads"), ==, 1);
    g_assert_cmpuint (count (top, "stackFrames"), ==, 1);
    sonde_test_assert_contains (
        json_object_get_string_member (element (top, "stackFrames", 0), "name"), "relu");
    g_assert_cmpint (json_object_get_int_member (element (top, "stackFrames", 0), "line"), ==,
                     line_of (&editor, "relu"));
    g_assert_cmpuint (count (rest, "stackFrames"), ==,
                      json_object_get_int_member (top, "totalFrames") - 1);
  }
  check_row (&editor, "Inputs", "double", 1, double_1);
  check_evaluate (&editor, "x", "watch", "float32");
  check_evaluate (&editor, "double[1, 2]", "hover", "6");
  ask_nothing (&editor, "next", "{'threadId': 1}");
  take_stop (&editor, "step", "soft");
  check_row (&editor, "Inputs", "y", 0, y_0);
  {
    g_autoptr (JsonObject) attributes = variables_of (&editor, "Attributes");

    g_assert_cmpstr (
        json_object_get_string_member (named (attributes, "variables", "axis"), "value"), ==, "1");
  }
  check_evaluate (&editor, "info state", "repl", "soft");
  check_evaluate (&editor, "stats y", "repl", "max 6");
  ask_nothing (&editor, "continue", "{'threadId': 1}");
  {
    g_autoptr (JsonObject) exited = take_event (&editor, "exited");
    g_autoptr (JsonObject) terminated = take_event (&editor, "terminated");

    g_assert_cmpint (json_object_get_int_member (exited, "exitCode"), ==, 0);
  }
  ask_nothing (&editor, "disconnect", "{'restart': false, 'terminateDebuggee': true}");
  editor_clear (&editor);
}

/* ---- nvim-dap ------------------------------------------------------------ */

/* It waits for no answer between "initialized" and configurationDone, asks for threads before
 * frames, and ends by disconnecting. */
static void
test_nvim (void)
{
  Editor editor;
  gint64 launch, done;

  editor_init (&editor, NULL);
  ask_nothing (
      &editor, "initialize",
      "{'clientID': 'neovim', 'clientName': 'neovim', 'adapterID': 'nvim-dap', 'pathFormat': "
      "'path', "
      "'columnsStartAt1': true, 'linesStartAt1': true, 'supportsRunInTerminalRequest': true, "
      "'supportsVariableType': true, 'supportsProgressReporting': true, 'locale': 'en_US.UTF-8'}");
  launch = send_request (
      &editor, "launch",
      "{'type': 'sonde', 'name': 'net', 'request': 'launch', 'program': 'net.onnx', "
      "'inputs': {'x': 'x.npy'}, 'stopOnEntry': true}");
  {
    g_autoptr (JsonObject) initialized = take_event (&editor, "initialized");
  }
  send_request (&editor, "setExceptionBreakpoints", "{'filters': []}");
  done = send_request (&editor, "configurationDone", "{}");
  {
    g_autoptr (JsonObject) configured = take (&editor, done, NULL);
    g_autoptr (JsonObject) launched = take (&editor, launch, NULL);

    g_assert_true (json_object_get_boolean_member (launched, "success"));
  }
  take_stop (&editor, "entry", "add");
  ask_nothing (&editor, "threads", "{}");
  set_line_breakpoint (&editor, "soft", "");
  ask_nothing (&editor, "continue", "{'threadId': 1}");
  take_stop (&editor, "breakpoint", "soft");
  check_row (&editor, "Inputs", "y", 0, y_0);
  check_evaluate (&editor, "print double[1]", "repl", "6");
  {
    g_autofree char *path = listing_path (&editor);
    g_autofree char *none = g_strdup_printf ("{'source': {'path': '%s'}, 'breakpoints': []}", path);

    ask_nothing (&editor, "setBreakpoints", none);
  }
  ask_nothing (&editor, "disconnect", "{'restart': false, 'terminateDebuggee': true}");
  editor_clear (&editor);
}

/* ---- what a debugger of networks has beside ------------------------------ */

/* Stands before the first node. */
static void
begin_at_entry (Editor *editor)
{
  gint64 launch;

  editor_init (editor, NULL);
  ask_nothing (editor, "initialize", "{'adapterID': 'sonde', 'supportsInvalidatedEvent': true}");
  launch = send_request (editor, "launch",
                         "{'program': 'net.onnx', 'inputs': ['x.npy'], 'stopOnEntry': true}");
  {
    g_autoptr (JsonObject) initialized = take_event (editor, "initialized");
  }
  ask_nothing (editor, "configurationDone", "{}");
  {
    g_autoptr (JsonObject) launched = take (editor, launch, NULL);
  }
  take_stop (editor, "entry", "add");
}

static void
end (Editor *editor)
{
  ask_nothing (editor, "disconnect", "{'terminateDebuggee': true}");
  editor_clear (editor);
}

static void
go (Editor *editor, const char *command, const char *reason, const char *where)
{
  ask_nothing (editor, command, "{'threadId': 1, 'frameId': 1}");
  take_stop (editor, reason, where);
}

/* One whole run from the entry on; kept where it is said. */
static void
check_profile (Editor *editor)
{
  json_object_unref (ask (editor, "setFunctionBreakpoints", "{'breakpoints': []}"));
  check_evaluate (editor, "profile save kept", "repl", "No complete step was recorded");
  check_evaluate (editor, "profile start 1", "repl", "Recording a profile: 0 steps");
  ask_nothing (editor, "continue", "{'threadId': 1}");
  json_object_unref (take_event (editor, "terminated"));
  check_evaluate (editor, "info profile", "repl", "Profile recorded: 1 step");
  check_evaluate (editor, "profile save kept", "repl", "/kept”: sonde profile shows it");
}

static void
test_time (void)
{
  Editor editor;
  g_autofree char *target = NULL;

  begin_at_entry (&editor);
  go (&editor, "next", "step", "relu");
  go (&editor, "next", "step", "soft");
  go (&editor, "stepBack", "step", "relu");
  check_evaluate (&editor, "double[1, 2]", "watch", "6");
  ask_fails (&editor, "evaluate", "{'expression': 'y', 'context': 'watch'}", "not computed");
  go (&editor, "stepIn", "step", "soft");
  go (&editor, "restartFrame", "goto", "soft");
  {
    g_autoptr (JsonObject) none
        = ask (&editor, "setFunctionBreakpoints", "{'breakpoints': [{'name': 'relu'}]}");

    g_assert_true (json_object_get_boolean_member (element (none, "breakpoints", 0), "verified"));
  }
  go (&editor, "reverseContinue", "function breakpoint", "relu");
  target = g_strdup_printf ("{'source': {'sourceReference': 1}, 'line': %u}",
                            line_of (&editor, "root"));
  {
    g_autoptr (JsonObject) targets = ask (&editor, "gotoTargets", target);
    g_autofree char *there
        = g_strdup_printf ("{'threadId': 1, 'targetId': %" G_GINT64_FORMAT "}",
                           json_object_get_int_member (element (targets, "targets", 0), "id"));

    g_assert_cmpstr (json_object_get_string_member (element (targets, "targets", 0), "label"), ==,
                     "root");
    ask_nothing (&editor, "goto", there);
    take_stop (&editor, "goto", "root");
  }
  ask_nothing (&editor, "restart", "{}");
  take_stop (&editor, "entry", "add");
  check_profile (&editor);
  end (&editor);
}

static void
test_points (void)
{
  Editor editor;

  begin_at_entry (&editor);
  set_line_breakpoint (&editor, "relu", ", 'condition': 'max(double) > 100'");
  {
    g_autoptr (JsonObject) functions = ask (&editor, "setFunctionBreakpoints",
                                            "{'breakpoints': [{'name': 'op:Softmax', 'condition': "
                                            "'max(y) == 6'}, {'name': 'op:Nothing'}]}");

    g_assert_true (
        json_object_get_boolean_member (element (functions, "breakpoints", 0), "verified"));
    g_assert_false (
        json_object_get_boolean_member (element (functions, "breakpoints", 1), "verified"));
  }
  /* not at relu: its condition does not hold */
  go (&editor, "continue", "function breakpoint", "soft");
  {
    g_autoptr (JsonObject) info = ask (&editor, "dataBreakpointInfo", "{'name': 'roots'}");
    g_autoptr (JsonObject) data
        = ask (&editor, "setDataBreakpoints",
               "{'breakpoints': [{'dataId': 'roots', 'accessType': 'write'}]}");

    g_assert_cmpstr (json_object_get_string_member (info, "dataId"), ==, "roots");
    g_assert_true (json_object_get_boolean_member (element (data, "breakpoints", 0), "verified"));
  }
  go (&editor, "continue", "data breakpoint", "root");
  ask_nothing (&editor, "setDataBreakpoints", "{'breakpoints': []}");
  ask_nothing (&editor, "restart", "{}");
  take_stop (&editor, "entry", "add");
  ask_nothing (&editor, "setFunctionBreakpoints", "{'breakpoints': []}");
  {
    g_autoptr (JsonObject) exceptions
        = ask (&editor, "setExceptionBreakpoints", "{'filters': ['overflow', 'error']}");

    g_assert_true (
        json_object_get_boolean_member (element (exceptions, "breakpoints", 0), "verified"));
    g_assert_false (/* the engine stands at errors by itself */
                    json_object_get_boolean_member (element (exceptions, "breakpoints", 1),
                                                    "verified"));
  }
  set_line_breakpoint (&editor, "relu", ", 'logMessage': 'largest {max(double)}'");
  go (&editor, "continue", "exception", "root");
  {
    g_autoptr (JsonObject) output = take_event (&editor, "output");
    g_autoptr (JsonObject) info = ask (&editor, "exceptionInfo", "{'threadId': 1}");

    sonde_test_assert_contains (json_object_get_string_member (output, "output"), "largest 6");
    sonde_test_assert_contains (json_object_get_string_member (info, "exceptionId"), "NaN");
    sonde_test_assert_contains (json_object_get_string_member (info, "description"), "roots");
  }
  check_evaluate (&editor, "origin roots", "repl", "double");
  end (&editor);
}

static void
test_change (void)
{
  Editor editor;
  static const float changed[] = { 2, 4, 50 };

  begin_at_entry (&editor);
  go (&editor, "next", "step", "relu");
  {
    g_autoptr (JsonObject) variables = variables_of (&editor, "Inputs");
    g_autofree char *rows
        = g_strdup_printf ("{'variablesReference': %" G_GINT64_FORMAT "}",
                           json_object_get_int_member (named (variables, "variables", "double"),
                                                       "variablesReference"));
    g_autoptr (JsonObject) row = ask (&editor, "variables", rows);
    g_autofree char *set = g_strdup_printf (
        "{'variablesReference': %" G_GINT64_FORMAT ", 'name': '[2]', 'value': '50'}",
        json_object_get_int_member (element (row, "variables", 1), "variablesReference"));
    g_autoptr (JsonObject) answer = ask (&editor, "setVariable", set);
    g_autoptr (JsonObject) invalidated = take_event (&editor, "invalidated");

    g_assert_cmpfloat (g_ascii_strtod (json_object_get_string_member (answer, "value"), NULL), ==,
                       50);
  }
  check_row (&editor, "Inputs", "double", 1, changed);
  {
    g_autoptr (JsonObject) answer
        = ask (&editor, "setExpression", "{'expression': 'double[1, 2]', 'value': '6'}");
    g_autoptr (JsonObject) invalidated = take_event (&editor, "invalidated");
  }
  check_row (&editor, "Inputs", "double", 1, double_1);
  {
    g_autoptr (JsonObject) bytes
        = ask (&editor, "readMemory", "{'memoryReference': 'double', 'offset': 20, 'count': 8}");
    gsize length;
    g_autofree guchar *data
        = g_base64_decode (json_object_get_string_member (bytes, "data"), &length);

    g_assert_cmpuint (length, ==, 4);
    g_assert_cmpfloat (*(float *) data, ==, 6);
    g_assert_cmpint (json_object_get_int_member (bytes, "unreadableBytes"), ==, 4);
  }
  {
    g_autoptr (JsonObject) targets
        = ask (&editor, "completions", "{'text': 'print dou', 'column': 10}");

    g_assert_cmpstr (json_object_get_string_member (element (targets, "targets", 0), "label"), ==,
                     "double");
  }
  end (&editor);
}

/* ---- what goes wrong ----------------------------------------------------- */

static void
test_refusals (void)
{
  Editor editor;
  gint64 launch;

  editor_init (&editor, NULL);
  ask_nothing (&editor, "initialize", "{'adapterID': 'sonde'}");
  ask_fails (&editor, "stackTrace", "{'threadId': 1}", "launch or attach");
  ask_fails (&editor, "flyToTheMoon", "{}", "flyToTheMoon");
  ask_fails (&editor, "launch", "{}", "program");
  ask_fails (&editor, "launch", "{'program': 'missing.onnx'}", "missing.onnx");
  ask_fails (&editor, "attach", "{}", "pid");
  launch = send_request (&editor, "launch", "{'program': 'net.onnx', 'stopOnEntry': true}");
  {
    g_autoptr (JsonObject) initialized = take_event (&editor, "initialized");
    g_autoptr (JsonObject) elsewhere
        = ask (&editor, "setBreakpoints",
               "{'source': {'path': '/tmp/main.c'}, 'breakpoints': [{'line': 1}]}");

    g_assert_false (
        json_object_get_boolean_member (element (elsewhere, "breakpoints", 0), "verified"));
  }
  {
    g_autoptr (JsonObject) nowhere
        = ask (&editor, "setFunctionBreakpoints", "{'breakpoints': [{'name': 'rellu'}]}");
    JsonObject *breakpoint = element (nowhere, "breakpoints", 0);

    g_assert_false (json_object_get_boolean_member (breakpoint, "verified"));
    sonde_test_assert_contains (json_object_get_string_member (breakpoint, "message"), "relu");
  }
  ask_nothing (&editor, "configurationDone", "{}");
  {
    g_autoptr (JsonObject) launched = take (&editor, launch, NULL);
  }
  take_stop (&editor, "entry", "add");
  ask_fails (&editor, "variables", "{'variablesReference': 4711}", "4711");
  ask_fails (&editor, "scopes", "{'frameId': 99}", "99");
  ask_fails (&editor, "evaluate", "{'expression': 'nothing_of_this_name', 'context': 'watch'}",
             "nothing_of_this_name");
  ask_nothing (&editor, "disconnect", "{}");
  editor_clear (&editor);
}

/* What is no protocol ends the adapter with a sentence, not with a crash; its end of input ends it
 * well. */
static void
test_hostile (void)
{
  static const char *const inputs[] = {
    "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    "Content-Length: 99999999999999999999\r\n\r\n{}",
    "Content-Length: 20000000\r\n\r\n{}",
    "Content-Length: -1\r\n\r\n{}",
    "Content-Length: 10\r\n\r\n{}",
    "Content-Length: 2\r\n\r\n[]",
    "Content-Length: 4\r\n\r\nnull",
    "Content-Length: 3\r\n\r\n{\"a",
    "Content-Length: 12\r\n\r\n{\"type\": 17}",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (inputs); i++)
    {
      char *folder = sonde_test_folder_new ();
      g_autoptr (SondeTestProgram) program = sonde_test_run (folder, inputs[i], "debug", "--dap");

      sonde_test_assert_status (program, 1);
      sonde_test_assert_contains (program->err, "sonde debug --dap: ");
      sonde_test_folder_free (folder);
    }
  {
    char *folder = sonde_test_folder_new ();
    g_autoptr (SondeTestProgram) closed = sonde_test_run (folder, NULL, "debug", "--dap");

    sonde_test_assert_status (closed, 0);
    sonde_test_folder_free (folder);
  }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/dap/vscode", test_vscode);
  g_test_add_func ("/app/dap/nvim", test_nvim);
  g_test_add_func ("/app/dap/time", test_time);
  g_test_add_func ("/app/dap/points", test_points);
  g_test_add_func ("/app/dap/change", test_change);
  g_test_add_func ("/app/dap/refusals", test_refusals);
  g_test_add_func ("/app/dap/hostile", test_hostile);
  return g_test_run ();
}
