/* SPDX-License-Identifier: Apache-2.0
 * The model is brought into its current form beside itself, with all sizes known; what a node of the
 * form costs goes to the node of the file that it came from. */
#include "engine/profile/sonde-graph-cost.h"

#include "data/base/sonde-checked.h"
#include "engine/live/sonde-nearest.h"
#include "engine/passes/sonde-passes.h"
#include "engine/passes/sonde-subgraphs.h"
#include "engine/plan/sonde-plan.h"
#include "engine/profile/sonde-node-macs.h"

/* ---- sizes of the inputs --------------------------------------------------- */

static const char *
input_name (guint k, gpointer data)
{
  const SondeGraphValue *value = g_ptr_array_index (((SondeGraph *) data)->inputs, k);

  return value->role == SONDE_ROLE_INPUT ? value->name : NULL;
}

static SondeGraphValue *
find_input (SondeGraph *graph, const char *name, GError **error)
{
  SondeGraphValue *value = sonde_graph_find_value (graph, name);
  const char *nearest;

  if (value != NULL && value->role == SONDE_ROLE_INPUT)
    return value;
  nearest = sonde_nearest_name (name, input_name, graph->inputs->len, graph);
  if (nearest != NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "The model has no input “%s”; the nearest is “%s”.", name, nearest);
  else
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "The model has no input “%s”.", name);
  return NULL;
}

static gboolean
fits (const SondeType *declared, const SondeShape *sizes)
{
  if (declared->kind != SONDE_VALUE_TENSOR
      || (declared->rank >= 0 && declared->rank != sizes->rank))
    return FALSE;
  for (int d = 0; d < declared->rank; d++)
    if (declared->dims[d].symbol == NULL && declared->dims[d].size >= 0
        && declared->dims[d].size != sizes->dims[d])
      return FALSE;
  return TRUE;
}

/* @symbols: symbol -> its size + 1; the first input that binds one counts */
static gboolean
take_sizes (SondeGraph *graph, const SondeInputSizes *sizes, GHashTable *symbols, GError **error)
{
  const SondeGraphValue *value = find_input (graph, sizes->name, error);
  g_autofree char *want = NULL, *have = sonde_shape_to_string (&sizes->sizes);

  if (value == NULL)
    return FALSE;
  if (!fits (&value->type, &sizes->sizes))
    {
      want = sonde_type_to_string (&value->type);
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                       "Input “%s” is %s; the sizes %s do not fit it.", value->name, want, have);
      return FALSE;
    }
  for (int d = 0; d < value->type.rank; d++)
    if (value->type.dims[d].symbol != NULL
        && !g_hash_table_contains (symbols, value->type.dims[d].symbol))
      g_hash_table_insert (symbols, (gpointer) value->type.dims[d].symbol,
                           GSIZE_TO_POINTER ((gsize) sizes->sizes.dims[d] + 1));
  return TRUE;
}

static const SondeInputSizes *
find_sizes (const SondeInputSizes *sizes, guint n, const char *name)
{
  for (guint i = 0; i < n; i++)
    if (g_strcmp0 (sizes[i].name, name) == 0)
      return &sizes[i];
  return NULL;
}

static gint64
choose_size (const SondeDimension *dimension, GHashTable *symbols)
{
  gsize bound = dimension->symbol != NULL
                    ? GPOINTER_TO_SIZE (g_hash_table_lookup (symbols, dimension->symbol))
                    : 0;

  if (bound > 0)
    return (gint64) bound - 1;
  return dimension->size >= 0 ? dimension->size : 1;
}

