/* SPDX-License-Identifier: Apache-2.0
 * `sonde profile` of models and recipes, which are run for it: what must sum to what, and that the cause of a slow
 * model is named first. */
#include <math.h>
#include <string.h>

#include "data/models/sonde-model-file.h"
#include "engine/ops/sonde-build.h"
#include "tests/support/sonde-test-program.h"
#include "tests/support/sonde-test-tensor.h"

/* On a busy machine a run may be held up between two operators: which none of the tries may be is a fault. */
#define TRIES 6

#define RECIPE                                                                                     \
  "[model]\nname = mlp\n[data]\nsource = glyphs\ntrain = 256\ntest = 64\nbatch = 32\n"             \
  "[train]\nepochs = 1\n"

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

static double
get (JsonObject *object, const char *name)
{
  return json_object_get_double_member (object, name);
}

/* Of all members, which are numbers. */
static double
sum_members (JsonObject *object)
{
  g_autoptr (GList) names = json_object_get_members (object);
  double sum = 0;

  for (GList *name = names; name != NULL; name = name->next)
    sum += get (object, name->data);
  return sum;
}

static double
sum_ops (JsonObject *profile)
{
  JsonArray *ops = json_object_get_array_member (profile, "ops");
  double sum = 0;

  for (guint i = 0; i < json_array_get_length (ops); i++)
    sum += get (json_array_get_object_element (ops, i), "ms");
  return sum;
}

static void
assert_same (double a, double b)
{
  g_assert_cmpfloat_with_epsilon (a, b, 1e-6 * MAX (1, fabs (b)));
}

/* What sums to what in every profile of our own. */
static void
check_sums (JsonObject *profile)
{
  JsonObject *memory = json_object_get_object_member (profile, "memory");
  double wall = get (profile, "wall_ms");

  g_assert_cmpfloat (wall, >, 0);
  assert_same (sum_members (json_object_get_object_member (profile, "classes")), wall);
  assert_same (sum_members (json_object_get_object_member (profile, "split")), wall);
  assert_same (sum_members (json_object_get_object_member (memory, "by_kind")),
               get (memory, "peak_bytes"));
  g_assert_cmpfloat (get (memory, "peak_bytes"), >, 0);
}

/* @arguments: of `sonde`, NULL at the end. (transfer full) */
static JsonNode *
run_json (Fixture *fixture, const char *const *arguments)
{
  g_autoptr (SondeTestProgram) program = sonde_test_run_strv (fixture->folder, NULL, arguments);

  sonde_test_assert_status (program, 0);
  return sonde_test_parse_json (program->out);
}

/* ---- models -------------------------------------------------------------- */

/* All runs are measured, and the operators account for them. */
static void
test_model (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = sonde_test_shared_path (data);
  const char *const arguments[]
      = { "profile", path, "--runs", "30", "--threads", "1", "--json", NULL };
  gboolean accounted = FALSE;

  for (guint i = 0; path != NULL && i < TRIES && !accounted; i++)
    {
      g_autoptr (JsonNode) root = run_json (fixture, arguments);
      JsonObject *profile = json_node_get_object (root);
      JsonObject *steps = json_object_get_object_member (profile, "steps");

      g_assert_cmpstr (json_object_get_string_member (profile, "kind"), ==, "model");
      g_assert_cmpstr (json_object_get_string_member (profile, "device"), ==, "cpu");
      g_assert_cmpint (json_object_get_int_member (steps, "count"), ==, 30);
      check_sums (profile);
      accounted = sum_ops (profile) >= 0.98 * get (profile, "wall_ms")
                  && sum_ops (profile) <= get (profile, "wall_ms");
      g_test_message ("operators %.4f of %.4f ms", sum_ops (profile), get (profile, "wall_ms"));
    }
  g_assert_true (path == NULL || accounted);
}

/* ---- seeded causes ------------------------------------------------------------ */

static SondeGraphValue *
add (SondeGraph *graph, const char *name, const char *op, SondeGraphValue *a, SondeGraphValue *b)
{
  SondeGraphValue *inputs[] = { a, b };
  SondeGraphValue *output = sonde_build_op (graph, name, "", op, b != NULL ? 2 : 1, inputs);

  sonde_graph_rename_value (graph, output, name);
  return output;
}

static SondeGraphValue *
add_input (SondeGraph *graph, const char *name, int rows, int columns)
{
  SondeShape shape = sonde_shape_make (2, rows, columns);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);

  return sonde_graph_add_input (graph, name, &type);
}

