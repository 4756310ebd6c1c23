/* SPDX-License-Identifier: Apache-2.0
 * Names of weights in the two forms of Keras' files: a list of names a layer, or numbers below groups
 * that say which layer they are. */
#include "data/models/keras/sonde-keras-weights-file.h"

#include <string.h>

#include "data/base/sonde-error.h"
#include "data/models/keras/sonde-keras-file.h"

#define MAX_FILE ((guint64) 1 << 30)
#define VARIABLES "/vars"

/* ---- lists of names ------------------------------------------------------ */

/* "dense/kernel:0" -> "dense/kernel"; (transfer full) */
static char *
dup_without_number (const char *name)
{
  const char *colon = strrchr (name, ':');

  return colon != NULL && colon[1] != '\0' && strspn (colon + 1, "0123456789") == strlen (colon + 1)
             ? g_strndup (name, (gsize) (colon - name))
             : g_strdup (name);
}

static gboolean
add_tensor (SondeNamedTensors *tensors, const SondeHdf5 *file, const SondeHdf5Object *object,
            const char *name, GError **error)
{
  g_autoptr (SondeTensor) tensor = sonde_hdf5_read_tensor (file, object, error);

  if (tensor != NULL)
    sonde_named_tensors_set (tensors, name, tensor);
  return tensor != NULL;
}

