/* SPDX-License-Identifier: Apache-2.0
 * Origins: random networks with one fault at a random node, whose every bad value must lead back to
 * it; faults in gradients, in bodies, behind masks, in folded constants, in inputs and parameters.
 * SONDE_ORIGIN_NETS says how many networks. */
#include "engine/debug/searches/sonde-origin.h"
#include "engine/debug/searches/sonde-reduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/base/sonde-random.h"
#include "engine/ops/sonde-build.h"
#include "tests/engine/plan/training-net.h"

#define DEFAULT_NETS 200

/* ---- networks ------------------------------------------------------------ */

/* @values: float32, rank 3 [2, 4, 6] or rank 2 */
typedef struct
{
  SondeGraph *graph;
  GPtrArray *values;
  guint64 seed, next;
  char *culprit; /* name of the node with the fault */
} Net;

static guint
draw (Net *net, guint n)
{
  return (guint) (sonde_random_bits (net->seed, 1, net->next++) % n);
}

static SondeShape
shape_of (const SondeGraphValue *value)
{
  SondeShape shape;

  g_assert_true (sonde_type_get_shape (&value->type, &shape));
  return shape;
}

static SondeGraphValue *
constant (Net *net, const SondeShape *shape, double low, double high)
{
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F32, shape);
  const guint64 stream = 100 + net->next++;

  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    sonde_tensor_set_double (
        tensor, i, low + (high - low) * sonde_random_uniform (net->seed, stream, (guint64) i));
  return sonde_build_constant (net->graph, NULL, tensor);
}

static SondeGraphValue *
scalar (Net *net, double number)
{
  return sonde_build_scalar (net->graph, SONDE_DTYPE_F32, number);
}

static SondeGraphValue *
op (Net *net, const char *name, SondeGraphValue *a, SondeGraphValue *b, SondeGraphValue *c)
{
  SondeGraphValue *inputs[] = { a, b, c };

  return sonde_build_op (net->graph, NULL, "", name, c != NULL ? 3 : b != NULL ? 2 : 1, inputs);
}

static SondeGraphValue *
ints (Net *net, int n, ...)
{
  gint64 numbers[8];
  va_list list;

  va_start (list, n);
  for (int i = 0; i < n; i++)
    numbers[i] = va_arg (list, int);
  va_end (list);
  return sonde_build_ints (net->graph, numbers, (gsize) n);
}

static SondeGraphValue *
with_int (Net *net, SondeGraphValue *value, const char *attribute, gint64 number)
{
  sonde_node_set_int (value->producer, attribute, number);
  g_assert_true (sonde_build_infer (net->graph, value->producer, NULL));
  return value;
}

