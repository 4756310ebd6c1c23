/* SPDX-License-Identifier: Apache-2.0
 * The growing graph under all layers: scopes, parameters, single nodes, the first problem. */
#include "engine/nn/sonde-layers-private.h"

#include "engine/nn/sonde-initialiser.h"

#define FIRST_OPSET 17
#define PARAMETER_SEPARATOR "."
#define NODE_SEPARATOR "/"

/* Operators whose form here needs a later opset. A graph asks for no more than it uses, so that
 * others can read it. */
static const struct
{
  const char *op;
  int since;
} later[] = {
  { "Attention", 23 },        { "Gelu", 20 },       { "GroupNormalization", 21 },
  { "RMSNormalization", 23 }, { "ReduceMean", 18 }, { "ReduceSum", 13 },
  { "Resize", 13 },           { "Split", 13 },
};

SondeLayers *
sonde_layers_new (const char *name, guint64 seed)
{
  SondeLayers *layers = g_new0 (SondeLayers, 1);

  layers->graph = sonde_graph_new (name);
  layers->seed = seed;
  layers->dtype = SONDE_DTYPE_F32;
  layers->scopes = g_ptr_array_new_with_free_func (g_free);
  layers->opset = FIRST_OPSET;
  sonde_graph_set_opset (layers->graph, "", layers->opset);
  return layers;
}

void
sonde_layers_free (SondeLayers *layers)
{
  if (layers == NULL)
    return;
  g_clear_pointer (&layers->graph, sonde_graph_unref);
  g_ptr_array_unref (layers->scopes);
  g_clear_error (&layers->error);
  g_free (layers);
}

void
sonde_layers_set_dtype (SondeLayers *layers, SondeDtype dtype)
{
  g_return_if_fail (dtype == SONDE_DTYPE_F32 || dtype == SONDE_DTYPE_F64);

  layers->dtype = dtype;
}

void
sonde_layers_set_outline (SondeLayers *layers)
{
  layers->outline = TRUE;
}

SondeGraph *
sonde_layers_get_graph (SondeLayers *layers)
{
  return layers->graph;
}

/* ---- problems ------------------------------------------------------------ */

static char *
join_scopes (SondeLayers *layers, const char *separator, const char *name)
{
  GString *path = g_string_new (NULL);

  for (guint i = 0; i < layers->scopes->len; i++)
    g_string_append_printf (path, "%s%s", (const char *) layers->scopes->pdata[i],
                            i + 1 < layers->scopes->len || *name != '\0' ? separator : "");
  g_string_append (path, name);
  return g_string_free (path, FALSE);
}

char *
sonde_layers_path (SondeLayers *layers, const char *name)
{
  return join_scopes (layers, NODE_SEPARATOR, name);
}

static void
keep_problem (SondeLayers *layers, const char *name, int code, const char *format,
              va_list arguments)
{
  g_autofree char *path = sonde_layers_path (layers, name);
  SondeMessage *message;

  if (layers->error != NULL)
    return;
  message = sonde_message_new_va (format, arguments);
  if (*path != '\0')
    sonde_message_prepend (message, "Layer “%s”: ", path);
  sonde_set_error_message (&layers->error, SONDE_ENGINE_ERROR, code, message);
}

SondeGraphValue *
sonde_layers_refuse (SondeLayers *layers, const char *name, int code, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  keep_problem (layers, name, code, format, arguments);
  va_end (arguments);
  return NULL;
}

void
sonde_layers_fail (SondeLayers *layers, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  keep_problem (layers, "", SONDE_ENGINE_ERROR_INVALID, format, arguments);
  va_end (arguments);
}

/* The caller has set its attributes by now. */
static void
settle (SondeLayers *layers)
{
  SondeNode *node = g_steal_pointer (&layers->pending);

  if (node != NULL && layers->error == NULL)
    (void) sonde_build_infer (layers->graph, node, &layers->error);
}

gboolean
sonde_layers_begin (SondeLayers *layers, const char *name, const SondeGraphValue *x)
{
  settle (layers);
  if (layers->error == NULL && x == NULL)
    sonde_layers_refuse (layers, name, SONDE_ENGINE_ERROR_INVALID, "it has no input.");
  return layers->error == NULL;
}

