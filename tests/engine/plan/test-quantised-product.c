/* SPDX-License-Identifier: Apache-2.0
 * Products of 8-bit matrices on the cpu, alone, with what follows them and as exporters write them
 * between QuantizeLinear and DequantizeLinear, against the reference in double; on one and two
 * threads. */
#include "engine/passes/sonde-passes.h"
#include "engine/plan/sonde-execution.h"

#include <math.h>
#include <string.h>

typedef enum
{
  SUMS,          /* MatMulInteger alone: exact */
  DYNAMIC,       /* MatMulInteger, Cast, Mul by a computed scale, Add, Gelu */
  STATIC,        /* MatMulInteger, Cast, Mul by column, Add, Relu, QuantizeLinear */
  LINEAR,        /* QLinearMatMul */
  EXPORTED,      /* dequantised MatMul, Add, QuantizeLinear, through the pass */
  EXPORTED_GEMM, /* dequantised Gemm with transposed weights and a bias */
} Form;

/**
 * Case:
 * @a, @b, @zeros: "u8 2x3" shapes; zero points: a number, "?" an input of the run, "-" none; of b
 * also "each": one a column
 * @by_column: scales of the right side
 * @free: the right side is an input, not constant
 */
typedef struct
{
  const char *name;
  Form form;
  const char *a, *b, *a_zero, *b_zero;
  gboolean by_column, free;
} Case;

static const Case cases[] = {
  { "sums", SUMS, "u8 17x31", "i8 31x23", "-", "-" },
  { "sums-zeros", SUMS, "u8 17x31", "i8 31x23", "117", "-3" },
  { "sums-later-zeros", SUMS, "i8 5x40", "i8 40x33", "?", "?" },
  { "sums-free", SUMS, "i8 9x12", "i8 12x65", "5", "7", .free = TRUE },
  { "sums-free-unsigned", SUMS, "u8 9x12", "u8 12x65", "5", "128", .free = TRUE },
  { "sums-unsigned", SUMS, "u8 64x48", "u8 48x16", "128", "131" },
  { "sums-signed-unsigned", SUMS, "i8 3x1024", "u8 1024x7", "-20", "0" },
  { "sums-long", SUMS, "u8 2x5000", "u8 5000x33", "0", "255" },
  { "sums-row", SUMS, "u8 1x700", "i8 700x129", "99", "-" },
  { "sums-one", SUMS, "u8 1x1", "i8 1x1", "1", "1" },
  { "sums-each", SUMS, "u8 6x33", "i8 33x70", "3", "each" },
  { "sums-batch", SUMS, "u8 2x3x5x8", "i8 2x3x8x11", "7", "-", .free = TRUE },
  { "sums-broadcast", SUMS, "i8 3x1x5x8", "u8 4x8x11", "7", "140" },
  { "sums-rows", SUMS, "u8 2x7x16", "i8 16x20", "9", "?" },
  { "sums-empty", SUMS, "u8 0x16", "i8 16x20", "9", "-" },
  { "sums-nothing", SUMS, "u8 4x0", "i8 0x5", "9", "-" },
  { "dynamic", DYNAMIC, "u8 2x13x24", "i8 24x40", "?", "-" },
  { "dynamic-unsigned", DYNAMIC, "u8 31x24", "u8 24x40", "?", "127" },
  { "dynamic-column", DYNAMIC, "u8 13x24", "i8 24x41", "?", "-", .by_column = TRUE },
  { "static", STATIC, "u8 13x24", "i8 24x40", "100", "-", .by_column = TRUE },
  { "static-signed", STATIC, "i8 3x13x24", "i8 24x40", "-10", "4" },
  { "static-batch", STATIC, "i8 3x13x24", "i8 3x24x17", "-10", "4", .free = TRUE },
  { "linear", LINEAR, "u8 13x24", "i8 24x40", "100", "-2", .by_column = TRUE },
  { "linear-signed", LINEAR, "i8 2x13x24", "i8 24x9", "-3", "0" },
  { "linear-unsigned", LINEAR, "u8 2x13x24", "u8 2x24x9", "3", "120", .free = TRUE },
  { "exported", EXPORTED, "u8 13x96", "i8 96x64", "100", "0", .by_column = TRUE },
  { "exported-signed", EXPORTED, "i8 2x13x24", "i8 24x40", "-5", "0" },
  { "exported-unsigned", EXPORTED, "u8 2x13x24", "u8 24x40", "5", "130" },
  { "exported-free", EXPORTED, "u8 3x13x24", "u8 3x24x40", "5", "130", .free = TRUE },
  { "exported-gemm", EXPORTED_GEMM, "u8 13x96", "i8 64x96", "100", "0", .by_column = TRUE },
  { "exported-gemm-signed", EXPORTED_GEMM, "i8 5x24", "i8 10x24", "-100", "0" },
};

