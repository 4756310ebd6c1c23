/* SPDX-License-Identifier: Apache-2.0
 * Two executions compared: one kernel of a random graph of 1,000 nodes is made wrong, and that node
 * is to be named and none before it; healthy runs under other conditions have nothing that is
 * over. */
#include "engine/debug/searches/sonde-diverge.h"

#include <math.h>
#include <string.h>

#include "data/arrays/sonde-npz.h"
#include "data/models/sonde-model-file.h"
#include "engine/ops/sonde-build.h"
#include "tests/engine/plan/training-net.h"

/* ---- a device with one wrong kernel -------------------------------------- */

static struct
{
  SondeDeviceClass klass;
  const SondeDeviceClass *real;
  const char *node;
  SondeKernel *kernel;
  double factor;
} wrong;

static SondeKernel *
prepare_wrong (SondeDevice *device, SondePrepareRequest *request, GError **error)
{
  SondeKernel *kernel = wrong.real->prepare (device, request, error);

  if (kernel != NULL && request->n_nodes == 1
      && g_strcmp0 (request->nodes[0]->name, wrong.node) == 0)
    wrong.kernel = kernel;
  return kernel;
}

/* The first number is off. */
static gboolean
run_wrong (SondeDevice *device, SondeKernel *kernel, const SondeRunArguments *arguments,
           GError **error)
{
  gboolean good = wrong.real->run (device, kernel, arguments, error);

  if (good && kernel == wrong.kernel)
    ((float *) arguments->outputs[0])[0] += (float) wrong.factor;
  return good;
}

static SondeDevice *
open_device (const char *node, double factor)
{
  g_autoptr (GError) error = NULL;
  SondeDevice *device = sonde_device_open ("cpu", 1, &error);

  g_assert_no_error (error);
  if (node == NULL)
    return device;
  wrong.real = device->klass;
  wrong.klass = *device->klass;
  wrong.klass.prepare = prepare_wrong;
  wrong.klass.run = run_wrong;
  wrong.klass.can_fuse = NULL;
  wrong.klass.can_chain = NULL;
  wrong.node = node;
  wrong.kernel = NULL;
  wrong.factor = factor;
  device->klass = &wrong.klass;
  return device;
}

/* ---- runs ---------------------------------------------------------------- */

typedef struct
{
  SondeDevice *device;
  SondePlan *plan;
  SondeExecution *execution;
} Run;

static void
run_clear (Run *run)
{
  g_clear_pointer (&run->execution, sonde_execution_free);
  g_clear_pointer (&run->plan, sonde_plan_unref);
  g_clear_pointer (&run->device, sonde_device_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Run, run_clear)

static void
run_init (Run *run, SondeGraph *graph, SondeDevice *device)
{
  g_autoptr (GError) error = NULL;
  SondePlanOptions options = { .memory = SONDE_MEMORY_KEEP, .no_fusion = TRUE };

  run->device = device;
  run->plan = sonde_plan_new (graph, device, &options, &error);
  g_assert_no_error (error);
  run->execution = sonde_execution_new (run->plan, &error);
  g_assert_no_error (error);
}

static void
run_graph (Run *run, const char *input, SondeTensor *tensor)
{
  g_autoptr (GError) error = NULL;

  sonde_execution_set_input (run->execution, input, tensor, &error);
  g_assert_no_error (error);
  g_assert_cmpint (sonde_execution_run (run->execution, &error), ==, SONDE_RUN_DONE);
  g_assert_no_error (error);
}

/* ---- a random graph ------------------------------------------------------ */

#define N_NODES 1000
#define SIDE 8

/* Products, sums and curves over values of about 1. */
static SondeGraph *
make_random (guint32 seed)
{
  SondeGraph *graph = sonde_graph_new ("random");
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  g_autoptr (GPtrArray) made = g_ptr_array_new ();
  SondeShape shape = sonde_shape_make (2, SIDE, SIDE);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);

  sonde_graph_set_opset (graph, "", 17);
  g_ptr_array_add (made, sonde_graph_add_input (graph, "x", &type));
  for (guint i = 0; i < N_NODES; i++)
    {
      static const char *const unary[] = { "Tanh", "Sigmoid", "Relu", "Softmax", "Neg" };
      guint back = MIN (made->len, 12), kind = (guint) g_rand_int_range (random, 0, 8);
      SondeGraphValue *inputs[2]
          = { made->pdata[made->len - 1 - (guint) g_rand_int_range (random, 0, (gint32) back)],
              made->pdata[made->len - 1 - (guint) g_rand_int_range (random, 0, (gint32) back)] };
      g_autofree char *name = g_strdup_printf ("n%u", i), *weight = g_strdup_printf ("w%u", i),
                      *value = g_strdup_printf ("v%u", i);
      g_autoptr (SondeTensor) tensor = random_f32 (&shape, 0.6, seed + i);
      SondeGraphValue *y;

      if (kind == 0)
        {
          inputs[1] = sonde_graph_add_initialiser (graph, weight, tensor, SONDE_ROLE_PARAMETER);
          y = sonde_build_op (graph, name, "", "MatMul", 2, inputs);
        }
      else if (kind < 3)
        y = sonde_build_op (graph, name, "", kind == 1 ? "Sub" : "Mul", 2, inputs);
      else
        y = sonde_build_op (graph, name, "", unary[kind - 3], 1, inputs);
      sonde_graph_rename_value (graph, y, value);
      g_ptr_array_add (made, y);
    }
  sonde_graph_add_output (graph, made->pdata[made->len - 1]);
  return graph;
}