/* Of every input whose rank is known. */
static gboolean
bind_inputs (SondeGraph *graph, const SondeInputSizes *sizes, guint n_sizes, GArray *bindings,
             GError **error)
{
  g_autoptr (GHashTable) symbols = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < n_sizes; i++)
    if (!take_sizes (graph, &sizes[i], symbols, error))
      return FALSE;
  for (guint i = 0; i < graph->inputs->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (graph->inputs, i);
      const SondeInputSizes *given = find_sizes (sizes, n_sizes, value->name);
      SondeBinding binding = { value->name, value->type };
      SondeShape shape = { .rank = value->type.rank };

      if (value->role != SONDE_ROLE_INPUT || value->type.kind != SONDE_VALUE_TENSOR
          || (value->type.rank < 0 && given == NULL))
        continue;
      for (int d = 0; d < shape.rank && given == NULL; d++)
        shape.dims[d] = choose_size (&value->type.dims[d], symbols);
      binding.type = sonde_type_tensor (value->type.dtype, given != NULL ? &given->sizes : &shape);
      g_array_append_val (bindings, binding);
    }
  return TRUE;
}

/* The node of the model that a node of the current form came from. */
static const char *
origin_of (const SondeNode *node)
{
  return node->origins->len > 0 ? g_ptr_array_index (node->origins, 0) : node->name;
}

/* ---- the model as it would run ----------------------------------------------- */

/* What they make keeps the types that the file declares.
 * @unknown: (element-type utf8): gets the names of the nodes of the model that they came from */
static void
remove_unknown (SondeGraph *graph, GHashTable *unknown)
{
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      SondeNode *node = g_ptr_array_index (graph->nodes, i);
      g_autoptr (GPtrArray) bodies = node != NULL ? sonde_bodies_of (node) : NULL;

      for (guint b = 0; bodies != NULL && b < bodies->len; b++)
        remove_unknown (g_ptr_array_index (bodies, b), unknown);
      if (node == NULL || sonde_pass_knows_operator (node->domain, node->op))
        continue;
      g_hash_table_add (unknown, g_strdup (origin_of (node)));
      sonde_graph_remove_node (graph, node);
    }
}

static SondeGraph *
make_current (SondeGraph *model, const SondeInputSizes *sizes, guint n_sizes, GHashTable *unknown,
              GError **error)
{
  g_autoptr (SondeGraph) graph = sonde_graph_copy (model, TRUE);
  g_autoptr (GArray) bindings = g_array_new (FALSE, FALSE, sizeof (SondeBinding));

  if (!bind_inputs (graph, sizes, n_sizes, bindings, error) || !sonde_pass_inline (graph, error))
    return NULL;
  remove_unknown (graph, unknown);
  if (!sonde_pass_legalise (graph, error) || !sonde_pass_expand_gradient (graph, error)
      || !sonde_pass_infer (graph, (const SondeBinding *) bindings->data, bindings->len, error))
    return NULL;
  return g_steal_pointer (&graph);
}

/* ---- nodes ----------------------------------------------------------------- */

/* @current: the model in its current form
 * @places: name of a node of the model -> its place in @cost->nodes, + 1
 * @counted: set of parameters and states that have a reader already
 * @unknown: set of names of nodes that stand for an operator that Sonde lacks */
typedef struct
{
  SondeGraphCost *cost;
  SondeGraph *model, *current;
  GHashTable *places, *counted, *unknown;
} Counting;

static SondeNodeCost *
node_cost (const Counting *counting, guint place)
{
  return &g_array_index (counting->cost->nodes, SondeNodeCost, place);
}

/* In the current form types are known; what is no longer there has that of the file. */
static const SondeType *
type_of (const Counting *counting, const SondeGraphValue *value)
{
  const SondeGraphValue *current = sonde_graph_find_value (counting->current, value->name);

  return current != NULL ? &current->type : &value->type;
}

/* SONDE_COST_NOT_KNOWN for what has no size before the run. */
static gint64
type_bytes (const SondeType *type)
{
  SondeShape shape;

  if (!sonde_type_get_shape (type, &shape) || sonde_shape_n_elements (&shape) < 0
      || type->dtype == SONDE_DTYPE_INVALID || type->dtype == SONDE_DTYPE_STRING)
    return SONDE_COST_NOT_KNOWN;
  return sonde_shape_n_elements (&shape) * (gint64) sonde_dtype_size (type->dtype);
}

