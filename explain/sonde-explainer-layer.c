/* SPDX-License-Identifier: Apache-2.0
 * The cut: which values the part after it reads, and one graph for each part. */
#include "explain/sonde-explainer-layer.h"

#include <string.h>

#include "engine/nn/sonde-grad.h"
#include "engine/plan/sonde-runner.h"
#include "explain/sonde-explainer-ending.h"
#include "explain/sonde-explainer-model.h"

#define MOST_PLANS 4
#define NAMES_IN_MESSAGES 5
#define ACTIVATION_BYTES (8 << 20) /* of a pass of the part after the cut */
#define MOST_ROWS 256
#define ROWS_OF_WALK 7 /* tells a dimension of rows from one that happens to be 1 */

/**
 * SondeExplainerLayer:
 * @explainer: lent
 * @reads: (element-type utf8): values the part after the cut reads: the layer, then those that pass
 * by it
 * @logits: name
 * @before: (nullable): NULL when all of @reads is the input
 * @after_graph: for the gradient, made when it is first asked for
 */
struct _SondeExplainerLayer
{
  SondeExplainer *explainer;
  GPtrArray *reads;
  char *logits;
  SondeShape shape;
  SondeGraph *after_graph;
  SondeRunner *before, *after, *gradient;
};

/**
 * Walk: a copy of the model with all sizes known
 * @sorted: (element-type SondeNode)
 * @from_input, @from_layer, @needed: by value id: made from the input; from the layer; something
 * the logits need
 */
typedef struct
{
  SondeGraph *graph;
  SondeExplainerForm form;
  GPtrArray *sorted;
  SondeGraphValue *input, *layer, *logits;
  guint8 *from_input, *from_layer, *needed;
} Walk;

static void
walk_clear (Walk *walk)
{
  g_clear_pointer (&walk->sorted, g_ptr_array_unref);
  g_clear_pointer (&walk->graph, sonde_graph_unref);
  g_free (walk->from_input);
  g_free (walk->from_layer);
  g_free (walk->needed);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Walk, walk_clear)

/* ---- which value --------------------------------------------------------- */

/* Marks what is made from marked values. */
static void
spread (const Walk *walk, guint8 *marks)
{
  for (guint i = 0; i < walk->sorted->len; i++)
    {
      const SondeNode *node = walk->sorted->pdata[i];
      gboolean any = FALSE;

      for (guint k = 0; !any && k < node->inputs->len; k++)
        any = node->inputs->pdata[k] != NULL
              && marks[((SondeGraphValue *) node->inputs->pdata[k])->id];
      for (guint k = 0; any && k < node->outputs->len; k++)
        if (node->outputs->pdata[k] != NULL)
          marks[((SondeGraphValue *) node->outputs->pdata[k])->id] = TRUE;
    }
}

/* Marks what the logits are made from. */
static void
gather_needed (const Walk *walk)
{
  walk->needed[walk->logits->id] = TRUE;
  for (guint i = walk->sorted->len; i > 0; i--)
    {
      const SondeNode *node = walk->sorted->pdata[i - 1];
      gboolean any = FALSE;

      for (guint k = 0; !any && k < node->outputs->len; k++)
        any = node->outputs->pdata[k] != NULL
              && walk->needed[((SondeGraphValue *) node->outputs->pdata[k])->id];
      for (guint k = 0; any && k < node->inputs->len; k++)
        if (node->inputs->pdata[k] != NULL)
          walk->needed[((SondeGraphValue *) node->inputs->pdata[k])->id] = TRUE;
    }
}

/* Numbers between input and logits, a row a sample. */
static gboolean
is_layer (const Walk *walk, const SondeGraphValue *value)
{
  const SondeType *type = &value->type;
  gboolean known = type->kind == SONDE_VALUE_TENSOR && type->dtype == SONDE_DTYPE_F32
                   && type->rank >= 2 && type->rank <= 4
                   && type->dims[0].size == walk->input->type.dims[0].size;

  for (int d = 1; known && d < type->rank; d++)
    known = type->dims[d].size > 0;
  return known && walk->from_input[value->id] && walk->needed[value->id];
}

/* With channels and places: those of a network of series may have one dimension of places. */
static gboolean
is_plane (const Walk *walk, const SondeGraphValue *value)
{
  int rank = walk->form == SONDE_EXPLAINER_SERIES ? 3 : 4;

  return is_layer (walk, value) && (value->type.rank == 4 || value->type.rank == rank);
}