/* All of them take and give [2, 4, 6]. */
static SondeGraphValue *
grow (Net *net, SondeGraphValue *x)
{
  const SondeShape square = sonde_shape_make (2, 6, 6), channels = sonde_shape_make (1, 4),
                   last = sonde_shape_make (1, 6);
  const SondeShape kernel = sonde_shape_make (3, 4, 4, 3), whole = sonde_shape_make (3, 2, 4, 6);
  SondeGraphValue *other = g_ptr_array_index (net->values, draw (net, net->values->len));
  static const gint64 one[] = { 1, 1 };
  SondeGraphValue *inputs[5], *y;

  switch (draw (net, 26))
    {
    case 0:
      return op (net, "Relu", x, NULL, NULL);
    case 1:
      return op (net, "Tanh", x, NULL, NULL);
    case 2:
      return op (net, "Add", x, other, NULL);
    case 3:
      return op (net, "Mul", x, constant (net, &last, -1, 1), NULL);
    case 4:
      return op (net, "Sub", x, other, NULL);
    case 5:
      return op (net, "MatMul", x, constant (net, &square, -0.5, 0.5), NULL);
    case 6:
      y = op (net, "Conv", x, constant (net, &kernel, -0.3, 0.3), constant (net, &channels, -1, 1));
      sonde_node_set_ints (y->producer, "pads", one, 2);
      g_assert_true (sonde_build_infer (net->graph, y->producer, NULL));
      return y;
    case 7:
      return with_int (net, op (net, "Softmax", x, NULL, NULL), "axis", 1 + draw (net, 2));
    case 8:
      return op (net, "LayerNormalization", x, constant (net, &last, 0.5, 1),
                 constant (net, &last, -1, 1));
    case 9:
      inputs[0] = x;
      for (int k = 1; k < 5; k++)
        inputs[k] = constant (net, &channels, 0.5, 1);
      return sonde_build_op (net->graph, NULL, "", "BatchNormalization", 5, inputs);
    case 10:
      y = op (net, "Transpose", x, NULL, NULL);
      return op (net, "Reshape", y, ints (net, 3, 2, 4, 6), NULL);
    case 11:
      y = op (net, "Slice", x, ints (net, 1, 1), ints (net, 1, 3));
      y = op (net, "Concat", y, op (net, "Slice", other, ints (net, 1, 0), ints (net, 1, 1)), NULL);
      return with_int (net, y, "axis", 0);
    case 12:
      return with_int (net, op (net, "Gather", x, ints (net, 4, 3, 0, 0, 2), NULL), "axis", 1);
    case 13:
      y = op (net, "ReduceMean", x, ints (net, 1, 2), NULL);
      return op (net, "Add", y, other, NULL);
    case 14:
      y = op (net, "ReduceMax", x, ints (net, 1, 1), NULL);
      return op (net, "Sub", x, y, NULL);
    case 15:
      return op (net, "Where", op (net, "Greater", other, scalar (net, 0), NULL), x,
                 constant (net, &whole, -1, 1));
    case 16:
      return op (net, "Max", x, constant (net, &whole, -1, 1), NULL);
    case 17:
      return op (net, "Min", x, other, NULL);
    case 18:
      return op (net, "Div", x,
                 op (net, "Add", op (net, "Abs", other, NULL, NULL), scalar (net, 1), NULL), NULL);
    case 19:
      return with_int (net,
                       op (net, "CumSum", op (net, "Tanh", x, NULL, NULL), ints (net, 1, 1), NULL),
                       "reverse", draw (net, 2));
    case 20:
      y = op (net, "Pad", x, ints (net, 6, 0, 0, 1, 0, 0, 1), NULL);
      return op (net, "Slice", y, ints (net, 3, 0, 0, 0), ints (net, 3, 2, 4, 6));
    case 21:
      return op (net, "Sigmoid", x, NULL, NULL);
    case 22:
      return op (net, "Clip", x, scalar (net, -3), scalar (net, 3));
    case 23:
      y = op (net, "Expand", op (net, "ReduceSum", x, ints (net, 1, 0), NULL),
              ints (net, 3, 2, 4, 6), NULL);
      return op (net, "Mul", y, scalar (net, 0.25), NULL);
    case 24:
      y = op (net, "MaxPool", x, NULL, NULL);
      sonde_node_set_ints (y->producer, "kernel_shape", (const gint64[]){ 3 }, 1);
      sonde_node_set_ints (y->producer, "pads", one, 2);
      g_assert_true (sonde_build_infer (net->graph, y->producer, NULL));
      return y;
    default:
      return op (net, "Gelu", x, NULL, NULL);
    }
}

static const char *const faults[]
    = { "log of 0", "inf - inf", "overflow", "0/0", "square root of a negative number" };

/* One element of @x is made something that the last node cannot do; the others stay good. */
static SondeGraphValue *
add_fault (Net *net, SondeGraphValue *x, guint kind)
{
  static const double marks[] = { 0, 1e38, 200, 0, -1 };
  const SondeShape shape = shape_of (x);
  g_autoptr (SondeTensor) mask = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  SondeGraphValue *positive, *y;
  gint64 n = sonde_tensor_n_elements (mask);

  for (gint64 i = 0; i < n; i++)
    sonde_tensor_set_double (mask, i, 1);
  sonde_tensor_set_double (mask, draw (net, (guint) n), marks[kind]);
  positive = op (net, "Add", op (net, "Sigmoid", x, NULL, NULL), scalar (net, 1), NULL);
  y = op (net, "Mul", positive, sonde_build_constant (net->graph, NULL, mask), NULL);
  switch (kind)
    {
    case 0:
      y = op (net, "Log", y, NULL, NULL);
      break;
    case 1: /* the first bad one is the overflow */
      y = op (net, "Mul", y, scalar (net, 10), NULL);
      net->culprit = g_strdup (y->producer->name);
      return op (net, "Sub", y, y, NULL);
    case 2:
      y = op (net, "Exp", y, NULL, NULL);
      break;
    case 3:
      y = op (net, "Div", y, y, NULL);
      break;
    default:
      y = op (net, "Sqrt", y, NULL, NULL);
      break;
    }
  net->culprit = g_strdup (y->producer->name);
  return y;
}

static void
net_init (Net *net, guint64 seed)
{
  const SondeShape shape = sonde_shape_make (3, 2, 4, 6);
  const SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  guint n_nodes, where, kind;

  *net = (Net){ .seed = seed, .graph = sonde_graph_new ("net"), .values = g_ptr_array_new () };
  sonde_graph_set_opset (net->graph, "", 20);
  g_ptr_array_add (net->values, sonde_graph_add_input (net->graph, "x", &type));
  n_nodes = 6 + draw (net, 20);
  where = draw (net, n_nodes);
  kind = (guint) (seed % G_N_ELEMENTS (faults));
  for (guint i = 0; i < n_nodes; i++)
    {
      const guint back = 1 + draw (net, MIN (net->values->len, 3));
      SondeGraphValue *x = g_ptr_array_index (net->values, net->values->len - back);
      SondeGraphValue *y = i == where ? add_fault (net, x, kind) : grow (net, x);
      SondeShape is = shape_of (y);

      g_assert_true (sonde_shape_equal (&is, &shape));
      g_ptr_array_add (net->values, y);
    }
  for (guint i = 1; i < net->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (net->values, i);

      if (value->users->len == 0)
        sonde_graph_add_output (net->graph, value);
    }
}