/* The sum of both; one that is not known, or too large, makes it so. */
static gint64
add_known (gint64 sum, gint64 amount)
{
  gint64 result;

  if (sum == SONDE_COST_NOT_KNOWN || amount == SONDE_COST_NOT_KNOWN
      || !sonde_checked_add (&result, sum, amount))
    return SONDE_COST_NOT_KNOWN;
  return result;
}

/* @values: of inputs or outputs: each once */
static gint64
sum_bytes (const Counting *counting, const GPtrArray *values)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  gint64 sum = 0;

  for (guint i = 0; i < values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (values, i);

      if (value != NULL && g_hash_table_add (seen, value))
        sum = add_known (sum, type_bytes (type_of (counting, value)));
    }
  return sum;
}

static void
count_initialiser (Counting *counting, const SondeGraphValue *value, SondeNodeCost *node)
{
  SondeTensor *tensor = sonde_value_get_tensor (value->constant);
  SondeGraphCost *cost = counting->cost;
  guint64 n;

  if (tensor == NULL || (value->role != SONDE_ROLE_PARAMETER && value->role != SONDE_ROLE_STATE)
      || !g_hash_table_add (counting->counted, (gpointer) value))
    return;
  n = (guint64) sonde_tensor_n_elements (tensor);
  cost->parameter_bytes += n * sonde_dtype_size (tensor->dtype);
  if (value->role == SONDE_ROLE_STATE)
    cost->n_state += n;
  else
    {
      cost->n_parameters += n;
      node->n_parameters += n;
    }
}

/* @reader: @node's node, or one of its bodies. The loader bounds how deep bodies lie in each other. */
static void
count_parameters (Counting *counting, const SondeNode *reader, SondeNodeCost *node)
{
  g_autoptr (GPtrArray) bodies = sonde_bodies_of (reader);

  for (guint i = 0; i < reader->inputs->len; i++)
    {
      const SondeGraphValue *value = sonde_node_get_input (reader, i);

      while (value != NULL && value->outer != NULL)
        value = value->outer;
      if (value != NULL)
        count_initialiser (counting, value, node);
    }
  for (guint b = 0; bodies != NULL && b < bodies->len; b++)
    {
      const SondeGraph *body = g_ptr_array_index (bodies, b);

      for (guint i = 0; i < body->nodes->len; i++)
        if (g_ptr_array_index (body->nodes, i) != NULL)
          count_parameters (counting, g_ptr_array_index (body->nodes, i), node);
    }
  node->runs_bodies = node->runs_bodies || bodies != NULL;
}

/* Knows the sizes that costs of rows ask for. */
static gboolean
knows_sizes (const SondeNode *node)
{
  for (guint i = 0; i < node->inputs->len + node->outputs->len; i++)
    {
      const SondeGraphValue *value = i < node->inputs->len
                                         ? sonde_node_get_input (node, i)
                                         : sonde_node_get_output (node, i - node->inputs->len);
      SondeShape shape;

      if (value != NULL && value->type.kind == SONDE_VALUE_TENSOR
          && (!sonde_type_get_shape (&value->type, &shape) || sonde_shape_n_elements (&shape) < 0))
        return FALSE;
      if (value != NULL && value->type.kind == SONDE_VALUE_NONE)
        return FALSE;
    }
  return TRUE;
}

/* What @node, of the current form, adds to the node that it came from. */
static void
add_work (Counting *counting, const SondeNode *node)
{
  const char *origin = origin_of (node);
  guint place = GPOINTER_TO_UINT (g_hash_table_lookup (counting->places, origin));
  const SondeNode *original = sonde_graph_find_node (counting->model, origin);
  SondeNodeCost *cost;
  SondeCost own = { 0 };
  gint64 macs;

  if (place == 0)
    return;
  cost = node_cost (counting, place - 1);
  if (!sonde_node_count_macs (node, &macs))
    macs = SONDE_COST_NOT_KNOWN;
  if (*original->domain != '\0' || sonde_node_has_macs (original))
    cost->macs = add_known (cost->macs, macs);
  if (knows_sizes (node))
    sonde_plan_node_cost (node, &own);
  else
    own.flops = SONDE_COST_NOT_KNOWN;
  cost->flops
      = add_known (cost->flops, own.flops < 0x1p62 ? (gint64) own.flops : SONDE_COST_NOT_KNOWN);
}

