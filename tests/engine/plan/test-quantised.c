/* SPDX-License-Identifier: Apache-2.0
 * A quantised net as exporters write it, in integers on the cpu against floats one node at a time
 * on the reference. */
#include "engine/devices/cpu/dnnl/sonde-dnnl.h"
#include "engine/passes/sonde-passes.h"
#include "engine/plan/sonde-execution.h"

#include <math.h>

typedef struct
{
  SondeGraph *graph;
  GRand *random;
  guint count;
} Builder;

static SondeGraphValue *
add_node (Builder *builder, const char *op, SondeGraphValue *a, SondeGraphValue *b,
          SondeGraphValue *c)
{
  SondeGraphValue *inputs[] = { a, b, c };
  guint n = c != NULL ? 3 : b != NULL ? 2 : 1;

  return sonde_node_get_output (sonde_graph_add_node (builder->graph, op, "", op, inputs, n, 1), 0);
}

static SondeGraphValue *
add_constant (Builder *builder, SondeTensor *tensor)
{
  SondeGraphValue *value
      = sonde_graph_add_initialiser (builder->graph, "constant", tensor, SONDE_ROLE_CONSTANT);

  sonde_tensor_unref (tensor);
  return value;
}

static SondeGraphValue *
integers (Builder *builder, SondeDtype dtype, SondeShape shape, int low, int high)
{
  SondeTensor *tensor = sonde_tensor_new (dtype, &shape);

  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    sonde_tensor_set_double (tensor, i, g_rand_int_range (builder->random, low, high + 1));
  return add_constant (builder, tensor);
}

static SondeGraphValue *
requantise (Builder *builder, SondeGraphValue *value, SondeDtype dtype, double scale, int zero)
{
  SondeGraphValue *s = add_constant (builder, sonde_tensor_new_f32 ((float) scale));
  SondeGraphValue *z = integers (builder, dtype, sonde_shape_make (0), zero, zero);

  return add_node (builder, "DequantizeLinear", add_node (builder, "QuantizeLinear", value, s, z),
                   s, z);
}

/* Conv with weights of int8, a scale for each channel. */
static SondeGraphValue *
convolve (Builder *builder, SondeGraphValue *x, gint64 from, gint64 to, gint64 size, double x_scale)
{
  gint64 pads[] = { size / 2, size / 2, size / 2, size / 2 };
  SondeShape one_each = sonde_shape_make (1, to);
  g_autofree float *scales = g_new (float, to), *biases = g_new (float, to);
  SondeGraphValue *q
      = integers (builder, SONDE_DTYPE_I8, sonde_shape_make (4, to, from, size, size), -127, 127);
  SondeGraphValue *scale, *bias, *w, *y;

  for (gint64 c = 0; c < to; c++)
    {
      scales[c] = (float) g_rand_double_range (builder->random, 0.001, 0.004);
      biases[c] = (float) (x_scale * scales[c] * g_rand_int_range (builder->random, -3000, 3000));
    }
  scale = add_constant (builder, sonde_tensor_new_from_data (SONDE_DTYPE_F32, &one_each, scales));
  bias = add_constant (builder, sonde_tensor_new_from_data (SONDE_DTYPE_F32, &one_each, biases));
  w = add_node (builder, "DequantizeLinear", q, scale,
                integers (builder, SONDE_DTYPE_I8, one_each, 0, 0));
  sonde_node_set_int (w->producer, "axis", 0);
  y = add_node (builder, "Conv", x, w, bias);
  sonde_node_set_ints (y->producer, "pads", pads, 4);
  return y;
}