/* Small products and sums around node "slow", which is an @op of [@rows, @columns]. (transfer full) */
static char *
make_model (Fixture *fixture, const char *op, int rows, int columns)
{
  SondeGraph *graph = sonde_graph_new ("seeded");
  SondeGraphValue *x = add_input (graph, "x", 16, 16), *y = add_input (graph, "y", rows, columns),
                  *z = add_input (graph, "z", rows, columns), *v = x;
  char *path = g_build_filename (fixture->folder, "seeded.onnx", NULL);
  g_autoptr (GError) error = NULL;

  sonde_graph_set_opset (graph, "", 17);
  for (guint i = 0; i < 12; i++)
    {
      g_autofree char *product = g_strdup_printf ("product%u", i),
                      *sum = g_strdup_printf ("sum%u", i);

      v = add (graph, sum, "Add", add (graph, product, "MatMul", v, x), x);
    }
  sonde_graph_add_output (graph, v);
  sonde_graph_add_output (graph, add (graph, "slow", op, y, z));
  g_assert_true (sonde_model_save (NULL, path, graph, &error));
  g_assert_no_error (error);
  sonde_graph_unref (graph);
  return path;
}

/* The first advice but that on uneven steps, which a busy machine makes. */
static JsonObject *
get_advice (JsonObject *profile)
{
  JsonArray *advice = json_object_get_array_member (profile, "advice");

  for (guint i = 0; i < json_array_get_length (advice); i++)
    {
      JsonObject *one = json_array_get_object_element (advice, i);

      if (!g_str_equal (json_object_get_string_member (one, "id"), "uneven-steps"))
        return one;
    }
  g_error ("no advice");
}

typedef struct
{
  const char *op;
  int rows, columns;
  const char *class;
} Seed;

/* Other work on the machine can take a kernel's rate away, and with it its class: then again. */
#define MAX_TRIES 4

static JsonObject *
get_first_op (JsonNode *root)
{
  return json_array_get_object_element (
      json_object_get_array_member (json_node_get_object (root), "ops"), 0);
}

static gboolean
is_found (JsonNode *root, const Seed *seed)
{
  return g_str_equal (json_object_get_string_member (get_first_op (root), "class"), seed->class)
         && g_str_equal (
             json_object_get_string_member (get_advice (json_node_get_object (root)), "id"),
             "dominant-op");
}

/* (transfer full): of the first try that finds the seed, or the last one */
static JsonNode *
profile_seed (Fixture *fixture, const char *path, const Seed *seed)
{
  const char *const arguments[] = { "profile", path, "--runs", "8", "--json", NULL };
  JsonNode *root = run_json (fixture, arguments);

  for (int n = 1; n < MAX_TRIES && !is_found (root, seed); n++)
    {
      g_test_message ("try %d did not find the seed", n);
      json_node_unref (root);
      root = run_json (fixture, arguments);
    }
  return root;
}

static void
test_seeded (Fixture *fixture, gconstpointer data)
{
  const Seed *seed = data;
  g_autofree char *path = make_model (fixture, seed->op, seed->rows, seed->columns);
  g_autoptr (JsonNode) root = profile_seed (fixture, path, seed);
  JsonObject *profile = json_node_get_object (root), *op = get_first_op (root);
  JsonArray *nodes = json_object_get_array_member (op, "nodes");
  JsonObject *advice;

  check_sums (profile);
  g_assert_cmpstr (json_object_get_string_member (op, "op"), ==, seed->op);
  g_assert_cmpuint (json_array_get_length (nodes), ==, 1);
  g_assert_cmpstr (json_array_get_string_element (nodes, 0), ==, "slow");
  g_assert_cmpstr (json_object_get_string_member (op, "class"), ==, seed->class);
  g_assert_cmpfloat (get (op, "share"), >=, 0.5);
  g_assert_cmpint (json_object_get_int_member (op, "calls"), ==, 8);
  advice = get_advice (profile);
  g_assert_cmpstr (json_object_get_string_member (advice, "id"), ==, "dominant-op");
  g_assert_cmpstr (json_object_get_string_member (advice, "node"), ==,
                   json_object_get_string_member (op, "node"));
}

/* ---- recipes ------------------------------------------------------------- */

