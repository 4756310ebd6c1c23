/* SPDX-License-Identifier: Apache-2.0
 * Functions of one number of 8 bits: nodes that compute element by element from one value of 8 bits
 * and single constants another value of 8 bits. All 256 results are computed once, by the plain
 * kernels, and looked up. */
#include "engine/devices/cpu/quantised/sonde-cpu-quantity.h"

#include <string.h>

#define NUMBERS 256
#define MOST_NODES 16
#define MOST_INPUTS 8

typedef struct
{
  SondeKernel base;
  int input;
  gint64 n;
  guint8 table[NUMBERS];
} TableKernel;

typedef struct
{
  const TableKernel *kernel;
  const guint8 *x;
  guint8 *y;
} TableCall;

/* ---- running ------------------------------------------------------------- */

/* Eight at once: one load and one store for all of them. */
static void
look_up (gint64 n, const guint8 *table, const guint8 *x, guint8 *y)
{
  gint64 i = 0;

  for (; i + 8 <= n; i += 8)
    {
      guint64 from, to = 0;

      memcpy (&from, x + i, sizeof from);
      from = GUINT64_FROM_LE (from);
      for (int k = 0; k < 64; k += 8)
        to |= (guint64) table[(from >> k) & 0xff] << k;
      to = GUINT64_TO_LE (to);
      memcpy (y + i, &to, sizeof to);
    }
  for (; i < n; i++)
    y[i] = table[x[i]];
}

static void
table_range (gint64 begin, gint64 end, gpointer data)
{
  const TableCall *call = data;

  look_up (end - begin, call->kernel->table, call->x + begin, call->y + begin);
}

static gboolean
run_table (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
           GError **error)
{
  const TableKernel *k = (TableKernel *) base;
  TableCall call = { k, arguments->inputs[k->input], arguments->outputs[0] };

  sonde_cpu_for (device, k->n, 1, table_range, &call);
  return TRUE;
}

/* ---- what is a table ----------------------------------------------------- */

static gboolean
is_element_wise (const SondeNode *node)
{
  const SondeOpClass *klass = sonde_op_of_node (node);

  return klass != NULL
         && ((klass->flags & SONDE_OP_ELEMENTWISE) != 0 || klass->id == SONDE_OP_ID_QUANTIZE_LINEAR
             || klass->id == SONDE_OP_ID_DEQUANTIZE_LINEAR);
}

/* Which of the first @n nodes makes @value, or -1. */
static int
find_maker (SondeNode *const *nodes, guint n, const SondeGraphValue *value)
{
  for (guint i = 0; i < n; i++)
    if (sonde_node_get_output (nodes[i], 0) == value)
      return (int) i;

  return -1;
}

/* Node @at reads what nodes before it make, @x and constants of one element, and makes a value of
 * @shape. */
static gboolean
is_inside (SondeNode *const *nodes, guint at, const SondeGraphValue *x, const SondeShape *shape)
{
  const SondeNode *node = nodes[at];
  const SondeGraphValue *y = sonde_node_get_output (node, 0);
  SondeDtype dtype = sonde_cpu_dtype_of (y);
  gboolean depends = FALSE;
  SondeShape made;

  if (!is_element_wise (node) || node->outputs->len != 1 || node->inputs->len > MOST_INPUTS
      || (dtype != SONDE_DTYPE_F32 && dtype != SONDE_DTYPE_I8 && dtype != SONDE_DTYPE_U8)
      || !sonde_type_get_shape (&y->type, &made) || !sonde_shape_equal (&made, shape))
    return FALSE;

  for (guint k = 0; k < node->inputs->len; k++)
    {
      const SondeGraphValue *value = sonde_node_get_input (node, k);
      SondeTensor *constant = sonde_cpu_constant_of (value);

      if (value == x || find_maker (nodes, at, value) >= 0)
        depends = TRUE;
      else if (value != NULL && (constant == NULL || sonde_tensor_n_elements (constant) != 1))
        return FALSE;
    }

  return depends;
}