static SondeTensor *
make_input (void)
{
  SondeShape shape = sonde_shape_make (2, SIDE, SIDE);

  return random_f32 (&shape, 1, 77);
}

static SondeDivergence *
diverge (Run *run, const SondeDivergeOptions *options)
{
  g_autoptr (GError) error = NULL;
  SondeDivergence *result = sonde_diverge (run->execution, options, &error);

  g_assert_no_error (error);
  return result;
}

static const SondeDivergedValue *
first_of (const SondeDivergence *result)
{
  return result->first >= 0 ? g_ptr_array_index (result->values, result->first) : NULL;
}

/* Only @node is over (on its own). */
static void
assert_named (const SondeDivergence *result, const char *node)
{
  for (guint i = 0; i < result->values->len; i++)
    {
      const SondeDivergedValue *entry = g_ptr_array_index (result->values, i);

      if (entry->over && !g_str_equal (entry->node, node))
        g_error ("%s: %s own error %g, inherited %g, tolerance %g", node, entry->node,
                 entry->own_error, entry->inherited_error, entry->tolerance);
    }
  g_assert_nonnull (first_of (result));
  g_assert_cmpstr (first_of (result)->node, ==, node);
}

/* The debugged side has the wrong kernel. */
static void
test_kernel (void)
{
  static const SondeDivergeOptions options[] = {
    { .rtol = -1, .reference.device = "cpu" },
    { .rtol = -1, .reference.device = "reference" },
    { .rtol = -1, .reference.device = "cpu", .reference.precision = SONDE_DTYPE_F64 },
    { .rtol = -1, .reference.device = "cpu", .reference.precision = SONDE_DTYPE_BF16 },
  };
  g_autoptr (SondeTensor) x = make_input ();

  for (guint i = 0; i < 8; i++)
    {
      g_autoptr (SondeGraph) graph = make_random (40 + i);
      g_autofree char *node = g_strdup_printf ("n%u", 50 + 113 * i);
      g_auto (Run) run = { NULL };
      g_autoptr (SondeDivergence) result = NULL;
      gboolean coarse = i % G_N_ELEMENTS (options) == 3;

      run_init (&run, graph, open_device (node, coarse ? 0.5 : 0.01));
      run_graph (&run, "x", x);
      result = diverge (&run, &options[i % G_N_ELEMENTS (options)]);
      g_assert_cmpuint (result->values->len, ==, N_NODES);
      g_assert_cmpuint (result->unmatched->len, ==, 0);
      assert_named (result, node);
      g_assert_cmpfloat_with_epsilon (first_of (result)->own_error, coarse ? 0.5 : 0.01,
                                      coarse ? 0.02 : 1e-4);
      /* nothing reached the nodes before; it was all there at the node */
      for (int k = 0; k < result->first && !coarse; k++)
        {
          const SondeDivergedValue *entry = g_ptr_array_index (result->values, (guint) k);

          g_assert_cmpfloat (entry->inherited_error, <=, 1e-4);
        }
    }
}

