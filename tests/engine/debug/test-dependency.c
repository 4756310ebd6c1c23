/* SPDX-License-Identifier: Apache-2.0
 * Dependencies against the kernels themselves: whatever output element moves when an input element
 * does must have it among the elements it is made of, and where a row is exact, nothing else. */
#include "engine/ops/sonde-op-dependency.h"

#include <stdlib.h>
#include <string.h>

#include "data/base/sonde-random.h"

#define OURS "sonde"

/**
 * Case: one node
 * @inputs: "f2x3" floats of that shape, "i1,0" int64 of rank 1, "s1" an int64 scalar, "b2x3" bools,
 * "-" absent; by spaces
 * @attributes: "axis=1 kernel_shape=3,3 mode=edge"; a list has a comma at the end at least
 * @exact: no element too many
 */
typedef struct
{
  const char *domain, *op, *inputs, *attributes;
  guint n_outputs;
  gboolean exact;
} Case;

static const Case cases[] = {
  { "", "Relu", "f2x3", "", 1, TRUE },
  { "", "Add", "f2x1x3 f4x1", "", 1, TRUE },
  { "", "Mul", "f2x3 f", "", 1, TRUE },
  { "", "Where", "b2x3 f2x3 f1x3", "", 1, TRUE },
  { "", "PRelu", "f2x3x2 f3x1", "", 1, FALSE },
  { "", "Clip", "f2x3 f f", "", 1, FALSE },
  { "", "Sum", "f2x3 f3 f", "", 1, TRUE },
  { "", "Reshape", "f2x6 i3,4", "", 1, TRUE },
  { "", "Flatten", "f2x3x2", "axis=2", 1, TRUE },
  { "", "Transpose", "f2x3x4", "perm=2,0,1", 1, TRUE },
  { "", "Concat", "f2x3 f2x1 f2x2", "axis=-1", 1, TRUE },
  { "", "Split", "f2x5 i2,3", "axis=1", 2, TRUE },
  { "", "Slice", "f4x5 i3,0 i0,5 i0,1 i-1,2", "", 1, TRUE },
  { "", "Pad", "f3x4 i1,0,2,1 f", "mode=constant", 1, TRUE },
  { "", "Pad", "f3x4 i1,1,2,1", "mode=reflect", 1, TRUE },
  { "", "Expand", "f3x1 i2,3,4", "", 1, TRUE },
  { "", "Tile", "f2x3 i2,2", "", 1, TRUE },
  { "", "Squeeze", "f2x1x3 i1", "", 1, TRUE },
  { "", "Unsqueeze", "f2x3 i0,2", "", 1, TRUE },
  { "", "DepthToSpace", "f1x8x2x3", "blocksize=2", 1, TRUE },
  { "", "SpaceToDepth", "f1x2x4x6", "blocksize=2", 1, TRUE },
  { "", "Gather", "f4x3 i2,0,-1", "axis=0", 1, TRUE },
  { "", "GatherElements", "f3x2 r2x2:2,1,0,1", "axis=0", 1, TRUE },
  { "", "ScatterND", "f4x2 r2x1:3,1 f2x2", "", 1, TRUE },
  { "", "ScatterND", "f4x2 r3x1:3,1,3 f3x2", "reduction=add", 1, FALSE },
  { "", "ScatterElements", "f3x3 r1x3:2,0,1 f1x3", "axis=0", 1, TRUE },
  { "", "GatherND", "f2x3x2 r2x2:1,2,0,1", "", 1, TRUE },
  { "", "ReverseSequence", "f4x3 i2,4,1", "time_axis=0 batch_axis=1", 1, TRUE },
  { "", "Trilu", "f3x4", "upper=1", 1, TRUE },
  { "", "OneHot", "i1,0,2 s4 f2", "axis=-1", 1, TRUE },
  { "", "TopK", "f2x5 i2", "axis=1", 2, FALSE },
  { "", "ReduceSum", "f2x3x4 i1", "keepdims=0", 1, TRUE },
  { "", "ReduceMean", "f2x3x4 i0,2", "keepdims=1", 1, TRUE },
  { "", "ReduceSum", "f2x3", "noop_with_empty_axes=1", 1, TRUE },
  { "", "ReduceMax", "f2x3x4 i-1", "keepdims=0", 1, FALSE },
  { "", "ReduceLogSumExp", "f2x3x4 i1", "keepdims=1", 1, TRUE },
  { "", "Softmax", "f2x3x4", "axis=1", 1, TRUE },
  { "", "LogSoftmax", "f2x3x4", "axis=-1", 1, TRUE },
  { "", "LpNormalization", "f2x3x4", "axis=1 p=2", 1, TRUE },
  { "", "CumSum", "f2x5 s1", "", 1, TRUE },
  { "", "CumSum", "f2x5 s1", "exclusive=1 reverse=1", 1, FALSE },
  { "", "BatchNormalization", "f2x3x4 f3 f3 f3 f3", "", 1, TRUE },
  { "", "BatchNormalization", "f2x3x4 f3 f3 f3 f3", "training_mode=1", 5, FALSE },
  { "", "LayerNormalization", "f2x3x4 f3x4 f3x4", "axis=1", 3, FALSE },
  { "", "RMSNormalization", "f2x3x4 f4", "axis=-1", 1, TRUE },
  { "", "InstanceNormalization", "f2x3x4 f3 f3", "", 1, TRUE },
  { "", "GroupNormalization", "f2x4x3 f4 f4", "num_groups=2", 1, TRUE },
  { "", "LRN", "f1x5x2x2", "size=3", 1, TRUE },
  { "", "MatMul", "f2x1x3x4 f2x4x5", "", 1, TRUE },
  { "", "MatMul", "f4 f4x5", "", 1, TRUE },
  { "", "MatMul", "f3x4 f4", "", 1, TRUE },
  { "", "Gemm", "f4x3 f5x4 f5", "transA=1 transB=1", 1, TRUE },
  { "", "Einsum", "f2x3x4 f2x4x5", "equation=bij,bjk->bik", 1, TRUE },
  { "", "Einsum", "f3x3", "equation=ii->i", 1, TRUE },
  { "", "Conv", "f2x4x5x6 f6x2x3x2 f6", "group=2 pads=1,0,1,1 strides=2,1 dilations=1,2", 1, TRUE },
  { "", "Conv", "f1x2x7 f3x2x3 f3", "pads=2,2 strides=2,", 1, TRUE },
  { "", "Conv", "f1x1x3x4x3 f2x1x2x2x2", "", 1, TRUE },
  { "", "ConvTranspose", "f1x4x3x3 f4x3x3x2 f6", "group=2 strides=2,1 pads=1,0,0,1", 1, FALSE },
  { "", "MaxPool", "f1x2x5x6", "kernel_shape=3,2 strides=2,1 pads=1,0,1,0", 1, FALSE },
  { "", "AveragePool", "f1x2x5x6", "kernel_shape=3,2 strides=2,2 pads=1,1,0,0", 1, TRUE },
  { "", "LpPool", "f1x2x6", "kernel_shape=3, p=2", 1, TRUE },
  { "", "GlobalAveragePool", "f2x3x2x2", "", 1, TRUE },
  { "", "GlobalMaxPool", "f2x3x2x2", "", 1, FALSE },
  { "", "Resize", "f1x2x3x4 - - i1,2,6,7", "mode=linear", 1, FALSE },
  { "", "Resize", "f1x1x9x9 - - i1,1,4,5", "mode=cubic antialias=1", 1, FALSE },
  { "", "GridSample", "f2x2x4x4 f2x3x3x2", "", 1, FALSE },
  { "", "GRU", "f3x2x4 f2x9x4 f2x9x3 f2x18 - f2x2x3", "direction=bidirectional hidden_size=3", 2,
    FALSE },
  { "", "LSTM", "f3x2x4 f1x12x4 f1x12x3", "direction=reverse hidden_size=3", 3, FALSE },
  { "", "Attention", "f2x2x3x4 f2x2x5x4 f2x2x5x3", "", 1, FALSE },
  { "", "SoftmaxCrossEntropyLoss", "f3x4 i1,0,3", "reduction=none", 2, FALSE },
  { "", "SoftmaxCrossEntropyLoss", "f3x4 i1,0,3", "reduction=mean", 1, FALSE },
  { "", "NegativeLogLikelihoodLoss", "f3x4 i1,0,3", "reduction=none", 1, FALSE },
  { "", "QuantizeLinear", "f3x4 f4", "axis=1", 1, FALSE },
  { "", "Det", "f2x3x3", "", 1, FALSE },
  { OURS, "Correlation", "f2x2x4x5 f2x2x4x5", "max_displacement=2 kernel_size=3", 1, TRUE },
  { OURS, "CorrelationGrad", "f1x9x4x5 f1x2x4x5 f1x2x4x5", "max_displacement=1 kernel_size=3", 2,
    FALSE },
  { OURS, "ConvGradInput", "f1x6x3x5 f6x2x3x2 f1x4x5x6",
    "group=2 pads=1,0,1,1 strides=2,1 dilations=1,2", 1, FALSE },
  { OURS, "ConvGradWeight", "f1x6x3x5 f1x4x5x6 f6x2x3x2",
    "group=2 pads=1,0,1,1 strides=2,1 dilations=1,2", 1, FALSE },
  { OURS, "MaxPoolGrad", "f1x2x3x5 f1x2x5x6", "kernel_shape=3,2 strides=2,1 pads=1,0,1,0", 1,
    FALSE },
  { OURS, "AveragePoolGrad", "f1x2x2x3 f1x2x5x6", "kernel_shape=3,2 strides=2,2 pads=1,1,0,0", 1,
    TRUE },
  { OURS, "ReduceToShape", "f2x3x4 f3x1", "", 1, TRUE },
  { OURS, "BroadcastLike", "f2x4 f2x3x4", "axes=1, keepdims=0", 1, TRUE },
  { OURS, "ReduceExtremeGrad", "f2x4 f2x3x4 f2x4", "axes=1, keepdims=0", 1, FALSE },
  { OURS, "SoftmaxGrad", "f2x3x4 f2x3x4", "axis=1", 1, TRUE },
  { OURS, "SliceGrad", "f4x3 f4x5 i3,0 i-9,5 i0,1 i-1,2", "", 1, TRUE },
  { OURS, "PadGrad", "f6x5 f3x4 i1,0,2,1", "mode=edge", 1, TRUE },
  { OURS, "TileGrad", "f4x6 f2x3 i2,2", "", 1, TRUE },
  { OURS, "GatherGrad", "f3x3 f4x3 i2,0,2", "axis=0", 1, TRUE },
  { OURS, "ConcatGrad", "f2x5 f2x3 f2x2", "axis=1", 2, TRUE },
  { OURS, "BatchNormalizationGrad", "f2x3x4 f2x3x4 f3 f3 f3", "training_mode=1", 3, FALSE },
  { OURS, "LayerNormalizationGrad", "f2x3x4 f2x3x4 f4 f2x3x1 f2x3x1", "axis=2", 3, FALSE },
  { OURS, "MseLossGrad", "f f2x3 f2x3", "reduction=mean", 1, FALSE },
  { OURS, "SoftmaxCrossEntropyGrad", "f3 f3x4 i1,0,3", "reduction=none", 1, FALSE },
  { OURS, "LinearScan", "f2x4 s1 f2x4", "", 1, FALSE },
};