static void
net_clear (Net *net)
{
  sonde_graph_unref (net->graph);
  g_ptr_array_unref (net->values);
  g_free (net->culprit);
}

/* ---- running ------------------------------------------------------------- */

typedef struct
{
  SondeGraph *graph;
  SondeDevice *device;
  SondePlan *plan;
  SondeExecution *execution;
} Run;

static void
run_init (Run *run, SondeGraph *original, const char *device, SondeMemoryMode memory,
          gboolean no_fusion)
{
  const SondePlanOptions options = { .memory = memory, .no_fusion = no_fusion };
  g_autoptr (GError) error = NULL;

  run->graph = sonde_prepare_inference (original, &error);
  g_assert_no_error (error);
  run->device = sonde_device_open (device, 1, &error);
  g_assert_no_error (error);
  run->plan = sonde_plan_new (run->graph, run->device, &options, &error);
  g_assert_no_error (error);
  run->execution = sonde_execution_new (run->plan, &error);
  g_assert_no_error (error);
  for (guint k = 0; k < run->graph->inputs->len; k++)
    {
      const SondeGraphValue *input = g_ptr_array_index (run->graph->inputs, k);
      SondeShape shape = shape_of (input);
      g_autoptr (SondeTensor) tensor = random_f32 (&shape, 1, 7 + k);

      if (input->constant != NULL)
        continue;
      sonde_execution_set_input (run->execution, input->name, tensor, &error);
      g_assert_no_error (error);
    }
}

static void
run_all (Run *run)
{
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (sonde_execution_run (run->execution, &error), ==, SONDE_RUN_DONE);
  g_assert_no_error (error);
}

static void
run_clear (Run *run)
{
  sonde_execution_free (run->execution);
  sonde_plan_unref (run->plan);
  sonde_device_unref (run->device);
  sonde_graph_unref (run->graph);
}

static gboolean
is_bad (Run *run, SondeGraphValue *value)
{
  g_autoptr (SondeTensor) tensor = sonde_execution_read (run->execution, value, NULL);

  for (gint64 i = 0; tensor != NULL && i < sonde_tensor_n_elements (tensor); i++)
    if (!isfinite (sonde_tensor_get_double (tensor, i)))
      return TRUE;
  return FALSE;
}

/* Links follow one another, numbers are bad. */
static void
check_chain (const SondeOrigin *origin, const char *asked)
{
  const SondeOriginLink *first = g_ptr_array_index (origin->chain, 0);

  g_assert_cmpstr (first->value, ==, asked);
  for (guint i = 0; i < origin->chain->len; i++)
    g_assert_false (isfinite (((SondeOriginLink *) g_ptr_array_index (origin->chain, i))->number));
  g_assert_nonnull (origin->cause);
}

/* Every bad value of it leads to the fault. Returns: how many there are */
static guint
check_net (guint64 seed, const char *device, SondeMemoryMode memory, gboolean no_fusion)
{
  Net net;
  Run run;
  guint n = 0;

  net_init (&net, seed);
  run_init (&run, net.graph, device, memory, no_fusion);
  run_all (&run);
  for (guint i = 0; i < run.graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (run.graph->values, i);
      g_autoptr (SondeOrigin) origin = NULL;
      g_autoptr (GError) error = NULL;

      if (value == NULL || !is_bad (&run, value))
        continue;
      n++;
      if (n > 4 && i + 2 < run.graph->values->len && draw (&net, 4) != 0)
        continue; /* some of them */
      origin = sonde_origin_find (run.execution, net.graph, value, NULL, &error);
      g_assert_no_error (error);
      check_chain (origin, value->name);
      if (g_strcmp0 (origin->first_bad_node, net.culprit) != 0)
        g_error ("net %d (%s): the origin of “%s” is “%s” (%s), but it should be “%s”", (int) seed,
                 faults[seed % G_N_ELEMENTS (faults)], value->name, origin->first_bad_node,
                 sonde_message_get_english (origin->cause), net.culprit);
    }
  g_assert_cmpuint (n, >, 0);
  run_clear (&run);
  net_clear (&net);
  return n;
}

static guint
count_nets (void)
{
  const char *wanted = g_getenv ("SONDE_ORIGIN_NETS");

  return wanted != NULL ? (guint) MAX (atoi (wanted), 1) : DEFAULT_NETS;
}

static void
test_random_networks (void)
{
  const guint n = count_nets ();
  guint values = 0;

  for (guint seed = 0; seed < n; seed++)
    values += check_net (seed, "cpu", SONDE_MEMORY_KEEP, seed % 3 == 0);
  g_test_message ("%u networks, %u bad values", n, values);
}