static gint64
count_places (const SondeGraphValue *value)
{
  const SondeDimension *dims = value->type.dims;

  return value->type.rank == 4 ? dims[2].size * dims[3].size : dims[2].size;
}

/* The last values with spatial extent, the last first. */
static GPtrArray *
find_planes (const Walk *walk, guint most)
{
  GPtrArray *found = g_ptr_array_new ();

  for (guint i = walk->sorted->len; i > 0; i--)
    {
      const SondeNode *node = walk->sorted->pdata[i - 1];
      SondeGraphValue *value = sonde_node_get_output (node, 0);

      if (found->len < most && value != NULL && is_plane (walk, value) && count_places (value) > 1)
        g_ptr_array_add (found, value);
    }
  return found;
}

static gboolean
refuse_name (const Walk *walk, const char *name, GError **error)
{
  g_autoptr (GPtrArray) planes = find_planes (walk, NAMES_IN_MESSAGES);
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < planes->len; i++)
    g_string_append_printf (names, "%s“%s”", i > 0 ? ", " : "",
                            ((SondeGraphValue *) planes->pdata[i])->name);
  if (name == NULL)
    sonde_set_error (
        error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
        "No value of the model has height and width, so there is no layer to compute a map of.");
  else if (planes->len > 0)
    sonde_set_error (
        error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
        "The model has no value or node “%s”. Its last layers with height and width are: %s.", name,
        names->str);
  else
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "The model has no value or node “%s”, and no layer with height and width.",
                     name);
  return FALSE;
}

static gboolean
find_layer (Walk *walk, const char *name, GError **error)
{
  g_autofree char *type = NULL;
  SondeNode *node;

  if (name == NULL)
    {
      g_autoptr (GPtrArray) planes = find_planes (walk, 1);

      walk->layer = planes->len > 0 ? planes->pdata[0] : NULL;
      return walk->layer != NULL || refuse_name (walk, NULL, error);
    }
  walk->layer = sonde_graph_find_value (walk->graph, name);
  if (walk->layer == NULL)
    {
      node = sonde_graph_find_node (walk->graph, name);
      walk->layer = node != NULL ? sonde_node_get_output (node, 0) : NULL;
    }
  if (walk->layer == NULL)
    return refuse_name (walk, name, error);
  if (is_layer (walk, walk->layer))
    return TRUE;
  type = sonde_type_to_string (&walk->layer->type);
  if (walk->needed[walk->layer->id])
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                     "“%s” is %s; a layer must be float32 [N, …] with two to four dimensions.",
                     walk->layer->name, type);
  else
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                     "“%s” (%s) is not a layer, because the logits do not depend on it.",
                     walk->layer->name, type);
  return FALSE;
}

static gboolean
walk_init (Walk *walk, SondeExplainer *explainer, const char *name, SondeTensor *inputs,
           GError **error)
{
  SondeBinding binding = { sonde_explainer_get_input (explainer),
                           sonde_type_tensor (inputs->dtype, &inputs->shape) };

  walk->form = sonde_explainer_get_form (explainer);
  walk->graph = sonde_graph_copy (sonde_explainer_get_model (explainer), FALSE);
  if (sonde_graph_find_value (walk->graph, binding.name)->type.dims[0].size < 0)
    binding.type.dims[0].size = ROWS_OF_WALK;
  else
    binding.type.dims[0].size = 1;
  if (!sonde_pass_infer (walk->graph, &binding, 1, error))
    return FALSE;
  walk->sorted = sonde_graph_sort (walk->graph, error);
  if (walk->sorted == NULL)
    return FALSE;
  walk->input = sonde_graph_find_value (walk->graph, binding.name);
  walk->logits = sonde_ending_find_logits (walk->graph);
  walk->from_input = g_new0 (guint8, walk->graph->values->len);
  walk->from_layer = g_new0 (guint8, walk->graph->values->len);
  walk->needed = g_new0 (guint8, walk->graph->values->len);
  walk->from_input[walk->input->id] = TRUE;
  spread (walk, walk->from_input);
  gather_needed (walk);
  if (!find_layer (walk, name, error))
    return FALSE;
  walk->from_layer[walk->layer->id] = TRUE;
  spread (walk, walk->from_layer);
  return TRUE;
}

/* ---- the cut ------------------------------------------------------------- */

static gboolean
has_body (const SondeNode *node)
{
  for (guint i = 0; i < node->attributes->len; i++)
    {
      const SondeAttribute *attribute = node->attributes->pdata[i];

      if (attribute->kind == SONDE_ATTRIBUTE_GRAPH || attribute->kind == SONDE_ATTRIBUTE_GRAPHS)
        return TRUE;
    }
  return FALSE;
}

