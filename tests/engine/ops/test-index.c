/* SPDX-License-Identifier: Apache-2.0
 * Ordering, indexing, scanning, counting operators beyond their table of cases: what they refuse,
 * strings, old forms, kernels in parts, transforms of every length, distributions. */
#include "data/base/sonde-random.h"
#include "engine/ops/sonde-build.h"
#include "engine/ops/signal/sonde-fourier.h"
#include "engine/passes/sonde-passes.h"
#include "tests/engine/ops/op-case.h"

#include <string.h>

/* ---- one node ------------------------------------------------------------ */

/* An operator's row of texts as outputs, or an error. Returns: (transfer full) (element-type
 * SondeTensor) */
static GPtrArray *
run_row (const OpCase *row, GError **error)
{
  g_auto (OpCaseBuilt) built = { NULL };
  SondeTensor *inputs[OP_CASE_INPUTS] = { NULL }, *outputs[OP_CASE_OUTPUTS] = { NULL };
  GPtrArray *results = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  guint n_outputs = 0;

  op_case_build (row, SONDE_DTYPE_F32, &built);
  n_outputs = built.node->outputs->len;
  for (guint k = 0; k < built.node->inputs->len; k++)
    {
      SondeGraphValue *value = sonde_node_get_input (built.node, k);

      inputs[k] = value == NULL             ? NULL
                  : value->constant != NULL ? sonde_value_get_tensor (value->constant)
                                            : g_hash_table_lookup (built.feeds, value->name);
    }
  if (!sonde_op_run_reference (built.node, inputs, built.node->inputs->len, outputs, n_outputs,
                               error))
    {
      g_ptr_array_unref (results);
      return NULL;
    }
  for (guint k = 0; k < n_outputs; k++)
    g_ptr_array_add (results, outputs[k]);
  return results;
}

/* ---- what is refused ----------------------------------------------------- */