/* Begins with DequantizeLinear of @x (out), ends with QuantizeLinear. */
static gboolean
read_table (SondeNode *const *nodes, guint n_nodes, SondeGraphValue **x)
{
  SondeDtype from, to;
  SondeShape shape;

  if (n_nodes < 2 || n_nodes > MOST_NODES
      || !sonde_node_is (nodes[0], SONDE_OP_ID_DEQUANTIZE_LINEAR)
      || !sonde_node_is (nodes[n_nodes - 1], SONDE_OP_ID_QUANTIZE_LINEAR))
    return FALSE;

  *x = sonde_node_get_input (nodes[0], 0);
  from = sonde_cpu_dtype_of (*x);
  to = sonde_cpu_dtype_of (sonde_node_get_output (nodes[n_nodes - 1], 0));
  if ((from != SONDE_DTYPE_I8 && from != SONDE_DTYPE_U8)
      || (to != SONDE_DTYPE_I8 && to != SONDE_DTYPE_U8) || sonde_cpu_constant_of (*x) != NULL
      || !sonde_type_get_shape (&(*x)->type, &shape))
    return FALSE;

  for (guint i = 0; i < n_nodes; i++)
    if (!is_inside (nodes, i, *x, &shape))
      return FALSE;

  return TRUE;
}

static gboolean
match_quantised_table (SondeNode *const *nodes, guint n_nodes)
{
  SondeGraphValue *x;

  return read_table (nodes, n_nodes, &x);
}

/* ---- preparing ----------------------------------------------------------- */

/* The result of node @at, whose operands are @x or in @results. */
static SondeTensor *
compute_node (SondeNode *const *nodes, guint at, const SondeGraphValue *x_value, SondeTensor *x,
              SondeTensor *const *results)
{
  const SondeNode *node = nodes[at];
  SondeTensor *inputs[MOST_INPUTS] = { NULL }, *result = NULL;

  for (guint k = 0; k < node->inputs->len; k++)
    {
      const SondeGraphValue *value = sonde_node_get_input (node, k);
      int maker = find_maker (nodes, at, value);

      inputs[k] = value == x_value ? x
                  : maker >= 0     ? results[maker]
                                   : sonde_cpu_constant_of (value);
    }

  return sonde_op_run_reference (node, inputs, node->inputs->len, &result, 1, NULL) ? result : NULL;
}

static gboolean
fill_table (SondeNode *const *nodes, guint n_nodes, const SondeGraphValue *x_value,
            guint8 table[NUMBERS])
{
  const SondeShape shape = sonde_shape_make (1, (gint64) NUMBERS);
  g_autoptr (SondeTensor) x = sonde_tensor_new (x_value->type.dtype, &shape);
  g_autoptr (GPtrArray) results
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  const SondeTensor *last;

  for (int i = 0; i < NUMBERS; i++)
    ((guint8 *) x->data)[i] = (guint8) i;
  for (guint i = 0; i < n_nodes; i++)
    {
      SondeTensor *result
          = compute_node (nodes, i, x_value, x, (SondeTensor *const *) results->pdata);

      if (result == NULL)
        return FALSE;
      g_ptr_array_add (results, result);
    }

  last = g_ptr_array_index (results, n_nodes - 1);
  if (sonde_tensor_n_bytes (last) != NUMBERS)
    return FALSE;
  memcpy (table, last->data, NUMBERS);
  return TRUE;
}

static SondeKernel *
prepare_fused_quantised_table (SondeCpuDevice *device, SondePrepareRequest *request)
{
  g_autofree TableKernel *kernel = g_new0 (TableKernel, 1);
  SondeGraphValue *x;
  SondeShape shape;
  gboolean last;

  if (request->n_outputs != 1 || !read_table (request->nodes, request->n_nodes, &x)
      || !sonde_type_get_shape (&x->type, &shape))
    return NULL;

  kernel->input = sonde_cpu_find_value (request, x);
  kernel->n = sonde_shape_n_elements (&shape);
  if (kernel->input < 0 || kernel->n <= 0
      || !fill_table (request->nodes, request->n_nodes, x, kernel->table))
    return NULL;

  last = sonde_cpu_lies_channels_last (request, (guint) kernel->input) && !request->plain_layouts;
  for (guint i = 0; i < request->n_inputs; i++)
    if ((int) i != kernel->input || !last)
      sonde_cpu_want_plain (device, request, i);
  if (last)
    {
      sonde_cpu_want_channels_last (device, request, (guint) kernel->input);
      sonde_cpu_give_channels_last (request, 0);
    }
  kernel->base.run = run_table;
  request->in_place = FALSE;
  request->workspace_bytes = 0;
  request->implementation = "table";
  return (SondeKernel *) g_steal_pointer (&kernel);
}

const SondeCpuFusion sonde_cpu_quantised_table_fusion = {
  .match = match_quantised_table,
  .prepare = prepare_fused_quantised_table,
};