/* Numbers, a row an image. */
static gboolean
has_rows (const Walk *walk, const SondeGraphValue *value)
{
  const SondeType *type = &value->type;

  return type->kind == SONDE_VALUE_TENSOR && sonde_dtype_is_float (type->dtype) && type->rank > 0
         && type->dims[0].size == walk->input->type.dims[0].size;
}

/* What the logits are made from behind the layer. Numbers that pass by it are read from the part
 * before; the rest, sizes made of a value's shape above all, is made again, so that it follows the
 * number of rows. */
static gboolean
find_reads (SondeExplainerLayer *layer, const Walk *walk, GError **error)
{
  g_autoptr (GPtrArray) open = g_ptr_array_new ();
  g_autofree guint8 *seen = g_new0 (guint8, walk->graph->values->len);

  g_ptr_array_add (layer->reads, g_strdup (walk->layer->name));
  g_ptr_array_add (open, walk->logits);
  while (open->len > 0)
    {
      SondeGraphValue *value = g_ptr_array_steal_index (open, open->len - 1);

      if (seen[value->id] || value == walk->layer)
        continue;
      seen[value->id] = TRUE;
      if (value == walk->input
          || (has_rows (walk, value) && walk->from_input[value->id]
              && !walk->from_layer[value->id]))
        {
          g_ptr_array_add (layer->reads, g_strdup (value->name));
          continue;
        }
      if (value->producer == NULL)
        continue;
      if (has_body (value->producer))
        {
          sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                           "Layer “%s” cannot be used because node “%s” (%s) between it and the "
                           "logits has a subgraph; choose a layer after that node.",
                           walk->layer->name, value->producer->name, value->producer->op);
          return FALSE;
        }
      for (guint k = 0; k < value->producer->inputs->len; k++)
        if (value->producer->inputs->pdata[k] != NULL)
          g_ptr_array_add (open, value->producer->inputs->pdata[k]);
    }
  return TRUE;
}

/* @value becomes an input of @known's type with any number of rows. */
static void
cut_off (SondeGraph *graph, SondeGraphValue *value, const SondeGraphValue *known)
{
  SondeNode *node = value->producer;
  SondeType type = known->type;

  if (node == NULL)
    return; /* the input */
  /* other outputs of the node may still be needed: the value is taken off it */
  for (guint k = 0; k < node->outputs->len; k++)
    if (node->outputs->pdata[k] == value)
      {
        g_autofree char *name = g_strdup (value->name),
                        *old = g_strconcat (value->name, " before the cut", NULL);
        SondeGraphValue *input;

        type.dims[0].size = -1;
        input = sonde_graph_add_input (graph, NULL, &type);

        sonde_graph_replace_value (graph, value, input);
        sonde_graph_rename_value (graph, value, old);
        sonde_graph_rename_value (graph, input, name);
      }
}

static SondeGraph *
make_before (SondeExplainerLayer *layer)
{
  SondeGraph *graph = sonde_graph_copy (sonde_explainer_get_model (layer->explainer), FALSE);

  g_ptr_array_set_size (graph->outputs, 0);
  for (guint i = 0; i < layer->reads->len; i++)
    sonde_graph_add_output (graph, sonde_graph_find_value (graph, layer->reads->pdata[i]));
  sonde_pass_dce (graph);
  return graph;
}

static SondeGraph *
make_after (SondeExplainerLayer *layer, const Walk *walk)
{
  SondeGraph *graph = sonde_graph_copy (sonde_explainer_get_model (layer->explainer), FALSE);
  const char *input = sonde_explainer_get_input (layer->explainer);
  SondeGraphValue *value = sonde_graph_find_value (graph, input);

  g_ptr_array_set_size (graph->outputs, 0);
  sonde_graph_add_output (graph, sonde_graph_find_value (graph, layer->logits));
  for (guint i = 0; i < layer->reads->len; i++)
    {
      const char *name = layer->reads->pdata[i];

      cut_off (graph, sonde_graph_find_value (graph, name),
               sonde_graph_find_value (walk->graph, name));
    }
  sonde_pass_dce (graph);
  if (!g_ptr_array_find_with_equal_func (layer->reads, input, g_str_equal, NULL))
    {
      g_ptr_array_remove (graph->inputs, value);
      sonde_graph_remove_value (graph, value);
    }
  (void) sonde_pass_infer (graph, NULL, 0, NULL); /* rules of gradients ask for ranks */
  return graph;
}