/* ---- making a node ------------------------------------------------------- */

static SondeShape
parse_shape (const char *text)
{
  g_auto (GStrv) words = g_strsplit (text, "x", -1);
  SondeShape shape = { 0 };

  for (int i = 0; words[i] != NULL && *words[i] != '\0'; i++)
    shape.dims[shape.rank++] = atoll (words[i]);
  return shape;
}

static SondeTensor *
parse_integers (const char *text)
{
  const char *colon = strchr (text, ':');
  g_auto (GStrv) words = g_strsplit (colon != NULL ? colon + 1 : text + 1, ",", -1);
  g_autofree char *form = colon != NULL ? g_strndup (text + 1, (gsize) (colon - text - 1)) : NULL;
  SondeShape shape
      = *text == 's' ? sonde_shape_scalar () : sonde_shape_make (1, g_strv_length (words));
  SondeTensor *tensor;

  if (form != NULL)
    shape = parse_shape (form);
  tensor = sonde_tensor_new (SONDE_DTYPE_I64, &shape);
  for (int i = 0; words[i] != NULL; i++)
    sonde_tensor_set_double (tensor, i, (double) atoll (words[i]));
  return tensor;
}

static SondeTensor *
parse_input (const char *text, guint64 seed)
{
  SondeShape shape;
  SondeTensor *tensor;

  if (*text == '-')
    return NULL;
  if (*text != 'f' && *text != 'b')
    return parse_integers (text);
  shape = parse_shape (text + 1);
  tensor = sonde_tensor_new (*text == 'b' ? SONDE_DTYPE_BOOL : SONDE_DTYPE_F32, &shape);
  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    sonde_tensor_set_double (tensor, i,
                             *text == 'b' ? (double) (sonde_random_bits (seed, 1, (guint64) i) & 1)
                                          : 0.2 + sonde_random_uniform (seed, 2, (guint64) i));
  return tensor;
}