/* What @group lists, also in pieces: weight_names0, weight_names1 … */
static gboolean
add_listed (SondeNamedTensors *tensors, const SondeHdf5 *file, const SondeHdf5Object *group,
            const char *list, GError **error)
{
  const char *const *names = sonde_hdf5_object_get_texts (group, list);

  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    {
      g_autofree char *path = g_strconcat (sonde_hdf5_object_get_path (group), "/", names[i], NULL);
      g_autofree char *name = dup_without_number (names[i]);
      const SondeHdf5Object *object = sonde_hdf5_find (file, path);

      if (object != NULL && !add_tensor (tensors, file, object, name, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
add_group (SondeNamedTensors *tensors, const SondeHdf5 *file, const SondeHdf5Object *group,
           GError **error)
{
  if (!add_listed (tensors, file, group, "weight_names", error))
    return FALSE;
  for (guint i = 0;; i++)
    {
      g_autofree char *list = g_strdup_printf ("weight_names%u", i);

      if (sonde_hdf5_object_get_texts (group, list) == NULL)
        return TRUE;
      if (!add_listed (tensors, file, group, list, error))
        return FALSE;
    }
}

/* ---- numbers ------------------------------------------------------------- */

/* Names of a class' weights, by how many there are. */
static const struct
{
  const char *class_name; /* in the form of the groups, or its end */
  guint n;
  const char *names[4];
} classes[] = {
  { "batch_normalization", 4, { "gamma", "beta", "moving_mean", "moving_variance" } },
  { "embedding", 1, { "embeddings" } },
  { "cell", 3, { "kernel", "recurrent_kernel", "bias" } },
  { "cell", 2, { "kernel", "recurrent_kernel" } },
  { "normalization", 2, { "gamma", "beta" } },
  { "normalization", 1, { "gamma" } },
  { "p_re_lu", 1, { "alpha" } },
  { "separable_conv1d", 3, { "depthwise_kernel", "pointwise_kernel", "bias" } },
  { "separable_conv2d", 3, { "depthwise_kernel", "pointwise_kernel", "bias" } },
  { "", 2, { "kernel", "bias" } },
  { "", 1, { "kernel" } },
};

/* "conv2d_12" -> "conv2d"; (transfer full) */
static char *
dup_class (const char *segment)
{
  const char *at = strrchr (segment, '_');

  return at != NULL && at[1] != '\0' && strspn (at + 1, "0123456789") == strlen (at + 1)
             ? g_strndup (segment, (gsize) (at - segment))
             : g_strdup (segment);
}

static guint
count_variables (const SondeHdf5 *file, const char *group)
{
  for (guint n = 0;; n++)
    {
      g_autofree char *path = g_strdup_printf ("%s/%u", group, n);

      if (sonde_hdf5_find (file, path) == NULL)
        return n;
    }
}

/* (transfer full): what number @index of @n is called in a layer whose group is @segment */
static char *
dup_variable_name (const char *segment, guint n, const char *index)
{
  g_autofree char *class_name = dup_class (segment);
  guint64 i = g_ascii_strtoull (index, NULL, 10);

  for (gsize k = 0; k < G_N_ELEMENTS (classes); k++)
    if (classes[k].n == n && i < n && g_str_has_suffix (class_name, classes[k].class_name))
      return g_strdup (classes[k].names[i]);
  return g_strdup (index);
}

/* Each group on the way says which layer it is; older files do not, then its own name is taken. */
static void
append_layers (GString *name, const SondeHdf5 *file, char **segments, guint n)
{
  GString *path = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *group = NULL;
      const SondeHdf5Object *object = NULL;
      const char *said = NULL;

      g_string_append_printf (path, "/%s", segments[i]);
      group = g_strconcat (path->str, VARIABLES, NULL);
      object = sonde_hdf5_find (file, group);
      said = object != NULL ? sonde_hdf5_object_get_text (object, "name") : NULL;
      if (object != NULL)
        g_string_append_printf (name, "%s/", said != NULL ? said : segments[i]);
    }
  g_string_free (path, TRUE);
}

/* @object: "/layers/inner/layers/dense/vars/0"; nothing for a dataset elsewhere */
static gboolean
add_numbered (SondeNamedTensors *tensors, const SondeHdf5 *file, const SondeHdf5Object *object,
              GError **error)
{
  const char *path = sonde_hdf5_object_get_path (object);
  g_auto (GStrv) segments = g_strsplit (path + 1, "/", -1);
  guint n = g_strv_length (segments);
  g_autofree char *group = NULL, *variable = NULL;
  GString *name = NULL;
  gboolean added = FALSE;

  if (n < 3 || !g_str_equal (segments[n - 2], VARIABLES + 1))
    return TRUE;
  name = g_string_new (NULL);
  group = g_path_get_dirname (path);
  append_layers (name, file, segments, n - 2);
  variable
      = dup_variable_name (g_str_has_suffix (segments[n - 3], "_dense") ? "dense" : segments[n - 3],
                           count_variables (file, group), segments[n - 1]);
  g_string_append (name, variable);
  added = add_tensor (tensors, file, object, name->str, error);
  g_string_free (name, TRUE);
  return added;
}

/* ---- the file ------------------------------------------------------------ */

static gboolean
add_all (SondeNamedTensors *tensors, const SondeHdf5 *file, GError **error)
{
  for (guint i = 0; i < sonde_hdf5_get_n_objects (file); i++)
    {
      const SondeHdf5Object *object = sonde_hdf5_get_object (file, i);

      if (sonde_hdf5_object_is_dataset (object) ? !add_numbered (tensors, file, object, error)
                                                : !add_group (tensors, file, object, error))
        return FALSE;
    }
  return TRUE;
}

static SondeNamedTensors *
collect (const SondeHdf5 *file, const char *path, GError **error)
{
  g_autoptr (SondeNamedTensors) tensors = sonde_named_tensors_new ();

  if (!add_all (tensors, file, error))
    return NULL;
  if (sonde_named_tensors_get_size (tensors) > 0)
    return g_steal_pointer (&tensors);
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                   "“%s” holds no weights that Keras wrote", path);
  return NULL;
}

SondeNamedTensors *
sonde_keras_weights_read (const SondeIo *io, const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (SondeHdf5) file = NULL;

  if (g_str_has_suffix (path, ".keras"))
    {
      g_autoptr (SondeKerasFile) model = sonde_keras_file_open (io, path, error);

      return model != NULL ? collect (sonde_keras_file_get_weights (model), path, error) : NULL;
    }
  bytes = sonde_io_read_file (io, path, MAX_FILE, error);
  file = bytes != NULL ? sonde_hdf5_read (bytes, path, error) : NULL;
  return file != NULL ? collect (file, path, error) : NULL;
}
