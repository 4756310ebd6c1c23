/* SPDX-License-Identifier: Apache-2.0
 * Fuzz target for what runs: bytes are choices, from which a small network grows; what the cpu device makes of it,
 * planned, fused, in its layouts, must agree with the plain kernels in double, node by node. With libFuzzer, the
 * entry is used; built alone, it replays files given as arguments, or, without any, networks from a fixed seed. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "data/base/sonde-random.h"
#include "engine/ops/sonde-build.h"
#include "engine/plan/sonde-execution.h"
#include "tests/support/sonde-test-gradient.h"
#include "tests/support/sonde-test-tensor.h"

#define MOST_NODES 14
#define MOST_ELEMENTS 4096
#define LARGEST 1e4 /* of a value that is compared */
#define TOLERANCE 1e-3

int LLVMFuzzerTestOneInput (const uint8_t *data,
                            size_t         size);

/* ---- choices ---------------------------------------------------------------------------------- */

typedef struct
{
  const uint8_t *data;
  size_t size, used;
} Choices;

/* 0 when there are no bytes left. */
static guint
choose (Choices *choices,
        guint    n)
{
  return choices->used < choices->size ? choices->data[choices->used++] % n : 0;
}

typedef struct
{
  Choices choices;
  SondeGraph *graph;
  GPtrArray *values; /* that a node may read */
  guint64 seed;
} Grower;

static SondeGraphValue *
choose_value (Grower *grower)
{
  /* the newer, the likelier */
  guint n = grower->values->len, reach = 1 + choose (&grower->choices, 8);

  return grower->values->pdata[n - 1 - choose (&grower->choices, MIN (n, reach))];
}

static SondeGraphValue *
random_constant (Grower           *grower,
                 const SondeShape *shape,
                 double            low,
                 double            high)
{
  g_autoptr (SondeTensor) tensor = sonde_test_tensor_random (SONDE_DTYPE_F32, shape, ++grower->seed, low, high);

  return sonde_build_constant (grower->graph, NULL, tensor);
}

static SondeShape
shape_of (const SondeGraphValue *value)
{
  SondeShape shape = sonde_shape_scalar ();

  (void) sonde_type_get_shape (&value->type, &shape);
  return shape;
}

/* ---- operators -------------------------------------------------------------------------------- */

/* Each makes a node, whose types may turn out not to fit: then it is taken away again. NULL: not even that. */
typedef SondeGraphValue *(*Grow) (Grower *grower, SondeGraphValue *x);

static SondeGraphValue *
grow_unary (Grower          *grower,
            SondeGraphValue *x)
{
  static const char *const ops[] = { "Relu", "Neg", "Abs", "Tanh", "Sigmoid", "Softplus", "Erf", "HardSwish", "LeakyRelu",
                                     "Elu", "Identity", "HardSigmoid", "Softsign", "Gelu", "Clip", "Mish" };

  return sonde_build_unary (grower->graph, ops[choose (&grower->choices, G_N_ELEMENTS (ops))], x);
}

static SondeGraphValue *
grow_binary (Grower          *grower,
             SondeGraphValue *x)
{
  static const char *const ops[] = { "Add", "Sub", "Mul", "Max", "Min", "Sum", "Mean" };
  SondeGraphValue *y = choose_value (grower);

  if (choose (&grower->choices, 3) == 0)
    {
      SondeShape shape = shape_of (x);

      shape = sonde_shape_make (1, shape.rank > 0 ? shape.dims[shape.rank - 1] : 1);
      y = random_constant (grower, &shape, -1, 1);
    }
  return sonde_build_binary (grower->graph, ops[choose (&grower->choices, G_N_ELEMENTS (ops))], x, y);
}

static SondeGraphValue *
grow_product (Grower          *grower,
              SondeGraphValue *x)
{
  SondeShape shape = shape_of (x);
  gboolean gemm = choose (&grower->choices, 2) == 1;
  SondeGraphValue *y = NULL;

  if (shape.rank < 2)
    return NULL;
  shape = sonde_shape_make (2, shape.dims[shape.rank - 1], 1 + choose (&grower->choices, 9));
  y = choose (&grower->choices, 4) == 0 ? choose_value (grower) : random_constant (grower, &shape, -0.5, 0.5);
  return sonde_build_binary (grower->graph, gemm ? "Gemm" : "MatMul", x, y);
}

static SondeGraphValue *
grow_transpose (Grower          *grower,
                SondeGraphValue *x)
{
  SondeGraphValue *y = sonde_build_unary (grower->graph, "Transpose", x);
  SondeShape shape = shape_of (x);
  gint64 perm[SONDE_MAX_RANK];

  for (int d = 0; d < shape.rank; d++)
    perm[d] = d;
  for (int d = shape.rank - 1; d > 0; d--)
    {
      guint other = choose (&grower->choices, (guint) d + 1);
      gint64 kept = perm[d];

      perm[d] = perm[other];
      perm[other] = kept;
    }
  sonde_node_set_ints (y->producer, "perm", perm, (gsize) shape.rank);
  return y;
}

