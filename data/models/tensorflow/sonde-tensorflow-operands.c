/* SPDX-License-Identifier: Apache-2.0
 * What a node reads and writes: inputs, layouts, known numbers. */
#include "data/models/lowering/sonde-lowering-shapes.h"
#include "data/models/tensorflow/sonde-tensorflow-lower.h"

/* ---- inputs -------------------------------------------------------------- */

const SondeType *
sonde_tensorflow_type_of (SondeTensorflowLower *lower, SondeGraphValue *value)
{
  sonde_lowering_infer (lower->to, value);
  return &value->type;
}

SondeGraphValue *
sonde_tensorflow_in (SondeTensorflowLower *lower, guint k)
{
  SondeGraphValue *value = lower->inputs[MIN (k, lower->n_inputs - 1)];

  sonde_lowering_infer (lower->to, value);
  return value;
}

int
sonde_tensorflow_in_rank (SondeTensorflowLower *lower, guint k)
{
  return sonde_tensorflow_in (lower, k)->type.rank;
}

SondeDtype
sonde_tensorflow_in_dtype (SondeTensorflowLower *lower, guint k)
{
  return sonde_tensorflow_in (lower, k)->type.dtype;
}

SondeGraphValue *
sonde_tensorflow_in_scalar (SondeTensorflowLower *lower, guint k)
{
  SondeGraphValue *value = sonde_tensorflow_in (lower, k);

  return value->type.rank == 0 ? value : sonde_lowering_reshape (lower->to, value, NULL, 0);
}

SondeGraphValue *
sonde_tensorflow_in_ints (SondeTensorflowLower *lower, guint k)
{
  SondeGraphValue *value = sonde_tensorflow_in (lower, k);
  const SondeTensor *known = sonde_lowering_get_constant (value);
  gint64 numbers[SONDE_LOWERING_MAX_NUMBERS], all = -1;
  int n = known != NULL ? sonde_lowering_get_numbers (lower->to, value, numbers) : -1;

  if (n >= 0)
    return sonde_lowering_ints (lower->to, numbers, (gsize) n);
  value = sonde_tensorflow_cast (lower, value, SONDE_DTYPE_I64);
  return value->type.rank == 1 ? value : sonde_lowering_reshape (lower->to, value, &all, 1);
}

/* ---- layouts ------------------------------------------------------------- */

/* A change of layout needs a rank, where nothing but the operator says it. */
static void
assume_rank (SondeGraphValue *value, int rank)
{
  if (value->type.rank >= 0)
    return;
  value->type.rank = rank;
  for (int i = 0; i < rank; i++)
    value->type.dims[i] = (SondeDimension){ .size = -1 };
}

SondeGraphValue *
sonde_tensorflow_in_first (SondeTensorflowLower *lower, guint k, int rank)
{
  SondeGraphValue *value = sonde_tensorflow_in (lower, k);

  assume_rank (value, rank);
  return sonde_lowering_channels_first (lower->to, value);
}

static gboolean
has_first (SondeTensorflowLower *lower, guint k, int rank)
{
  SondeGraphValue *value = sonde_tensorflow_in (lower, k);

  return value->type.rank == rank && sonde_lowering_find_channels_first (lower->to, value) != NULL;
}

/* A number, or one a channel. */
static gboolean
is_vector (SondeTensorflowLower *lower, guint k)
{
  return sonde_lowering_get_constant (sonde_tensorflow_in (lower, k)) != NULL
         && sonde_tensorflow_in_rank (lower, k) <= 1;
}

void
sonde_tensorflow_choose_layout (SondeTensorflowLower *lower, guint n)
{
  int rank = 0;

  lower->first = FALSE;
  for (guint k = 0; k < n; k++)
    rank = MAX (rank, sonde_tensorflow_in_rank (lower, k));
  for (guint k = 0; k < n; k++)
    lower->first |= rank >= 3 && has_first (lower, k, rank);
  for (guint k = 0; k < n; k++)
    lower->first &= has_first (lower, k, rank) || is_vector (lower, k);
}

