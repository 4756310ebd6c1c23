/* SPDX-License-Identifier: Apache-2.0
 * The objects of the adapter, each alone: channel, listing, variables references, breakpoints. */
#include <gio/gio.h>
#include <string.h>
#include <unistd.h>

#include "app/dap/sonde-dap-breakpoints.h"
#include "app/dap/sonde-dap-channel.h"
#include "app/dap/sonde-dap-source.h"
#include "app/dap/sonde-dap-variables.h"
#include "tests/support/sonde-test-program.h"

/* ---- channel ------------------------------------------------------------- */

/**
 * Ends: both ends of a channel
 * @to, @from: descriptors of the other side
 * @messages: (element-type JsonObject): that arrived
 */
typedef struct
{
  int to, from, input, output;
  SondeDapChannel *channel;
  GPtrArray *messages;
  gboolean closed;
  GError *error;
} Ends;

static void
on_message (Ends *ends, JsonObject *message)
{
  g_ptr_array_add (ends->messages, json_object_ref (message));
}

static void
on_closed (Ends *ends, const GError *error)
{
  ends->closed = TRUE;
  ends->error = error != NULL ? g_error_copy (error) : NULL;
}

static void
ends_init (Ends *ends)
{
  int in[2], out[2];

  g_assert_cmpint (pipe (in), ==, 0);
  g_assert_cmpint (pipe (out), ==, 0);
  *ends = (Ends){ .to = in[1], .input = in[0], .from = out[0], .output = out[1] };
  ends->messages = g_ptr_array_new_with_free_func ((GDestroyNotify) json_object_unref);
  ends->channel = sonde_dap_channel_new (ends->input, ends->output);
  g_signal_connect_swapped (ends->channel, "message", G_CALLBACK (on_message), ends);
  g_signal_connect_swapped (ends->channel, "closed", G_CALLBACK (on_closed), ends);
  sonde_dap_channel_start (ends->channel);
}

static void
ends_clear (Ends *ends)
{
  g_object_unref (ends->channel);
  g_ptr_array_unref (ends->messages);
  g_clear_error (&ends->error);
  close (ends->input);
  close (ends->output);
  close (ends->from);
}

/* @text: what comes in, then the end of input. Returns when the channel has closed. */
static void
feed (Ends *ends, const char *text)
{
  g_assert_cmpint (write (ends->to, text, strlen (text)), ==, (gssize) strlen (text));
  close (ends->to);
  while (!ends->closed)
    g_main_context_iteration (NULL, TRUE);
}

static void
test_messages (void)
{
  Ends ends;
  JsonObject *first, *message = json_object_new ();
  char bytes[256] = "";

  ends_init (&ends);
  /* two messages in one go; numbers of 64 bits, fractions and null stay what they are */
  feed (&ends, "Content-Length: 64\r\n\r\n"
               "{\"big\": 9007199254740993, \"half\": 0.5, \"none\": null, \"list\": []}"
               "Content-Length: 13\r\n\r\n{\"type\": \"x\"}");
  g_assert_no_error (ends.error);
  g_assert_cmpuint (ends.messages->len, ==, 2);
  first = g_ptr_array_index (ends.messages, 0);
  g_assert_cmpint (sonde_dap_get_int (first, "big", 0), ==, G_GINT64_CONSTANT (9007199254740993));
  g_assert_cmpfloat (json_object_get_double_member (first, "half"), ==, 0.5);
  g_assert_true (json_object_get_null_member (first, "none"));
  g_assert_cmpuint (sonde_dap_get_length (sonde_dap_get_array (first, "list")), ==, 0);
  g_assert_cmpstr (sonde_dap_get_string (g_ptr_array_index (ends.messages, 1), "type"), ==, "x");

  json_object_set_string_member (message, "type", "event");
  json_object_set_int_member (message, "number", G_GINT64_CONSTANT (9007199254740993));
  json_object_set_null_member (message, "none");
  sonde_dap_channel_send (ends.channel, message);
  sonde_dap_channel_flush (ends.channel);
  g_assert_cmpint (read (ends.from, bytes, sizeof bytes - 1), >, 0);
  g_assert_true (g_str_has_prefix (bytes, "Content-Length: "));
  sonde_test_assert_contains (bytes, "\r\n\r\n{");
  sonde_test_assert_contains (bytes, "\"number\":9007199254740993");
  sonde_test_assert_contains (bytes, "\"none\":null");
  sonde_test_assert_contains (bytes, "\"seq\":1");
  ends_clear (&ends);
}

