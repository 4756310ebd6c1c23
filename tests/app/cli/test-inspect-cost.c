/* SPDX-License-Identifier: Apache-2.0
 * `sonde inspect MODEL --cost` as a user calls it: against costs that another program counted, and with
 * what does not fit. */
#include <string.h>

#include "data/models/sonde-model-file.h"
#include "tests/support/sonde-test-program.h"

typedef struct
{
  char *folder;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->folder = sonde_test_folder_new ();
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  sonde_test_folder_free (fixture->folder);
}

/* A model of the shared ones. (transfer full) */
static char *
dup_model (const char *name)
{
  g_autofree char *file = g_strconcat (name, ".onnx", NULL);

  return g_build_filename (g_getenv ("SONDE_SHARED"), "models", name, file, NULL);
}

/* What the command says of a model, with --shape @shape where it is given. (transfer full) */
static JsonNode *
inspect (Fixture *fixture, const char *path, const char *shape)
{
  g_autoptr (SondeTestProgram) program
      = shape != NULL ? sonde_test_run (fixture->folder, NULL, "inspect", path, "--cost", "--json",
                                        "--shape", shape)
                      : sonde_test_run (fixture->folder, NULL, "inspect", path, "--cost", "--json");

  sonde_test_assert_status (program, 0);
  return sonde_test_parse_json (program->out);
}

static JsonObject *
get_cost (JsonNode *root)
{
  sonde_test_assert_members (json_node_get_object (root), "cost");
  return json_object_get_object_member (json_node_get_object (root), "cost");
}

static void
assert_equal (JsonObject *have, JsonObject *want, const char *name, const char *place)
{
  JsonNode *a = json_object_get_member (have, name), *b = json_object_get_member (want, name);

  if (a == NULL || b == NULL || !json_node_equal (a, b))
    {
      g_autofree char *text_a = a != NULL ? json_to_string (a, FALSE) : g_strdup ("missing");
      g_autofree char *text_b = b != NULL ? json_to_string (b, FALSE) : g_strdup ("missing");

      g_test_message ("%s, %s: %s, but it is %s", place, name, text_a, text_b);
      g_test_fail ();
    }
}

/* Sums of the nodes are the totals and those of the operators; products count two operations. */
static void
check_sums (JsonObject *cost)
{
  static const char *const members[]
      = { "parameters", "macs", "flops", "bytes_read", "bytes_written" };
  JsonArray *nodes = json_object_get_array_member (cost, "nodes");
  JsonObject *by_op = json_object_get_object_member (cost, "by_op");

  for (gsize m = 0; m < G_N_ELEMENTS (members); m++)
    {
      g_autoptr (GList) ops = json_object_get_values (by_op);
      gint64 sum = 0, ops_sum = 0;

      for (guint i = 0; i < json_array_get_length (nodes); i++)
        sum += json_object_get_int_member (json_array_get_object_element (nodes, i), members[m]);
      for (GList *l = ops; l != NULL; l = l->next)
        ops_sum += json_object_get_int_member (json_node_get_object (l->data), members[m]);
      g_assert_cmpint (sum, ==, ops_sum);
      if (m < 3)
        g_assert_cmpint (sum, ==, json_object_get_int_member (cost, members[m]));
    }
  for (guint i = 0; i < json_array_get_length (nodes); i++)
    {
      JsonObject *node = json_array_get_object_element (nodes, i);
      gint64 macs = json_object_get_int_member (node, "macs");

      sonde_test_assert_members (node,
                                 "node op parameters macs flops bytes_read bytes_written shape");
      if (macs > 0)
        g_assert_cmpint (json_object_get_int_member (node, "flops"), ==, 2 * macs);
    }
}

/* Counted by another program from the same file: every field of every node. */
static void
test_golden (Fixture *fixture, gconstpointer data)
{
  static const char *const totals[] = { "parameters", "state", "parameter_bytes", "macs" };
  static const char *const members[]
      = { "node", "op", "parameters", "macs", "bytes_read", "bytes_written", "shape" };
  const char *name = data;
  g_autofree char *path = dup_model (name), *file = g_strconcat (name, ".json", NULL);
  g_autofree char *golden
      = g_build_filename (g_getenv ("SONDE_SHARED"), "golden", "costs", file, NULL);
  g_autoptr (JsonNode) root = inspect (fixture, path, NULL);
  g_autoptr (JsonNode) expected = sonde_test_read_json (golden);
  JsonObject *cost = get_cost (root), *want = json_node_get_object (expected);
  JsonArray *nodes = json_object_get_array_member (cost, "nodes");
  JsonArray *want_nodes = json_object_get_array_member (want, "nodes");

  sonde_test_assert_members (cost,
                             "parameters state parameter_bytes macs flops nodes by_op unknown");
  for (gsize i = 0; i < G_N_ELEMENTS (totals); i++)
    assert_equal (cost, want, totals[i], name);
  g_assert_cmpuint (json_array_get_length (nodes), ==, json_array_get_length (want_nodes));
  for (guint i = 0; i < json_array_get_length (nodes); i++)
    {
      JsonObject *node = json_array_get_object_element (nodes, i);

      for (gsize m = 0; m < G_N_ELEMENTS (members); m++)
        assert_equal (node, json_array_get_object_element (want_nodes, i), members[m],
                      json_object_get_string_member (node, "node"));
    }
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (cost, "unknown")), ==, 0);
  check_sums (cost);
}