/* @source holds what the sentence must say. */
static const OpCase refused[] = {
  { "TopK/negative", NULL, { "3: 1 2 3", "i64 1: -1" }, { "1" }, 0, "k is -1" },
  { "TopK/more-than-there-are", NULL, { "3: 1 2 3", "i64 1: 4" }, { "4" }, 0, "only 3" },
  { "TopK/huge", NULL, { "3: 1 2 3", "i64 1: 9223372036854775807" }, { "4" }, 0, "only 3" },
  { "TopK/two-counts", NULL, { "3: 1 2 3", "i64 2: 1 2" }, { "4" }, 0, "one number" },
  { "TopK/bool", NULL, { "bool 3: 1 0 1", "i64 1: 1" }, { "1" }, 0, "must be a number" },
  { "ArgMax/empty", "axis=1", { "2x0:" }, { "2" }, 0, "no extreme" },
  { "Compress/outside", "axis=0", { "2: 1 2", "bool 3: 1 0 1" }, { "2" }, 0, "element 2 of 2" },
  { "Gather/outside", NULL, { "2: 1 2", "i64 1: 2" }, { "1" }, 0, "index 2 is outside" },
  { "Gather/smallest", NULL, { "2: 1 2", "i64 1: -9223372036854775808" }, { "1" }, 0, "outside" },
  { "GatherElements/outside",
    NULL,
    { "2: 1 2", "i64 1: -3" },
    { "1" },
    0,
    "index -3 (element 0 of input 1)" },
  { "GatherElements/too-wide", NULL, { "2x2: 1", "i64 1x3: 0" }, { "1x3" }, 0, "has 3 elements" },
  { "GatherND/outside", NULL, { "2x2: 1", "i64 1x2: 0 2" }, { "1" }, 0, "dimension 1 of size 2" },
  { "GatherND/long-tuples", NULL, { "2x2: 1", "i64 1x3: 0" }, { "1" }, 0, "from 1 to 2" },
  { "GatherND/batches",
    "batch_dims=1",
    { "2x2: 1", "i64 3x1: 0" },
    { "3" },
    0,
    "batch dimension 0" },
  { "ScatterElements/outside",
    NULL,
    { "2: 1 2", "i64 1: 9223372036854775807", "1: 5" },
    { "2" },
    0,
    "outside" },
  { "ScatterElements/types",
    NULL,
    { "2: 1 2", "i64 1: 0", "i32 1: 5" },
    { "2" },
    0,
    "but the data is" },
  { "ScatterElements/shapes",
    NULL,
    { "2: 1 2", "i64 2: 0 0", "1: 5" },
    { "2" },
    0,
    "must have the shape" },
  { "ScatterND/outside", NULL, { "2: 1 2", "i64 1x1: -3", "1: 5" }, { "2" }, 0, "outside" },
  { "ScatterND/updates",
    NULL,
    { "2x2: 1", "i64 1x1: 0", "1: 5" },
    { "2x2" },
    0,
    "must have the shape" },
  { "TensorScatter/over-the-end",
    NULL,
    { "1x3x1: 1 2 3", "1x2x1: 7 8", "i64 1: 2" },
    { "1x3x1" },
    0,
    "write index 2" },
  { "OneHot/negative-depth",
    NULL,
    { "i64 1: 0", "i64 scalar: -1", "2: 0 1" },
    { "1" },
    0,
    "depth is -1" },
  { "OneHot/huge-depth",
    NULL,
    { "i64 1: 0", "i64 scalar: 9223372036854775807", "2: 0 1" },
    { "1" },
    0,
    "more elements than can be counted" },
  { "Range/no-step",
    NULL,
    { "i64 scalar: 0", "i64 scalar: 3", "i64 scalar: 0" },
    { "3" },
    0,
    "step is 0" },
  { "Range/nan", NULL, { "scalar: 0", "scalar: nan", "scalar: 1" }, { "3" }, 0, "no end" },
  { "Range/endless",
    NULL,
    { "i64 scalar: -9223372036854775808", "i64 scalar: 9223372036854775807", "i64 scalar: 1" },
    { "3" },
    0,
    "no end" },
  { "Expand/negative", NULL, { "1: 0", "i64 1: -5" }, { "1" }, 0, "negative" },
  { "CumSum/axis", NULL, { "2: 1 2", "i64 scalar: 1" }, { "2" }, 0, "axis 1 is outside" },
  { "ReverseSequence/length",
    NULL,
    { "2x1: 1 2", "i64 1: 3" },
    { "2x1" },
    0,
    "length 3 of sample 0" },
  { "DFT/length", NULL, { "1x2x1: 1 2", "i64 scalar: 0" }, { "1" }, 0, "from 1 to" },
  { "DFT/huge",
    NULL,
    { "1x2x1: 1 2", "i64 scalar: 9223372036854775807" },
    { "1" },
    0,
    "from 1 to" },
  { "DFT/axis-of-parts",
    NULL,
    { "1x2x1: 1 2", "-", "i64 scalar: 2" },
    { "1" },
    0,
    "complex parts" },
  { "STFT/step",
    NULL,
    { "1x4x1: 1", "i64 scalar: 0", "-", "i64 scalar: 2" },
    { "1" },
    0,
    "frame_step is 0" },
  { "STFT/frame",
    NULL,
    { "1x4x1: 1", "i64 scalar: 1", "-", "i64 scalar: 5" },
    { "1" },
    0,
    "longer than the signal" },
  { "HannWindow/negative", NULL, { "i64 scalar: -1" }, { "1" }, 0, "the size is -1" },
  { "Multinomial/no-classes", NULL, { "2x0:" }, { "1" }, 0, "no classes" },
  { "BitShift/floats", "direction='LEFT'", { "1: 1", "1: 1" }, { "1" }, 0, "integer type" },
  { NULL },
};

static void
test_refused (gconstpointer data)
{
  const OpCase *row = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) results = run_row (row, &error);

  g_assert_null (results);
  g_assert_true (g_error_matches (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE)
                 || g_error_matches (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID));
  if (strstr (error->message, row->source) == NULL
      || strstr (error->message, "node “node”") == NULL)
    {
      g_test_message ("%s", error->message);
      g_test_fail ();
    }
}