static void
add_node (Counting *counting, SondeNode *node)
{
  const SondeGraphValue *result = sonde_node_get_output (node, 0);
  g_autofree char *full = g_strconcat (node->domain, ".", node->op, NULL);
  SondeNodeCost cost = { .name = node->name, .op = node->op };

  if (*node->domain != '\0')
    cost.op = g_string_chunk_insert_const (counting->cost->texts, full);
  cost.bytes_read = sum_bytes (counting, node->inputs);
  cost.bytes_written = sum_bytes (counting, node->outputs);
  cost.shape_known
      = result != NULL && sonde_type_get_shape (type_of (counting, result), &cost.shape);
  count_parameters (counting, node, &cost);
  g_array_append_val (counting->cost->nodes, cost);
  g_hash_table_insert (counting->places, node->name, GUINT_TO_POINTER (counting->cost->nodes->len));
}

/* ---- memory of activations --------------------------------------------------- */

static void
note_last (GHashTable *last, const SondeGraphValue *value, guint place)
{
  while (value != NULL && value->outer != NULL)
    value = value->outer;
  if (value != NULL && value->producer != NULL)
    g_hash_table_insert (last, (gpointer) value, GUINT_TO_POINTER (place + 1));
}

/* Values of the model that @node and its bodies read. */
static void
note_reads (GHashTable *last, const SondeNode *node, guint place)
{
  g_autoptr (GPtrArray) bodies = sonde_bodies_of (node);

  for (guint i = 0; i < node->inputs->len; i++)
    note_last (last, sonde_node_get_input (node, i), place);
  for (guint b = 0; bodies != NULL && b < bodies->len; b++)
    {
      const SondeGraph *body = g_ptr_array_index (bodies, b);

      for (guint i = 0; i < body->nodes->len; i++)
        if (g_ptr_array_index (body->nodes, i) != NULL)
          note_reads (last, g_ptr_array_index (body->nodes, i), place);
      for (guint i = 0; i < body->outputs->len; i++)
        note_last (last, g_ptr_array_index (body->outputs, i), place);
    }
}

/* The values that follow from the inputs: what follows from weights alone, as dequantised ones, is no
 * activation. In the order of the file, which is that of a run. (transfer full) */
static GHashTable *
find_activations (SondeGraph *model)
{
  GHashTable *found = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < model->inputs->len; i++)
    if (((SondeGraphValue *) g_ptr_array_index (model->inputs, i))->role == SONDE_ROLE_INPUT)
      g_hash_table_add (found, g_ptr_array_index (model->inputs, i));
  for (guint i = 0; i < model->nodes->len; i++)
    {
      const SondeNode *node = g_ptr_array_index (model->nodes, i);
      g_autoptr (GPtrArray) bodies = node != NULL ? sonde_bodies_of (node) : NULL;
      gboolean follows = bodies != NULL;

      for (guint k = 0; node != NULL && k < node->inputs->len && !follows; k++)
        follows = g_hash_table_contains (found, sonde_node_get_input (node, k));
      for (guint k = 0; follows && k < node->outputs->len; k++)
        if (sonde_node_get_output (node, k) != NULL)
          g_hash_table_add (found, sonde_node_get_output (node, k));
    }
  return found;
}