/* @dtype: of the activations */
static SondeGraph *
make_net (SondeDtype dtype, gint64 channels)
{
  SondeShape shape = sonde_shape_make (4, 1, 3, 12, 10);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  Builder builder = { sonde_graph_new ("net"), g_rand_new_with_seed (5), 0 };
  int lowest = dtype == SONDE_DTYPE_I8 ? -128 : 0;
  gint64 two[] = { 2, 2 };
  SondeGraphValue *x, *a, *b, *c;

  sonde_graph_set_opset (builder.graph, "", 21);
  x = requantise (&builder, sonde_graph_add_input (builder.graph, "x", &type), dtype, 0.02,
                  lowest + 120);
  a = convolve (&builder, x, 3, channels, 3, 0.02);
  a = requantise (&builder, add_node (&builder, "Relu", a, NULL, NULL), dtype, 0.03, lowest);
  a = add_node (&builder, "MaxPool", a, NULL, NULL);
  sonde_node_set_ints (a->producer, "kernel_shape", two, 2);
  sonde_node_set_ints (a->producer, "strides", two, 2);
  a = requantise (&builder, a, dtype, 0.03, lowest);
  b = requantise (&builder, convolve (&builder, a, channels, channels, 3, 0.03), dtype, 0.05,
                  lowest + 130);
  c = requantise (&builder, convolve (&builder, a, channels, channels, 1, 0.03), dtype, 0.02,
                  lowest + 127);
  a = add_node (&builder, "Relu",
                add_node (&builder, dtype == SONDE_DTYPE_I8 ? "Sum" : "Add", b, c, NULL), NULL,
                NULL);
  a = requantise (&builder, a, dtype, 0.04, lowest);
  sonde_graph_rename_value (builder.graph, a, "y");
  sonde_graph_add_output (builder.graph, a);
  g_rand_free (builder.random);
  return builder.graph;
}

static SondeExecution *
run_graph (SondeGraph *graph, const char *device_name, int threads, const SondePlanOptions *options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDevice) device = sonde_device_open (device_name, threads, NULL);
  g_autoptr (SondePlan) plan = sonde_plan_new (graph, device, options, &error);
  g_autoptr (SondeExecution) execution = NULL;
  SondeShape shape = sonde_shape_make (4, 1, 3, 12, 10);
  g_autoptr (SondeTensor) x = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  g_autoptr (GRand) random = g_rand_new_with_seed (9);

  g_assert_no_error (error);
  for (gint64 i = 0; i < sonde_tensor_n_elements (x); i++)
    sonde_tensor_set_double (x, i, g_rand_double_range (random, -3, 3));
  execution = sonde_execution_new (plan, &error);
  g_assert_no_error (error);
  g_assert_true (sonde_execution_set_input (execution, "x", x, &error));
  g_assert_cmpint (sonde_execution_run (execution, &error), ==, SONDE_RUN_DONE);
  return g_steal_pointer (&execution);
}

static SondeTensor *
run (SondeGraph *original, const char *device_name, gboolean integers_wanted, guint *n_steps)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = sonde_prepare_inference (original, &error);
  const SondePlanOptions options = { .no_fusion = !integers_wanted };
  g_autoptr (SondeExecution) execution = NULL;
  SondePlan *plan;

  g_assert_no_error (error);
  if (integers_wanted)
    g_assert_true (sonde_pass_quantise (graph, original, &error));
  execution = run_graph (graph, device_name, 2, &options);
  plan = sonde_execution_get_plan (execution);
  *n_steps = 0;
  for (guint k = 0; k < sonde_plan_get_n_steps (plan); k++)
    *n_steps += sonde_plan_get_step (plan, k)->n_nodes > 0;
  return sonde_execution_read (execution, g_ptr_array_index (graph->outputs, 0), &error);
}

static void
test_net (gconstpointer data)
{
  g_autoptr (SondeGraph) original = make_net ((SondeDtype) GPOINTER_TO_INT (data), 40);
  guint n_integers, n_floats, off = 0;
  g_autoptr (SondeTensor) ours = run (original, "cpu", TRUE, &n_integers);
  g_autoptr (SondeTensor) theirs = run (original, "reference", FALSE, &n_floats);

  /* Q, Conv, MaxPool, two Conv, Add, DQ */
  g_assert_cmpuint (n_integers, ==, 7);
  g_assert_cmpuint (n_floats, >, 15);
  for (gint64 i = 0; i < sonde_tensor_n_elements (ours); i++)
    {
      double distance
          = fabs (sonde_tensor_get_double (ours, i) - sonde_tensor_get_double (theirs, i));

      g_assert_cmpfloat (distance, <=, 0.04 + 1e-6);
      off += distance > 1e-6;
    }
  g_assert_cmpuint (off, <, sonde_tensor_n_elements (ours) / 20);
}