/* ---- strings ------------------------------------------------------------- */

#define N_STRINGS 5

static SondeTensor *
make_strings (const char *const *strings, gint64 n)
{
  SondeShape shape = sonde_shape_make (1, n);

  return sonde_tensor_new_from_data (SONDE_DTYPE_STRING, &shape, strings);
}

static SondeNode *
make_node (SondeGraph *graph, const char *op, SondeTensor *const *inputs, guint n_inputs,
           guint n_outputs)
{
  SondeGraphValue *values[4] = { NULL };

  for (guint k = 0; k < n_inputs; k++)
    {
      SondeType type = sonde_type_tensor (inputs[k]->dtype, &inputs[k]->shape);

      values[k] = sonde_graph_add_input (graph, NULL, &type);
    }
  return sonde_graph_add_node (graph, "node", "", op, values, n_inputs, n_outputs);
}

static void
assert_strings (const SondeTensor *tensor, const char *joined)
{
  g_autoptr (GString) text = g_string_new (NULL);
  char *const *strings = (char *const *) (const void *) tensor->data;

  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    g_string_append_printf (text, "%s%s", i > 0 ? " " : "",
                            strings[i] && *strings[i] ? strings[i] : "-");
  g_assert_cmpstr (text->str, ==, joined);
}

static void
test_strings (void)
{
  static const char *const words[] = { "pear", "apple", NULL, "pear", "äpfel" };
  static const char *const others[] = { "fig", "kiwi" };
  static const struct
  {
    const char *op, *index, *want;
    guint n_inputs;
  } rows[] = {
    { "Unique", NULL, "- apple pear äpfel", 1 },
    { "Gather", "2: -1 0", "äpfel pear", 2 },
    { "GatherElements", "2: 1 2", "apple -", 2 },
    { "GatherND", "2x1: 3 1", "pear apple", 2 },
    { "ScatterElements", "2: 0 -1", "fig apple - pear kiwi", 3 },
    { "ScatterND", "2x1: 2 2", "pear apple kiwi pear äpfel", 3 },
  };
  g_autoptr (SondeTensor) x = make_strings (words, N_STRINGS);
  g_autoptr (SondeTensor) updates = make_strings (others, 2);

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeGraph) graph = sonde_graph_new ("strings");
      g_autoptr (SondeTensor) index
          = rows[i].index ? sonde_test_tensor (SONDE_DTYPE_I64, rows[i].index) : NULL;
      SondeTensor *inputs[] = { x, index, updates };
      SondeNode *node = make_node (graph, rows[i].op, inputs, rows[i].n_inputs, 1);
      SondeTensor *output = NULL;

      (void) sonde_op_run_reference (node, inputs, rows[i].n_inputs, &output, 1, &error);
      g_assert_no_error (error);
      assert_strings (output, rows[i].want);
      sonde_tensor_unref (output);
    }
}

/* Numbers that a detour through double would make equal. */
static void
test_exact_integers (void)
{
  static const gint64 numbers[]
      = { 9007199254740992, 9007199254740993, G_MININT64, G_MININT64 + 1 };
  static const gint64 order[] = { 1, 0, 3, 2 };
  SondeShape shape = sonde_shape_make (1, 4);
  g_autoptr (SondeGraph) graph = sonde_graph_new ("exact");
  g_autoptr (SondeTensor) x = sonde_tensor_new_from_data (SONDE_DTYPE_I64, &shape, numbers);
  g_autoptr (SondeTensor) k = sonde_tensor_new_i64 (4);
  g_autoptr (SondeTensor) want = sonde_tensor_new_from_data (SONDE_DTYPE_I64, &shape, order);
  SondeTensor *inputs[] = { x, k };
  SondeTensor *outputs[2] = { NULL };
  SondeTensor *largest = NULL, *place = NULL;

  g_assert_true (sonde_op_run_reference (make_node (graph, "TopK", inputs, 2, 2), inputs, 2,
                                         outputs, 2, NULL));
  sonde_test_assert_close (outputs[1], want, 0, 0, "indices");
  g_assert_true (sonde_op_run_reference (make_node (graph, "ReduceMax", inputs, 1, 1), inputs, 1,
                                         &largest, 1, NULL));
  g_assert_cmpint (sonde_tensor_get_int (largest, 0), ==, numbers[1]);
  g_assert_true (sonde_op_run_reference (make_node (graph, "ArgMax", inputs, 1, 1), inputs, 1,
                                         &place, 1, NULL));
  g_assert_cmpint (sonde_tensor_get_int (place, 0), ==, 1);
  sonde_tensor_unref (outputs[0]);
  sonde_tensor_unref (outputs[1]);
  sonde_tensor_unref (largest);
  sonde_tensor_unref (place);
}