typedef struct
{
  const Case *row;
  SondeGraph *graph;
  GRand *random;
  GPtrArray *names, *tensors; /* of the inputs */
} Builder;

static SondeTensor *
make_tensor (Builder *builder, const char *text)
{
  g_auto (GStrv) words = g_strsplit (text, " ", 2);
  g_auto (GStrv) sizes = g_strsplit (words[1], "x", -1);
  gint64 dims[SONDE_MAX_RANK];
  int rank = (int) g_strv_length (sizes), low = g_str_equal (words[0], "u8") ? 0 : -128;
  SondeShape shape;
  SondeTensor *tensor;

  for (int i = 0; i < rank; i++)
    dims[i] = g_ascii_strtoll (sizes[i], NULL, 10);
  shape = sonde_shape_from_array (rank, dims);
  tensor = sonde_tensor_new (low == 0 ? SONDE_DTYPE_U8 : SONDE_DTYPE_I8, &shape);
  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    sonde_tensor_set_double (tensor, i, g_rand_int_range (builder->random, low, low + 256));
  return tensor;
}

/* Takes @tensor. */
static SondeGraphValue *
place (Builder *builder, SondeTensor *tensor, gboolean constant)
{
  SondeType type = sonde_type_tensor (tensor->dtype, &tensor->shape);
  SondeGraphValue *value = constant ? sonde_graph_add_initialiser (builder->graph, "constant",
                                                                   tensor, SONDE_ROLE_CONSTANT)
                                    : sonde_graph_add_input (builder->graph, "input", &type);

  if (!constant)
    {
      g_ptr_array_add (builder->names, (gpointer) value->name);
      g_ptr_array_add (builder->tensors, sonde_tensor_ref (tensor));
    }
  sonde_tensor_unref (tensor);
  return value;
}

static SondeGraphValue *
number (Builder *builder, SondeDtype dtype, double value)
{
  SondeShape scalar = sonde_shape_scalar ();
  SondeTensor *tensor = sonde_tensor_new (dtype, &scalar);

  sonde_tensor_set_double (tensor, 0, value);
  return place (builder, tensor, TRUE);
}

static SondeGraphValue *
floats (Builder *builder, gint64 n, double low, double high)
{
  SondeShape shape = sonde_shape_make (1, n);
  SondeTensor *tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  for (gint64 i = 0; i < n; i++)
    sonde_tensor_set_double (tensor, i, g_rand_double_range (builder->random, low, high));
  return place (builder, tensor, TRUE);
}

static SondeGraphValue *
make_zero (Builder *builder, const char *text, SondeDtype dtype, gint64 columns)
{
  SondeShape scalar = sonde_shape_scalar (), each = sonde_shape_make (1, columns);
  SondeTensor *tensor;

  if (g_str_equal (text, "-"))
    return NULL;
  tensor = sonde_tensor_new (dtype, g_str_equal (text, "each") ? &each : &scalar);
  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    sonde_tensor_set_double (tensor, i,
                             g_str_equal (text, "each") ? (double) (i % 9) - 4
                             : g_str_equal (text, "?")  ? 11
                                                        : g_ascii_strtod (text, NULL));
  return place (builder, tensor, !g_str_equal (text, "?"));
}

static SondeGraphValue *
node (Builder *builder, const char *op, SondeGraphValue *a, SondeGraphValue *b, SondeGraphValue *c,
      SondeGraphValue *d)
{
  SondeGraphValue *inputs[] = { a, b, c, d };
  guint n = d != NULL ? 4 : c != NULL ? 3 : b != NULL ? 2 : 1;

  return sonde_node_get_output (sonde_graph_add_node (builder->graph, op, "", op, inputs, n, 1), 0);
}

static SondeGraphValue *
quantise (Builder *builder, SondeGraphValue *x)
{
  return node (builder, "QuantizeLinear", x, number (builder, SONDE_DTYPE_F32, 0.37),
               number (builder, SONDE_DTYPE_I8, -7), NULL);
}