/* The reference has another weight: what reads it is named, whoever is the reference. */
static void
test_weight (void)
{
  g_autoptr (SondeGraph) graph = make_random (7);
  g_autoptr (SondeTensor) x = make_input ();
  g_autoptr (GHashTable) parameters = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                                             (GDestroyNotify) sonde_tensor_unref);
  SondeDivergeOptions options = { .rtol = -1, .reference.parameters = parameters };
  g_auto (Run) run = { NULL };
  g_autoptr (SondeDivergence) result = NULL;
  guint number = 500;
  g_autofree char *weight = NULL, *node = NULL;
  SondeGraphValue *value = NULL;
  SondeTensor *tensor;

  while (value == NULL)
    {
      g_free (weight);
      weight = g_strdup_printf ("w%u", ++number);
      value = sonde_graph_find_value (graph, weight);
    }
  node = g_strdup_printf ("n%u", number);
  tensor = sonde_tensor_copy (sonde_value_get_tensor (value->constant));
  sonde_tensor_set_double (tensor, 3, 0.9);
  g_hash_table_insert (parameters, g_strdup (weight), tensor);
  run_init (&run, graph, open_device (NULL, 0));
  run_graph (&run, "x", x);
  result = diverge (&run, &options);
  assert_named (result, node);
  g_clear_pointer (&result, sonde_divergence_free);

  /* the other way round: the run has it, the reference is the file */
  sonde_execution_write (run.execution, value, tensor, NULL);
  run_graph (&run, "x", x);
  options.reference.parameters = NULL;
  result = diverge (&run, &options);
  g_assert_cmpint (result->first, ==, -1);
  options.reference.graph = graph;
  g_clear_pointer (&result, sonde_divergence_free);
  result = diverge (&run, &options);
  assert_named (result, node);
}

/* Paused, with a value that somebody changed: as run it differs from there on, no node does it
 * itself. */
static void
test_edited (void)
{
  g_autoptr (SondeGraph) graph = make_random (9);
  g_autoptr (SondeTensor) x = make_input ();
  SondeDivergeOptions options = { .rtol = -1 };
  g_auto (Run) run = { NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDivergence) result = NULL;
  g_autoptr (SondeTensor) tensor = NULL;
  SondeGraphValue *value = sonde_graph_find_value (graph, "v399");
  const SondeDivergedValue *entry;

  run_init (&run, graph, open_device (NULL, 0));
  sonde_execution_set_input (run.execution, "x", x, &error);
  sonde_execution_run_to (run.execution, 400, &error);
  g_assert_no_error (error);
  tensor = sonde_execution_read (run.execution, value, &error);
  sonde_tensor_set_double (tensor, 0, 5);
  sonde_execution_write (run.execution, value, tensor, &error);
  g_assert_no_error (error);
  result = diverge (&run, &options);
  g_assert_cmpuint (result->values->len, ==, N_NODES);
  entry = g_ptr_array_index (result->values, 398);
  g_assert_cmpfloat (entry->inherited_error, ==, 0);
  entry = g_ptr_array_index (result->values, 399);
  g_assert_cmpfloat (entry->inherited_error, >, 1);
  g_assert_cmpfloat (entry->own_error, ==, 0);
  g_assert_cmpint (result->first, ==, -1);
}

/* NaN on one side alone is over; the whole is given up when asked. */
static gboolean
give_up (guint step, guint n_steps, gpointer data)
{
  g_assert_cmpuint (step, <=, n_steps);
  return step == GPOINTER_TO_UINT (data);
}

static void
test_nan (void)
{
  g_autoptr (SondeGraph) graph = make_random (3);
  g_autoptr (SondeTensor) x = make_input ();
  SondeDivergeOptions options = { .rtol = 1e30, .reference.device = "cpu" };
  g_auto (Run) run = { NULL };
  g_autoptr (SondeDivergence) result = NULL;
  g_autoptr (GError) error = NULL;

  run_init (&run, graph, open_device ("n123", NAN));
  run_graph (&run, "x", x);
  result = diverge (&run, &options);
  assert_named (result, "n123");
  g_assert_true (isinf (first_of (result)->own_error));
  for (guint at = 1; at <= 2000; at += 333)
    {
      options.tick = give_up;
      options.data = GUINT_TO_POINTER (at);
      g_assert_null (sonde_diverge (run.execution, &options, &error));
      g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE);
      g_clear_error (&error);
    }
}

/* ---- files and other graphs ---------------------------------------------- */