/* x·sigmoid x of integers of 8 bits, then a factor and a limit: one table. */
static void
test_table (gconstpointer data)
{
  const SondeDtype dtype = (SondeDtype) GPOINTER_TO_INT (data);
  const SondeShape shape = sonde_shape_make (4, 1, 3, 12, 10);
  const SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  const int lowest = dtype == SONDE_DTYPE_I8 ? -128 : 0;
  Builder builder = { sonde_graph_new ("table"), g_rand_new_with_seed (5), 0 };
  SondeGraphValue *x, *gate, *y;
  guint n_integers, n_floats;

  sonde_graph_set_opset (builder.graph, "", 21);
  x = requantise (&builder, sonde_graph_add_input (builder.graph, "x", &type), dtype, 0.02,
                  lowest + 120);
  gate = requantise (&builder, add_node (&builder, "Sigmoid", x, NULL, NULL), dtype, 1.0 / 256,
                     lowest);
  y = requantise (&builder, add_node (&builder, "Mul", x, gate, NULL), dtype, 0.03, lowest + 30);
  y = add_node (&builder, "Mul", y, add_constant (&builder, sonde_tensor_new_f32 (-1.5f)), NULL);
  y = requantise (&builder, add_node (&builder, "Relu", y, NULL, NULL), dtype, 0.01, lowest);
  sonde_graph_rename_value (builder.graph, y, "y");
  sonde_graph_add_output (builder.graph, y);
  g_rand_free (builder.random);

  {
    g_autoptr (SondeGraph) graph = builder.graph;
    g_autoptr (SondeTensor) ours = run (graph, "cpu", TRUE, &n_integers),
                            theirs = run (graph, "reference", FALSE, &n_floats);

    g_assert_cmpuint (n_integers, ==, 3);
    g_assert_cmpuint (n_floats, >, 8);
    g_assert_true (sonde_tensor_equal (ours, theirs));
  }
}

/* Convolutions of few channels stay floats. */
static void
test_few (void)
{
  g_autoptr (SondeGraph) original = make_net (SONDE_DTYPE_U8, 8);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = sonde_prepare_inference (original, &error);
  guint n_few, n_floats;
  g_autoptr (SondeTensor) ours = run (original, "cpu", TRUE, &n_few),
                          theirs = run (original, "reference", FALSE, &n_floats);

  g_assert_true (sonde_pass_quantise (graph, original, &error));
  for (guint i = 0; i < graph->nodes->len; i++)
    g_assert_false (graph->nodes->pdata[i] != NULL
                    && sonde_node_is (graph->nodes->pdata[i], SONDE_OP_ID_QLINEAR_CONV));
  for (gint64 i = 0; i < sonde_tensor_n_elements (ours); i++)
    g_assert_cmpfloat_with_epsilon (sonde_tensor_get_double (ours, i),
                                    sonde_tensor_get_double (theirs, i), 0.04 + 1e-6);
}

/* Few differ, and not by much: what rounded the other way, and what was computed from that. */
static void
compare (SondeTensor *ours, SondeTensor *theirs, const char *name)
{
  double scale = 0;
  guint off = 0;

  for (gint64 i = 0; i < sonde_tensor_n_elements (theirs); i++)
    scale = MAX (scale, fabs (sonde_tensor_get_double (theirs, i)));
  for (gint64 i = 0; i < sonde_tensor_n_elements (ours); i++)
    {
      double distance
          = fabs (sonde_tensor_get_double (ours, i) - sonde_tensor_get_double (theirs, i));

      if (!(distance <= scale / 50 + (ours->dtype == SONDE_DTYPE_F32 ? 0 : 1)))
        g_error ("value “%s”, element %" G_GINT64_FORMAT ": off by %g", name, i, distance);
      off += distance > 1e-5 * scale;
    }
  if (off > sonde_tensor_n_elements (ours) / 20)
    g_error ("value “%s”: %u elements differ", name, off);
}

/* x → DynamicQuantizeLinear → ConvInteger → Cast, and QuantizeLinear → QLinearConv →
 * DequantizeLinear, both with weights of uint8 about zero points, or int8 about 0, in three
 * groups. */
