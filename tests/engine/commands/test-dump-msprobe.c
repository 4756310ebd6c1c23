/* SPDX-License-Identifier: Apache-2.0
 * Dumps of msprobe in the debugger: the samples, and small ones written here. */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "tests/engine/commands/opened-session.h"
#include "tests/support/sonde-test-program.h"
#include "tests/support/sonde-test-tensor.h"

/* ---- a model against a dump ---------------------------------------------- */

/* The model of the samples on its input. FALSE: there are none. */
static gboolean
open_model (OpenedSession *session)
{
  g_autofree char *model = sonde_test_shared_path ("samples/msprobe/model.onnx"),
                  *array = model != NULL ? sonde_test_shared_path ("samples/msprobe/x.npy") : NULL;
  SondeSessionInput input = { .path = array };
  const SondeOpenRequest request = { .subject = model, .inputs = &input, .n_inputs = 1 };

  if (model == NULL)
    return FALSE;
  opened_session_init_request (session, &request);
  json_object_unref (opened_session_ask_well (session, "continue"));
  return TRUE;
}

static JsonObject *
diverge (OpenedSession *session, const char *sample)
{
  g_autofree char *name = g_strconcat ("samples/msprobe/", sample, NULL),
                  *path = sonde_test_shared_path (name),
                  *line = g_strdup_printf ("diverge --dump %s", path);

  return opened_session_ask_well (session, line);
}

/* The value that is compared with the module @module. */
static JsonObject *
find_partner (JsonObject *answer, const char *module)
{
  JsonArray *nodes = json_object_get_array_member (answer, "nodes");

  for (guint i = 0; i < json_array_get_length (nodes); i++)
    {
      JsonObject *node = json_array_get_object_element (nodes, i);

      if (g_strcmp0 (json_object_get_string_member_with_default (node, "reference", NULL), module)
          == 0)
        return node;
    }
  g_error ("nothing was compared with “%s”", module);
}

/* A folded normalisation agrees with the dump's .bn, not with its .conv. */
static void
test_agrees (void)
{
  OpenedSession session;
  g_autoptr (JsonObject) answer = NULL;
  JsonArray *nodes;

  if (!open_model (&session))
    return;
  answer = diverge (&session, "infer-L0-tensor");
  nodes = json_object_get_array_member (answer, "nodes");
  g_assert_cmpuint (json_array_get_length (nodes), ==, 7);
  for (guint i = 0; i < json_array_get_length (nodes); i++)
    {
      JsonObject *node = json_array_get_object_element (nodes, i);

      g_assert_cmpfloat (json_object_get_double_member (node, "inherited_error"), <=, 5e-7);
    }
  g_assert_true (json_object_get_null_member (answer, "first_divergent_node"));
  find_partner (answer, "layers.1.bn");
  find_partner (answer, "layers.1.act");
  find_partner (answer, "fc");
  opened_session_clear (&session);
}

/* Channel 0 of the weight was changed: only what the convolution makes of right inputs differs. */
static void
test_differs (void)
{
  static const char *const folders[] = { "infer-changed-L0-tensor", "infer-changed-L0-tensor/step0",
                                         "infer-changed-L0-tensor/step0/proc9630" };
  OpenedSession session;

  if (!open_model (&session))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (folders); i++)
    {
      g_autoptr (JsonObject) answer = diverge (&session, folders[i]);
      JsonObject *after = find_partner (answer, "layers.1.act");

      g_assert_cmpstr (json_object_get_string_member (answer, "first_divergent_node"), ==,
                       "/layers/layers.1/conv/Conv");
      g_assert_cmpint (json_object_get_int_member (answer, "over"), ==, 1);
      g_assert_cmpfloat_with_epsilon (
          json_object_get_double_member (find_partner (answer, "layers.1.bn"), "own_error"),
          0.00862776, 1e-6);
      g_assert_cmpfloat (json_object_get_double_member (after, "own_error"), ==, 0);
      g_assert_cmpfloat (json_object_get_double_member (after, "inherited_error"), >, 1e-3);
    }
  opened_session_clear (&session);
}

static void
write_listing (const char *root, const char *rank, const char *listing)
{
  g_autofree char *folder = g_build_filename (root, rank, NULL),
                  *path = g_build_filename (folder, "dump.json", NULL);

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, listing, -1, NULL));
}