static SondeGraphValue *
grow_reshape (Grower          *grower,
              SondeGraphValue *x)
{
  static const gint64 forms[][3] = { { -1, 0, 0 }, { 1, -1, 0 }, { 2, -1, 1 }, { -1, 3, 1 }, { 4, -1, 2 } };
  guint form = choose (&grower->choices, G_N_ELEMENTS (forms));
  guint n = form < 1 ? 1 : form < 2 ? 2 : 3;

  return sonde_build_binary (grower->graph, "Reshape", x, sonde_build_ints (grower->graph, forms[form], n));
}

static SondeGraphValue *
grow_concat (Grower          *grower,
             SondeGraphValue *x)
{
  SondeGraphValue *y = sonde_build_binary (grower->graph, "Concat", x, choose (&grower->choices, 2) ? x : choose_value (grower));

  sonde_node_set_int (y->producer, "axis", choose (&grower->choices, 4));
  return y;
}

static SondeGraphValue *
grow_reduce (Grower          *grower,
             SondeGraphValue *x)
{
  static const char *const ops[] = { "ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin" };
  gint64 axis = choose (&grower->choices, 4);
  SondeGraphValue *y = sonde_build_binary (grower->graph, ops[choose (&grower->choices, G_N_ELEMENTS (ops))], x,
                                           sonde_build_ints (grower->graph, &axis, 1));

  sonde_node_set_int (y->producer, "keepdims", choose (&grower->choices, 2));
  return y;
}

static SondeGraphValue *
grow_softmax (Grower          *grower,
              SondeGraphValue *x)
{
  SondeGraphValue *y = sonde_build_unary (grower->graph, choose (&grower->choices, 2) ? "Softmax" : "LogSoftmax", x);

  sonde_node_set_int (y->producer, "axis", (gint64) choose (&grower->choices, 4) - 1);
  return y;
}

static SondeGraphValue *
grow_slice (Grower          *grower,
            SondeGraphValue *x)
{
  gint64 start = (gint64) choose (&grower->choices, 5) - 2, end = (gint64) choose (&grower->choices, 9) - 1;
  gint64 axis = choose (&grower->choices, 3), step = choose (&grower->choices, 3) == 0 ? -1 : 1;
  SondeGraphValue *inputs[] = {
    x, sonde_build_ints (grower->graph, &start, 1), sonde_build_ints (grower->graph, &end, 1),
    sonde_build_ints (grower->graph, &axis, 1), sonde_build_ints (grower->graph, &step, 1),
  };

  return sonde_build_op (grower->graph, NULL, "", "Slice", G_N_ELEMENTS (inputs), inputs);
}

static SondeGraphValue *
grow_gather (Grower          *grower,
             SondeGraphValue *x)
{
  gint64 indices[3];
  SondeGraphValue *y = NULL;

  for (int i = 0; i < 3; i++)
    indices[i] = (gint64) choose (&grower->choices, 3) - 1;
  y = sonde_build_binary (grower->graph, "Gather", x, sonde_build_ints (grower->graph, indices, 3));
  sonde_node_set_int (y->producer, "axis", choose (&grower->choices, 3));
  return y;
}

static SondeGraphValue *
grow_conv (Grower          *grower,
           SondeGraphValue *x)
{
  SondeShape shape = shape_of (x), w = shape, b = sonde_shape_make (1, 1 + choose (&grower->choices, 17));
  gint64 pads[2 * SONDE_MAX_RANK] = { 0 }, strides[SONDE_MAX_RANK];
  gboolean depthwise = choose (&grower->choices, 4) == 0;
  SondeGraphValue *inputs[3] = { x };
  SondeGraphValue *y = NULL;
  int n = shape.rank - 2;

  if (n < 1)
    return NULL;
  b.dims[0] = depthwise ? shape.dims[1] : b.dims[0];
  w.dims[0] = b.dims[0];
  w.dims[1] = depthwise ? 1 : shape.dims[1];
  for (int d = 0; d < n; d++)
    {
      w.dims[2 + d] = 1 + choose (&grower->choices, 3);
      strides[d] = 1 + choose (&grower->choices, 2);
      pads[d] = choose (&grower->choices, 2);
      pads[n + d] = choose (&grower->choices, 2);
    }
  inputs[1] = random_constant (grower, &w, -0.5, 0.5);
  inputs[2] = random_constant (grower, &b, -0.5, 0.5);
  y = sonde_build_op (grower->graph, NULL, "", "Conv", 2 + choose (&grower->choices, 2), inputs);
  sonde_node_set_ints (y->producer, "pads", pads, 2 * (gsize) n);
  sonde_node_set_ints (y->producer, "strides", strides, (gsize) n);
  sonde_node_set_int (y->producer, "group", depthwise ? shape.dims[1] : 1);
  return y;
}