static void
test_not_messages (void)
{
  static const char *const inputs[] = {
    "GET / HTTP/1.1\r\n\r\n",
    "Content-Length: 20000000\r\n\r\n{}",
    "Content-Length: 2\r\n\r\n[]",
    "Content-Length: 4\r\n\r\nnull",
    "Content-Length: 1\r\n\r\n ",
    "Content-Length: 10\r\n\r\n{}",
    "Content-Length: 13\r\nContent-Type: application/gvariant\r\nX-GVariant-Type: "
    "s\r\n\r\n0000000000000",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (inputs); i++)
    {
      Ends ends;

      ends_init (&ends);
      feed (&ends, inputs[i]);
      g_assert_nonnull (ends.error);
      g_assert_cmpuint (ends.messages->len, ==, 0);
      ends_clear (&ends);
    }
}

/* ---- listing ------------------------------------------------------------- */

static void
test_source (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *subject = g_build_filename (folder, "net.onnx", NULL), *written = NULL;
  SondeSessionStatus status = { .facts = { .title = (char *) "net" } };
  g_autoptr (SondeDapSource) source = NULL;
  g_autoptr (JsonObject) other = json_object_new ();
  guint found = 0;

  g_assert_true (g_file_set_contents (subject, "", 0, NULL));
  source = sonde_dap_source_new (
      "net\nadd: a = Add (x, x)\n  inner: b = Relu (a)\n\nend: c = Id (b)", &status, subject);
  g_assert_true (g_str_has_suffix (source->path, "net.onnx.listing"));
  g_assert_true (g_file_get_contents (source->path, &written, NULL, NULL));
  g_assert_cmpstr (written, ==, source->text);
  g_assert_cmpstr (sonde_dap_source_find_node (source, 1, &found), ==, "add");
  g_assert_cmpuint (found, ==, 2);
  g_assert_cmpstr (sonde_dap_source_find_node (source, 4, &found), ==, "end");
  g_assert_cmpuint (found, ==, 5);
  g_assert_null (sonde_dap_source_find_node (source, 6, &found));
  g_assert_cmpuint (sonde_dap_source_find_line (source, "inner"), ==, 3);
  g_assert_cmpuint (sonde_dap_source_find_line (source, "nothing"), ==, 0);
  g_assert_cmpuint (sonde_dap_source_find_line (source, NULL), ==, 0);
  json_object_set_string_member (other, "path", "/tmp/main.c");
  g_assert_false (sonde_dap_source_is (source, other));
  json_object_set_string_member (other, "path", source->path);
  g_assert_true (sonde_dap_source_is (source, other));
  sonde_test_folder_free (folder);
}

/* ---- variables ----------------------------------------------------------- */

