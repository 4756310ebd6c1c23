/* SPDX-License-Identifier: Apache-2.0
 * Shapes and types of every value. Symbolic sizes are bound first; small integer tensors are
 * computed on the way, so that shapes that a model computes are known before it runs. Bodies of
 * nodes are inferred when their node is reached: sonde-infer-body.c. */
#include "engine/passes/sonde-infer-private.h"
#include "engine/passes/sonde-subgraphs.h"

/* Elements of a tensor that is computed at inference. */
#define MOST_KNOWN 1024
#define MOST_KNOWN_FLOATS 16

typedef SondeTyping Inference;

/* ---- symbols ------------------------------------------------------------- */

/* FALSE: @symbol has another size already, so that the name says nothing here. A file may be wrong
 * about it and its values right: that is no error. */
static gboolean
bind_symbol (Inference *inference, const char *symbol, gint64 size, const char *name, int axis)
{
  gint64 *bound = g_hash_table_lookup (inference->symbols, symbol);

  if (bound != NULL && *bound != size)
    {
      g_message ("input “%s”: dimension %d is declared as “%s”, which is %" PRIi64
                 " elsewhere, and is %" PRIi64 ": the name is ignored here",
                 name, axis, symbol, *bound, size);
      return FALSE;
    }
  if (bound == NULL)
    {
      bound = g_new (gint64, 1);
      *bound = size;
      g_hash_table_insert (inference->symbols, (gpointer) symbol, bound);
    }
  return TRUE;
}

static gboolean
bind_input (Inference *inference, const SondeBinding *binding, GError **error)
{
  SondeGraphValue *value = sonde_graph_find_value (inference->graph, binding->name);
  const SondeType *declared = value ? &value->type : NULL;
  g_autofree char *want = NULL, *have = sonde_type_to_string (&binding->type);
  const char *symbols[SONDE_MAX_RANK] = { NULL };
  gboolean fits = TRUE;

  if (value == NULL || value->role != SONDE_ROLE_INPUT)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                       "the model has no input “%s”", binding->name);
      return FALSE;
    }
  want = sonde_type_to_string (declared);
  if (declared->kind == SONDE_VALUE_TENSOR)
    {
      fits = (declared->dtype == binding->type.dtype || declared->dtype == SONDE_DTYPE_INVALID)
             && (declared->rank < 0 || declared->rank == binding->type.rank);
      for (int d = 0; d < declared->rank && fits; d++)
        {
          gint64 size = binding->type.dims[d].size;
          const char *symbol = declared->dims[d].symbol;

          if (symbol == NULL && declared->dims[d].size >= 0 && size >= 0)
            fits = declared->dims[d].size == size;
          /* The symbol stays beside the size: another plan may bind it again. */
          if (symbol != NULL && (size < 0 || bind_symbol (inference, symbol, size, value->name, d)))
            symbols[d] = symbol;
        }
    }
  if (!fits)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                       "input “%s” is %s, but the model takes %s", value->name, have, want);
      return FALSE;
    }
  value->type = binding->type;
  for (int d = 0; d < binding->type.rank; d++)
    if (symbols[d] != NULL)
      value->type.dims[d].symbol = symbols[d];
  return TRUE;
}

/* What is known of a symbol stands beside it. */
static void
apply_symbols (Inference *inference, SondeType *type)
{
  for (int d = 0; d < type->rank; d++)
    {
      const char *symbol = type->dims[d].symbol;
      const gint64 *bound = symbol ? g_hash_table_lookup (inference->symbols, symbol) : NULL;

      if (bound != NULL)
        type->dims[d].size = *bound;
    }
}

/* ---- known values -------------------------------------------------------- */

SondeTensor *
sonde_typing_known (const SondeTyping *inference, const SondeGraphValue *value)
{
  for (; value != NULL && inference != NULL; value = value->outer, inference = inference->outer)
    {
      if (value->constant != NULL && value->role == SONDE_ROLE_CONSTANT)
        return sonde_value_get_tensor (value->constant);
      if (value->outer == NULL)
        return value->id < inference->known->len ? inference->known->pdata[value->id] : NULL;
    }
  return NULL;
}