/* A number a channel stands in front of the spatial dimensions. */
static SondeGraphValue *
spread_channels (SondeTensorflowLower *lower, guint k)
{
  SondeGraphValue *value = sonde_tensorflow_in (lower, k);
  gint64 sizes[SONDE_MAX_RANK] = { -1 };
  int rank = 0;

  if (value->type.rank == 0 || value->type.dims[0].size == 1)
    return value;
  for (guint i = 0; i < lower->n_inputs; i++)
    rank = MAX (rank, sonde_tensorflow_in_rank (lower, i));
  for (int i = 1; i < rank - 1; i++)
    sizes[i] = 1;
  return sonde_lowering_reshape (lower->to, value, sizes, rank - 1);
}

SondeGraphValue *
sonde_tensorflow_in_any (SondeTensorflowLower *lower, guint k)
{
  if (!lower->first)
    return sonde_tensorflow_in (lower, k);
  if (is_vector (lower, k))
    return spread_channels (lower, k);
  return sonde_lowering_find_channels_first (lower->to, sonde_tensorflow_in (lower, k));
}

void
sonde_tensorflow_out_any (SondeTensorflowLower *lower, guint k, SondeGraphValue *value)
{
  if (lower->first)
    sonde_tensorflow_out_first (lower, k, value);
  else
    sonde_tensorflow_out (lower, k, value);
}

gboolean
sonde_tensorflow_has_channels_first (const SondeTensorflowLower *lower)
{
  g_autofree char *format = sonde_tensorflow_attr_dup_string (lower->node, "data_format");

  return g_str_has_prefix (format, "NC");
}

/* ---- outputs ------------------------------------------------------------- */

void
sonde_tensorflow_alias (SondeTensorflowLower *lower, guint k, SondeGraphValue *value)
{
  SondeTensorflowResult *result = &lower->results[lower->number];

  if (k >= result->n_outputs)
    {
      result->outputs = g_renew (SondeGraphValue *, result->outputs, k + 1);
      for (guint i = result->n_outputs; i <= k; i++)
        result->outputs[i] = NULL;
      result->n_outputs = k + 1;
    }
  result->outputs[k] = value;
}

/* The value of output 0 is called as the node. Names of inputs and outputs of the model are theirs. */
void
sonde_tensorflow_out (SondeTensorflowLower *lower, guint k, SondeGraphValue *value)
{
  const SondeGraph *graph = sonde_lowering_get_graph (lower->to);
  g_autofree char *name = k == 0 ? g_strconcat (lower->prefix, lower->node->name, NULL)
                                 : g_strdup_printf ("%s%s:%u", lower->prefix, lower->node->name, k);
  const SondeGraphValue *taken = sonde_graph_find_value (graph, name);

  sonde_lowering_infer (lower->to, value);
  if ((taken == NULL || taken == value) && !g_hash_table_contains (lower->reserved, name)
      && g_strcmp0 (value->name, name) != 0)
    value = sonde_lowering_name (lower->to, value, name);
  sonde_tensorflow_alias (lower, k, value);
}

void
sonde_tensorflow_out_first (SondeTensorflowLower *lower, guint k, SondeGraphValue *value)
{
  sonde_lowering_infer (lower->to, value);
  sonde_tensorflow_out (lower, k, sonde_lowering_channels_last (lower->to, value));
}

void
sonde_tensorflow_out_all (SondeTensorflowLower *lower, SondeNode *node)
{
  for (guint k = 0; k < node->outputs->len; k++)
    sonde_tensorflow_out (lower, k, sonde_node_get_output (node, k));
}

void
sonde_tensorflow_refuse (SondeTensorflowLower *lower, SondeMessage *what, SondeMessage *advice)
{
  SondeNode *node
      = sonde_lowering_refuse (lower->to, lower->inputs, lower->n_inputs, 1, what, advice);

  sonde_tensorflow_out (lower, 0, sonde_node_get_output (node, 0));
  lower->results[lower->number].refused = TRUE;
}

/* ---- numbers ------------------------------------------------------------- */

gint64 *
sonde_tensorflow_dup_ints (SondeTensorflowLower *lower, guint k, guint *n)
{
  SondeGraphValue *value = sonde_tensorflow_in (lower, k);
  const SondeTensor *tensor = sonde_lowering_get_constant (value);
  gint64 *numbers = NULL;
  int found;

  *n = 0;
  if (tensor != NULL && sonde_dtype_is_integer (tensor->dtype)) /* any rank, any number of them */
    {
      *n = (guint) sonde_tensor_n_elements (tensor);
      numbers = g_new (gint64, MAX (*n, 1));
      for (guint i = 0; i < *n; i++)
        numbers[i] = sonde_tensor_get_int (tensor, i);
      return numbers;
    }
  numbers = g_new (gint64, SONDE_LOWERING_MAX_NUMBERS);
  found = sonde_lowering_get_numbers (lower->to, value, numbers);
  for (int i = 0; i < found; i++)
    if (numbers[i] == SONDE_LOWERING_UNKNOWN)
      found = -1;
  if (found < 0)
    g_clear_pointer (&numbers, g_free);
  *n = (guint) MAX (found, 0);
  return numbers;
}