/* The same net in old forms, and with functions: what it computes is the same. */
static void
test_forms (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *name;
    gint64 n_parameters, macs;
  } cases[] = {
    { "bn-resnet-opset9", 5215, 1159392 },
    { "lenet-int8-qdq", 0, 416520 },
    /* by hand from the sizes of its functions' products */
    { "local-functions", 83, 72 },
    { "module-functions", 4515, 65632 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = dup_model (cases[i].name);
      g_autoptr (JsonNode) root = inspect (fixture, path, NULL);
      JsonObject *cost = get_cost (root);

      g_assert_cmpint (json_object_get_int_member (cost, "parameters"), ==, cases[i].n_parameters);
      g_assert_cmpint (json_object_get_int_member (cost, "macs"), ==, cases[i].macs);
      check_sums (cost);
    }
}

/* ids [N, T]; the product's cost grows with both. */
static void
test_shape (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = dup_model ("dynamic-shapes");
  g_autoptr (JsonNode) one = inspect (fixture, path, NULL);
  g_autoptr (JsonNode) many = inspect (fixture, path, "ids=3,5");
  gint64 macs = json_object_get_int_member (get_cost (one), "macs");
  JsonArray *unknown = json_object_get_array_member (get_cost (many), "unknown");
  JsonArray *nodes = json_object_get_array_member (get_cost (many), "nodes");

  g_assert_cmpint (macs, ==, 64);
  g_assert_cmpint (json_object_get_int_member (get_cost (many), "macs"), ==, 15 * macs);
  /* how many elements are not zero is known only in the run */
  g_assert_cmpuint (json_array_get_length (unknown), ==, 2);
  g_assert_cmpstr (json_array_get_string_element (unknown, 0), ==, "n17_NonZero");
  for (guint i = 0; i < json_array_get_length (nodes); i++)
    {
      JsonObject *node = json_array_get_object_element (nodes, i);

      if (strcmp (json_object_get_string_member (node, "node"), "n17_NonZero") != 0)
        continue;
      g_assert_true (json_object_get_null_member (node, "shape"));
      g_assert_true (json_object_get_null_member (node, "flops"));
      g_assert_true (json_object_get_null_member (node, "bytes_written"));
      g_assert_cmpint (json_object_get_int_member (node, "bytes_read"), >, 0);
    }
}

/* x [2, 3] -> Own -> Relu, of sizes that nobody declares; and a Relu of x. */
static void
test_unknown_operator (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = g_build_filename (fixture->folder, "own.onnx", NULL);
  g_autoptr (SondeGraph) graph = sonde_graph_new ("own");
  SondeShape shape = sonde_shape_make (2, 2, 3);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  SondeGraphValue *x = sonde_graph_add_input (graph, "x", &type), *y;
  SondeNode *own, *after, *beside;
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) root = NULL;
  JsonObject *cost;
  JsonArray *nodes, *unknown;

  sonde_graph_set_opset (graph, "", 17);
  sonde_graph_set_opset (graph, "somebody", 1);
  own = sonde_graph_add_node (graph, "own", "somebody", "Own", &x, 1, 1);
  y = sonde_node_get_output (own, 0);
  after = sonde_graph_add_node (graph, "after", "", "Relu", &y, 1, 1);
  beside = sonde_graph_add_node (graph, "beside", "", "Relu", &x, 1, 1);
  sonde_graph_add_output (graph, sonde_node_get_output (after, 0));
  sonde_graph_add_output (graph, sonde_node_get_output (beside, 0));
  g_assert_true (sonde_model_save (NULL, path, graph, &error));
  g_assert_no_error (error);
  root = inspect (fixture, path, NULL);
  cost = get_cost (root);
  nodes = json_object_get_array_member (cost, "nodes");
  unknown = json_object_get_array_member (cost, "unknown");
  g_assert_cmpuint (json_array_get_length (unknown), ==, 2);
  g_assert_cmpstr (json_array_get_string_element (unknown, 0), ==, "own");
  g_assert_cmpstr (json_array_get_string_element (unknown, 1), ==, "after");
  g_assert_true (json_object_get_null_member (json_array_get_object_element (nodes, 0), "macs"));
  g_assert_cmpint (
      json_object_get_int_member (json_array_get_object_element (nodes, 0), "bytes_read"), ==, 24);
  g_assert_cmpint (json_object_get_int_member (json_array_get_object_element (nodes, 2), "flops"),
                   ==, 6);
  g_assert_cmpint (json_object_get_int_member (cost, "flops"), ==, 6);
}