static void
test_recipe (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = g_build_filename (fixture->folder, "small.recipe", NULL);
  const char *const arguments[]
      = { "profile", path, "--steps", "2:4", "--threads", "1", "--json", NULL };
  const char *const train[]
      = { "train", path, "--set", "train.threads=1", "--run", "trained", "--json", NULL };
  g_autofree char *runs = g_build_filename (fixture->folder, "runs", NULL);
  g_autoptr (JsonNode) root = NULL, trained = NULL;
  JsonObject *profile, *split;

  g_assert_true (g_file_set_contents (path, RECIPE, -1, NULL));
  root = run_json (fixture, arguments);
  trained = run_json (fixture, train);
  profile = json_node_get_object (root);
  g_assert_cmpstr (json_object_get_string_member (profile, "kind"), ==, "recipe");
  g_assert_cmpint (
      json_object_get_int_member (json_object_get_object_member (profile, "steps"), "count"), ==,
      4);
  check_sums (profile);
  split = json_object_get_object_member (profile, "split");
  g_assert_cmpfloat (get (split, "forward_ms"), >, 0);
  g_assert_cmpfloat (get (split, "backward_ms"), >, 0);
  g_assert_cmpfloat (get (split, "optimiser_ms"), >, 0);
  g_assert_cmpfloat (get (split, "data_wait_ms"), >, 0);
  g_assert_cmpint (
      json_object_get_int_member (json_object_get_object_member (profile, "memory"), "peak_bytes"),
      ==, json_object_get_int_member (json_node_get_object (trained), "planned_bytes"));
  g_assert_false (g_file_test (runs, G_FILE_TEST_EXISTS)); /* only with --run */
}

/* What a run takes without the one slow node is measured: the figures fit each other, and it is less. */
static void
test_without (Fixture *fixture, gconstpointer data)
{
  g_autofree char *model = make_model (fixture, "MatMul", 700, 700);
  const char *const arguments[]
      = { "profile", model, "--without", "slow", "--threads", "1", "--json", NULL };
  g_autoptr (JsonNode) root = NULL;
  JsonObject *what_if = NULL;
  JsonArray *nodes;

  for (int n = 0; n < MAX_TRIES && (what_if == NULL || get (what_if, "p") >= 0.01); n++)
    {
      g_clear_pointer (&root, json_node_unref);
      root = run_json (fixture, arguments);
      what_if = json_object_get_object_member (json_node_get_object (root), "what_if");
    }
  nodes = json_object_get_array_member (what_if, "nodes");
  g_assert_cmpstr (json_object_get_string_member (what_if, "node"), ==, "slow");
  g_assert_cmpstr (json_array_get_string_element (nodes, 0), ==, "slow");
  assert_same (get (what_if, "base_ms") - get (what_if, "without_ms"), get (what_if, "saving_ms"));
  g_assert_cmpfloat (get (what_if, "saving_ms"), >, get (what_if, "base_ms") / 2);
  g_assert_cmpfloat (get (what_if, "p"), <, 0.01);
}

static void
assert_refused (Fixture *fixture, int status, const char *said, const char *const *arguments)
{
  g_autoptr (SondeTestProgram) program = sonde_test_run_strv (fixture->folder, NULL, arguments);

  g_assert_cmpstr (program->out, ==, "");
  sonde_test_assert_status (program, status);
  sonde_test_assert_contains (program->err, said);
}

/* ---- runs ---------------------------------------------------------------- */

static void
test_run (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = g_build_filename (fixture->folder, "small.recipe", NULL);
  const char *const train[]
      = { "train", path, "--run", "some", "--profile", "2:4", "--json", NULL };
  const char *const slow[]
      = { "train", path, "--run", "slow", "--profile", "slower:0.000001", "--json", NULL };
  const char *const plain[] = { "train", path, "--run", "plain", "--json", NULL };
  const char *const some[] = { "profile", "some", "--json", NULL };
  const char *const slower[] = { "profile", "slow", "--json", NULL };
  g_autoptr (JsonNode) trained = NULL, slow_trained = NULL, plain_trained = NULL, root = NULL,
                       of_slow = NULL;
  JsonObject *profile;

  g_assert_true (g_file_set_contents (path, RECIPE, -1, NULL));
  trained = run_json (fixture, train);
  slow_trained = run_json (fixture, slow);
  plain_trained = run_json (fixture, plain);
  root = run_json (fixture, some);
  of_slow = run_json (fixture, slower);
  profile = json_node_get_object (root);
  g_assert_cmpstr (json_object_get_string_member (profile, "kind"), ==, "run");
  g_assert_cmpint (
      json_object_get_int_member (json_object_get_object_member (profile, "steps"), "count"), ==,
      4);
  check_sums (profile);
  /* of 8 steps those behind the first five */
  profile = json_node_get_object (of_slow);
  g_assert_cmpint (
      json_object_get_int_member (json_object_get_object_member (profile, "steps"), "count"), ==,
      3);
  assert_refused (fixture, 1, "holds no profile",
                  (const char *const[]){ "profile", "plain", NULL });
}