static SondeGraphValue *
grow_pool (Grower          *grower,
           SondeGraphValue *x)
{
  static const char *const ops[] = { "MaxPool", "AveragePool", "GlobalAveragePool" };
  guint op = choose (&grower->choices, G_N_ELEMENTS (ops));
  SondeGraphValue *y = sonde_build_unary (grower->graph, ops[op], x);
  gint64 sizes[] = { 2, 1 + choose (&grower->choices, 2), 2 };
  int n = x->type.rank - 2;

  if (op < 2)
    {
      sonde_node_set_ints (y->producer, "kernel_shape", sizes, (gsize) CLAMP (n, 0, 3));
      sonde_node_set_ints (y->producer, "strides", sizes, (gsize) CLAMP (n, 0, 3));
    }
  return y;
}

static SondeGraphValue *
grow_norm (Grower          *grower,
           SondeGraphValue *x)
{
  SondeShape shape = shape_of (x);
  gboolean layer = choose (&grower->choices, 2) == 0;
  SondeGraphValue *inputs[5] = { x };

  if (shape.rank < 2)
    return NULL;
  shape = sonde_shape_make (1, shape.dims[layer ? shape.rank - 1 : 1]);
  for (int k = 1; k < 4; k++)
    inputs[k] = random_constant (grower, &shape, -0.5, 0.5);
  inputs[4] = random_constant (grower, &shape, 0.5, 1.5);
  return sonde_build_op (grower->graph, NULL, "", layer ? "LayerNormalization" : "BatchNormalization", layer ? 3 : 5, inputs);
}

static const Grow growers[] = {
  grow_unary, grow_unary, grow_binary, grow_binary, grow_product, grow_transpose, grow_reshape, grow_concat, grow_reduce,
  grow_softmax, grow_slice, grow_gather, grow_conv, grow_conv, grow_pool, grow_norm,
};

/* ---- the network ------------------------------------------------------------------------------ */

static gboolean
fits (const SondeGraphValue *value)
{
  SondeShape shape;
  gint64 n = value->type.kind == SONDE_VALUE_TENSOR && sonde_type_get_shape (&value->type, &shape)
               ? sonde_shape_n_elements (&shape)
               : -1;

  return n >= 0 && n <= MOST_ELEMENTS && value->type.dtype == SONDE_DTYPE_F32;
}

static void
grow_node (Grower *grower)
{
  SondeGraphValue *x = choose_value (grower);
  SondeGraphValue *y = growers[choose (&grower->choices, G_N_ELEMENTS (growers))](grower, x);

  if (y == NULL)
    return;
  if (sonde_build_infer (grower->graph, y->producer, NULL) && fits (y))
    g_ptr_array_add (grower->values, y);
  else
    sonde_graph_remove_node (grower->graph, y->producer);
}

static SondeGraph *
grow_network (const uint8_t *data,
              size_t         size)
{
  static const SondeShape inputs[] = {
    { 4, { 1, 3, 6, 6 } }, { 4, { 2, 16, 5, 4 } }, { 2, { 3, 5 } }, { 3, { 2, 4, 8 } }, { 1, { 7 } }, { 3, { 1, 8, 9 } },
  };
  g_autoptr (GPtrArray) values = g_ptr_array_new ();
  Grower grower = { { data, size, 0 }, sonde_graph_new ("grown"), values, 0 };
  guint n_inputs = 1 + choose (&grower.choices, 2), n_nodes = 1 + choose (&grower.choices, MOST_NODES);

  sonde_graph_set_opset (grower.graph, "", 28);
  for (guint i = 0; i < n_inputs; i++)
    {
      SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &inputs[choose (&grower.choices, G_N_ELEMENTS (inputs))]);

      g_ptr_array_add (values, sonde_graph_add_input (grower.graph, NULL, &type));
    }
  for (guint i = 0; i < n_nodes; i++)
    grow_node (&grower);
  for (guint i = n_inputs; i < values->len; i++)
    {
      SondeGraphValue *value = values->pdata[i];

      if (value->users->len == 0 || choose (&grower.choices, 8) == 0)
        sonde_graph_add_output (grower.graph, value);
    }
  return grower.graph;
}

/* ---- running ---------------------------------------------------------------------------------- */