static void
test_variables (void)
{
  const SondeShape shape = { 2, { 3, 4 } };
  SondeDapVariables *variables = sonde_dap_variables_new ();
  guint scope = sonde_dap_variables_add (variables, SONDE_DAP_INPUTS, "conv", NULL, NULL);
  guint rows = sonde_dap_variables_add_elements (variables, "x", "2", &shape);
  const SondeDapReference *reference = sonde_dap_variables_find (variables, rows);
  g_autofree char *indices = sonde_dap_add_index ("2", 7), *first = sonde_dap_add_index ("", 7);
  g_autofree char *slice = sonde_dap_slice ("x", indices), *whole = sonde_dap_slice ("x", "");

  g_assert_cmpuint (scope, ==, 1);
  g_assert_cmpstr (sonde_dap_variables_find (variables, scope)->node, ==, "conv");
  g_assert_cmpint (reference->kind, ==, SONDE_DAP_ELEMENTS);
  g_assert_cmpint (reference->shape.dims[1], ==, 4);
  g_assert_cmpstr (slice, ==, "x[2, 7]");
  g_assert_cmpstr (first, ==, "7");
  g_assert_cmpstr (whole, ==, "x");
  g_assert_null (sonde_dap_variables_find (variables, 0));
  g_assert_null (sonde_dap_variables_find (variables, 3));
  sonde_dap_variables_forget (variables);
  g_assert_null (sonde_dap_variables_find (variables, scope));
  sonde_dap_variables_free (variables);
}

/* ---- breakpoints --------------------------------------------------------- */

static void
test_breakpoints (void)
{
  SondeDapBreakpoints *breakpoints = sonde_dap_breakpoints_new ();
  SondeWatchHit hit = { .watch = 5 };
  guint ids[] = { 3 };
  g_autoptr (GPtrArray) hits = g_ptr_array_new ();
  SondeStop stop = { .reason = SONDE_STOP_BREAKPOINT, .breakpoints = ids, .n_breakpoints = 1 };
  g_autoptr (GArray) stolen = NULL;

  g_ptr_array_add (hits, &hit);
  sonde_dap_breakpoints_add (breakpoints, SONDE_DAP_SET_LINES, 3, NULL);
  sonde_dap_breakpoints_add (breakpoints, SONDE_DAP_SET_LINES, 0, NULL);
  g_assert_cmpstr (sonde_dap_breakpoints_get_reason (breakpoints, &stop), ==, "breakpoint");
  stolen = sonde_dap_breakpoints_steal (breakpoints, SONDE_DAP_SET_LINES);
  g_assert_cmpuint (stolen->len, ==, 1);
  g_assert_cmpuint (g_array_index (stolen, guint, 0), ==, 3);
  sonde_dap_breakpoints_add (breakpoints, SONDE_DAP_SET_NAMES, 3, NULL);
  g_assert_cmpstr (sonde_dap_breakpoints_get_reason (breakpoints, &stop), ==,
                   "function breakpoint");
  stop = (SondeStop){ .reason = SONDE_STOP_WATCHPOINT, .watchpoints = hits };
  g_assert_cmpstr (sonde_dap_breakpoints_get_reason (breakpoints, &stop), ==, "data breakpoint");
  sonde_dap_breakpoints_add (breakpoints, SONDE_DAP_SET_CONDITIONS, 5, "All zero");
  g_assert_cmpstr (sonde_dap_breakpoints_get_reason (breakpoints, &stop), ==, "exception");
  g_assert_cmpstr (sonde_dap_breakpoints_get_label (breakpoints, 5), ==, "All zero");
  g_assert_null (sonde_dap_breakpoints_get_label (breakpoints, 3));
  stop = (SondeStop){ .reason = SONDE_STOP_ERROR, .error = (char *) "ShapeError" };
  g_assert_cmpstr (sonde_dap_breakpoints_get_reason (breakpoints, &stop), ==, "exception");
  stop = (SondeStop){ .reason = SONDE_STOP_UNTIL };
  g_assert_cmpstr (sonde_dap_breakpoints_get_reason (breakpoints, &stop), ==, "goto");
  sonde_dap_breakpoints_free (breakpoints);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/dap/channel/messages", test_messages);
  g_test_add_func ("/app/dap/channel/not-messages", test_not_messages);
  g_test_add_func ("/app/dap/source", test_source);
  g_test_add_func ("/app/dap/variables", test_variables);
  g_test_add_func ("/app/dap/breakpoints", test_breakpoints);
  return g_test_run ();
}