SondeExplainerLayer *
sonde_explainer_layer_new (SondeExplainer *explainer, const char *name, SondeTensor *inputs,
                           GError **error)
{
  g_autoptr (SondeExplainerLayer) layer = g_new0 (SondeExplainerLayer, 1);
  g_auto (Walk) walk = { NULL };
  g_autoptr (SondeGraph) before = NULL;

  layer->explainer = explainer;
  layer->reads = g_ptr_array_new_with_free_func (g_free);
  if (!walk_init (&walk, explainer, name, inputs, error) || !find_reads (layer, &walk, error))
    return NULL;
  layer->logits = g_strdup (walk.logits->name);
  sonde_type_get_shape (&walk.layer->type, &layer->shape);
  if (layer->reads->len > 1 || walk.layer != walk.input)
    {
      before = make_before (layer);
      layer->before
          = sonde_runner_new (before, sonde_explainer_get_device (explainer), NULL, MOST_PLANS);
    }
  layer->after_graph = make_after (layer, &walk);
  layer->after = sonde_runner_new (layer->after_graph, sonde_explainer_get_device (explainer), NULL,
                                   MOST_PLANS);
  return g_steal_pointer (&layer);
}

void
sonde_explainer_layer_free (SondeExplainerLayer *layer)
{
  if (layer == NULL)
    return;
  g_clear_pointer (&layer->gradient, sonde_runner_free);
  g_clear_pointer (&layer->after, sonde_runner_free);
  g_clear_pointer (&layer->before, sonde_runner_free);
  g_clear_pointer (&layer->after_graph, sonde_graph_unref);
  g_clear_pointer (&layer->reads, g_ptr_array_unref);
  g_free (layer->logits);
  g_free (layer);
}

SondeExplainerLayer *
sonde_explainer_find_layer (SondeExplainer *explainer, const char *name, SondeTensor *inputs,
                            GError **error)
{
  const gint64 *dims = inputs->shape.dims;
  g_autofree char *key = g_strdup_printf ("layer:%" PRIi64 ":%" PRIi64 ":%" PRIi64 ":%s", dims[1],
                                          dims[2], dims[3], name != NULL ? name : "");
  SondeExplainerLayer *layer = sonde_explainer_find_kept (explainer, key);

  if (layer != NULL)
    return layer;
  layer = sonde_explainer_layer_new (explainer, name, inputs, error);
  if (layer != NULL)
    sonde_explainer_keep (explainer, key, layer, (GDestroyNotify) sonde_explainer_layer_free);
  return layer;
}

const char *
sonde_explainer_layer_get_name (const SondeExplainerLayer *layer)
{
  return layer->reads->pdata[0];
}

gboolean
sonde_explainer_layer_get_size (const SondeExplainerLayer *layer, gint64 *channels, gint64 *height,
                                gint64 *width)
{
  int rank = layer->shape.rank;

  if (rank != 4
      && (rank != 3 || sonde_explainer_get_form (layer->explainer) != SONDE_EXPLAINER_SERIES))
    return FALSE;
  *channels = layer->shape.dims[1];
  *height = rank == 4 ? layer->shape.dims[2] : 1;
  *width = layer->shape.dims[rank - 1];
  return TRUE;
}

char *
sonde_explainer_layer_dup_form (const SondeExplainerLayer *layer)
{
  SondeShape sample = sonde_shape_from_array (layer->shape.rank - 1, layer->shape.dims + 1);
  g_autofree char *sizes = sonde_shape_to_string (&sample);

  return g_strconcat ("N×", sizes, NULL);
}

/* ---- running ------------------------------------------------------------- */

/* Sets the inputs of @runner, runs. (transfer none) */
static SondeExecution *
run (SondeRunner *runner, const char *const *names, GPtrArray *tensors, GError **error)
{
  g_autoptr (GPtrArray) values
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_value_unref);
  SondeExecution *execution;

  for (guint i = 0; i < tensors->len; i++)
    g_ptr_array_add (values, sonde_value_new_tensor (tensors->pdata[i]));
  execution = sonde_runner_prepare (runner, names, (SondeValue *const *) values->pdata, values->len,
                                    error);
  return execution != NULL && sonde_execution_run (execution, error) == SONDE_RUN_DONE ? execution
                                                                                       : NULL;
}

static SondeTensor *
read_output (SondeExecution *execution, guint index, GError **error)
{
  SondeGraph *graph = sonde_plan_get_graph (sonde_execution_get_plan (execution));

  return sonde_execution_read (execution, graph->outputs->pdata[index], error);
}