/* Every seventh value is known: the wrong node is inside one gap, whose end is named. */
static void
test_tensors (void)
{
  g_autoptr (SondeGraph) graph = make_random (21);
  g_autoptr (SondeTensor) x = make_input ();
  g_autoptr (GHashTable) tensors = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                                          (GDestroyNotify) sonde_tensor_unref);
  SondeDivergeOptions options = { .rtol = -1, .tensors = tensors };
  g_auto (Run) right = { NULL };
  g_autoptr (GError) error = NULL;
  guint n_found = 0;

  run_init (&right, graph, open_device (NULL, 0));
  run_graph (&right, "x", x);
  for (guint i = 0; i < N_NODES; i += 7)
    {
      g_autofree char *name = g_strdup_printf ("v%u", i);

      g_hash_table_insert (
          tensors, i % 2 == 0 ? g_strdup (name) : g_strdup_printf ("Other.Net.V%u", i),
          sonde_execution_read (right.execution, sonde_graph_find_value (graph, name), &error));
      g_assert_no_error (error);
    }
  for (guint at = 102; at < 900; at += 50)
    {
      g_autofree char *node = g_strdup_printf ("n%u", at);
      g_auto (Run) run = { NULL };
      g_autoptr (SondeDivergence) result = NULL;
      gint64 named;

      run_init (&run, graph, open_device (node, 0.5));
      run_graph (&run, "x", x);
      result = diverge (&run, &options);
      g_assert_cmpuint (result->values->len, ==, (N_NODES + 6) / 7);
      g_assert_cmpuint (result->unused->len, ==, 0);
      if (first_of (result) == NULL)
        continue; /* it came to nothing before the next value of the file */
      /* it may be read by any of the next twelve, and reach the file's values from there */
      named = g_ascii_strtoll (first_of (result)->node + 1, NULL, 10);
      g_assert_cmpint (named, >=, at);
      g_assert_cmpint (named, <=, at + 7 * 12);
      g_assert_cmpuint (first_of (result)->n_nodes, >, 1);
      n_found++;
    }
  g_assert_cmpuint (n_found, >=, 6);
}

/* Another version of the model, with other names: found by structure. */
static void
test_renamed (void)
{
  g_autoptr (SondeGraph) graph = make_random (33), other = make_random (33);
  g_autoptr (SondeTensor) x = make_input ();
  SondeDivergeOptions options = { .rtol = -1, .reference.graph = other };
  g_auto (Run) run = { NULL };
  g_autoptr (SondeDivergence) result = NULL;

  for (guint i = 100; i < 200; i++)
    {
      g_autofree char *name = g_strdup_printf ("v%u", i),
                      *renamed = g_strdup_printf ("renamed%u", i);

      sonde_graph_rename_value (other, sonde_graph_find_value (other, name), renamed);
    }
  run_init (&run, graph, open_device ("n150", 0.2));
  run_graph (&run, "x", x);
  result = diverge (&run, &options);
  g_assert_cmpuint (result->unmatched->len, <=, 10);
  g_assert_cmpuint (result->values->len, >=, N_NODES - 10);
  assert_named (result, "n150");
}

static void
test_optimised (void)
{
  g_autoptr (SondeGraph) graph = make_random (5);
  g_autoptr (SondeTensor) x = make_input ();
  SondeDivergeOptions options = { .rtol = -1, .optimised = TRUE };
  g_auto (Run) run = { NULL };
  g_autoptr (SondeDivergence) result = NULL, again = NULL;

  for (guint i = 0; i < graph->values->len; i++) /* as files of old list their initialisers */
    {
      SondeGraphValue *value = g_ptr_array_index (graph->values, i);

      if (value->role != SONDE_ROLE_PARAMETER)
        continue;
      value->role = SONDE_ROLE_CONSTANT;
      g_ptr_array_add (graph->inputs, value);
    }
  run_init (&run, graph, open_device (NULL, 0));
  run_graph (&run, "x", x);
  result = diverge (&run, &options);
  g_assert_cmpint (result->first, ==, -1);
  options = (SondeDivergeOptions){ .rtol = -1, .reference.device = "reference" };
  again = diverge (&run, &options);
  g_assert_cmpint (again->first, ==, -1);
  /* what the output needs, less what is inside fused steps */
  g_assert_cmpuint (result->values->len, >, 100);
}