#define HEAD(task, level) "{\"task\": \"" task "\", \"level\": \"" level "\", \"data\": {"
#define TENSOR(numbers)                                                                            \
  "{\"type\": \"torch.Tensor\", \"dtype\": \"torch.float32\", \"shape\": [2]" numbers "}"

/* What cannot be compared with, and why. */
static void
test_refusals (void)
{
  g_autofree char *root = sonde_test_folder_new (),
                  *line = g_strdup_printf ("diverge --dump %s", root);
  OpenedSession session;

  if (open_model (&session))
    {
      write_listing (
          root, "step0/rank0",
          HEAD ("statistics", "L0") "\"Module.fc.Linear.forward.0\": {\"output\": [" TENSOR (
              ", \"Max\": 1") "]}}}");
      opened_session_assert_error (&session, line, "keeps no tensors (task statistics)");
      write_listing (
          root, "step0/rank0",
          HEAD ("tensor", "L1") "\"Functional.relu.0.forward\": {\"output\": [" TENSOR ("") "]}}}");
      opened_session_assert_error (&session, line, "no outputs of modules (level L1)");
      write_listing (root, "step0/rank1", HEAD ("tensor", "L1") "}}");
      opened_session_assert_error (&session, line, "several ranks in step 0");
      opened_session_clear (&session);
    }
  sonde_test_folder_free (g_steal_pointer (&root));
}

/* ---- dumps in the debugger ----------------------------------------------- */

static gboolean
open_dump (OpenedSession *session, const char *sample)
{
  g_autofree char *name = g_strconcat ("samples/msprobe/", sample, NULL),
                  *path = sonde_test_shared_path (name);

  if (path != NULL)
    opened_session_init (session, path, NULL);
  return path != NULL;
}

/* Where it stands. */
static void
assert_node (OpenedSession *session, const char *line, const char *node)
{
  g_autoptr (JsonObject) answer = opened_session_ask_well (session, line);

  g_assert_cmpstr (json_object_get_string_member (answer, "event"), ==, "stopped");
  g_assert_cmpstr (json_object_get_string_member (answer, "node"), ==, node);
}

/* Entries are nodes between which it can stand, forwards and backwards, over iterations. */
static void
test_going (void)
{
  OpenedSession session;
  g_autoptr (JsonObject) state = NULL;

  if (!open_dump (&session, "train-mix-tensor"))
    return;
  state = opened_session_ask_well (&session, "info state");
  g_assert_cmpstr (json_object_get_string_member (state, "kind"), ==, "dump");
  g_assert_cmpstr (json_object_get_string_member (state, "title"), ==,
                   "train-mix-tensor: proc12465");
  json_object_unref (opened_session_ask_well (&session, "break layers.0.bn"));
  assert_node (&session, "continue", "Module.layers.0.bn.BatchNorm2d.forward.0");
  assert_node (&session, "step", "Functional.relu.1.forward");
  assert_node (&session, "back", "Module.layers.0.bn.BatchNorm2d.forward.0");
  opened_session_assert_stop (&session, "continue", "breakpoint", 2);
  opened_session_assert_stop (&session, "until step:1", "until", 1);
  json_object_unref (opened_session_ask_well (&session, "clear 1"));
  assert_node (&session, "until phase:backward", "Functional.cross_entropy.0.backward");
  assert_node (&session, "until Module.fc.Linear.parameters_grad.0",
               "Module.fc.Linear.parameters_grad.0");
  opened_session_clear (&session);
}

/* A value by its file's name; its entry, and a module's path, mean the first output. */
static void
test_values (void)
{
  OpenedSession session;
  double whole, entry, path;

  if (!open_dump (&session, "infer-L0-tensor"))
    return;
  whole = opened_session_number_of (&session,
                                    "print max(\"Module.stem.conv.Conv2d.forward.0.output.0\")");
  entry = opened_session_number_of (&session, "print max(\"Module.stem.conv.Conv2d.forward.0\")");
  path = opened_session_number_of (&session, "print max(stem.conv)");
  g_assert_cmpfloat_with_epsilon (whole, 1.349656581878662, 1e-9);
  g_assert_cmpfloat (entry, ==, whole);
  g_assert_cmpfloat (path, ==, whole);
  g_assert_cmpfloat (
      opened_session_number_of (
          &session, "print max(abs(stem.bn - \"Module.stem.act.ReLU.forward.0.input.0\"))"),
      ==, 0);
  opened_session_assert_error (&session, "print stem.none", "There is no value");
  opened_session_clear (&session);
}