/* @profile's counter of this name and key, in the trace that was written; NULL: there is none. */
static JsonObject *
find_counter (JsonObject *trace, const char *name, const char *key)
{
  JsonArray *counters = json_object_get_array_member (trace, "counters");

  for (guint i = 0; i < json_array_get_length (counters); i++)
    {
      JsonObject *counter = json_array_get_object_element (counters, i);

      if (g_str_equal (json_object_get_string_member (counter, "name"), name)
          && g_str_equal (json_object_get_string_member (counter, "key"), key))
        return counter;
    }
  return NULL;
}

static gboolean
has_category (JsonObject *trace, const char *category)
{
  JsonArray *names = json_object_get_array_member (trace, "names");

  for (guint i = 0; i < json_array_get_length (names); i++)
    if (g_str_equal (
            json_object_get_string_member (json_array_get_object_element (names, i), "category"),
            category))
      return TRUE;
  return FALSE;
}

static gboolean
has_span (JsonObject *trace, const char *category, const char *name)
{
  JsonArray *names = json_object_get_array_member (trace, "names");

  for (guint i = 0; i < json_array_get_length (names); i++)
    {
      JsonObject *row = json_array_get_object_element (names, i);

      if (g_str_equal (json_object_get_string_member (row, "category"), category)
          && g_str_equal (json_object_get_string_member (row, "name"), name))
        return TRUE;
    }
  return FALSE;
}

/* The only trace in @path, as `sonde inspect` sees it. (transfer full) */
static JsonObject *
inspect (Fixture *fixture, const char *path)
{
  const char *const arguments[] = { "inspect", path, "--json", NULL };
  g_autoptr (JsonNode) root = run_json (fixture, arguments);
  JsonArray *traces = json_object_get_array_member (json_node_get_object (root), "traces");

  return json_object_ref (json_array_get_object_element (traces, 0));
}

/* With --run the profile of a model stays: read again it is the same, counters too. */
static void
test_kept_model (Fixture *fixture, gconstpointer data)
{
  g_autofree char *model = make_model (fixture, "MatMul", 100, 100);
  const char *const measure[] = { "profile", model,    "--run",   "kept",      "--runs", "5",
                                  "--trace", "a.json", "--trace", "a.pftrace", "--json", NULL };
  const char *const again[] = { "profile", "kept", "--trace", "b.json", "--json", NULL };
  g_autoptr (JsonNode) first = run_json (fixture, measure), second = run_json (fixture, again);
  g_autoptr (JsonObject) chrome = inspect (fixture, "a.json"),
                         perfetto = inspect (fixture, "a.pftrace"),
                         read = inspect (fixture, "b.json");
  JsonObject *a = json_node_get_object (first), *b = json_node_get_object (second);

  check_sums (b);
  g_assert_cmpstr (json_object_get_string_member (b, "kind"), ==, "run");
  g_assert_cmpstr (json_object_get_string_member (a, "precision"), ==, "float32");
  g_assert_cmpstr (json_object_get_string_member (b, "precision"), ==, "float32");
  assert_same (get (a, "wall_ms"), get (b, "wall_ms"));
  assert_same (sum_ops (a), sum_ops (b));
  assert_same (get (json_object_get_object_member (a, "memory"), "peak_bytes"),
               get (json_object_get_object_member (b, "memory"), "peak_bytes"));
  for (guint i = 0; i < 3; i++)
    {
      JsonObject *trace = i == 0 ? chrome : i == 1 ? perfetto : read;
      JsonObject *weight
          = find_counter (trace, i == 1 ? "memory weight" : "memory", i == 1 ? "value" : "weight");

      g_assert_nonnull (find_counter (trace, "memory reserved", "value"));
      g_assert_nonnull (find_counter (trace, "memory of the process", "value"));
      g_assert_nonnull (find_counter (trace, "memory of the device", "value"));
      g_assert_true (weight == NULL || get (weight, "max") > 0);
    }
  g_assert_cmpint (json_array_get_length (json_object_get_array_member (chrome, "counters")), ==,
                   json_array_get_length (json_object_get_array_member (read, "counters")));
}

/* What is recorded beside the operators of a training: checkpoints and records apart, the writing thread,
 * its bytes, memory by kind. */
