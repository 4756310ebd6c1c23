/* SPDX-License-Identifier: Apache-2.0
 * Networks of series, columns and tokens as networks of images of one row. */
#include "explain/sonde-explainer-form.h"

#include "data/base/sonde-text.h"
#include "engine/ops/sonde-build.h"

/* @made takes the place of @input, @image its name. */
static void
replace_input (SondeGraph *graph, SondeGraphValue *input, SondeGraphValue *image,
               SondeGraphValue *made)
{
  g_autofree char *name = g_strdup (input->name);

  sonde_graph_replace_value (graph, input, made);
  g_ptr_array_remove (graph->inputs, input);
  sonde_graph_remove_value (graph, input);
  sonde_graph_rename_value (graph, image, name);
}

static SondeGraphValue *
add_image (SondeGraph *graph, const SondeGraphValue *input, gint64 channels, SondeDimension width)
{
  SondeShape shape = sonde_shape_make (4, 1, (int) channels, 1, 1);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);

  type.dims[0] = input->type.dims[0];
  type.dims[3] = width;
  return sonde_graph_add_input (graph, NULL, &type);
}

static void
adapt_series (SondeGraph *graph, SondeGraphValue *input)
{
  SondeGraphValue *image = add_image (graph, input, 1, input->type.dims[2]),
                  *inputs[2] = { image, NULL };

  image->type.dims[1] = input->type.dims[1];
  inputs[1] = sonde_build_ints (graph, (const gint64[]){ 2 }, 1);
  replace_input (graph, input, image, sonde_build_op (graph, NULL, "", "Squeeze", 2, inputs));
}

static void
adapt_columns (SondeGraph *graph, SondeGraphValue *input)
{
  SondeGraphValue *image = add_image (graph, input, 1, input->type.dims[1]);

  replace_input (graph, input, image, sonde_build_unary (graph, "Flatten", image));
}

/* ---- tokens -------------------------------------------------------------- */

/* The one node that looks tokens up; what only asks for their shape does not count. */
static SondeNode *
find_embedding (SondeGraphValue *tokens, SondeNode *found, GError **error)
{
  for (guint i = 0; i < tokens->users->len; i++)
    {
      SondeNode *node = g_ptr_array_index (tokens->users, i);
      SondeGraphValue *table = sonde_node_get_input (node, 0);
      gint64 axis = sonde_node_get_int (node, "axis", 0);

      if (sonde_node_is (node, SONDE_OP_ID_SHAPE))
        continue;
      if (found == NULL && sonde_node_is (node, SONDE_OP_ID_GATHER)
          && sonde_node_get_input (node, 1) == tokens && axis == 0 && table->constant != NULL
          && table->producer == NULL && table->type.dtype == SONDE_DTYPE_F32
          && table->type.rank == 2)
        {
          found = node;
          continue;
        }
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                       "Tokens can be explained only if one embedding (Gather of a constant [V, "
                       "D]) reads “%s”; node “%s” (%s) reads it in another way.",
                       tokens->name, node->name, node->op);
      return NULL;
    }
  if (found == NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                     "No embedding (Gather of a constant [V, D]) reads the tokens “%s”.",
                     tokens->name);
  return found;
}

static gboolean
adapt_tokens (SondeGraph *graph, SondeGraphValue *input, SondeTensor **table, GError **error)
{
  SondeNode *embedding = find_embedding (input, NULL, error), *node;
  SondeGraphValue *image, *made, *first, *old;
  gint64 depth, zero = 0;

  if (embedding == NULL)
    return FALSE;
  *table
      = sonde_tensor_ref (sonde_value_get_tensor (sonde_node_get_input (embedding, 0)->constant));
  depth = (*table)->shape.dims[1];
  image = add_image (graph, input, depth, input->type.dims[1]);
  node = sonde_graph_add_node (graph, NULL, "", "Transpose", &image, 1, 1);
  sonde_node_set_ints (node, "perm", (const gint64[]){ 0, 2, 3, 1 }, 4);
  made = sonde_build_binary (graph, "Reshape", sonde_node_get_output (node, 0),
                             sonde_build_ints (graph, (const gint64[]){ 0, -1, depth }, 3));
  old = sonde_node_get_output (embedding, 0);
  sonde_graph_replace_value (graph, old, made);
  sonde_graph_remove_node (graph, embedding);
  /* [N, T] for what asks for the shape */
  node = sonde_graph_add_node (graph, NULL, "", "Gather",
                               (SondeGraphValue *[]){ image, sonde_build_ints (graph, &zero, 1) },
                               2, 1);
  sonde_node_set_int (node, "axis", 1);
  first = sonde_build_unary (graph, "Flatten", sonde_node_get_output (node, 0));
  replace_input (graph, input, image, first);
  return TRUE;
}