gboolean
sonde_layers_begin_rank (SondeLayers *layers, const char *name, const SondeGraphValue *x, int least,
                         int most)
{
  g_autofree char *type = NULL;

  if (!sonde_layers_begin (layers, name, x))
    return FALSE;
  if (x->type.rank >= least && x->type.rank <= most)
    return TRUE;
  type = sonde_type_to_string (&x->type);
  if (most >= SONDE_MAX_RANK)
    sonde_layers_refuse (layers, name, SONDE_ENGINE_ERROR_SHAPE,
                         "its input “%s” is %s, but must have at least %d dimensions.", x->name,
                         type, least);
  else if (least == most)
    sonde_layers_refuse (layers, name, SONDE_ENGINE_ERROR_SHAPE,
                         "its input “%s” is %s, but must have %d dimensions.", x->name, type,
                         least);
  else
    sonde_layers_refuse (layers, name, SONDE_ENGINE_ERROR_SHAPE,
                         "its input “%s” is %s, but must have %d to %d dimensions.", x->name, type,
                         least, most);
  return FALSE;
}

gint64
sonde_layers_need_size (SondeLayers *layers, const char *name, const SondeGraphValue *x, int axis)
{
  int d = axis < 0 ? axis + x->type.rank : axis;
  g_autofree char *type = NULL;

  if (d >= 0 && d < x->type.rank && x->type.dims[d].size > 0)
    return x->type.dims[d].size;
  type = sonde_type_to_string (&x->type);
  sonde_layers_refuse (layers, name, SONDE_ENGINE_ERROR_SHAPE,
                       "size %d of its input “%s” (%s) must be known and not 0.", d, x->name, type);
  return 0;
}

/* ---- nodes --------------------------------------------------------------- */

static void
ask_for_opset (SondeLayers *layers, const char *op)
{
  for (gsize i = 0; i < G_N_ELEMENTS (later); i++)
    if (g_str_equal (later[i].op, op))
      layers->opset = MAX (layers->opset, later[i].since);
}

SondeNode *
sonde_layers_add_node (SondeLayers *layers, const char *name, const char *op, guint n_inputs,
                       SondeGraphValue *const *inputs, guint n_outputs)
{
  g_autofree char *path = sonde_layers_path (layers, name);

  settle (layers);
  if (layers->error != NULL)
    return NULL;
  ask_for_opset (layers, op);
  return sonde_graph_add_node (layers->graph, path, "", op, inputs, n_inputs, n_outputs);
}

SondeGraphValue *
sonde_layers_done (SondeLayers *layers, SondeNode *node)
{
  if (node == NULL || layers->error != NULL
      || !sonde_build_infer (layers->graph, node, &layers->error))
    return NULL;
  return sonde_node_get_output (node, 0);
}

SondeGraphValue *
sonde_layers_node (SondeLayers *layers, const char *name, const char *op, guint n_inputs,
                   SondeGraphValue *const *inputs, guint n_outputs)
{
  SondeNode *node = sonde_layers_add_node (layers, name, op, n_inputs, inputs, n_outputs);

  if (node == NULL)
    return NULL;
  layers->pending = node;
  (void) sonde_build_infer (layers->graph, node, NULL);
  return sonde_node_get_output (node, 0);
}

SondeGraphValue *
sonde_layers_ints (SondeLayers *layers, const char *name, const gint64 *values, gsize n)
{
  SondeShape shape = sonde_shape_make (1, (gint64) n);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new_from_data (SONDE_DTYPE_I64, &shape, values);
  g_autofree char *path = sonde_layers_path (layers, name);

  return sonde_build_constant (layers->graph, path, tensor);
}

SondeGraphValue *
sonde_layers_scalar (SondeLayers *layers, const char *name, SondeDtype dtype, double value)
{
  SondeShape shape = sonde_shape_scalar ();
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (dtype, &shape);
  g_autofree char *path = sonde_layers_path (layers, name);

  sonde_tensor_set_double (tensor, 0, value);
  return sonde_build_constant (layers->graph, path, tensor);
}

/* ---- scopes -------------------------------------------------------------- */

void
sonde_layers_open (SondeLayers *layers, const char *name)
{
  g_ptr_array_add (layers->scopes, g_strdup (name));
}

void
sonde_layers_open_index (SondeLayers *layers, guint index)
{
  g_ptr_array_add (layers->scopes, g_strdup_printf ("%u", index));
}

void
sonde_layers_close (SondeLayers *layers)
{
  g_return_if_fail (layers->scopes->len > 0);

  g_ptr_array_set_size (layers->scopes, (int) layers->scopes->len - 1);
}

/* ---- ends of the graph --------------------------------------------------- */