static void
set_known (Inference *inference, SondeGraphValue *value, SondeTensor *tensor) /* (transfer full) */
{
  if (value->id >= inference->known->len)
    g_ptr_array_set_size (inference->known, (int) value->id + 1);
  sonde_tensor_unref (inference->known->pdata[value->id]);
  inference->known->pdata[value->id] = tensor;
}

/* Worth computing now: integers, truth values and a few floats (scales), which may decide
 * shapes. */
static gboolean
is_shape_like (const SondeNode *node, const SondeType *types)
{
  for (guint k = 0; k < node->outputs->len; k++)
    {
      gint64 most = sonde_dtype_is_float (types[k].dtype) ? MOST_KNOWN_FLOATS : MOST_KNOWN;
      SondeShape shape;

      if (types[k].dtype == SONDE_DTYPE_STRING || !sonde_type_get_shape (&types[k], &shape)
          || sonde_shape_n_elements (&shape) > most)
        return FALSE;
    }
  return node->outputs->len > 0;
}

static gboolean
is_dynamic (const SondeNode *node)
{
  const SondeOpClass *klass = sonde_op_of_node (node);

  return klass != NULL && (klass->flags & SONDE_OP_DYNAMIC) != 0;
}

/* A size that only values tell is known now. */
static void
store_result (Inference *inference, SondeGraphValue *value,
              SondeTensor *tensor) /* (transfer full) */
{
  if (value == NULL || tensor->dtype == SONDE_DTYPE_STRING)
    {
      sonde_tensor_unref (tensor);
      return;
    }
  if (!sonde_type_get_shape (&value->type, &(SondeShape){ 0 }))
    value->type = sonde_type_tensor (tensor->dtype, &tensor->shape);
  if (sonde_tensor_n_elements (tensor) <= MOST_KNOWN)
    set_known (inference, value, tensor);
  else
    sonde_tensor_unref (tensor);
}

static void
compute_known (Inference *inference, const SondeNode *node, SondeTensor *const *known)
{
  const SondeOpClass *klass = sonde_op_of_node (node);
  guint n = node->inputs->len, n_outputs = node->outputs->len;
  g_autofree SondeTensor **outputs = g_new0 (SondeTensor *, n_outputs + 1);

  if (klass->flags & (SONDE_OP_RANDOM | SONDE_OP_CONTROL))
    return;
  for (guint k = 0; k < n; k++)
    if (node->inputs->pdata[k] != NULL
        && (known[k] == NULL || sonde_tensor_n_elements (known[k]) > MOST_KNOWN))
      return;
  if (!sonde_op_run_reference (node, known, n, outputs, n_outputs, NULL))
    return;
  for (guint k = 0; k < n_outputs; k++)
    if (outputs[k] != NULL)
      store_result (inference, sonde_node_get_output (node, k), outputs[k]);
}

/* ---- nodes --------------------------------------------------------------- */

/* A size that a file wrote down for a symbolic batch must not outlive new bindings; what kind of
 * thing a value is stays, for where nothing is known. */
static void
forget_types (SondeGraph *graph)
{
  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = graph->values->pdata[i];

      if (value != NULL && value->producer != NULL && !value->recorded)
        value->type.rank = -1;
    }
}

/* A rule that knows a size other than its symbol's made a new one of it: the sum of two, a part. */
static void
drop_false_symbols (const Inference *inference, SondeType *type)
{
  for (int d = 0; d < type->rank; d++)
    {
      const char *symbol = type->dims[d].symbol;
      const gint64 *bound
          = symbol != NULL ? g_hash_table_lookup (inference->symbols, symbol) : NULL;

      if (bound != NULL && type->dims[d].size >= 0 && type->dims[d].size != *bound)
        type->dims[d].symbol = NULL;
    }
}

static void
store_type (Inference *inference, SondeGraphValue *value, SondeType *type)
{
  SondeType hint = value->type;

  drop_false_symbols (inference, type);
  apply_symbols (inference, type);
  value->type = *type;
  if (type->kind == SONDE_VALUE_NONE)
    value->type = (SondeType){ .kind = hint.kind, .dtype = hint.dtype, .rank = -1 };
  else if (type->dtype == SONDE_DTYPE_INVALID && hint.kind == type->kind)
    value->type.dtype = hint.dtype;
}