static void
test_match_names (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("names");
  SondeShape shape = sonde_shape_make (1, 2);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  SondeGraphValue *x = sonde_graph_add_input (graph, "x", &type);
  static const char *const nodes[]
      = { "/layer1/conv1/Conv", "/layer1/conv2/Conv", "/layer2/conv1/Conv", "head" };
  /* name, node of the value it means or NULL */
  static const struct
  {
    const char *name, *node;
  } cases[] = {
    { "/layer1/conv1/Conv_output_0", "/layer1/conv1/Conv" },
    { "model.layer1.conv2.conv", "/layer1/conv2/Conv" },
    { "HEAD", "head" },
    { "conv1.conv", NULL },
    { "nothing", NULL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (nodes); i++)
    {
      g_autofree char *name = g_strdup_printf ("%s_output_0", nodes[i]);

      sonde_graph_rename_value (graph, sonde_build_op (graph, nodes[i], "", "Relu", 1, &x), name);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GPtrArray) names = g_ptr_array_new ();
      g_autoptr (GHashTable) partners = NULL;
      SondeGraphValue *value
          = cases[i].node != NULL
                ? sonde_node_get_output (sonde_graph_find_node (graph, cases[i].node), 0)
                : NULL;

      g_ptr_array_add (names, (gpointer) cases[i].name);
      partners = sonde_diverge_match_names (graph, names);
      g_assert_cmpuint (g_hash_table_size (partners), ==, value != NULL);
      if (value != NULL)
        g_assert_cmpstr (g_hash_table_lookup (partners, value), ==, cases[i].name);
    }
}

/* Names of modules, as hooks of PyTorch have them, and the nodes that its exporters call after
 * them: of several nodes it is the last; a module that was called twice means nothing, a
 * normalisation that was folded into the node before is what that makes. */
static void
test_match_modules (void)
{
  static const struct
  {
    const char *node, *op, *name;
  } nodes[] = {
    { "/layers/layers.0/conv1/Conv", "Conv", "layers.0.bn1" },
    { "/layers/layers.0/act/Relu", "Relu", NULL },
    { "/layers/layers.0/conv2/Conv", "Conv", "layers.0.conv2" },
    { "/layers/layers.0/act_1/Relu", "Relu", "layers.0" },
    { "/features/features.0/Conv", "Conv", "features.1" },
    { "/features/features.2/Relu_1", "Relu", "features.2" },
    { "/head/MatMul", "MatMul", NULL },
    { "/head/Add", "Add", "head" },
    { "/fc/Gemm", "Gemm", "fc" },
  };
  static const char *const names[]
      = { "layers.0.act", "layers.0.bn1", "layers.0.conv1", "layers.0.conv2",
          "features.0",   "features.1",   "features.2",     "head",
          "fc",           "layers.0",     "nothing" };
  g_autoptr (SondeGraph) graph = sonde_graph_new ("modules");
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  g_autoptr (GHashTable) partners = NULL;
  SondeShape shape = sonde_shape_make (1, 2);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  SondeGraphValue *x = sonde_graph_add_input (graph, "x", &type), *both[] = { x, x };

  for (gsize i = 0; i < G_N_ELEMENTS (nodes); i++)
    sonde_graph_add_node (graph, nodes[i].node, "", nodes[i].op, both, 2, 1);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    g_ptr_array_add (all, (gpointer) names[i]);
  partners = sonde_diverge_match_names (graph, all);
  for (gsize i = 0; i < G_N_ELEMENTS (nodes); i++)
    g_assert_cmpstr (
        g_hash_table_lookup (
            partners, sonde_node_get_output (sonde_graph_find_node (graph, nodes[i].node), 0)),
        ==, nodes[i].name);
}

/* Linear (MatMul, Add), GELU (five nodes) and Linear in a container, as exported, with what hooks
 * of the modules saw: all modules have their nodes, and a wrong one is named though it is made of
 * several. */