static void
set_attribute (SondeNode *node, const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, "=", 2);
  g_auto (GStrv) words = g_strsplit (parts[1], ",", -1);
  gint64 ints[16];
  guint n = 0;

  if (!g_ascii_isdigit (*parts[1]) && *parts[1] != '-')
    {
      sonde_node_set_string (node, parts[0], parts[1]);
      return;
    }
  for (; words[n] != NULL && *words[n] != '\0'; n++)
    ints[n] = atoll (words[n]);
  if (strchr (parts[1], ',') != NULL)
    sonde_node_set_ints (node, parts[0], ints, n);
  else
    sonde_node_set_int (node, parts[0], ints[0]);
}

static SondeNode *
make_node (SondeGraph *graph, const Case *given, GPtrArray *inputs)
{
  g_auto (GStrv) words = g_strsplit (given->inputs, " ", -1);
  g_auto (GStrv) attributes = g_strsplit (given->attributes, " ", -1);
  g_autoptr (GPtrArray) values = g_ptr_array_new ();
  SondeNode *node;

  for (guint k = 0; words[k] != NULL; k++)
    {
      g_ptr_array_add (inputs, parse_input (words[k], k + 7));
      g_ptr_array_add (values,
                       inputs->pdata[k] != NULL ? sonde_graph_add_value (graph, NULL, NULL) : NULL);
    }
  node = sonde_graph_add_node (graph, "it", given->domain, given->op,
                               (SondeGraphValue *const *) values->pdata, values->len,
                               given->n_outputs);
  for (guint k = 0; attributes[k] != NULL && *attributes[k] != '\0'; k++)
    set_attribute (node, attributes[k]);
  return node;
}