/* Many elements behind the axis against a sum for each of them. */
static void
test_scatter_slices (void)
{
  const SondeShape shape = sonde_shape_make (4, (gint64) 3, (gint64) 5, (gint64) 30, (gint64) 23);
  const SondeShape few = sonde_shape_make (4, (gint64) 3, (gint64) 4, (gint64) 30, (gint64) 23);
  const gint64 inner = 30 * 23;
  g_autoptr (SondeGraph) graph = sonde_graph_new ("slices");
  g_autoptr (SondeTensor) x = sonde_test_tensor_random (SONDE_DTYPE_F64, &shape, 1, -1, 1);
  g_autoptr (SondeTensor) updates = sonde_test_tensor_random (SONDE_DTYPE_F64, &few, 2, -1, 1);
  g_autoptr (SondeTensor) index = sonde_tensor_new (SONDE_DTYPE_I64, &few),
                          want = sonde_tensor_new (SONDE_DTYPE_F64, &shape);
  SondeTensor *inputs[] = { x, index, updates }, *y = NULL;
  SondeNode *node;

  memcpy (want->data, x->data, sonde_tensor_n_bytes (x));
  for (gint64 i = 0; i < sonde_tensor_n_elements (index); i++)
    {
      const gint64 row = (gint64) (sonde_random_uniform (3, 0, (guint64) i) * 5),
                   place = i / (4 * inner) * 5 * inner + row * inner + i % inner;

      sonde_tensor_set_double (index, i, (double) (i % 3 == 0 ? row - 5 : row));
      sonde_tensor_set_double (want, place,
                               sonde_tensor_get_double (want, place)
                                   + sonde_tensor_get_double (updates, i));
    }

  node = make_node (graph, "ScatterElements", inputs, 3, 1);
  sonde_node_set_int (node, "axis", 1);
  sonde_node_set_string (node, "reduction", "add");
  g_assert_true (sonde_op_run_reference (node, inputs, 3, &y, 1, NULL));
  sonde_test_assert_close (y, want, 0, 0, "sums");
  sonde_tensor_unref (y);
}

/* ---- parts --------------------------------------------------------------- */

static gboolean
is_half_or_text (const SondeTensor *tensor)
{
  return tensor != NULL
         && (tensor->dtype == SONDE_DTYPE_STRING || tensor->dtype == SONDE_DTYPE_F16
             || tensor->dtype == SONDE_DTYPE_BF16);
}