static SondeGraph *
make_modules (void)
{
  static const struct
  {
    const char *name, *op, *left, *right;
  } nodes[] = {
    { "/mlp/fc1/MatMul", "MatMul", "x", "w1" },
    { "/mlp/fc1/Add", "Add", "/mlp/fc1/MatMul", "b" },
    { "/mlp/act/Div", "Div", "/mlp/fc1/Add", "two" },
    { "/mlp/act/Erf", "Erf", "/mlp/act/Div", NULL },
    { "/mlp/act/Add", "Add", "/mlp/act/Erf", "two" },
    { "/mlp/act/Mul", "Mul", "/mlp/fc1/Add", "/mlp/act/Add" },
    { "/mlp/act/Mul_1", "Mul", "/mlp/act/Mul", "two" },
    { "/mlp/fc2/MatMul", "MatMul", "/mlp/act/Mul_1", "w2" },
    { "/mlp/fc2/Add", "Add", "/mlp/fc2/MatMul", "b" },
    { "/Softmax", "Softmax", "/mlp/fc2/Add", NULL },
  };
  SondeGraph *graph = sonde_graph_new ("modules");
  SondeShape shape = sonde_shape_make (3, 2, 3, SIDE), square = sonde_shape_make (2, SIDE, SIDE),
             row = sonde_shape_make (1, SIDE);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  g_autoptr (SondeTensor) w1 = random_f32 (&square, 0.6, 1), w2 = random_f32 (&square, 0.6, 2),
                          b = random_f32 (&row, 0.6, 3), two = random_f32 (&row, 2, 4);
  SondeGraphValue *value = NULL;

  sonde_graph_set_opset (graph, "", 17);
  sonde_graph_add_input (graph, "x", &type);
  sonde_graph_add_initialiser (graph, "w1", w1, SONDE_ROLE_PARAMETER);
  sonde_graph_add_initialiser (graph, "w2", w2, SONDE_ROLE_PARAMETER);
  sonde_graph_add_initialiser (graph, "b", b, SONDE_ROLE_PARAMETER);
  sonde_graph_add_initialiser (graph, "two", two, SONDE_ROLE_CONSTANT);
  for (gsize i = 0; i < G_N_ELEMENTS (nodes); i++)
    {
      g_autofree char *name = g_strconcat (nodes[i].name, "_output_0", NULL);
      const char *const ends[] = { nodes[i].left, nodes[i].right };
      SondeGraphValue *inputs[2] = { NULL };
      guint n = 0;

      for (; n < 2 && ends[n] != NULL; n++)
        {
          g_autofree char *of_node = g_strconcat (ends[n], "_output_0", NULL);

          inputs[n] = sonde_graph_find_value (graph, *ends[n] == '/' ? of_node : ends[n]);
          g_assert_nonnull (inputs[n]);
        }
      value = sonde_build_op (graph, nodes[i].name, "", nodes[i].op, n, inputs);
      sonde_graph_rename_value (graph, value, name);
    }
  sonde_graph_add_output (graph, value);
  return graph;
}

static void
test_module_values (void)
{
  static const char *const modules[][2] = { { "mlp.fc1", "/mlp/fc1/Add_output_0" },
                                            { "mlp.act", "/mlp/act/Mul_1_output_0" },
                                            { "mlp.fc2", "/mlp/fc2/Add_output_0" },
                                            { "x", "x" } };
  g_autoptr (SondeGraph) graph = make_modules ();
  g_autoptr (GHashTable) tensors
      = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) sonde_tensor_unref);
  SondeDivergeOptions options = { .rtol = -1, .tensors = tensors };
  SondeShape shape = sonde_shape_make (3, 2, 3, SIDE);
  g_autoptr (SondeTensor) x = random_f32 (&shape, 1, 5);
  g_auto (Run) run = { NULL };
  g_autoptr (SondeDivergence) same = NULL, result = NULL;

  run_init (&run, graph, open_device (NULL, 0));
  run_graph (&run, "x", x);
  for (gsize i = 0; i < G_N_ELEMENTS (modules); i++)
    {
      g_autoptr (SondeTensor) value = sonde_execution_read (
          run.execution, sonde_graph_find_value (graph, modules[i][1]), NULL);

      g_hash_table_insert (tensors, (gpointer) modules[i][0], sonde_tensor_copy (value));
    }
  same = diverge (&run, &options);
  g_assert_cmpuint (same->unused->len, ==, 0);
  g_assert_cmpint (same->first, ==, -1);
  ((float *) ((SondeTensor *) g_hash_table_lookup (tensors, "mlp.act"))->data)[7] += 1;
  result = diverge (&run, &options);
  g_assert_cmpstr (first_of (result)->node, ==, "/mlp/act/Mul_1");
  g_assert_cmpstr (first_of (result)->reference, ==, "mlp.act");
  g_assert_cmpuint (first_of (result)->n_nodes, ==, 5);
}

