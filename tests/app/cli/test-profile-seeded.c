/* SPDX-License-Identifier: Apache-2.0
 * Trainings with a seeded cause: `sonde profile` of the recipe names it first. Models and imported traces:
 * test-profile-own.c, test-profile.c. */
#include "data/models/sonde-model-file.h"
#include "engine/ops/sonde-build.h"
#include "tests/support/sonde-test-program.h"
#include "tests/support/sonde-test-tensor.h"

/* On a busy machine another step may be held up for longer than the seeded one takes. */
#define TRIES 6

#define SIDE 28
#define WIDE 1024

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

/* @text: of a recipe. (transfer full) */
static JsonNode *
profile (Fixture *fixture, const char *text)
{
  g_autofree char *path = g_build_filename (fixture->folder, "seeded.recipe", NULL);
  const char *const arguments[] = { "profile", path, "--steps", "1:4", "--json", NULL };
  g_autoptr (SondeTestProgram) program = NULL;

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  program = sonde_test_run_strv (fixture->folder, NULL, arguments);
  sonde_test_assert_status (program, 0);
  return sonde_test_parse_json (program->out);
}

/* ---- an operator --------------------------------------------------------- */

static SondeGraphValue *
add_layer (SondeGraph *graph, const char *name, SondeGraphValue *input, int rows, int columns)
{
  SondeShape shape = sonde_shape_make (2, rows, columns);
  g_autoptr (SondeTensor) weight = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  g_autofree char *called = g_strconcat (name, ".weight", NULL);
  SondeGraphValue *inputs[] = { input, NULL };

  for (gint64 i = 0; i < sonde_tensor_n_elements (weight); i++)
    sonde_tensor_set_double (weight, i, (double) (i * 7 % 23 - 11) / 1000);
  inputs[1] = sonde_graph_add_initialiser (graph, called, weight, SONDE_ROLE_PARAMETER);
  return sonde_build_op (graph, name, "", "MatMul", 2, inputs);
}

/* A wide layer "slow" before two small ones. (transfer full) */
static char *
make_model (Fixture *fixture)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("seeded");
  SondeShape shape = sonde_shape_make (2, 64, SIDE * SIDE);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  char *path = g_build_filename (fixture->folder, "seeded.onnx", NULL);
  g_autoptr (GError) error = NULL;
  SondeGraphValue *value;

  sonde_graph_set_opset (graph, "", 17);
  type.dims[0] = (SondeDimension){ -1, "N" };
  value = sonde_graph_add_input (graph, "x", &type);
  value = add_layer (graph, "slow", value, SIDE * SIDE, WIDE);
  value = sonde_build_op (graph, "relu", "", "Relu", 1, &value);
  value = add_layer (graph, "small", value, WIDE, 12);
  value = sonde_build_op (graph, "relu2", "", "Relu", 1, &value);
  value = add_layer (graph, "last", value, 12, 10);
  sonde_graph_add_output (graph, value);
  g_assert_true (sonde_model_save (NULL, path, graph, &error));
  g_assert_no_error (error);
  return path;
}

/* Forward or backward, the node is named, and what bounds it. */
static void
test_operator (Fixture *fixture, gconstpointer data)
{
  g_autofree char *model = make_model (fixture);
  g_autofree char *recipe
      = g_strdup_printf ("[model]\nname = %s\n[data]\nsource = glyphs\ntrain = 512\ntest = 64\n"
                         "batch = 64\n[train]\nepochs = 1\n",
                         model);
  gboolean named = FALSE;

  for (guint i = 0; i < TRIES && !named; i++)
    {
      g_autoptr (JsonNode) root = profile (fixture, recipe);
      JsonArray *ops = json_object_get_array_member (json_node_get_object (root), "ops");
      JsonObject *first = json_array_get_object_element (ops, 0);
      JsonArray *nodes = json_object_get_array_member (first, "nodes");

      named = json_array_get_length (nodes) == 1
              && g_str_equal (json_array_get_string_element (nodes, 0), "slow")
              && g_str_equal (json_object_get_string_member (first, "op"), "MatMul")
              && g_str_equal (json_object_get_string_member (first, "class"), "compute");
      g_test_message ("first: %s, class %s", json_object_get_string_member (first, "node"),
                      json_object_get_string_member (first, "class"));
    }
  g_assert_true (named);
}

/* ---- a loader ------------------------------------------------------------ */

/* The first advice that is not about what else the machine did. */
static JsonObject *
find_advice (JsonObject *analysis)
{
  JsonArray *advice = json_object_get_array_member (analysis, "advice");

  for (guint i = 0; i < json_array_get_length (advice); i++)
    {
      JsonObject *one = json_array_get_object_element (advice, i);
      const char *id = json_object_get_string_member (one, "id");

      if (!g_str_equal (id, "uneven-steps") && !g_str_equal (id, "recording"))
        return one;
    }
  return NULL;
}

typedef struct
{
  const char *workers, *transforms;
  gboolean slow;
} Loader;

/* Samples that are made large and small again keep the engine waiting; those that are ready do not. */
static void
test_loader (Fixture *fixture, gconstpointer data)
{
  const Loader *loader = data;
  g_autofree char *recipe = g_strdup_printf (
      "[model]\nname = lenet\n[data]\nsource = glyphs\ntrain = %u\ntest = 4\n"
      "batch = 8\nworkers = %s\nrepeat = %u\ntransforms = %s\n"
      "[train]\nepochs = 1\n",
      loader->slow ? 48u : 8u, loader->workers, loader->slow ? 1u : 6u, loader->transforms);
  gboolean good = FALSE;

  for (guint i = 0; i < TRIES && !good; i++)
    {
      g_autoptr (JsonNode) root = profile (fixture, recipe);
      JsonObject *advice = find_advice (json_node_get_object (root)), *evidence;

      g_test_message ("advice: %s",
                      advice != NULL ? json_object_get_string_member (advice, "text") : "none");
      good = advice != NULL
             && g_str_equal (json_object_get_string_member (advice, "id"), "data-wait");
      if (!loader->slow)
        good = !good;
      else if (good)
        {
          evidence = json_object_get_object_member (advice, "evidence");
          g_assert_cmpstr (json_object_get_string_member (evidence, "stage"), ==, "source");
          g_assert_cmpfloat (json_object_get_double_member (evidence, "share"), >=, 0.2);
        }
    }
  g_assert_true (good);
}

#define ADD(name, data, function)                                                                  \
  g_test_add ("/app/cli/profile-seeded/" name, Fixture, data, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  static const Loader on_demand = { "0", "resize:512; resize:28", TRUE },
                      ahead = { "1", "resize:512; resize:28", TRUE }, ready = { "0", "", FALSE };

  g_test_init (&argc, &argv, NULL);
  g_unsetenv ("MALLOC_PERTURB_"); /* what fills memory between operators is not to be measured */
  ADD ("operator", NULL, test_operator);
  ADD ("loader-on-demand", &on_demand, test_loader);
  ADD ("loader-ahead", &ahead, test_loader);
  ADD ("ready", &ready, test_loader);
  return g_test_run ();
}