GPtrArray *
sonde_explainer_layer_run (SondeExplainerLayer *layer, SondeTensor *inputs, GError **error)
{
  g_autoptr (GPtrArray) state
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  const char *names[1] = { sonde_explainer_get_input (layer->explainer) };
  SondeExecution *execution;

  g_ptr_array_add (state, sonde_tensor_ref (inputs));
  if (layer->before == NULL)
    return g_steal_pointer (&state);
  execution = run (layer->before, names, state, error);
  if (execution == NULL)
    return NULL;
  g_ptr_array_set_size (state, 0);
  for (guint i = 0; i < layer->reads->len; i++)
    {
      SondeTensor *tensor = read_output (execution, i, error);

      if (tensor == NULL)
        return NULL;
      g_ptr_array_add (state, tensor);
    }
  return g_steal_pointer (&state);
}

GPtrArray *
sonde_explainer_layer_gather (GPtrArray *state, const gint64 *rows, gint64 n)
{
  GPtrArray *result = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);

  for (guint i = 0; i < state->len; i++)
    {
      const SondeTensor *from = state->pdata[i];
      SondeShape shape = from->shape;
      gsize row = sonde_tensor_n_bytes (from) / (gsize) MAX (from->shape.dims[0], 1);
      SondeTensor *to;

      shape.dims[0] = n;
      to = sonde_tensor_new (from->dtype, &shape);
      for (gint64 k = 0; k < n; k++)
        memcpy (to->data + (gsize) k * row, from->data + (gsize) rows[k] * row, row);
      g_ptr_array_add (result, to);
    }
  return result;
}

SondeTensor *
sonde_explainer_layer_finish (SondeExplainerLayer *layer, GPtrArray *state, GError **error)
{
  SondeExecution *execution
      = run (layer->after, (const char *const *) layer->reads->pdata, state, error);

  return execution != NULL ? read_output (execution, 0, error) : NULL;
}

static gboolean
make_gradient (SondeExplainerLayer *layer, GError **error)
{
  SondeGradOptions options = { .give_seeds = TRUE };
  SondeValueRef logits = SONDE_POSITION (0),
                activation = SONDE_VALUE (sonde_explainer_layer_get_name (layer));
  g_autoptr (SondeGraph) graph
      = sonde_value_and_grad (layer->after_graph, &logits, 1, &activation, 1, &options, error);

  if (graph == NULL)
    return FALSE;
  layer->gradient
      = sonde_runner_new (graph, sonde_explainer_get_device (layer->explainer), NULL, MOST_PLANS);
  return TRUE;
}

SondeTensor *
sonde_explainer_layer_gradient (SondeExplainerLayer *layer, GPtrArray *state, SondeTensor *seeds,
                                SondeTensor **logits, GError **error)
{
  g_autofree char *seed = g_strdup_printf ("seed(%s)", layer->logits);
  g_autoptr (GPtrArray) names = g_ptr_array_new (), tensors = g_ptr_array_new ();
  SondeExecution *execution;

  if (layer->gradient == NULL && !make_gradient (layer, error))
    return NULL;
  g_ptr_array_extend (names, layer->reads, NULL, NULL);
  g_ptr_array_add (names, seed);
  g_ptr_array_extend (tensors, state, NULL, NULL);
  g_ptr_array_add (tensors, seeds);
  execution = run (layer->gradient, (const char *const *) names->pdata, tensors, error);
  if (execution == NULL)
    return NULL;
  if (logits != NULL)
    {
      *logits = read_output (execution, 0, error);
      if (*logits == NULL)
        return NULL;
    }
  return read_output (execution, 1, error);
}

gint64
sonde_explainer_layer_get_batch (SondeExplainerLayer *layer, GPtrArray *state, GError **error)
{
  g_autoptr (GPtrArray) one = sonde_explainer_layer_gather (state, (const gint64[]){ 0 }, 1);
  SondeExecution *execution
      = run (layer->after, (const char *const *) layer->reads->pdata, one, error);
  guint64 bytes = 0;

  if (execution == NULL)
    return -1;
  for (guint i = 0; i < one->len; i++)
    bytes += sonde_tensor_n_bytes (one->pdata[i]);
  bytes += sonde_plan_get_arena_bytes (sonde_execution_get_plan (execution));
  return (gint64) CLAMP (
      ACTIVATION_BYTES / MAX (bytes, 1), 1,
      (guint64) (sonde_explainer_get_most_rows (layer->explainer) > 1 ? MOST_ROWS : 1));
}