static SondeGraphValue *
make_integers (Builder *builder, SondeGraphValue *a, SondeGraphValue *b, SondeGraphValue *a_zero,
               SondeGraphValue *b_zero, gint64 columns)
{
  SondeGraphValue *y = node (builder, "MatMulInteger", a, b, a_zero, b_zero), *scale;

  if (builder->row->form == SUMS)
    return y;

  y = node (builder, "Cast", y, NULL, NULL, NULL);
  sonde_node_set_int (y->producer, "to", 1);
  scale = builder->row->by_column ? floats (builder, columns, 0.0001, 0.001)
                                  : number (builder, SONDE_DTYPE_F32, 0.0007);
  if (builder->row->form == DYNAMIC)
    {
      SondeShape scalar = sonde_shape_scalar ();
      SondeTensor *factor = sonde_tensor_new (SONDE_DTYPE_F32, &scalar);

      sonde_tensor_set_double (factor, 0, 1.25);
      scale = node (builder, "Mul", place (builder, factor, FALSE), scale, NULL, NULL);
    }
  y = node (builder, "Mul", y, scale, NULL, NULL);
  y = node (builder, "Add", floats (builder, columns, -1, 1), y, NULL, NULL);
  if (builder->row->form == DYNAMIC)
    return node (builder, "Gelu", y, NULL, NULL, NULL);
  return quantise (builder, node (builder, "Relu", y, NULL, NULL, NULL));
}

static SondeGraphValue *
make_linear (Builder *builder, SondeGraphValue *a, SondeGraphValue *b, SondeGraphValue *a_zero,
             SondeGraphValue *b_zero, gint64 columns)
{
  SondeGraphValue *none = number (builder, b->type.dtype, 0);
  SondeGraphValue *scale = builder->row->by_column ? floats (builder, columns, 0.01, 0.1)
                                                   : number (builder, SONDE_DTYPE_F32, 0.05);
  SondeGraphValue *inputs[] = { a,
                                number (builder, SONDE_DTYPE_F32, 0.02),
                                a_zero,
                                b,
                                scale,
                                b_zero != NULL ? b_zero : none,
                                number (builder, SONDE_DTYPE_F32, 3.7),
                                number (builder, a->type.dtype, 12) };

  return sonde_node_get_output (
      sonde_graph_add_node (builder->graph, "linear", "", "QLinearMatMul", inputs, 8, 1), 0);
}

static SondeGraphValue *
make_exported (Builder *builder, SondeGraphValue *a, SondeGraphValue *b, SondeGraphValue *a_zero,
               SondeGraphValue *b_zero, gint64 columns)
{
  gboolean gemm = builder->row->form == EXPORTED_GEMM;
  SondeGraphValue *scale = builder->row->by_column ? floats (builder, columns, 0.001, 0.01)
                                                   : number (builder, SONDE_DTYPE_F32, 0.005);
  SondeGraphValue *x = node (builder, "DequantizeLinear", a,
                             number (builder, SONDE_DTYPE_F32, 0.02), a_zero, NULL);
  SondeGraphValue *w, *y;
  SondeShape each = sonde_shape_make (1, columns);

  if (builder->row->by_column)
    b_zero = place (builder, sonde_tensor_new (b->type.dtype, &each), TRUE);
  w = node (builder, "DequantizeLinear", b, scale, b_zero, NULL);
  sonde_node_set_int (w->producer, "axis", gemm ? 0 : builder->row->by_column ? 1 : 0);
  y = node (builder, gemm ? "Gemm" : "MatMul", x, w, gemm ? floats (builder, columns, -1, 1) : NULL,
            NULL);
  if (gemm)
    {
      sonde_node_set_int (y->producer, "transB", 1);
      sonde_node_set_float (y->producer, "alpha", 0.5);
    }
  else
    y = node (builder, "Add", y, floats (builder, columns, -1, 1), NULL, NULL);
  return quantise (builder, y);
}

static void
build (Builder *builder)
{
  const Case *row = builder->row;
  SondeTensor *left = make_tensor (builder, row->a), *right = make_tensor (builder, row->b);
  gint64 columns = right->shape.dims[row->form == EXPORTED_GEMM ? 0 : right->shape.rank - 1];
  SondeGraphValue *a = place (builder, left, FALSE), *b = place (builder, right, !row->free), *y;
  SondeGraphValue *a_zero = make_zero (builder, row->a_zero, a->type.dtype, columns);
  SondeGraphValue *b_zero = make_zero (builder, row->b_zero, b->type.dtype, columns);

  sonde_graph_set_opset (builder->graph, "", 21);
  y = row->form == LINEAR     ? make_linear (builder, a, b, a_zero, b_zero, columns)
      : row->form >= EXPORTED ? make_exported (builder, a, b, a_zero, b_zero, columns)
                              : make_integers (builder, a, b, a_zero, b_zero, columns);
  sonde_graph_add_output (builder->graph, y);
}

