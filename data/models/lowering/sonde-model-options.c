/* SPDX-License-Identifier: Apache-2.0
 * Options of a model that needs no lowering. */
#include "data/models/lowering/sonde-model-options.h"

#include "data/base/sonde-error.h"

static gboolean
refuse_signature (const char *signature, const char *path, GError **error)
{
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                   "“%s” has no signatures to choose from; “%s” was asked for", path, signature);
  return FALSE;
}

/* Everywhere in the model: the same name is the same number. */
static void
replace_symbol (SondeGraph *graph, const char *symbol, gint64 size)
{
  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = graph->values->pdata[i];

      for (int d = 0; value != NULL && d < value->type.rank; d++)
        if (value->type.dims[d].size < 0 && value->type.dims[d].symbol == symbol)
          value->type.dims[d] = (SondeDimension){ .size = size };
    }
}

static gboolean
fix_size (SondeGraph *graph, SondeGraphValue *input, int d, gint64 size, const char *path,
          GError **error)
{
  const SondeDimension has = input->type.dims[d];

  if (has.size >= 0 && has.size != size)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                       "“%s”: dimension %d of input “%s” is %" PRId64
                       " in the model; the given shape has %" PRId64,
                       path, d, input->name, has.size, size);
      return FALSE;
    }
  input->type.dims[d] = (SondeDimension){ .size = size };
  if (has.size < 0 && has.symbol != NULL)
    replace_symbol (graph, has.symbol, size);
  return TRUE;
}

static gboolean
fix_shape (SondeGraph *graph, const SondeModelShape *shape, const char *path, GError **error)
{
  SondeGraphValue *input = sonde_graph_find_value (graph, shape->name);

  if (input == NULL || !g_ptr_array_find (graph->inputs, input, NULL))
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                       "“%s”: a shape is given for “%s”, which is no input of the model", path,
                       shape->name);
      return FALSE;
    }
  if (input->type.rank < 0)
    input->type = sonde_type_tensor (input->type.dtype, &shape->shape);
  if (input->type.rank != shape->shape.rank)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                       "“%s”: input “%s” has %d dimensions, the given shape has %d", path,
                       shape->name, input->type.rank, shape->shape.rank);
      return FALSE;
    }
  for (int d = 0; d < input->type.rank; d++)
    if (!fix_size (graph, input, d, shape->shape.dims[d], path, error))
      return FALSE;
  return TRUE;
}

gboolean
sonde_model_options_apply (const SondeModelOptions *options, SondeGraph *graph, const char *path,
                           GError **error)
{
  if (options == NULL)
    return TRUE;
  if (options->signature != NULL)
    return refuse_signature (options->signature, path, error);
  for (guint i = 0; options->shapes != NULL && i < options->shapes->len; i++)
    if (!fix_shape (graph, options->shapes->pdata[i], path, error))
      return FALSE;
  return TRUE;
}