/* Returns: the row could be computed in parts */
static gboolean
compare_parts (const OpCase *row, gint64 size)
{
  g_auto (OpCaseBuilt) built = { NULL };
  g_autoptr (GPtrArray) whole = run_row (row, NULL), parts = NULL;
  SondeTensor *inputs[OP_CASE_INPUTS] = { NULL };
  SondeKernelContext context = { 0 };
  const SondeOpClass *klass = NULL;
  gint64 cost = 0, n;

  op_case_build (row, SONDE_DTYPE_F32, &built);
  klass = sonde_op_table_find (built.node->domain, built.node->op);
  if (whole == NULL || klass->compute_part == NULL || (klass->flags & SONDE_OP_RANDOM) != 0)
    return FALSE;
  parts = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  for (guint k = 0; k < built.node->inputs->len; k++)
    {
      SondeGraphValue *value = sonde_node_get_input (built.node, k);

      inputs[k] = value == NULL             ? NULL
                  : value->constant != NULL ? sonde_value_get_tensor (value->constant)
                                            : g_hash_table_lookup (built.feeds, value->name);
      if (is_half_or_text (inputs[k]))
        return FALSE;
    }
  for (guint k = 0; k < whole->len; k++)
    {
      SondeTensor *tensor = whole->pdata[k];

      g_ptr_array_add (parts, tensor ? sonde_tensor_new (tensor->dtype, &tensor->shape) : NULL);
    }
  context = (SondeKernelContext){ built.node, built.node->inputs->len,       inputs,
                                  parts->len, (SondeTensor **) parts->pdata, 0,
                                  0 };
  n = klass->count_parts (&context, &cost);
  if (n < 0)
    return FALSE;
  /* Backwards, so that no part can lean on one before it. */
  for (gint64 begin = (n + size - 1) / size * size - size; begin >= 0; begin -= size)
    klass->compute_part (&context, begin, MIN (begin + size, n));
  for (guint k = 0; k < whole->len; k++)
    if (whole->pdata[k] != NULL && !sonde_tensor_equal (whole->pdata[k], parts->pdata[k]))
      {
        g_test_message ("%s: output %u in parts of %d", row->name, k, (int) size);
        g_test_fail ();
      }
  return TRUE;
}

static void
test_parts (void)
{
  const OpCase *const tables[] = { op_cases_elementwise, op_cases_index, op_cases_shape };
  guint compared = 0;

  for (gsize t = 0; t < G_N_ELEMENTS (tables); t++)
    for (const OpCase *row = tables[t]; row->name != NULL; row++)
      for (gint64 size = 1; size <= 3; size++)
        compared += compare_parts (row, size);
  g_assert_cmpuint (compared, >, 150);
}

/* ---- old forms ----------------------------------------------------------- */

/* @name's part after the slash is the version; graphs of one node. */
static const OpCase old_forms[] = {
  { "TopK/1", "k=2", { "4: 1 4 2 3" }, { "2: 4 3", "i64 2: 1 3" } },
  { "TopK/10", NULL, { "4: 1 4 2 3", "=i64 1: 1" }, { "1: 4", "i64 1: 1" } },
  { "Scatter/9", "axis=0", { "3: 1 2 3", "i64 1: 1", "1: 9" }, { "3: 1 9 3" } },
  { "Hardmax/11", NULL, { "1x2x2: 1 4 2 3" }, { "1x2x2: 0 1 0 0" } },
  { "ReduceL1/13", "axes=[1] keepdims=0", { "2x2: 1 -2 3 -4" }, { "2: 3 7" } },
  { "ReduceProd/1", "axes=[0]", { "2x2: 1 -2 3 -4" }, { "1x2: 3 8" } },
  { "DFT/17", NULL, { "1x2x1: 1 2" }, { "1x2x2: 3 0 -1 0" } },
  { "DFT/17", "axis=0", { "2x1x1: 1 2" }, { "2x1x2: 3 0 -1 0" } },
  { "Dropout/6", "is_test=1 ratio=0.5", { "2: 1 2" }, { "2: 1 2", "2: 1 1" } },
  { "Dropout/6", "is_test=0 ratio=0.0", { "2: 1 2" }, { "2: 1 2", "2: 1 1" } },
  { NULL },
};

static void
test_old_form (gconstpointer data)
{
  const OpCase *row = data;
  g_auto (OpCaseBuilt) built = { NULL };
  g_autoptr (GHashTable) values = NULL;
  g_autoptr (GError) error = NULL;

  op_case_build (row, SONDE_DTYPE_F32, &built);
  built.node->version = (int) g_ascii_strtoll (strchr (row->name, '/') + 1, NULL, 10);
  (void) sonde_pass_legalise (built.graph, &error);
  g_assert_no_error (error);
  (void) sonde_pass_infer (built.graph, NULL, 0, &error);
  g_assert_no_error (error);
  values = sonde_test_evaluate (built.graph, built.feeds, &error);
  g_assert_no_error (error);
  for (guint k = 0; k < built.graph->outputs->len; k++)
    {
      SondeGraphValue *output = built.graph->outputs->pdata[k];
      const char *text = row->outputs[k];
      g_autoptr (SondeTensor) want = g_str_has_prefix (text, "i64 ")
                                         ? sonde_test_tensor (SONDE_DTYPE_I64, text + 4)
                                         : sonde_test_tensor (SONDE_DTYPE_F32, text);

      sonde_test_assert_close (g_hash_table_lookup (values, output), want, 1e-6, 1e-6,
                               output->name);
    }
}