/* @implementation: (out) (nullable): of the product */
static SondeTensor *
run (const Builder *builder, const char *device_name, int threads, guint *n_steps,
     const char **implementation)
{
  g_autoptr (GError) error = NULL;
  gboolean cpu = g_str_equal (device_name, "cpu");
  g_autoptr (SondeGraph) graph
      = cpu ? sonde_prepare_unwatched_inference (builder->graph, NULL, 0, &error)
            : sonde_prepare_inference (builder->graph, &error);
  g_autoptr (SondeDevice) device = sonde_device_open (device_name, threads, NULL);
  g_autoptr (SondePlan) plan = NULL;
  g_autoptr (SondeExecution) execution = NULL;

  g_assert_no_error (error);
  plan = sonde_plan_new (graph, device, NULL, &error);
  g_assert_no_error (error);
  execution = sonde_execution_new (plan, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < builder->names->len; i++)
    g_assert_true (sonde_execution_set_input (execution, builder->names->pdata[i],
                                              builder->tensors->pdata[i], &error));
  g_assert_cmpint (sonde_execution_run (execution, &error), ==, SONDE_RUN_DONE);
  *n_steps = 0;
  for (guint k = 0; k < sonde_plan_get_n_steps (plan); k++)
    {
      const SondeStep *step = sonde_plan_get_step (plan, k);

      *n_steps += step->n_nodes > 0;
      for (guint i = 0; i < step->n_nodes; i++)
        if (g_str_has_suffix (step->nodes[i]->op, "MatMulInteger")
            || g_str_equal (step->nodes[i]->op, "QLinearMatMul"))
          *implementation = step->implementation;
    }
  return sonde_execution_read (execution, g_ptr_array_index (graph->outputs, 0), &error);
}

static void
compare (const Case *row, const SondeTensor *ours, const SondeTensor *theirs)
{
  gint64 n = sonde_tensor_n_elements (theirs), off = 0;
  gboolean rounded = theirs->dtype == SONDE_DTYPE_I8 || theirs->dtype == SONDE_DTYPE_U8;

  g_assert_true (sonde_shape_equal (&ours->shape, &theirs->shape));
  g_assert_cmpint (ours->dtype, ==, theirs->dtype);
  for (gint64 i = 0; i < n; i++)
    {
      double a = sonde_tensor_get_double (ours, i), b = sonde_tensor_get_double (theirs, i);

      if (row->form == SUMS)
        g_assert_cmpfloat (a, ==, b);
      g_assert_cmpfloat (fabs (a - b), <=, rounded ? 1 : 1e-5 * MAX (fabs (b), 1));
      off += a != b;
    }
  g_assert_cmpint (rounded ? off : 0, <=, n / 50);
}

static void
test_case (gconstpointer data)
{
  const Case *row = data;

  for (int threads = 1; threads <= 2; threads++)
    {
      Builder builder
          = { row, sonde_graph_new ("product"), g_rand_new_with_seed (7), g_ptr_array_new (),
              g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref) };
      const char *implementation = "", *plain = "";
      guint ours_steps, theirs_steps;
      g_autoptr (SondeTensor) ours = NULL, theirs = NULL;

      build (&builder);
      ours = run (&builder, "cpu", threads, &ours_steps, &implementation);
      theirs = run (&builder, "reference", 1, &theirs_steps, &plain);
      compare (row, ours, theirs);
      if (row->form > DYNAMIC && strstr (implementation, "vnni") != NULL)
        g_assert_cmpuint (ours_steps, ==, 1);
      if (row->form >= EXPORTED)
        g_assert_cmpstr (implementation, !=, "");
      g_ptr_array_unref (builder.names);
      g_ptr_array_unref (builder.tensors);
      g_rand_free (builder.random);
      sonde_graph_unref (builder.graph);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/engine/plan/quantised-product/%s", cases[i].name);

      g_test_add_data_func (path, &cases[i], test_case);
    }
  return g_test_run ();
}