/* What is gone is computed again; what is fused is looked into. */
static void
test_planned_memory (void)
{
  for (guint seed = 1000; seed < 1030; seed++)
    check_net (seed, "cpu", SONDE_MEMORY_PLAN, FALSE);
  for (guint seed = 1100; seed < 1110; seed++)
    check_net (seed, "reference", SONDE_MEMORY_KEEP, TRUE);
}

/* ---- small graphs -------------------------------------------------------- */

static const SondeOriginLink *
last_link (const SondeOrigin *origin)
{
  return g_ptr_array_index (origin->chain, origin->chain->len - 1);
}

static void
small_init (Net *net, int n)
{
  const SondeShape shape = sonde_shape_make (1, n);
  const SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);

  *net = (Net){ .seed = 1, .graph = sonde_graph_new ("small"), .values = g_ptr_array_new () };
  sonde_graph_set_opset (net->graph, "", 20);
  g_ptr_array_add (net->values, sonde_graph_add_input (net->graph, "x", &type));
}

static SondeGraphValue *
numbers (Net *net, const char *name, int n, const double *from)
{
  const SondeShape shape = sonde_shape_make (1, n);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  for (int i = 0; i < n; i++)
    sonde_tensor_set_double (tensor, i, from[i]);
  return sonde_build_constant (net->graph, name, tensor);
}

static SondeGraphValue *
named (Net *net, const char *name, SondeGraphValue *value)
{
  g_assert_true (sonde_graph_rename_node (net->graph, value->producer, name));
  g_assert_true (sonde_graph_rename_value (net->graph, value, name));
  return value;
}

static SondeOrigin *
ask (Run *run, SondeGraph *original, const char *value, const char *index)
{
  g_autoptr (GError) error = NULL;
  SondeOrigin *origin = sonde_origin_find (
      run->execution, original, sonde_graph_find_value (run->graph, value), index, &error);

  g_assert_no_error (error);
  return origin;
}

/* 0·x + @n numbers: nothing to fold. */
static SondeGraphValue *
live (Net *net, int n, const double *from)
{
  SondeGraphValue *zero = op (net, "Mul", net->values->pdata[0], scalar (net, 0), NULL);

  return op (net, "Add", zero, numbers (net, NULL, n, from), NULL);
}

/* Earlier bad elements that a comparison or a division takes away are not the origin. */
static void
test_masks (void)
{
  static const char *const asked[] = { "max", "quotient", "softmax", "chosen", "summed" };
  Net net;
  Run run;
  SondeGraphValue *low, *nan, *scores;

  small_init (&net, 4);
  low = named (&net, "low",
               op (&net, "Log", live (&net, 4, (const double[]){ 0, 1, 0, 1 }), NULL, NULL));
  nan = named (&net, "nan",
               op (&net, "Sqrt", live (&net, 4, (const double[]){ 1, 1, -1, 1 }), NULL, NULL));
  sonde_graph_add_output (net.graph, named (&net, "max", op (&net, "Max", low, nan, NULL)));
  sonde_graph_add_output (net.graph, named (&net, "quotient", op (&net, "Div", nan, low, NULL)));
  scores = op (&net, "Add", nan,
               numbers (&net, "mask", 4, (const double[]){ -INFINITY, 0, 0, -INFINITY }), NULL);
  sonde_graph_add_output (net.graph,
                          named (&net, "softmax", op (&net, "Softmax", scores, NULL, NULL)));
  sonde_graph_add_output (
      net.graph,
      named (&net, "chosen",
             op (&net, "Where", op (&net, "Greater", low, scalar (&net, -1), NULL), low, nan)));
  sonde_graph_add_output (
      net.graph,
      named (&net, "summed", op (&net, "ReduceSum", op (&net, "Max", low, nan, NULL), NULL, NULL)));
  run_init (&run, net.graph, "cpu", SONDE_MEMORY_KEEP, TRUE);
  run_all (&run);
  for (gsize i = 0; i < G_N_ELEMENTS (asked); i++)
    {
      g_autoptr (SondeOrigin) origin = ask (&run, net.graph, asked[i], i < 4 ? "2" : NULL);

      g_assert_cmpstr (origin->first_bad_node, ==, "nan");
      g_assert_cmpint (last_link (origin)->element, ==, 2);
      g_assert_true (g_str_has_prefix (sonde_message_get_english (origin->cause),
                                       "square root of a negative number at "));
      g_assert_cmpfloat (origin->cause_number, ==, -1);
      g_assert_cmpint (origin->cause_element, ==, 2);
    }
  run_clear (&run);
  net_clear (&net);
}