/* ---- transforms ---------------------------------------------------------- */

/* Each lane has numbers of its own. */
static void
check_transform (gint64 n)
{
  g_autoptr (SondeFourier) fourier = sonde_fourier_new (n);
  g_autofree SondeFourierElement *x = g_new (SondeFourierElement, n),
                                 *y = g_new (SondeFourierElement, n);
  g_autofree SondeFourierElement *work
      = g_new (SondeFourierElement, sonde_fourier_get_work (fourier));
  double worst = 0;
  int lane = (int) (n % SONDE_FOURIER_LANES);

  for (gint64 i = 0; i < n; i++)
    for (int l = 0; l < SONDE_FOURIER_LANES; l++)
      {
        x[i].re[l] = 2 * sonde_random_uniform (1, (guint64) l, (guint64) (n + i)) - 1;
        x[i].im[l] = 2 * sonde_random_uniform (2, (guint64) l, (guint64) (n + i)) - 1;
        y[i] = x[i];
      }
  sonde_fourier_run (fourier, y, FALSE, work);
  for (gint64 k = 0; k < n; k += MAX (n / 50, 1))
    {
      double re = 0, im = 0;

      for (gint64 i = 0; i < n; i++)
        {
          double angle = -2 * G_PI * (double) (i * k % n) / (double) n;

          re += x[i].re[lane] * cos (angle) - x[i].im[lane] * sin (angle);
          im += x[i].re[lane] * sin (angle) + x[i].im[lane] * cos (angle);
        }
      worst = MAX (worst, MAX (fabs (re - y[k].re[lane]), fabs (im - y[k].im[lane])));
    }
  sonde_fourier_run (fourier, y, TRUE, work);
  for (gint64 i = 0; i < n; i++)
    for (int l = 0; l < SONDE_FOURIER_LANES; l++)
      worst = MAX (worst, fabs (y[i].re[l] / (double) n - x[i].re[l])
                              + fabs (y[i].im[l] / (double) n - x[i].im[l]));
  if (!(worst < 1e-13 * (double) (n + 10)))
    {
      g_test_message ("length %d: %g", (int) n, worst);
      g_test_fail ();
    }
}

static void
test_transform_lengths (void)
{
  static const gint64 long_ones[] = { 997, 1000, 1024, 2310, 4099, 6006, 8192, 9973 };

  for (gint64 n = 1; n <= 130; n++)
    check_transform (n);
  for (gsize i = 0; i < G_N_ELEMENTS (long_ones); i++)
    check_transform (long_ones[i]);
}

/* ---- random numbers ------------------------------------------------------ */

#define N_DRAWN 40000

static SondeTensor *
draw (const char *op, const char *name, gboolean own_seed, SondeTensor *like, guint64 seed,
      guint64 step)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("random");
  SondeNode *node = make_node (graph, op, &like, like ? 1 : 0, 1);
  g_autoptr (SondeValue) input = like ? sonde_value_new_tensor (like) : NULL;
  SondeValue *output = NULL;
  SondeTensor *result = NULL;
  gint64 size = N_DRAWN;

  (void) sonde_graph_rename_node (graph, node, name);
  if (like == NULL)
    sonde_node_set_ints (node, "shape", &size, 1);
  if (own_seed)
    sonde_node_set_float (node, "seed", 5);
  if (strcmp (op, "Multinomial") == 0)
    sonde_node_set_int (node, "sample_size", N_DRAWN);
  g_assert_true (
      sonde_op_run_reference_values (node, &input, like ? 1 : 0, seed, step, &output, 1, NULL));
  result = sonde_tensor_ref (sonde_value_get_tensor (output));
  sonde_value_unref (output);
  return result;
}