static SondeGraph *
make_skewed_net (SondeDtype dtype)
{
  Builder builder = { sonde_graph_new ("skewed"), g_rand_new_with_seed (5), 0 };
  SondeShape input = sonde_shape_make (4, 1, 3, 12, 10), six = sonde_shape_make (1, 6);
  const gint64 pads[] = { 1, 0, 2, 1 }, strides[] = { 2, 1 };
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &input);
  SondeGraphValue *x = sonde_graph_add_input (builder.graph, "x", &type);
  SondeGraphValue *w
      = dtype == SONDE_DTYPE_U8
            ? integers (&builder, dtype, sonde_shape_make (4, 6, 1, 3, 3), 0, 255)
            : integers (&builder, dtype, sonde_shape_make (4, 6, 1, 3, 3), -127, 127);
  SondeGraphValue *zero = dtype == SONDE_DTYPE_U8 ? integers (&builder, dtype, six, 100, 140)
                                                  : integers (&builder, dtype, six, 0, 0);
  SondeGraphValue *scale = add_constant (&builder, sonde_tensor_new_f32 (0.03f)), *parts[2];
  SondeGraphValue *x_zero = integers (&builder, SONDE_DTYPE_U8, sonde_shape_make (0), 119, 119);
  SondeGraphValue *scales = add_constant (&builder, sonde_tensor_new (SONDE_DTYPE_F32, &six));
  SondeGraphValue *bias = integers (&builder, SONDE_DTYPE_I32, six, -900, 900);
  SondeGraphValue *wide = add_constant (&builder, sonde_tensor_new_f32 (0.2f));
  SondeNode *dynamic
      = sonde_graph_add_node (builder.graph, "d", "", "DynamicQuantizeLinear", &x, 1, 3),
      *conv;

  sonde_graph_set_opset (builder.graph, "", 17);
  for (gint64 c = 0; c < 6; c++)
    sonde_tensor_set_double (sonde_value_get_tensor (scales->constant), c,
                             0.01 + 0.002 * (double) c);
  conv = sonde_graph_add_node (builder.graph, "c", "", "ConvInteger",
                               (SondeGraphValue *[]){ sonde_node_get_output (dynamic, 0), w,
                                                      sonde_node_get_output (dynamic, 2), zero },
                               4, 1);
  parts[0] = add_node (&builder, "Cast", sonde_node_get_output (conv, 0), NULL, NULL);
  sonde_node_set_int (parts[0]->producer, "to", sonde_dtype_to_onnx (SONDE_DTYPE_F32));
  parts[0] = add_node (&builder, "Mul", parts[0], sonde_node_get_output (dynamic, 1), NULL);
  for (int k = 0; k < 2; k++)
    {
      if (k == 1)
        conv = sonde_graph_add_node (
            builder.graph, "q", "", "QLinearConv",
            (SondeGraphValue *[]){ add_node (&builder, "QuantizeLinear", x, scale, x_zero), scale,
                                   x_zero, w, scales, zero, wide, x_zero, bias },
            9, 1);
      sonde_node_set_int (conv, "group", 3);
      sonde_node_set_ints (conv, "pads", pads, 4);
      sonde_node_set_ints (conv, "strides", strides, 2);
    }
  parts[1] = add_node (&builder, "DequantizeLinear", sonde_node_get_output (conv, 0), wide, x_zero);
  sonde_graph_add_output (builder.graph, parts[0]);
  sonde_graph_add_output (builder.graph, parts[1]);
  g_rand_free (builder.random);
  return builder.graph;
}

/* What no integer primitive takes runs as floats, and gives the same. */
static void
test_skewed (gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) original = make_skewed_net ((SondeDtype) GPOINTER_TO_INT (data));
  g_autoptr (SondeGraph) plain = sonde_prepare_inference (original, &error);
  g_autoptr (SondeGraph) graph = sonde_prepare_unwatched_inference (original, NULL, 0, &error);
  const SondePlanOptions alone = { .no_fusion = TRUE }, fused = { .no_fusion = FALSE };
  g_autoptr (SondeExecution) ours = NULL, theirs = NULL;
  guint n = 0;

  g_assert_no_error (error);
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const SondeNode *node = g_ptr_array_index (graph->nodes, i);

      g_assert_false (node != NULL
                      && (sonde_node_is (node, SONDE_OP_ID_QLINEAR_CONV)
                          || sonde_node_is (node, SONDE_OP_ID_CONV_INTEGER)));
      n += node != NULL && sonde_node_is (node, SONDE_OP_ID_CONV);
    }
  g_assert_cmpuint (n, ==, 2);
  ours = run_graph (graph, "cpu", 2, &fused);
  theirs = run_graph (plain, "reference", 1, &alone);
  for (guint k = 0; k < 2; k++)
    {
      g_autoptr (SondeTensor) a
          = sonde_execution_read (ours, g_ptr_array_index (graph->outputs, k), &error);
      g_autoptr (SondeTensor) b
          = sonde_execution_read (theirs, g_ptr_array_index (plain->outputs, k), &error);

      g_assert_no_error (error);
      compare (a, b, k == 0 ? "ConvInteger" : "QLinearConv");
    }
}

