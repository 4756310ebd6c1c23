/* SPDX-License-Identifier: Apache-2.0
 * Variables of a checkpoint that are weights. */
#include "data/models/tensorflow/sonde-tensorflow-checkpoint.h"

#include <string.h>

#include "data/models/tensorflow/sonde-tensor-bundle.h"

#define ATTRIBUTES "/.ATTRIBUTES/"

/* The training's own, and what no model calculates with. */
static gboolean
is_weight (const char *key)
{
  static const char *const others[]
      = { "_CHECKPOINTABLE_OBJECT_GRAPH", "save_counter", "optimizer/", "_operations_cache" };

  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    if (g_str_has_prefix (key, others[i]))
      return FALSE;
  return strstr (key, ".OPTIMIZER_SLOT") == NULL;
}

/* (transfer full) */
static char *
dup_name (const char *key)
{
  const char *end = strstr (key, ATTRIBUTES);

  return end != NULL ? g_strndup (key, (gsize) (end - key)) : g_strdup (key);
}

static SondeNamedTensors *
read_all (SondeTensorBundle *bundle, GError **error)
{
  g_autoptr (SondeNamedTensors) tensors = sonde_named_tensors_new ();

  for (guint i = 0; i < sonde_tensor_bundle_get_size (bundle); i++)
    {
      const char *key = sonde_tensor_bundle_get_key (bundle, i);
      g_autofree char *name = dup_name (key);
      g_autoptr (SondeTensor) tensor = NULL;

      if (!is_weight (key) || sonde_tensor_bundle_is_text (bundle, key))
        continue;
      tensor = sonde_tensor_bundle_read (bundle, key, NULL, error);
      if (tensor == NULL)
        return NULL;
      sonde_named_tensors_set (tensors, name, tensor);
    }
  return g_steal_pointer (&tensors);
}

SondeNamedTensors *
sonde_tensorflow_checkpoint_read (const SondeIo *io, const char *path, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path), *file = g_path_get_basename (path);
  g_autoptr (SondeTensorBundle) bundle = NULL;

  if (g_str_has_suffix (file, ".index"))
    file[strlen (file) - strlen (".index")] = '\0';
  bundle = sonde_tensor_bundle_open (io, folder, file, error);
  return bundle != NULL ? read_all (bundle, error) : NULL;
}