static GHashTable *
wide_feeds (SondeGraph *graph)
{
  GHashTable *feeds = sonde_test_feeds_new ();

  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = graph->values->pdata[i];
      g_autoptr (SondeTensor) narrow = NULL, wide = NULL;

      if (value == NULL || value->type.dtype != SONDE_DTYPE_F32)
        continue;
      if (value->role == SONDE_ROLE_INPUT)
        {
          SondeShape shape = shape_of (value);

          narrow = sonde_test_tensor_random (SONDE_DTYPE_F32, &shape, 1000 + value->id, -1, 1);
        }
      else if (value->constant != NULL)
        narrow = sonde_tensor_ref (sonde_value_get_tensor (value->constant));
      if (narrow == NULL)
        continue;
      wide = sonde_tensor_cast (narrow, SONDE_DTYPE_F64);
      sonde_test_feeds_set (feeds, value->name, wide);
    }
  return feeds;
}

static void
compare (const SondeGraphValue *value,
         SondeTensor           *got,
         SondeTensor           *want)
{
  g_autoptr (SondeTensor) wide = sonde_tensor_cast (got, SONDE_DTYPE_F64);
  const double *a = (const double *) (const void *) wide->data, *b = (const double *) (const void *) want->data;
  gint64 n = sonde_tensor_n_elements (want);
  double largest = 1;

  g_assert_true (sonde_shape_equal (&wide->shape, &want->shape));
  for (gint64 i = 0; i < n; i++)
    largest = fmax (largest, fabs (b[i]));
  for (gint64 i = 0; i < n && largest < LARGEST; i++)
    if (!(fabs (a[i] - b[i]) <= TOLERANCE * largest) && !(a[i] == b[i]) && !(isnan (a[i]) && isnan (b[i])))
      g_error ("“%s” (%s): element %" G_GINT64_FORMAT " is %.9g, in double %.9g", value->name, value->producer->op, i, a[i],
               b[i]);
}

static void
run_planned (SondeGraph             *original,
             SondeDevice            *device,
             const SondePlanOptions *options,
             GHashTable             *feeds,
             GHashTable             *wanted)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = sonde_prepare_inference (original, &error);
  g_autoptr (SondePlan) plan = graph ? sonde_plan_new (graph, device, options, &error) : NULL;
  g_autoptr (SondeExecution) execution = plan ? sonde_execution_new (plan, &error) : NULL;

  g_assert_no_error (error);
  for (guint i = 0; i < graph->inputs->len; i++)
    {
      SondeGraphValue *input = graph->inputs->pdata[i];
      g_autoptr (SondeTensor) tensor = sonde_tensor_cast (g_hash_table_lookup (feeds, input->name), SONDE_DTYPE_F32);

      (void) sonde_execution_set_input (execution, input->name, tensor, &error);
      g_assert_no_error (error);
    }
  (void) sonde_execution_run (execution, &error);
  g_assert_no_error (error);
  for (guint k = 0; k < graph->outputs->len; k++)
    {
      g_autoptr (SondeTensor) got = sonde_execution_read (execution, graph->outputs->pdata[k], &error);

      g_assert_no_error (error);
      compare (original->outputs->pdata[k], got, g_hash_table_lookup (wanted, original->outputs->pdata[k]));
    }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data,
                        size_t         size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDevice) device = sonde_device_open ("cpu", 1, &error);
  g_autoptr (SondeGraph) graph = grow_network (data, size);
  g_autoptr (GHashTable) feeds = NULL, wanted = NULL;
  guint form = size > 0 ? data[size - 1] : 0;
  SondePlanOptions options = { form & 1 ? SONDE_MEMORY_KEEP : SONDE_MEMORY_PLAN, .no_fusion = (form & 6) == 6,
                               .plain_layouts = (form & 24) == 24 };

  g_assert_no_error (error);
  if (graph->outputs->len == 0)
    return 0;
  feeds = wide_feeds (graph);
  wanted = sonde_test_evaluate (graph, feeds, &error);
  g_assert_no_error (error);
  run_planned (graph, device, &options, feeds, wanted);
  return 0;
}

#ifndef SONDE_LIBFUZZER

#define N_NETWORKS 1500

static void
run_random (guint64 number)
{
  guint8 bytes[120];

  for (guint i = 0; i < sizeof bytes; i++)
    bytes[i] = (guint8) (sonde_random_uniform (11, number, i) * 256);
  LLVMFuzzerTestOneInput (bytes, sizeof bytes);
}

int
main (int    argc,
      char **argv)
{
  for (int i = 1; i < argc; i++)
    {
      g_autofree char *text = NULL;
      gsize length = 0;

      if (g_file_get_contents (argv[i], &text, &length, NULL))
        LLVMFuzzerTestOneInput ((const uint8_t *) text, length);
    }
  for (guint64 number = 0; argc < 2 && number < N_NETWORKS; number++)
    {
      run_random (number);
      if (number % 100 == 99)
        printf ("ok %d networks to %d\n", (int) (number / 100 + 1), (int) number);
    }
  printf ("1..%d\n", argc < 2 ? N_NETWORKS / 100 : 0);
  return 0;
}

#endif
