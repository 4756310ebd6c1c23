/* SPDX-License-Identifier: Apache-2.0 */
#include "app/worker/models/sonde-model-choice.h"

#include <string.h>

#include "app/worker/sonde-weights.h"
#include "data/base/sonde-error.h"

void
sonde_model_choice_clear (SondeModelChoice *choice)
{
  g_clear_pointer (&choice->signature, g_free);
  g_clear_pointer (&choice->weights, g_free);
  g_clear_pointer (&choice->shapes, g_strfreev);
}

gboolean
sonde_model_choice_is_empty (const SondeModelChoice *choice)
{
  return choice->signature == NULL && choice->weights == NULL
         && (choice->shapes == NULL || choice->shapes[0] == NULL);
}

void
sonde_model_choice_from_recipe (SondeModelChoice *choice, const SondeRecipe *recipe)
{
  *choice
      = (SondeModelChoice){ recipe->model_signature, recipe->model_weights, recipe->model_shapes };
}

/* ---- sizes --------------------------------------------------------------- */

static void
free_shape (gpointer data)
{
  SondeModelShape *shape = data;

  g_free (shape->name);
  g_free (shape);
}

/* "3,224,224"; "" is a scalar. */
static gboolean
parse_sizes (const char *text, SondeShape *shape)
{
  g_auto (GStrv) words = g_strsplit (text, ",", -1);

  for (guint i = 0; words[i] != NULL; i++)
    if (shape->rank == SONDE_MAX_RANK
        || !g_ascii_string_to_signed (words[i], 10, 0, G_MAXINT32, &shape->dims[shape->rank++],
                                      NULL))
      return FALSE;
  return TRUE;
}

static gboolean
is_given (const GPtrArray *shapes, const char *name)
{
  for (guint i = 0; i < shapes->len; i++)
    if (g_str_equal (((const SondeModelShape *) shapes->pdata[i])->name, name))
      return TRUE;
  return FALSE;
}

static gboolean
parse_shape (const char *text, GPtrArray *shapes, GError **error)
{
  const char *equals = strrchr (text, '=');
  g_autofree char *name = equals != NULL ? g_strndup (text, (gsize) (equals - text)) : NULL;
  SondeShape sizes = { 0 };
  SondeModelShape *shape = NULL;

  if (name == NULL || *name == '\0' || !parse_sizes (equals + 1, &sizes))
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                       "--shape takes NAME=D,D,…, as in “--shape images=8,3,224,224”; “%s” is not "
                       "of that form",
                       text);
      return FALSE;
    }
  if (is_given (shapes, name))
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                       "--shape gives sizes of “%s” twice", name);
      return FALSE;
    }
  shape = g_new (SondeModelShape, 1);
  *shape = (SondeModelShape){ g_steal_pointer (&name), sizes };
  g_ptr_array_add (shapes, shape);
  return TRUE;
}

GPtrArray *
sonde_model_choice_parse_shapes (const SondeModelChoice *choice, GError **error)
{
  g_autoptr (GPtrArray) shapes = g_ptr_array_new_with_free_func (free_shape);

  for (guint i = 0; choice->shapes != NULL && choice->shapes[i] != NULL; i++)
    if (!parse_shape (choice->shapes[i], shapes, error))
      return NULL;
  return g_steal_pointer (&shapes);
}

/* ---- reading ------------------------------------------------------------- */

/* A net of Caffe is two files, of which the second is no file of weights for other models. */
static gboolean
belongs_to_reader (const char *weights)
{
  return weights != NULL && g_str_has_suffix (weights, ".caffemodel");
}

SondeGraph *
sonde_model_choice_read (const SondeModelChoice *choice, const char *path, gboolean partial,
                         SondeQuantisedForm quantised, SondeConversion **conversion, GError **error)
{
  g_autoptr (GPtrArray) shapes = sonde_model_choice_parse_shapes (choice, error);
  const SondeModelOptions options
      = { .signature = choice->signature,
          .weights = belongs_to_reader (choice->weights) ? choice->weights : NULL,
          .shapes = shapes,
          .partial = partial,
          .quantised = quantised };

  return shapes != NULL ? sonde_model_read (NULL, path, &options, conversion, error) : NULL;
}

gboolean
sonde_model_choice_has_weights (const SondeModelChoice *choice)
{
  return choice->weights != NULL && !belongs_to_reader (choice->weights);
}

gboolean
sonde_model_choice_put_weights (const SondeModelChoice *choice, SondeGraph *model,
                                SondeWeightReport **report, GError **error)
{
  g_autoptr (SondeNamedTensors) tensors = NULL;

  if (!sonde_model_choice_has_weights (choice))
    return TRUE;
  tensors = sonde_weights_read (NULL, choice->weights, error);
  return tensors != NULL && sonde_weight_put_on (model, tensors, choice->weights, report, error);
}

SondeGraph *
sonde_model_choice_open (const SondeModelChoice *choice, const char *path,
                         SondeWeightReport **report, GError **error)
{
  static const SondeModelChoice none;
  const SondeModelChoice *chosen = choice != NULL ? choice : &none;
  g_autoptr (SondeGraph) model
      = sonde_model_choice_read (chosen, path, FALSE, SONDE_QUANTISED_EXACT, NULL, error);

  if (model == NULL || !sonde_model_choice_put_weights (chosen, model, report, error))
    return NULL;
  return g_steal_pointer (&model);
}