gboolean
sonde_explainer_form_adapt (SondeGraph *graph, SondeGraphValue *input, SondeExplainerForm *form,
                            SondeTensor **table, GError **error)
{
  SondeDtype dtype = input->type.dtype;

  *table = NULL;
  *form = SONDE_EXPLAINER_IMAGES;
  if (input->type.rank == 3 && dtype == SONDE_DTYPE_F32)
    {
      *form = SONDE_EXPLAINER_SERIES;
      adapt_series (graph, input);
      return TRUE;
    }
  if (input->type.rank != 2
      || (dtype != SONDE_DTYPE_F32 && dtype != SONDE_DTYPE_I64 && dtype != SONDE_DTYPE_I32))
    return TRUE;
  *form = dtype == SONDE_DTYPE_F32 ? SONDE_EXPLAINER_COLUMNS : SONDE_EXPLAINER_TOKENS;
  if (*form == SONDE_EXPLAINER_TOKENS)
    return adapt_tokens (graph, input, table, error);
  adapt_columns (graph, input);
  return TRUE;
}

/* ---- samples ------------------------------------------------------------- */

static SondeTensor *
look_up (SondeTensor *table, SondeTensor *tokens, GError **error)
{
  gint64 n = tokens->shape.dims[0], length = tokens->shape.dims[1], words = table->shape.dims[0],
         depth = table->shape.dims[1];
  SondeShape shape = sonde_shape_from_array (4, (gint64[]){ n, depth, 1, length });
  g_autoptr (SondeTensor) made = sonde_tensor_try_new (SONDE_DTYPE_F32, &shape, NULL,
                                                       N_ ("embeddings of the samples"), error);
  float *to = made != NULL ? (float *) (void *) made->data : NULL;

  for (gint64 i = 0; made != NULL && i < n * length; i++)
    {
      gint64 token = sonde_tensor_get_int (tokens, i);

      if (token < -words || token >= words)
        {
          sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                           "Sample %" PRIi64 " has token %" PRIi64 " at position %" PRIi64
                           ", but the embedding has %" PRIi64 " tokens.",
                           i / length, token, i % length, words);
          return NULL;
        }
      token += token < 0 ? words : 0;
      for (gint64 d = 0; d < depth; d++)
        to[(i / length * depth + d) * length + i % length]
            = (float) sonde_tensor_get_double (table, token * depth + d);
    }
  return g_steal_pointer (&made);
}

SondeTensor *
sonde_explainer_form_convert (SondeExplainerForm form, SondeTensor *table, SondeTensor *samples,
                              GError **error)
{
  static const struct
  {
    int rank;
    const char *text;
  } wanted[] = { [SONDE_EXPLAINER_IMAGES] = { 4, "float32 [N, C, H, W]" },
                 [SONDE_EXPLAINER_SERIES] = { 3, "float32 [N, C, L]" },
                 [SONDE_EXPLAINER_COLUMNS] = { 2, "float32 [N, F]" },
                 [SONDE_EXPLAINER_TOKENS] = { 2, "int64 or int32 [N, T]" } };
  gboolean whole = samples->dtype == SONDE_DTYPE_I64 || samples->dtype == SONDE_DTYPE_I32;
  g_autofree char *have = NULL;

  if (samples->shape.rank == wanted[form].rank && samples->shape.dims[0] > 0
      && (form == SONDE_EXPLAINER_TOKENS ? whole : samples->dtype == SONDE_DTYPE_F32))
    {
      const gint64 *dims = samples->shape.dims;
      SondeShape shape = sonde_shape_from_array (
          4, (gint64[]){ dims[0], form == SONDE_EXPLAINER_SERIES ? dims[1] : 1, 1,
                         dims[samples->shape.rank - 1] });

      if (form == SONDE_EXPLAINER_TOKENS)
        return look_up (table, samples, error);
      return form == SONDE_EXPLAINER_IMAGES ? sonde_tensor_ref (samples)
                                            : sonde_tensor_reshape (samples, &shape);
    }
  have = sonde_shape_to_string (&samples->shape);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                   "the array is %s %s, but this network takes %s with N at least 1.",
                   sonde_dtype_name (samples->dtype), have, wanted[form].text);
  return NULL;
}