/* ---- tests --------------------------------------------------------------- */

typedef struct
{
  gint64 wanted;
  gboolean found;
} Search;

static gboolean
search_each (gint64 element, gpointer data)
{
  Search *search = data;

  search->found |= element == search->wanted;
  return !search->found;
}

static gboolean
reaches (const GArray *reach, guint input, gint64 element, const SondeTensor *tensor)
{
  Search search = { element, FALSE };

  for (guint i = 0; i < reach->len; i++)
    if (g_array_index (reach, SondeReach, i).input == input)
      sonde_reach_foreach (&g_array_index (reach, SondeReach, i), &tensor->shape, search_each,
                           &search);
  return search.found;
}

static gboolean
is_shape_only (const SondeNode *node, guint k)
{
  return sonde_op_table_find (node->domain, node->op)->shape_only >> k & 1;
}

static void
run_node (const SondeNode *node, GPtrArray *inputs, SondeTensor **outputs)
{
  g_autoptr (GError) error = NULL;

  sonde_op_run_reference (node, (SondeTensor *const *) inputs->pdata, inputs->len, outputs,
                          node->outputs->len, &error);
  g_assert_no_error (error);
}

/* By output and element: how many boxes' elements, and how many input elements move it. */
static void
check_case (const Case *given)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new (NULL);
  g_autoptr (GPtrArray) inputs
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  SondeNode *node = make_node (graph, given, inputs);
  SondeTensor *before[8] = { NULL }, *after[8];
  GArray **reaches_of[8] = { NULL };
  gint64 *moved[8] = { NULL };

  run_node (node, inputs, before);
  for (guint o = 0; o < given->n_outputs; o++)
    {
      const gint64 n = before[o] != NULL ? sonde_tensor_n_elements (before[o]) : 0;

      reaches_of[o] = g_new0 (GArray *, n + 1);
      moved[o] = g_new0 (gint64, n + 1);
      for (gint64 e = 0; e < n; e++)
        {
          reaches_of[o][e] = g_array_new (FALSE, FALSE, sizeof (SondeReach));
          sonde_dependency_reach (node, (SondeTensor *const *) inputs->pdata, inputs->len, o,
                                  &before[o]->shape, e, reaches_of[o][e]);
        }
    }
  for (guint k = 0; k < inputs->len; k++)
    {
      SondeTensor *tensor = inputs->pdata[k];

      for (gint64 i = 0; tensor != NULL && tensor->dtype == SONDE_DTYPE_F32
                         && !is_shape_only (node, k) && i < sonde_tensor_n_elements (tensor);
           i++)
        {
          const double number = sonde_tensor_get_double (tensor, i);

          sonde_tensor_set_double (tensor, i, number * 1.37 + 0.11);
          run_node (node, inputs, after);
          sonde_tensor_set_double (tensor, i, number);
          for (guint o = 0; o < given->n_outputs; o++)
            for (gint64 e = 0; before[o] != NULL && e < sonde_tensor_n_elements (before[o]); e++)
              if (sonde_tensor_get_double (before[o], e) != sonde_tensor_get_double (after[o], e))
                {
                  if (!reaches (reaches_of[o][e], k, i, tensor))
                    g_error ("%s: element %d of input %u moves element %d of output %u, but is not "
                             "reached",
                             given->op, (int) i, k, (int) e, o);
                  moved[o][e]++;
                }
          for (guint o = 0; o < given->n_outputs; o++)
            sonde_tensor_unref (after[o]);
        }
    }
  for (guint o = 0; o < given->n_outputs; o++)
    {
      for (gint64 e = 0; before[o] != NULL && e < sonde_tensor_n_elements (before[o]); e++)
        {
          gint64 n = 0;

          for (guint i = 0; i < reaches_of[o][e]->len; i++)
            n += sonde_reach_count (&g_array_index (reaches_of[o][e], SondeReach, i));
          if (given->exact && n != moved[o][e])
            g_error ("%s: element %d of output %u reaches %d elements, but %d move it", given->op,
                     (int) e, o, (int) n, (int) moved[o][e]);
          g_array_unref (reaches_of[o][e]);
        }
      g_free (reaches_of[o]);
      g_free (moved[o]);
      sonde_tensor_unref (before[o]);
    }
}

static void
test_kernels (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_test_message ("%s", cases[i].op);
      check_case (&cases[i]);
    }
}

/* Nobody adds an operator without saying what its elements are made of. */
static void
test_table (void)
{
  gsize n;
  g_autofree const SondeOpClass **rows = sonde_op_table_list (&n);

  for (gsize i = 0; i < n; i++)
    if (rows[i]->reach.rule == NULL && !(rows[i]->flags & SONDE_OP_ELEMENTWISE))
      g_error ("the row of %s%s%s has no dependency rule (reach)", rows[i]->domain,
               *rows[i]->domain != '\0' ? ":" : "", rows[i]->name);
  g_assert_true (sonde_dependency_is_whole (sonde_op_table_find ("nobody", "knows")));
  g_assert_false (sonde_dependency_is_whole (sonde_op_table_find ("", "Conv")));
  g_assert_true (sonde_dependency_is_strict (sonde_op_table_find ("ai.onnx", "Conv")));
  g_assert_false (sonde_dependency_is_strict (sonde_op_table_find ("", "Max")));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/debug/dependency/table", test_table);
  g_test_add_func ("/engine/debug/dependency/kernels", test_kernels);
  return g_test_run ();
}