SondeGraphValue *
sonde_layers_input (SondeLayers *layers, const char *name, SondeDtype dtype, int rank,
                    const gint64 *dims)
{
  SondeType type = { .kind = SONDE_VALUE_TENSOR, .dtype = dtype, .rank = rank };

  settle (layers);
  if (layers->error != NULL)
    return NULL;
  if (rank < 0 || rank > SONDE_MAX_RANK)
    return sonde_layers_refuse (layers, name, SONDE_ENGINE_ERROR_INVALID,
                                "an input of %d dimensions is not possible.", rank);
  for (int d = 0; d < rank; d++)
    {
      g_autofree char *symbol = d == 0 ? g_strdup ("N") : g_strdup_printf ("%s_%d", name, d);

      type.dims[d].size = MAX (dims[d], -1);
      type.dims[d].symbol = dims[d] < 0 ? g_intern_string (symbol) : NULL;
    }
  return sonde_graph_add_input (layers->graph, name, &type);
}

void
sonde_layers_output (SondeLayers *layers, const char *name, SondeGraphValue *value)
{
  if (!sonde_layers_begin (layers, name, value))
    return;
  if (!sonde_graph_rename_value (layers->graph, value, name))
    sonde_layers_refuse (layers, name, SONDE_ENGINE_ERROR_INVALID,
                         "the name of the output is already in use.");
  else
    sonde_graph_add_output (layers->graph, value);
}

SondeGraph *
sonde_layers_finish (SondeLayers *layers, GError **error)
{
  SondeGraph *graph = NULL;

  settle (layers);
  if (layers->scopes->len > 0)
    sonde_layers_fail (layers, "The scope was not closed.");
  if (layers->error == NULL && layers->graph->outputs->len == 0)
    sonde_layers_fail (layers, "The model has no output.");
  if (layers->error != NULL)
    g_propagate_error (error, g_steal_pointer (&layers->error));
  else
    {
      graph = g_steal_pointer (&layers->graph);
      sonde_graph_set_opset (graph, "", layers->opset);
      for (guint i = 0; i < graph->nodes->len; i++)
        if (graph->nodes->pdata[i] != NULL
            && *((SondeNode *) graph->nodes->pdata[i])->domain == '\0')
          ((SondeNode *) graph->nodes->pdata[i])->version = layers->opset;
    }
  sonde_layers_free (layers);
  return graph;
}

/* ---- parameters ---------------------------------------------------------- */

static SondeGraphValue *
add_tensor (SondeLayers *layers, const char *path, const SondeShape *shape, SondeTensor *tensor,
            SondeValueRole role)
{
  SondeType type = sonde_type_tensor (layers->dtype, shape);
  SondeGraphValue *value;

  if (tensor != NULL)
    return sonde_graph_add_initialiser (layers->graph, path, tensor, role);
  value = sonde_graph_add_value (layers->graph, path, &type);
  value->role = role;
  return value;
}

/* Its full name; NULL with the problem kept. */
static char *
name_tensor (SondeLayers *layers, const char *name, const SondeShape *shape)
{
  g_autofree char *path = join_scopes (layers, PARAMETER_SEPARATOR, name);

  settle (layers);
  if (layers->error != NULL)
    return NULL;
  if (sonde_graph_find_value (layers->graph, path) != NULL)
    sonde_layers_refuse (layers, name, SONDE_ENGINE_ERROR_INVALID, "there is a value “%s” already.",
                         path);
  else if (sonde_shape_n_elements (shape) < 0)
    sonde_layers_refuse (layers, name, SONDE_ENGINE_ERROR_SHAPE,
                         "its sizes are negative or too large.");
  else
    return g_steal_pointer (&path);
  return NULL;
}

SondeGraphValue *
sonde_layers_parameter (SondeLayers *layers, const char *name, const SondeShape *shape,
                        const char *initialiser, gint64 fan_in, gint64 fan_out)
{
  g_autofree char *path = name_tensor (layers, name, shape);
  g_autoptr (SondeTensor) tensor = NULL;

  if (path == NULL)
    return NULL;
  if (!layers->outline)
    {
      tensor = sonde_initialiser_make (initialiser, layers->dtype, shape, fan_in, fan_out,
                                       layers->seed, path, &layers->error);
      if (tensor == NULL)
        return sonde_prefix_error (&layers->error, "Parameter “%s”: ", path), NULL;
    }
  return add_tensor (layers, path, shape, tensor, SONDE_ROLE_PARAMETER);
}

SondeGraphValue *
sonde_layers_buffer (SondeLayers *layers, const char *name, const SondeShape *shape, double value)
{
  g_autofree char *path = name_tensor (layers, name, shape);
  g_autoptr (SondeTensor) tensor = NULL;

  if (path == NULL)
    return NULL;
  if (!layers->outline)
    {
      gint64 n = sonde_shape_n_elements (shape);

      tensor = sonde_tensor_new (layers->dtype, shape);
      for (gint64 i = 0; i < n; i++)
        sonde_tensor_set_double (tensor, i, value);
    }
  return add_tensor (layers, path, shape, tensor, SONDE_ROLE_STATE);
}