/* Outputs live to the end. */
static void
measure_memory (Counting *counting)
{
  g_autoptr (GHashTable) last = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) activations = find_activations (counting->model);
  guint n = counting->cost->nodes->len;
  g_autofree gint64 *change = g_new0 (gint64, n + 1);
  gint64 alive = 0;

  for (guint i = 0, place = 0; i < counting->model->nodes->len; i++)
    if (g_ptr_array_index (counting->model->nodes, i) != NULL)
      note_reads (last, g_ptr_array_index (counting->model->nodes, i), place++);
  for (guint i = 0; i < counting->model->outputs->len; i++)
    note_last (last, g_ptr_array_index (counting->model->outputs, i), n - 1);
  for (guint i = 0; i < counting->model->values->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (counting->model->values, i);
      const SondeNode *maker = value != NULL ? value->producer : NULL;
      gint64 bytes = value != NULL ? type_bytes (type_of (counting, value)) : 0;
      guint made, until;

      if (maker == NULL || bytes <= 0 || !g_hash_table_contains (activations, value))
        continue;
      made = GPOINTER_TO_UINT (g_hash_table_lookup (counting->places, maker->name)) - 1;
      until = MAX (made + 1, GPOINTER_TO_UINT (g_hash_table_lookup (last, value)));
      change[made] += bytes;
      change[until] -= bytes;
    }
  for (guint place = 0; place < n; place++)
    {
      alive += change[place];
      node_cost (counting, place)->alive_bytes = (guint64) MAX (alive, 0);
      counting->cost->peak_bytes = MAX (counting->cost->peak_bytes, (guint64) MAX (alive, 0));
    }
}

/* ---- the whole --------------------------------------------------------------- */

static void
count_all (Counting *counting)
{
  SondeGraphCost *cost = counting->cost;

  for (guint i = 0; i < counting->model->nodes->len; i++)
    if (g_ptr_array_index (counting->model->nodes, i) != NULL)
      add_node (counting, g_ptr_array_index (counting->model->nodes, i));
  for (guint i = 0; i < counting->current->nodes->len; i++)
    if (g_ptr_array_index (counting->current->nodes, i) != NULL)
      add_work (counting, g_ptr_array_index (counting->current->nodes, i));
  for (guint i = 0; i < cost->nodes->len; i++)
    {
      SondeNodeCost *node = node_cost (counting, i);

      if (g_hash_table_contains (counting->unknown, node->name))
        node->macs = node->flops = SONDE_COST_NOT_KNOWN;
      else if (node->macs != 0)
        node->flops = add_known (node->macs, node->macs);
      cost->macs += (guint64) MAX (node->macs, 0);
      cost->flops += (guint64) MAX (node->flops, 0);
    }
  measure_memory (counting);
}

SondeGraphCost *
sonde_graph_cost_new (SondeGraph *model, const SondeInputSizes *sizes, guint n_sizes,
                      GError **error)
{
  g_autoptr (SondeGraph) current = NULL;
  g_autoptr (GHashTable) places = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) counted = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) unknown = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  SondeGraphCost *cost;
  Counting counting;

  g_return_val_if_fail (model != NULL, NULL);

  current = make_current (model, sizes, n_sizes, unknown, error);
  if (current == NULL)
    return NULL;
  cost = g_new0 (SondeGraphCost, 1);
  cost->nodes = g_array_new (FALSE, TRUE, sizeof (SondeNodeCost));
  cost->texts = g_string_chunk_new (64);
  counting = (Counting){ cost, model, current, places, counted, unknown };
  count_all (&counting);
  return cost;
}

void
sonde_graph_cost_free (SondeGraphCost *cost)
{
  if (cost == NULL)
    return;
  g_array_unref (cost->nodes);
  g_string_chunk_free (cost->texts);
  g_free (cost);
}

gboolean
sonde_node_cost_is_partial (const SondeNodeCost *cost)
{
  return !cost->shape_known || cost->macs == SONDE_COST_NOT_KNOWN
         || cost->flops == SONDE_COST_NOT_KNOWN || cost->bytes_read == SONDE_COST_NOT_KNOWN
         || cost->bytes_written == SONDE_COST_NOT_KNOWN;
}
