/* SPDX-License-Identifier: Apache-2.0
 * Old forms of ai.onnx.ml. */
#include "engine/passes/sonde-legalise.h"

#define DOMAIN "ai.onnx.ml"

static SondeAttribute *
words_attribute (const char *name, const SondeAttribute *words)
{
  SondeAttribute *copy = sonde_attribute_copy (words);

  g_free (copy->name);
  copy->name = g_strdup (name);
  return copy;
}

/* Version 1 had one list: words became their places in it, numbers the words at those places. */
static gboolean
label_encoder_list (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  SondeAttribute *classes = sonde_node_find_attribute (node, "classes_strings");
  SondeGraphValue *input = sonde_node_get_input (node, 0);
  SondeDtype dtype = input ? input->type.dtype : SONDE_DTYPE_INVALID;
  g_autofree gint64 *places = NULL;

  if (classes == NULL || classes->kind != SONDE_ATTRIBUTE_STRINGS)
    return TRUE;
  if (dtype != SONDE_DTYPE_STRING && dtype != SONDE_DTYPE_I64)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                       "the type of its input must be known, strings or int64");
      return FALSE;
    }
  places = g_new (gint64, classes->n + 1);
  for (gsize i = 0; i < classes->n; i++)
    places[i] = (gint64) i;
  sonde_node_take_attribute (
      node,
      words_attribute (dtype == SONDE_DTYPE_STRING ? "keys_strings" : "values_strings", classes));
  sonde_node_set_ints (node, dtype == SONDE_DTYPE_STRING ? "values_int64s" : "keys_int64s", places,
                       classes->n);
  (void) sonde_node_remove_attribute (node, "classes_strings");
  node->version = 2;
  return TRUE;
}

const SondeLegalisation sonde_legalisations_machine_learning[] = {
  { "LabelEncoder", 2, label_encoder_list, DOMAIN },
  { NULL },
};