/* Steps that run a convolution with the nodes that dequantise for it. */
static guint
count_integer_steps (SondePlan *plan)
{
  guint n = 0;

  for (guint k = 0; k < sonde_plan_get_n_steps (plan); k++)
    {
      const SondeStep *step = sonde_plan_get_step (plan, k);

      n += step->n_nodes == 3 && sonde_node_is (step->nodes[2], SONDE_OP_ID_CONV);
    }
  return n;
}

/* Every value of the model, kept beside convolutions of integers. */
static void
test_kept (gconstpointer data)
{
  g_autoptr (SondeGraph) original = make_net ((SondeDtype) GPOINTER_TO_INT (data), 40),
                         plain = NULL;
  const SondePlanOptions alone = { .no_fusion = TRUE };
  g_autoptr (SondeExecution) theirs = NULL;

  plain = sonde_prepare_inference (original, NULL);
  theirs = run_graph (plain, "reference", 1, &alone);
  for (int threads = 1; threads <= 2; threads++)
    for (guint each = 1; each <= 3; each++)
      {
        g_autoptr (GError) error = NULL;
        g_autoptr (GPtrArray) names = g_ptr_array_new ();
        g_autoptr (SondeGraph) graph = NULL;
        g_autoptr (SondeExecution) ours = NULL;
        SondePlanOptions options = { .kept = NULL };

        for (guint i = 0; i < original->nodes->len; i += each)
          g_ptr_array_add (names,
                           sonde_node_get_output (g_ptr_array_index (original->nodes, i), 0)->name);
        g_ptr_array_add (names, NULL);
        options.kept = (const char *const *) names->pdata;
        graph = sonde_prepare_kept_inference (original, NULL, 0, options.kept, &error);
        g_assert_no_error (error);
        ours = run_graph (graph, "cpu", threads, &options);
        g_assert_cmpuint (count_integer_steps (sonde_execution_get_plan (ours)), ==,
                          sonde_dnnl_adds_bytes_exactly () ? 3 : 0);
        for (guint i = 0; i + 1 < names->len; i++)
          {
            const char *name = g_ptr_array_index (names, i);
            g_autoptr (SondeTensor) a
                = sonde_execution_read (ours, sonde_graph_find_value (graph, name), &error);
            g_autoptr (SondeTensor) b
                = sonde_execution_read (theirs, sonde_graph_find_value (plain, name), &error);

            g_assert_no_error (error);
            compare (a, b, name);
          }
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/engine/plan/quantised/table-int8", GINT_TO_POINTER (SONDE_DTYPE_I8),
                        test_table);
  g_test_add_data_func ("/engine/plan/quantised/table-uint8", GINT_TO_POINTER (SONDE_DTYPE_U8),
                        test_table);
  g_test_add_data_func ("/engine/plan/quantised/u8", GINT_TO_POINTER (SONDE_DTYPE_U8), test_net);
  g_test_add_data_func ("/engine/plan/quantised/i8", GINT_TO_POINTER (SONDE_DTYPE_I8), test_net);
  g_test_add_func ("/engine/plan/quantised/few", test_few);
  g_test_add_data_func ("/engine/plan/quantised/skewed", GINT_TO_POINTER (SONDE_DTYPE_U8),
                        test_skewed);
  g_test_add_data_func ("/engine/plan/quantised/small-groups", GINT_TO_POINTER (SONDE_DTYPE_I8),
                        test_skewed);
  g_test_add_data_func ("/engine/plan/quantised/kept-u8", GINT_TO_POINTER (SONDE_DTYPE_U8),
                        test_kept);
  g_test_add_data_func ("/engine/plan/quantised/kept-i8", GINT_TO_POINTER (SONDE_DTYPE_I8),
                        test_kept);
  return g_test_run ();
}