/* ---- a training step ----------------------------------------------------- */

static void
test_training (void)
{
  static const char *const kinds[] = { "ConvGradWeight", "ReluGrad", "SgdUpdate", "Conv" };
  g_autoptr (TrainingNet) net = training_net_new (4, 16, "sgd");
  g_autoptr (SondeTensor) images = training_net_images (net, 1),
                          labels = training_net_labels (net, 1);
  SondeShape scalar = { 0 };
  g_autoptr (SondeTensor) rate = sonde_tensor_new (SONDE_DTYPE_F32, &scalar);

  sonde_tensor_set_double (rate, 0, 0.1);
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autoptr (GError) error = NULL;
      g_auto (Run) run = { NULL };
      g_autoptr (SondeDivergence) result = NULL;
      SondeDivergeOptions options = { .rtol = -1, .reference.device = "reference" };
      const SondeNode *node = NULL;

      for (guint k = 0; k < net->graph->nodes->len; k++)
        if (net->graph->nodes->pdata[k] != NULL
            && g_str_equal (((SondeNode *) net->graph->nodes->pdata[k])->op, kinds[i]))
          node = net->graph->nodes->pdata[k];
      g_assert_nonnull (node);
      run_init (&run, net->graph, open_device (node->name, 0.5));
      sonde_execution_set_input (run.execution, "labels", labels, &error);
      sonde_execution_set_input (run.execution, "rate", rate, &error);
      run_graph (&run, "x", images);
      run_graph (&run, "x", images);
      result = diverge (&run, &options);
      assert_named (result, node->name);
    }
}

/* Healthy steps: fused and laid out otherwise, and in other precisions. */
static void
test_training_healthy (void)
{
  static const SondeDivergeOptions options[] = {
    { .rtol = -1, .optimised = TRUE },
    { .rtol = -1, .reference.device = "reference" },
    { .rtol = -1, .reference.precision = SONDE_DTYPE_F64 },
    { .rtol = -1, .reference.precision = SONDE_DTYPE_BF16 },
  };
  g_autoptr (TrainingNet) net = training_net_new (4, 28, "adam");
  g_autoptr (SondeTensor) images = training_net_images (net, 1),
                          labels = training_net_labels (net, 1);
  SondeShape scalar = { 0 };
  g_autoptr (SondeTensor) rate = sonde_tensor_new (SONDE_DTYPE_F32, &scalar);
  g_autoptr (GError) error = NULL;
  g_auto (Run) run = { NULL };

  sonde_tensor_set_double (rate, 0, 0.001);
  run_init (&run, net->graph, open_device (NULL, 0));
  sonde_execution_set_input (run.execution, "labels", labels, &error);
  sonde_execution_set_input (run.execution, "rate", rate, &error);
  if (sonde_graph_find_value (net->graph, "step") != NULL)
    {
      g_autoptr (SondeTensor) step = sonde_tensor_new (SONDE_DTYPE_I64, &scalar);

      sonde_tensor_set_double (step, 0, 1);
      sonde_execution_set_input (run.execution, "step", step, &error);
    }
  run_graph (&run, "x", images);
  run_graph (&run, "x", images);
  for (gsize i = 0; i < G_N_ELEMENTS (options); i++)
    {
      g_autoptr (SondeDivergence) result = diverge (&run, &options[i]);

      if (result->first >= 0)
        g_error ("%u: %s own %g inherited %g tolerance %g", (guint) i, first_of (result)->node,
                 first_of (result)->own_error, first_of (result)->inherited_error,
                 first_of (result)->tolerance);
      g_assert_cmpuint (result->values->len, >, 20);
    }
}

/* ---- models -------------------------------------------------------------- */