/* The lines of the program, from the innermost outwards, behind the node itself. */
static void
test_stack (void)
{
  OpenedSession session;
  g_autoptr (JsonObject) answer = NULL;
  JsonArray *stack;
  JsonObject *frame;

  if (!open_dump (&session, "infer-L0-tensor"))
    return;
  answer = opened_session_ask_well (&session, "info stack");
  stack = json_object_get_array_member (answer, "stack");
  frame = json_array_get_object_element (stack, 4);
  g_assert_cmpstr (json_object_get_string_member (frame, "kind"), ==, "python");
  g_assert_cmpstr (json_object_get_string_member (frame, "at"), ==, "train.py:30 in forward");
  g_assert_cmpstr (json_object_get_string_member (frame, "at_op"), ==,
                   "def forward(s, x): return s.act(s.bn(s.conv(x)))");
  opened_session_clear (&session);
}

static void
test_statistics_only (void)
{
  OpenedSession session;

  if (!open_dump (&session, "train-L1-statistics"))
    return;
  opened_session_assert_error (&session, "print Functional.relu.0.forward",
                               "only statistics were kept: min 0, max 3.35622, mean 0.4577, norm "
                               "13.8933");
  opened_session_assert_error (&session, "set Functional.relu.0.forward = 1", "This is a dump");
  opened_session_assert_error (&session, "rerun Functional.relu.0.forward --precision f64",
                               "This is a dump");
  opened_session_assert_error (&session, "diverge --precision f64", "This is a dump");
  opened_session_assert_error (&session, "branch other", "This is a dump");
  opened_session_clear (&session);
}

/* Two ranks; what a module took is what another made where numbers agree. */
static void
test_ranks (void)
{
  static const char *const sets[] = { "rank=1", NULL };
  g_autofree char *root = sonde_test_folder_new ();
  g_autoptr (JsonObject) state = NULL, listing = NULL;
  OpenedSession session;

#define NUMBERS ", \"Max\": 3, \"Min\": 1, \"Mean\": 2, \"Norm\": 3.5"
  write_listing (root, "step4/rank0", HEAD ("statistics", "L0") "}}");
  write_listing (
      root, "step4/rank1",
      HEAD ("statistics", "L0") "\"Cell.a.Dense.forward.0\": {\"output\": [" TENSOR (
          NUMBERS) "]}, \"Cell.b.Dense.forward.0\": {\"input_args\": [" TENSOR (NUMBERS) "]}}}");
  opened_session_init (&session, root, sets);
  state = opened_session_ask_well (&session, "info state");
  g_assert_nonnull (strstr (json_object_get_string_member (state, "title"), ": rank1 (+ rank0)"));
  g_assert_cmpint (json_object_get_int_member (state, "step"), ==, 5);
  listing = opened_session_ask_well (&session, "list Cell.b.Dense.forward.0");
  {
    g_autoptr (JsonNode) node = json_node_new (JSON_NODE_OBJECT);
    g_autofree char *text = NULL;

    json_node_set_object (node, listing);
    text = json_to_string (node, FALSE);
    g_assert_nonnull (strstr (text, "Cell.a.Dense.forward.0.output.0"));
  }
  opened_session_clear (&session);
  sonde_test_folder_free (g_steal_pointer (&root));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/commands/dump-msprobe/agrees", test_agrees);
  g_test_add_func ("/engine/commands/dump-msprobe/differs", test_differs);
  g_test_add_func ("/engine/commands/dump-msprobe/refusals", test_refusals);
  g_test_add_func ("/engine/commands/dump-msprobe/going", test_going);
  g_test_add_func ("/engine/commands/dump-msprobe/values", test_values);
  g_test_add_func ("/engine/commands/dump-msprobe/stack", test_stack);
  g_test_add_func ("/engine/commands/dump-msprobe/statistics", test_statistics_only);
  g_test_add_func ("/engine/commands/dump-msprobe/ranks", test_ranks);
  return g_test_run ();
}