static void
assert_moments (const SondeTensor *tensor, double mean, double variance)
{
  double sum = 0, squares = 0;
  gint64 n = sonde_tensor_n_elements (tensor);

  for (gint64 i = 0; i < n; i++)
    {
      double x = sonde_tensor_get_double (tensor, i);

      sum += x;
      squares += (x - mean) * (x - mean);
    }
  g_assert_cmpfloat_with_epsilon (sum / (double) n, mean, 0.02);
  g_assert_cmpfloat_with_epsilon (squares / (double) n, variance, 0.03);
}

static void
test_distributions (void)
{
  g_autoptr (SondeTensor) chances = sonde_test_tensor (SONDE_DTYPE_F32, "40000: 0.3");
  g_autoptr (SondeTensor) weights
      = sonde_test_tensor (SONDE_DTYPE_F32, "1x3: 0 0.6931472 1.0986123");
  g_autoptr (SondeTensor) normal = draw ("RandomNormal", "a", FALSE, NULL, 1, 0);
  g_autoptr (SondeTensor) uniform = draw ("RandomUniform", "a", FALSE, NULL, 1, 0);
  g_autoptr (SondeTensor) coins = draw ("Bernoulli", "a", FALSE, chances, 1, 0);
  g_autoptr (SondeTensor) classes = draw ("Multinomial", "a", FALSE, weights, 1, 0);

  assert_moments (normal, 0, 1);
  assert_moments (uniform, 0.5, 1.0 / 12);
  assert_moments (coins, 0.3, 0.21);
  /* Odds of 1 : 2 : 3. */
  assert_moments (classes, 4.0 / 3, 5.0 / 9);
}

static void
test_seeds (void)
{
  g_autoptr (SondeTensor) first = draw ("RandomNormal", "a", FALSE, NULL, 1, 0);
  g_autoptr (SondeTensor) again = draw ("RandomNormal", "a", FALSE, NULL, 1, 0);
  g_autoptr (SondeTensor) seed = draw ("RandomNormal", "a", FALSE, NULL, 2, 0);
  g_autoptr (SondeTensor) step = draw ("RandomNormal", "a", FALSE, NULL, 1, 1);
  g_autoptr (SondeTensor) name = draw ("RandomNormal", "b", FALSE, NULL, 1, 0);
  g_autoptr (SondeTensor) own = draw ("RandomNormal", "a", TRUE, NULL, 1, 0);
  g_autoptr (SondeTensor) own_other_run = draw ("RandomNormal", "a", TRUE, NULL, 2, 0);

  g_assert_true (sonde_tensor_equal (first, again));
  g_assert_false (sonde_tensor_equal (first, seed));
  g_assert_false (sonde_tensor_equal (first, step));
  g_assert_false (sonde_tensor_equal (first, name));
  g_assert_false (sonde_tensor_equal (first, own));
  g_assert_true (sonde_tensor_equal (own, own_other_run));
}

static void
add_rows (const OpCase *rows, const char *folder, GTestDataFunc function)
{
  for (guint i = 0; rows[i].name != NULL; i++)
    {
      g_autofree char *path
          = g_strdup_printf ("/engine/ops/index/%s/%s-%u", folder, rows[i].name, i);

      g_test_add_data_func (path, &rows[i], function);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add_rows (refused, "refused", test_refused);
  add_rows (old_forms, "old", test_old_form);
  g_test_add_func ("/engine/ops/index/strings", test_strings);
  g_test_add_func ("/engine/ops/index/exact-integers", test_exact_integers);
  g_test_add_func ("/engine/ops/index/scatter-slices", test_scatter_slices);
  g_test_add_func ("/engine/ops/index/parts", test_parts);
  g_test_add_func ("/engine/ops/index/transform-lengths", test_transform_lengths);
  g_test_add_func ("/engine/ops/index/distributions", test_distributions);
  g_test_add_func ("/engine/ops/index/seeds", test_seeds);
  return g_test_run ();
}