static void
test_causes (void)
{
  static const struct
  {
    const char *op;
    double a, b;
    const char *cause;
  } causes[] = {
    { "Log", 0, NAN, "log of 0 at a[1] = 0" },
    { "Log", -2, NAN, "log of a negative number at a[1] = -2" },
    { "Reciprocal", 0, NAN, "1/0 at a[1] = 0" },
    { "Exp", 200, NAN, "Exp overflows float32 at a[1] = 200" },
    { "Div", 0, 0, "0/0 at b[1] = 0" },
    { "Div", 3, 0, "division by 0 at b[1] = 0" },
    { "Pow", -8, 0.5, "a negative number to a fractional power at a[1] = -8" },
    { "Pow", 0, -1, "0 to a negative power at a[1] = 0" },
    { "Mul", 1e30, 1e20, "Mul of 2 numbers overflows float32; the largest is a[1] = 1e+30" },
    { "Acos", 2, NAN, "acos of a number beyond 1 at a[1] = 2" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (causes); i++)
    {
      SondeGraphValue *a, *b;
      Net net;
      Run run;

      small_init (&net, 3);
      a = named (&net, "a", live (&net, 3, (const double[]){ 1, causes[i].a, 1 }));
      b = isnan (causes[i].b)
              ? NULL
              : named (&net, "b", live (&net, 3, (const double[]){ 1, causes[i].b, 1 }));
      sonde_graph_add_output (net.graph, named (&net, "y", op (&net, causes[i].op, a, b, NULL)));
      run_init (&run, net.graph, "cpu", SONDE_MEMORY_KEEP, FALSE);
      run_all (&run);
      {
        g_autoptr (SondeOrigin) origin = ask (&run, net.graph, "y", "1");

        g_assert_cmpstr (origin->first_bad_node, ==, "y");
        g_assert_cmpstr (origin->executed_node, ==, "y");
        g_assert_cmpstr (sonde_message_get_english (origin->cause), ==, causes[i].cause);
        g_assert_cmpuint (origin->chain->len, ==, 1);
      }
      run_clear (&run);
      net_clear (&net);
    }
}

/* What was bad before the run: no node is to blame. */
static void
test_sources (void)
{
  g_autoptr (GError) error = NULL;
  const SondeShape shape = sonde_shape_make (1, 3);
  g_autoptr (SondeTensor) bad = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  g_autoptr (SondeOrigin) origin = NULL, second = NULL, third = NULL;
  Net net;
  Run run;
  SondeGraphValue *y;

  small_init (&net, 3);
  y = op (&net, "Relu", net.values->pdata[0], NULL, NULL);
  y = named (&net, "moved", op (&net, "Gather", y, ints (&net, 3, 2, 1, 0), NULL));
  sonde_graph_add_output (net.graph, y);
  y = op (&net, "Add", op (&net, "Tanh", net.values->pdata[0], NULL, NULL),
          numbers (&net, "c", 3, (const double[]){ 1, 2, -INFINITY }), NULL);
  sonde_graph_add_output (net.graph, named (&net, "added", y));
  sonde_graph_add_output (
      net.graph,
      named (&net, "folded",
             op (&net, "Mul", net.values->pdata[0],
                 named (&net, "inner",
                        op (&net, "Log", numbers (&net, "zeros", 3, (const double[]){ 1, 0, 1 }),
                            NULL, NULL)),
                 NULL)));
  run_init (&run, net.graph, "cpu", SONDE_MEMORY_KEEP, FALSE);
  sonde_tensor_set_double (bad, 0, INFINITY);
  sonde_tensor_set_double (bad, 1, 1);
  sonde_tensor_set_double (bad, 2, 1);
  sonde_execution_set_input (run.execution, "x", bad, &error);
  g_assert_no_error (error);
  run_all (&run);
  origin = ask (&run, net.graph, "moved", "-1");
  g_assert_null (origin->first_bad_node);
  g_assert_cmpstr (sonde_message_get_english (origin->cause), ==, "the input x holds inf at [0]");
  g_assert_cmpuint (origin->chain->len, ==, 3);
  g_assert_null (last_link (origin)->node);
  second = ask (&run, net.graph, "added", NULL);
  g_assert_null (second->first_bad_node);
  g_assert_cmpstr (sonde_message_get_english (second->cause), ==,
                   "the constant c holds -inf at [2]");
  third = ask (&run, net.graph, "folded", "1");
  g_assert_cmpstr (third->first_bad_node, ==, "inner");
  g_assert_null (third->executed_node);
  g_assert_cmpstr (sonde_message_get_english (third->cause), ==, "log of 0 at zeros[1] = 0");

  g_assert_null (sonde_origin_find (run.execution, net.graph,
                                    sonde_graph_find_value (run.graph, "moved"), "0", &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE);
  g_clear_error (&error);
  g_assert_null (sonde_origin_find (run.execution, net.graph,
                                    sonde_graph_find_value (run.graph, "moved"), "3", &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID);
  g_clear_error (&error);
  g_assert_null (sonde_origin_find (run.execution, net.graph,
                                    sonde_graph_find_value (run.graph, "moved"), "0, 0", &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID);
  run_clear (&run);
  net_clear (&net);
}

/* ---- training ------------------------------------------------------------ */

/* sqrt (w·x + 0.5) is good, its gradient at 0 is not; then w is bad, and an earlier step made
 * it. */
static void
test_backward (void)
{
  g_autoptr (SondeOrigin) gradient = NULL, update = NULL, later = NULL;
  g_autoptr (SondeTensor) x = NULL, rate = sonde_tensor_new_f32 (0.1f);
  g_autoptr (GError) error = NULL;
  const SondeShape shape = sonde_shape_make (1, 3);
  g_autoptr (SondeTensor) start = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  const SondePlanOptions options = { .memory = SONDE_MEMORY_KEEP };
  SondeType scalar_type = sonde_type_tensor (SONDE_DTYPE_F32, &rate->shape);
  SondeGraphValue *w, *y, *loss, *grad, *inputs[4];
  SondeNode *node;
  Net net;
  Run run;

  small_init (&net, 3);
  w = sonde_graph_add_initialiser (net.graph, "w", start, SONDE_ROLE_PARAMETER);
  for (int i = 0; i < 3; i++)
    sonde_tensor_set_double (start, i, i == 1 ? 0 : 1);
  y = op (&net, "Sqrt", op (&net, "Mul", w, net.values->pdata[0], NULL), NULL, NULL);
  loss = named (&net, "loss", op (&net, "ReduceSum", y, NULL, NULL));
  sonde_graph_add_output (net.graph, loss);
  sonde_pass_gradient (net.graph, loss, NULL, &w, 1, &grad, &error);
  g_assert_no_error (error);
  inputs[0] = w;
  inputs[1] = grad;
  inputs[2] = NULL;
  inputs[3] = sonde_graph_add_input (net.graph, "rate", &scalar_type);
  node = sonde_graph_add_node (net.graph, "update", "sonde", "SgdUpdate", inputs, 4, 1);
  node->phase = SONDE_PHASE_OPTIMISER;
  g_assert_true (sonde_build_infer (net.graph, node, &error));
  sonde_node_get_output (node, 0)->update_of = w;
  g_assert_true (sonde_graph_rename_value (net.graph, sonde_node_get_output (node, 0), "w'"));

  run.graph = sonde_graph_ref (net.graph);
  run.device = sonde_device_open ("cpu", 1, &error);
  run.plan = sonde_plan_new (run.graph, run.device, &options, &error);
  g_assert_no_error (error);
  run.execution = sonde_execution_new (run.plan, &error);
  x = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  for (int i = 0; i < 3; i++)
    sonde_tensor_set_double (x, i, 1);
  sonde_execution_set_input (run.execution, "x", x, &error);
  sonde_execution_set_input (run.execution, "rate", rate, &error);
  g_assert_no_error (error);
  run_all (&run);

  gradient = ask (&run, NULL, "grad(w)", NULL);
  g_assert_nonnull (gradient->first_bad_node);
  g_assert_cmpint (last_link (gradient)->phase, ==, SONDE_PHASE_BACKWARD);
  g_assert_cmpint (last_link (gradient)->element, ==, 1);
  update = ask (&run, NULL, "w", "1"); /* what the run left in it */
  g_assert_cmpstr (((SondeOriginLink *) update->chain->pdata[0])->node, ==, "update");
  g_assert_cmpstr (update->first_bad_node, ==, gradient->first_bad_node);

  sonde_execution_set_input (run.execution, "x", x, &error);
  g_assert_cmpint (
      sonde_execution_run_to (run.execution,
                              (guint) sonde_plan_find_step (run.plan, loss->producer) + 1, &error),
      ==, SONDE_RUN_PAUSED);
  later = ask (&run, NULL, "loss", "");
  g_assert_null (later->first_bad_node);
  g_assert_nonnull (strstr (sonde_message_get_english (later->cause), "the parameter w holds"));
  g_assert_nonnull (strstr (sonde_message_get_english (later->cause), "earlier step"));
  sonde_execution_abandon (run.execution);
  run_clear (&run);
  net_clear (&net);
}

/* ---- bodies -------------------------------------------------------------- */

static SondeGraph *
body_of (SondeGraph *parent, gboolean loop)
{
  SondeGraph *body = sonde_graph_new_subgraph (parent, "body");
  const SondeShape shape = sonde_shape_make (1, 3), one = sonde_shape_scalar ();
  const SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape),
                  number = sonde_type_tensor (SONDE_DTYPE_I64, &one),
                  truth = sonde_type_tensor (SONDE_DTYPE_BOOL, &one);

  if (loop)
    {
      sonde_graph_add_input (body, "i", &number);
      sonde_graph_add_output (body, sonde_graph_add_input (body, "going", &truth));
    }
  sonde_graph_add_input (body, "a", &type);
  return body;
}

/* a ← log (a): 3, 1.1, 0.09, -2.4, nan, nan */
static void
test_loop (void)
{
  g_autoptr (SondeOrigin) last = NULL, middle = NULL;
  g_autoptr (SondeReduction) small = NULL;
  g_autoptr (GError) error = NULL;
  SondeGraphValue *inputs[3], *b;
  SondeGraph *body;
  SondeNode *node;
  Net net;
  Run run;

  small_init (&net, 3);
  body = body_of (net.graph, TRUE);
  b = sonde_build_op (body, "log", "", "Log", 1,
                      (SondeGraphValue *[]){ sonde_graph_find_value (body, "a") });
  sonde_graph_add_output (body, b);
  sonde_graph_add_output (body, sonde_build_op (body, "shown", "", "Neg", 1, &b));
  inputs[0] = sonde_build_scalar (net.graph, SONDE_DTYPE_I64, 6);
  inputs[1] = NULL;
  inputs[2] = live (&net, 3, (const double[]){ 1e9, 3, 1e9 });
  node = sonde_graph_add_node (net.graph, "loop", "", "Loop", inputs, 3, 2);
  sonde_node_take_graph (node, "body", body);
  sonde_graph_rename_value (net.graph, sonde_node_get_output (node, 0), "y");
  sonde_graph_rename_value (net.graph, sonde_node_get_output (node, 1), "all");
  sonde_graph_add_output (net.graph, sonde_node_get_output (node, 0));
  sonde_graph_add_output (net.graph, sonde_node_get_output (node, 1));
  run_init (&run, net.graph, "cpu", SONDE_MEMORY_KEEP, FALSE);
  run_all (&run);
  last = ask (&run, net.graph, "y", "1");
  g_assert_cmpstr (last->first_bad_node, ==, "log");
  g_assert_cmpint (last_link (last)->iteration, ==, 3);
  g_assert_true (g_str_has_prefix (sonde_message_get_english (last->cause),
                                   "log of a negative number at a[1] = "));
  middle = ask (&run, net.graph, "all", "5, 1");
  g_assert_cmpstr (middle->first_bad_node, ==, "log");
  g_assert_cmpint (last_link (middle)->iteration, ==, 3);
  g_assert_cmpint (last_link (middle)->element, ==, 1);
  g_assert_cmpstr (middle->executed_node, ==, "loop");
  small = sonde_reduce (run.execution, net.graph, middle->executed_node, FALSE, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (small->n_nodes, ==, 1);
  run_clear (&run);
  net_clear (&net);
}

/* a ← a + row; out sqrt (a); rows come last first. */
static void
test_scan (void)
{
  static const double rows[] = { 1, 1, 1, 1, 1, -9, 2, 2, 2 };
  g_autoptr (SondeOrigin) origin = NULL;
  const SondeShape shape = sonde_shape_make (2, 3, 3), row = sonde_shape_make (1, 3);
  const SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &row);
  SondeGraphValue *inputs[2], *sum;
  SondeGraph *body;
  SondeNode *node;
  Net net;
  Run run;
  g_autoptr (SondeTensor) table = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  small_init (&net, 3);
  body = body_of (net.graph, FALSE);
  inputs[0] = sonde_graph_find_value (body, "a");
  inputs[1] = sonde_graph_add_input (body, "row", &type);
  sum = sonde_build_op (body, "sum", "", "Add", 2, inputs);
  sonde_graph_add_output (body, sum);
  sonde_graph_add_output (body, sonde_build_op (body, "root", "", "Sqrt", 1, &sum));
  for (int i = 0; i < 9; i++)
    sonde_tensor_set_double (table, i, rows[i]);
  inputs[0] = live (&net, 3, (const double[]){ 0, 0, 0 });
  inputs[1] = sonde_build_constant (net.graph, "table", table);
  node = sonde_graph_add_node (net.graph, "scan", "", "Scan", inputs, 2, 2);
  sonde_node_set_int (node, "num_scan_inputs", 1);
  sonde_node_set_ints (node, "scan_input_directions", (const gint64[]){ 1 }, 1);
  sonde_node_set_ints (node, "scan_output_axes", (const gint64[]){ 1 }, 1);
  sonde_node_take_graph (node, "body", body);
  sonde_graph_rename_value (net.graph, sonde_node_get_output (node, 1), "roots");
  sonde_graph_add_output (net.graph, sonde_node_get_output (node, 1));
  run_init (&run, net.graph, "cpu", SONDE_MEMORY_KEEP, FALSE);
  run_all (&run);
  origin = ask (&run, net.graph, "roots", "2, 1");
  g_assert_cmpstr (origin->first_bad_node, ==, "root");
  g_assert_cmpint (last_link (origin)->iteration, ==, 1);
  g_assert_cmpint (last_link (origin)->element, ==, 2);
  g_assert_cmpfloat (origin->cause_number, ==, -7);
  run_clear (&run);
  net_clear (&net);
}

/* A branch reads what it captures; a sequence carries it on. */
static void
test_branch_and_sequence (void)
{
  g_autoptr (SondeOrigin) inside = NULL, outside = NULL;
  SondeGraphValue *capture, *condition, *items[2], *inputs[2], *y;
  SondeGraph *branches[2];
  SondeNode *node;
  Net net;
  Run run;

  small_init (&net, 3);
  named (&net, "bad", op (&net, "Log", live (&net, 3, (const double[]){ 1, 0, 1 }), NULL, NULL));
  condition
      = op (&net, "Greater",
            op (&net, "ReduceSum", op (&net, "Abs", net.values->pdata[0], NULL, NULL), NULL, NULL),
            scalar (&net, 0), NULL);
  node = sonde_graph_add_node (net.graph, "if", "", "If", &condition, 1, 1);
  for (int k = 0; k < 2; k++)
    {
      branches[k] = sonde_graph_new_subgraph (net.graph, k == 0 ? "then" : "else");
      capture = sonde_graph_capture_value (branches[k], k == 0 ? "bad" : "x");
      sonde_graph_add_output (branches[k], sonde_build_op (branches[k], k == 0 ? "half" : "other",
                                                           "", "Neg", 1, &capture));
      sonde_node_take_graph (node, k == 0 ? "then_branch" : "else_branch", branches[k]);
    }
  y = sonde_node_get_output (node, 0);
  sonde_graph_rename_value (net.graph, y, "y");
  sonde_graph_add_output (net.graph, y);
  items[0] = net.values->pdata[0];
  items[1] = y;
  inputs[0] = sonde_build_op (net.graph, "items", "", "SequenceConstruct", 2, items);
  inputs[1] = sonde_build_scalar (net.graph, SONDE_DTYPE_I64, 1);
  y = named (&net, "taken", sonde_build_op (net.graph, NULL, "", "SequenceAt", 2, inputs));
  sonde_graph_add_output (net.graph, y);
  run_init (&run, net.graph, "cpu", SONDE_MEMORY_KEEP, FALSE);
  run_all (&run);
  inside = ask (&run, net.graph, "y", NULL);
  g_assert_cmpstr (inside->first_bad_node, ==, "bad");
  g_assert_cmpuint (inside->chain->len, ==, 3); /* if, half, bad */
  outside = ask (&run, net.graph, "taken", NULL);
  g_assert_cmpstr (outside->first_bad_node, ==, "bad");
  run_clear (&run);
  net_clear (&net);
}

/* ---- reducing ------------------------------------------------------------ */

/* What is cut out of a random network is its fault, alone; it fails as a model of its own. */
static void
test_reduce (void)
{
  for (guint seed = 2000; seed < 2060; seed++)
    {
      g_autoptr (SondeReduction) reduction = NULL;
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeTensor) result = NULL;
      gboolean bad = FALSE;
      Net net;
      Run run, small;

      net_init (&net, seed);
      run_init (&run, net.graph, "cpu", SONDE_MEMORY_KEEP, TRUE);
      run_all (&run);
      reduction = sonde_reduce (run.execution, seed % 2 == 0 ? net.graph : NULL, net.culprit, FALSE,
                                &error);
      g_assert_no_error (error);
      g_assert_cmpuint (reduction->n_nodes, ==, 1);
      g_assert_cmpstr (reduction->node, ==, net.culprit);
      run_init (&small, reduction->graph, "cpu", SONDE_MEMORY_KEEP, TRUE);
      for (guint k = 0; k < reduction->inputs->len; k++)
        {
          const SondeReducedInput *input = g_ptr_array_index (reduction->inputs, k);

          sonde_execution_set_input (small.execution, input->name, input->tensor, &error);
          g_assert_no_error (error);
        }
      run_all (&small);
      result = sonde_execution_read (small.execution, small.graph->outputs->pdata[0], &error);
      g_assert_no_error (error);
      for (gint64 i = 0; i < sonde_tensor_n_elements (result); i++)
        bad |= !isfinite (sonde_tensor_get_double (result, i));
      g_assert_true (bad);
      run_clear (&small);
      run_clear (&run);
      net_clear (&net);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/debug/origin/random-networks", test_random_networks);
  g_test_add_func ("/engine/debug/origin/planned-memory", test_planned_memory);
  g_test_add_func ("/engine/debug/origin/masks", test_masks);
  g_test_add_func ("/engine/debug/origin/causes", test_causes);
  g_test_add_func ("/engine/debug/origin/sources", test_sources);
  g_test_add_func ("/engine/debug/origin/backward", test_backward);
  g_test_add_func ("/engine/debug/origin/loop", test_loop);
  g_test_add_func ("/engine/debug/origin/scan", test_scan);
  g_test_add_func ("/engine/debug/origin/branch-and-sequence", test_branch_and_sequence);
  g_test_add_func ("/engine/debug/origin/reduce", test_reduce);
  return g_test_run ();
}