gint64 *
sonde_tensorflow_need_ints (SondeTensorflowLower *lower, guint k, const char *what, guint *n)
{
  gint64 *numbers = sonde_tensorflow_dup_ints (lower, k, n);

  if (numbers == NULL)
    sonde_tensorflow_refuse (
        lower, sonde_message_new ("%-s is computed by the model; it must be a constant", what),
        NULL);
  return numbers;
}

gboolean
sonde_tensorflow_need_int (SondeTensorflowLower *lower, guint k, const char *what, gint64 *number)
{
  guint n = 0;
  g_autofree gint64 *numbers = sonde_tensorflow_need_ints (lower, k, what, &n);

  if (numbers == NULL)
    return FALSE;
  if (n != 1)
    sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED, "%-s has %u numbers, not one", what,
                         n);
  *number = n == 1 ? numbers[0] : 0;
  return n == 1;
}

int
sonde_tensorflow_need_rank (SondeTensorflowLower *lower, guint k)
{
  int rank = sonde_tensorflow_in_rank (lower, k);

  if (rank < 0)
    sonde_tensorflow_refuse (lower,
                             sonde_message_new ("how many dimensions input %u has is not known", k),
                             sonde_message_new ("Save the model with the shapes of its inputs"));
  return rank;
}

gboolean
sonde_tensorflow_check_rank (SondeTensorflowLower *lower, guint k, int rank)
{
  int found = sonde_tensorflow_in_rank (lower, k);

  if (found < 0 || found == rank)
    return TRUE;
  sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                       "input %u has %d dimensions; %d are needed", k, found, rank);
  return FALSE;
}

gboolean
sonde_tensorflow_check_axis (SondeTensorflowLower *lower, gint64 *axis, int rank)
{
  if (*axis >= -rank && *axis < rank)
    {
      *axis += *axis < 0 ? rank : 0;
      return TRUE;
    }
  sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                       "the axis %" PRIi64 " is none of %d dimensions", *axis, rank);
  return FALSE;
}

/* ---- emitting ------------------------------------------------------------ */

SondeGraphValue *
sonde_tensorflow_op1 (SondeTensorflowLower *lower, const char *op, SondeGraphValue *a)
{
  return sonde_lowering_op (lower->to, op, SONDE_VALUES (a));
}

SondeGraphValue *
sonde_tensorflow_op2 (SondeTensorflowLower *lower, const char *op, SondeGraphValue *a,
                      SondeGraphValue *b)
{
  return sonde_lowering_op (lower->to, op, SONDE_VALUES (a, b));
}

SondeGraphValue *
sonde_tensorflow_op3 (SondeTensorflowLower *lower, const char *op, SondeGraphValue *a,
                      SondeGraphValue *b, SondeGraphValue *c)
{
  return sonde_lowering_op (lower->to, op, SONDE_VALUES (a, b, c));
}

SondeGraphValue *
sonde_tensorflow_number (SondeTensorflowLower *lower, const SondeGraphValue *like, double number)
{
  SondeDtype dtype = like->type.dtype != SONDE_DTYPE_INVALID ? like->type.dtype : SONDE_DTYPE_F32;

  return sonde_lowering_number (lower->to, dtype, number);
}

SondeGraphValue *
sonde_tensorflow_cast (SondeTensorflowLower *lower, SondeGraphValue *value, SondeDtype dtype)
{
  if (sonde_tensorflow_type_of (lower, value)->dtype == dtype)
    return value;
  value = sonde_lowering_cast (lower->to, value, dtype);
  sonde_lowering_infer (lower->to, value);
  return value;
}

SondeGraphValue *
sonde_tensorflow_shape_of (SondeTensorflowLower *lower, SondeGraphValue *value)
{
  SondeGraphValue *shape = sonde_tensorflow_op1 (lower, "Shape", value);

  sonde_lowering_infer (lower->to, shape);
  return shape;
}