static void
test_beside (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = g_build_filename (fixture->folder, "small.recipe", NULL);
  const char *const measure[]
      = { "profile", path,     "--steps",    "1:6",       "--set",  "checkpoint.every=3",
          "--trace", "a.json", "--hardware", "--kernels", "--json", NULL };
  g_autoptr (JsonNode) root = NULL;
  g_autoptr (JsonObject) trace = NULL;
  JsonObject *gradient;

  g_assert_true (g_file_set_contents (path, RECIPE, -1, NULL));
  root = run_json (fixture, measure);
  trace = inspect (fixture, "a.json");
  g_assert_true (has_category (trace, "kernel"));
  g_assert_true (json_object_get_string_member (json_node_get_object (root), "device") != NULL);
  g_assert_true (has_span (trace, "recording", "checkpoint"));
  g_assert_true (has_span (trace, "recording", "records"));
  g_assert_true (has_span (trace, "recording", "writing records"));
  gradient = find_counter (trace, "memory", "gradient");
  g_assert_nonnull (gradient);
  g_assert_cmpfloat (get (gradient, "max"), >, 0);
  g_assert_nonnull (find_counter (trace, "records to be written", "value"));
  g_assert_nonnull (find_counter (trace, "memory of the process", "value"));
}

/* ---- what does not fit ----------------------------------------------------- */

#define REFUSED(fixture, status, said, ...)                                                        \
  assert_refused (fixture, status, said, (const char *const[]){ "profile", __VA_ARGS__, NULL })

static void
test_refused (Fixture *fixture, gconstpointer data)
{
  static const char *const wrong_profiles[]
      = { "",          "5",          "5:",           "5:0",       ":5",
          "-1:5",      "5:x",        "1:2:3",        "slower:",   "slower:0",
          "slower:-1", "slower:nan", "slower:1e999", "slower:2x", "slow:2" };
  g_autofree char *model = make_model (fixture, "Add", 4, 4);
  g_autofree char *recipe = g_build_filename (fixture->folder, "small.recipe", NULL);
  g_autofree char *wrong = g_build_filename (fixture->folder, "wrong.recipe", NULL);

  g_assert_true (g_file_set_contents (recipe, RECIPE, -1, NULL));
  g_assert_true (g_file_set_contents (wrong, "# a recipe\n\n[model]\nnam = mlp\n", -1, NULL));
  REFUSED (fixture, 2, "at least 1", model, "--runs", "-1");
  REFUSED (fixture, 2, "at least 1", model, "--runs", "0");
  REFUSED (fixture, 2, "must not be negative", model, "--threads", "-2");
  REFUSED (fixture, 2, "FIRST:COUNT", recipe, "--steps", "2:0");
  REFUSED (fixture, 1, "--runs", model, "--steps", "2:3");
  REFUSED (fixture, 1, "--set", model, "--set", "train.epochs=2");
  REFUSED (fixture, 1, "--steps", recipe, "--runs", "3");
  REFUSED (fixture, 1, "--input", recipe, "--input", "x.npy");
  REFUSED (fixture, 1, "8 steps", recipe, "--steps", "8:1");
  REFUSED (fixture, 1, "model.name", wrong);
  REFUSED (fixture, 1, "built-in", "nothing");
  REFUSED (fixture, 1, "nearest is “slow”", model, "--without", "slov");
  REFUSED (fixture, 1, "No step", recipe, "--without", "nothing of the kind");
  REFUSED (fixture, 1, "x.npy", model, "--input", "x=x.npy");
  for (guint i = 0; i < G_N_ELEMENTS (wrong_profiles); i++)
    assert_refused (fixture, 2, "FIRST:COUNT",
                    (const char *const[]){ "train", recipe, "--profile", wrong_profiles[i], NULL });
  assert_refused (fixture, 2, "--kernels requires --profile",
                  (const char *const[]){ "train", recipe, "--kernels", NULL });
}

#define ADD(name, data, function)                                                                  \
  g_test_add ("/app/cli/profile-own/" name, Fixture, data, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  static const Seed product = { "MatMul", 700, 700, "compute" },
                    sum = { "Add", 2048, 2048, "bandwidth" };

  g_test_init (&argc, &argv, NULL);
  g_unsetenv ("MALLOC_PERTURB_"); /* what fills memory between operators is not to be measured */
  ADD ("unet", "models/unet/unet.onnx", test_model);
  ADD ("resnet20", "models/explain/cifar-resnet20.onnx", test_model);
  ADD ("dwnet", "models/dwnet/dwnet.onnx", test_model);
  ADD ("big-product", &product, test_seeded);
  ADD ("wide-sum", &sum, test_seeded);
  ADD ("recipe", NULL, test_recipe);
  ADD ("without", NULL, test_without);
  ADD ("run", NULL, test_run);
  ADD ("kept-model", NULL, test_kept_model);
  ADD ("beside", NULL, test_beside);
  ADD ("refused", NULL, test_refused);
  return g_test_run ();
}