static void
test_refusals (Fixture *fixture, gconstpointer data)
{
  g_autofree char *lenet = dup_model ("lenet-mnist"), *dynamic = dup_model ("dynamic-shapes");
  g_autofree char *text = g_build_filename (fixture->folder, "text.txt", NULL);
  const struct
  {
    const char *path, *shape, *second;
    int status;
    const char *says;
  } cases[] = {
    { dynamic, "id=3,5", NULL, 1, "The model has no input “id”; the nearest is “ids”." },
    { dynamic, "ids=3", NULL, 1, "Input “ids” is int64 N×T; the sizes 3 do not fit it." },
    { dynamic, "ids=3,5,7", NULL, 1, "do not fit" },
    { dynamic, "ids=3,0", NULL, 2, "“ids=3,0” is not of that form" },
    { dynamic, "ids=3,x", NULL, 2, "is not of that form" },
    { dynamic, "3,5", NULL, 2, "is not of that form" },
    { dynamic, "ids=3,5", "ids=3,5", 2, "twice" },
    { lenet, "image=1,3,28,28", NULL, 1, "The model has no input" },
    { text, NULL, NULL, 1, "is no model" },
    { fixture->folder, NULL, NULL, 1, "is no model" },
    { "/nowhere/model.onnx", NULL, NULL, 1, "does not exist" },
  };

  g_assert_true (g_file_set_contents (text, "no model", -1, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const char *arguments[] = { "inspect",      cases[i].path, "--cost",        "--shape",
                                  cases[i].shape, "--shape",     cases[i].second, NULL };
      g_autoptr (SondeTestProgram) program = NULL;

      if (cases[i].second == NULL)
        arguments[5] = NULL;
      if (cases[i].shape == NULL)
        arguments[3] = NULL;
      program = sonde_test_run_strv (fixture->folder, NULL, arguments);
      sonde_test_assert_status (program, cases[i].status);
      sonde_test_assert_contains (program->err, cases[i].says);
      g_assert_cmpstr (program->out, ==, "");
    }
}

static glong
longest_line (const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  glong longest = 0;

  for (gsize i = 0; lines[i] != NULL; i++)
    if (g_str_has_prefix (lines[i], "  ") && strchr (lines[i], ';') == NULL)
      longest = MAX (longest, g_utf8_strlen (lines[i], -1));
  return longest;
}

static void
test_text (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = dup_model ("transformer");
  g_autoptr (SondeTestProgram) program
      = sonde_test_run (fixture->folder, NULL, "inspect", path, "--cost");

  sonde_test_assert_status (program, 0);
  sonde_test_assert_contains (program->out, "19,588 parameters");
  sonde_test_assert_contains (program->out, "885,120 MACs");
  sonde_test_assert_contains (program->out, "147.5 k");
  g_assert_cmpint (longest_line (program->out), <=, 80);
}

int
main (int argc, char **argv)
{
  static const char *const nets[]
      = { "lenet-mnist",    "mlp",         "bn-resnet", "dwnet", "lstm-classifier",
          "gru-classifier", "transformer", "unet" };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (nets); i++)
    {
      g_autofree char *name = g_strconcat ("/app/cli/inspect-cost/golden/", nets[i], NULL);

      g_test_add (name, Fixture, nets[i], set_up, test_golden, tear_down);
    }
  g_test_add ("/app/cli/inspect-cost/forms", Fixture, NULL, set_up, test_forms, tear_down);
  g_test_add ("/app/cli/inspect-cost/shape", Fixture, NULL, set_up, test_shape, tear_down);
  g_test_add ("/app/cli/inspect-cost/unknown-operator", Fixture, NULL, set_up,
              test_unknown_operator, tear_down);
  g_test_add ("/app/cli/inspect-cost/refusals", Fixture, NULL, set_up, test_refusals, tear_down);
  g_test_add ("/app/cli/inspect-cost/text", Fixture, NULL, set_up, test_text, tear_down);
  return g_test_run ();
}