static void
test_model (gconstpointer data)
{
  const char *shared = g_getenv ("SONDE_SHARED");
  g_autofree char *folder
      = g_build_filename (shared != NULL ? shared : "", "models", (const char *) data, NULL);
  g_autofree char *name = g_strconcat ((const char *) data, ".onnx", NULL),
                  *file = g_build_filename (folder, name, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) original = NULL, graph = NULL;
  g_autoptr (GArray) bindings = g_array_new (FALSE, TRUE, sizeof (SondeBinding));
  SondePlanOptions plan = { .memory = SONDE_MEMORY_KEEP, .no_fusion = TRUE };
  static const SondeDivergeOptions conditions[] = {
    { .rtol = -1, .reference.device = "reference" },
    { .rtol = -1, .reference.threads = 2 },
    { .rtol = -1, .optimised = TRUE },
    { .rtol = -1, .reference.precision = SONDE_DTYPE_F64 },
  };
  g_auto (Run) run = { NULL };

  if (shared == NULL || !g_file_test (file, G_FILE_TEST_EXISTS))
    {
      g_test_skip ("SONDE_SHARED has no such model");
      return;
    }
  original = sonde_model_load (NULL, file, &error);
  g_assert_no_error (error);
  graph = sonde_prepare_inference (original, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < graph->inputs->len; i++)
    {
      SondeGraphValue *input = g_ptr_array_index (graph->inputs, i);
      SondeBinding binding = { input->name, input->type };

      for (int d = 0; d < binding.type.rank; d++)
        binding.type.dims[d].size = binding.type.dims[d].size < 0 ? 2 : binding.type.dims[d].size;
      if (input->constant == NULL)
        g_array_append_val (bindings, binding);
    }
  plan.bindings = (const SondeBinding *) (const void *) bindings->data;
  plan.n_bindings = bindings->len;
  run.device = open_device (NULL, 0);
  run.plan = sonde_plan_new (graph, run.device, &plan, &error);
  g_assert_no_error (error);
  run.execution = sonde_execution_new (run.plan, &error);
  for (guint i = 0; i < bindings->len; i++)
    {
      const SondeBinding *binding = &g_array_index (bindings, SondeBinding, i);
      g_autoptr (SondeTensor) tensor = NULL;
      SondeShape shape;

      sonde_type_get_shape (&binding->type, &shape);
      tensor = sonde_tensor_new (binding->type.dtype, &shape);
      memset (tensor->data, 0, sonde_tensor_n_bytes (tensor));
      for (gint64 k = 0; k < sonde_tensor_n_elements (tensor); k++)
        sonde_tensor_set_double (tensor, k,
                                 sonde_dtype_is_float (tensor->dtype) ? sin (0.7 * (double) (k + 1))
                                                                      : (double) (k % 3));
      sonde_execution_set_input (run.execution, binding->name, tensor, &error);
      g_assert_no_error (error);
    }
  g_assert_cmpint (sonde_execution_run (run.execution, &error), ==, SONDE_RUN_DONE);
  g_assert_no_error (error);
  for (gsize i = 0; i < G_N_ELEMENTS (conditions); i++)
    {
      g_autoptr (SondeDivergence) result = diverge (&run, &conditions[i]);

      g_test_message ("%s, %u: %u values, %u nodes without", (const char *) data, (guint) i,
                      result->values->len, result->unmatched->len);
      g_assert_cmpuint (result->values->len, >, 0);
      if (result->first >= 0)
        g_error ("%s, %u: %s %s own %g inherited %g tolerance %g", (const char *) data, (guint) i,
                 first_of (result)->node, first_of (result)->op, first_of (result)->own_error,
                 first_of (result)->inherited_error, first_of (result)->tolerance);
    }
}

int
main (int argc, char **argv)
{
  static const char *const models[]
      = { "bn-resnet",   "control-flow", "lenet-mnist",    "lstm-classifier", "mlp",
          "transformer", "unet",         "dynamic-shapes", "local-functions" };

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/debug/diverge/kernel", test_kernel);
  g_test_add_func ("/debug/diverge/weight", test_weight);
  g_test_add_func ("/debug/diverge/edited", test_edited);
  g_test_add_func ("/debug/diverge/nan", test_nan);
  g_test_add_func ("/debug/diverge/tensors", test_tensors);
  g_test_add_func ("/debug/diverge/renamed", test_renamed);
  g_test_add_func ("/debug/diverge/optimised", test_optimised);
  g_test_add_func ("/debug/diverge/match-names", test_match_names);
  g_test_add_func ("/debug/diverge/match-modules", test_match_modules);
  g_test_add_func ("/debug/diverge/module-values", test_module_values);
  g_test_add_func ("/debug/diverge/training", test_training);
  g_test_add_func ("/debug/diverge/training-healthy", test_training_healthy);
  for (gsize i = 0; i < G_N_ELEMENTS (models); i++)
    {
      g_autofree char *path = g_strdup_printf ("/debug/diverge/model/%s", models[i]);

      g_test_add_data_func (path, models[i], test_model);
    }
  return g_test_run ();
}