static void
store_known (Inference *inference, SondeGraphValue *value,
             SondeTensor *tensor) /* (nullable) (transfer full) */
{
  if (tensor == NULL)
    return;
  if (value != NULL)
    set_known (inference, value, tensor);
  else
    sonde_tensor_unref (tensor);
}

static gboolean
infer_node (Inference *inference, SondeNode *node, GError **error)
{
  guint n = node->inputs->len, n_outputs = node->outputs->len;
  g_autofree SondeTensor **known = g_new0 (SondeTensor *, n + 1);
  g_autofree SondeTensor **results = g_new0 (SondeTensor *, n_outputs + 1);
  g_autofree SondeTensor **given = g_new0 (SondeTensor *, n_outputs + 1);
  g_autofree SondeType *types = g_new0 (SondeType, n_outputs + 1);
  gboolean good;

  for (guint k = 0; k < n; k++)
    known[k] = sonde_typing_known (inference, sonde_node_get_input (node, k));
  good = sonde_infer_bodies (inference, node, known, given, error)
         && sonde_op_infer_node (node, known, types, results, error);
  for (guint k = 0; k < n_outputs; k++)
    {
      SondeGraphValue *value = sonde_node_get_output (node, k);

      if (good && value != NULL)
        store_type (inference, value, &types[k]);
      store_known (inference, value, given[k]);
      store_known (inference, value, results[k]);
    }
  if (good && n > 0 && (is_dynamic (node) || is_shape_like (node, types)))
    compute_known (inference, node, known);
  return good;
}

/* The types that the file declares for the outputs, an entry each. */
static GArray *
copy_output_types (SondeGraph *graph)
{
  GArray *types = g_array_new (FALSE, FALSE, sizeof (SondeType));

  for (guint i = 0; i < graph->outputs->len; i++)
    g_array_append_val (types, ((SondeGraphValue *) graph->outputs->pdata[i])->type);
  return types;
}

/* A file may be wrong about an output and its nodes right: that is no error. Inner values are not
 * looked at, since exporters leave the sizes of their example there. */
static void
tell_other_outputs (SondeGraph *graph, const GArray *declared)
{
  for (guint i = 0; i < declared->len; i++)
    {
      const SondeGraphValue *value = graph->outputs->pdata[i];
      const SondeType *before = &g_array_index (declared, SondeType, i), *now = &value->type;

      if (before->kind != SONDE_VALUE_TENSOR || before->rank != now->rank)
        continue;
      for (int d = 0; d < now->rank; d++)
        if (before->dims[d].symbol == NULL && before->dims[d].size >= 0 && now->dims[d].size >= 0
            && before->dims[d].size != now->dims[d].size)
          g_message ("output “%s”: dimension %d is declared as %" PRIi64 " and is %" PRIi64
                     ": the declared size is ignored",
                     value->name, d, before->dims[d].size, now->dims[d].size);
    }
}

gboolean
sonde_typing_run (SondeTyping *inference, GError **error)
{
  g_autoptr (GPtrArray) order = sonde_order_of (inference->graph, error);

  if (order == NULL)
    return FALSE;
  forget_types (inference->graph);
  for (guint i = 0; i < order->len; i++)
    if (!sonde_node_is_recorded (order->pdata[i])
        && !infer_node (inference, order->pdata[i], error))
      return FALSE;
  return TRUE;
}

static void
inference_clear (Inference *inference)
{
  g_clear_pointer (&inference->symbols, g_hash_table_unref);
  g_clear_pointer (&inference->known, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Inference, inference_clear)

gboolean
sonde_pass_infer (SondeGraph *graph, const SondeBinding *bindings, guint n_bindings, GError **error)
{
  g_auto (Inference) inference = { .graph = graph };
  g_autoptr (GArray) declared = copy_output_types (graph);

  inference.symbols = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  inference.known = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  for (guint i = 0; i < n_bindings; i++)
    if (!bind_input (&inference, &bindings[i], error))
      return FALSE;
  for (guint i = 0; i < graph->inputs->len; i++)
    apply_symbols (&inference, &((SondeGraphValue *) graph->inputs->pdata[i])->type);
  if (!sonde_typing_run (&inference, error))
    return FALSE;
  tell_other_outputs (graph, declared);
  return TRUE;
}
