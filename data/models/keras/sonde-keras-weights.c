/* SPDX-License-Identifier: Apache-2.0
 * Weights: under numbers below the names of classes in .keras files, under their own names below those
 * of layers in .h5 files. */
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/models/keras/sonde-keras-lower.h"

/* ---- places -------------------------------------------------------------- */

SondeKerasPlace
sonde_keras_enter (SondeKerasLowering *self, const SondeKerasPart *part)
{
  SondeKerasPlace before = self->place;
  gboolean by_layer = sonde_keras_file_is_by_layer (self->file);

  self->place.path
      = by_layer ? g_strdup (before.path) : g_strconcat (before.path, "/", part->path, NULL);
  self->place.name = part->name != NULL ? g_strconcat (before.name, "/", part->name, NULL)
                                        : g_strdup (before.name);
  if (part->component != NULL && before.n_components < SONDE_KERAS_MAX_COMPONENTS)
    self->place.components[self->place.n_components++] = part->component;
  return before;
}

void
sonde_keras_leave (SondeKerasLowering *self, SondeKerasPlace *before)
{
  g_free (self->place.path);
  g_free (self->place.name);
  self->place = *before;
}

/* ---- .h5 ----------------------------------------------------------------- */

/* "kernel", "kernel:0", "kernel_1:0" */
static gboolean
is_called (const char *component, const char *what)
{
  gsize n = strlen (what);
  const char *rest = component + n;

  if (!g_str_has_prefix (component, what))
    return FALSE;
  if (*rest == '_' && g_ascii_isdigit (rest[1]))
    for (rest++; g_ascii_isdigit (*rest); rest++)
      ;
  return *rest == '\0' || *rest == ':';
}

static gboolean
has_component (char *const *parts, const char *wanted)
{
  gboolean begins = g_str_has_suffix (wanted, "_");

  for (guint i = 0; parts[i] != NULL && parts[i + 1] != NULL; i++)
    if (begins ? g_str_has_prefix (parts[i], wanted) : g_str_equal (parts[i], wanted))
      return TRUE;
  return FALSE;
}

/* @from: the first component that must be there */
static gboolean
fits (const SondeKerasPlace *place, guint from, const char *name, const char *what)
{
  g_auto (GStrv) parts = g_strsplit (name, "/", -1);
  guint n = g_strv_length (parts);

  if (n == 0 || !is_called (parts[n - 1], what))
    return FALSE;
  for (guint i = from; i < place->n_components; i++)
    if (!has_component (parts, place->components[i]))
      return FALSE;
  return TRUE;
}

/* Chunk @chunk of a list that may be too long for one attribute; the whole list is chunk 0. */
static const char *const *
get_names (const SondeHdf5Object *group, guint chunk)
{
  g_autofree char *name = g_strdup_printf ("weight_names%u", chunk);
  const char *const *whole = sonde_hdf5_object_get_texts (group, "weight_names");

  return whole != NULL && chunk == 0 ? whole : sonde_hdf5_object_get_texts (group, name);
}

/* (nullable): a name that fits from component @from on */
static const char *
find_fitting (const SondeKerasPlace *place, const SondeHdf5Object *group, guint from,
              const char *what)
{
  const char *const *names = NULL;

  for (guint chunk = 0; (names = get_names (group, chunk)) != NULL; chunk++)
    for (guint i = 0; names[i] != NULL; i++)
      if (fits (place, from, names[i], what))
        return names[i];
  return NULL;
}

/* (nullable) */
static const char *
find_counted (const SondeHdf5Object *group, guint index)
{
  const char *const *names = NULL;

  for (guint chunk = 0; (names = get_names (group, chunk)) != NULL; chunk++)
    for (guint i = 0; names[i] != NULL; i++)
      if (index-- == 0)
        return names[i];
  return NULL;
}

/* By its name; a layer of one's own weights may call them otherwise: then by number. */
static const SondeHdf5Object *
find_by_name (SondeKerasLowering *self, const char *what, guint index)
{
  const SondeHdf5 *weights = sonde_keras_file_get_weights (self->file);
  const SondeHdf5Object *group = sonde_hdf5_find (weights, self->place.path);
  const char *found = NULL;
  g_autofree char *path = NULL;

  if (group == NULL)
    return NULL;
  found = find_fitting (&self->place, group, 0, what);
  if (found == NULL)
    found = find_fitting (&self->place, group, self->place.n_models, what);
  if (found == NULL && self->place.n_components == 0)
    found = find_counted (group, index);
  path = found != NULL ? g_strconcat (self->place.path, "/", found, NULL) : NULL;
  return path != NULL ? sonde_hdf5_find (weights, path) : NULL;
}

/* ---- .keras -------------------------------------------------------------- */

static const SondeHdf5Object *
find_by_number (SondeKerasLowering *self, guint index)
{
  g_autofree char *path = g_strdup_printf ("%s/vars/%u", self->place.path, index);

  return sonde_hdf5_find (sonde_keras_file_get_weights (self->file), path);
}

/* ---- both ---------------------------------------------------------------- */

static gboolean
matches (const SondeShape *shape, const SondeShape *wanted)
{
  gboolean same = shape->rank == wanted->rank;

  for (int i = 0; same && i < shape->rank; i++)
    same = wanted->dims[i] < 0 || shape->dims[i] == wanted->dims[i];
  return same;
}

/* Behind a layer that does not fit nothing is known, which is nobody's fault. */
static void
fail_shape (SondeKerasLowering *self, const char *name, const SondeShape *shape,
            const SondeShape *wanted)
{
  g_autofree char *found = sonde_shape_to_string (shape), *needed = sonde_shape_to_string (wanted);

  if (sonde_conversion_is_complete (sonde_lowering_get_conversion (self->out)))
    sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                         "the weights “%s” are %s; its configuration needs %s", name, found,
                         needed);
}

/* (transfer full) (nullable) with a failure */
static SondeTensor *
read_weight (SondeKerasLowering *self, const char *name, const char *what, guint index,
             const SondeShape *wanted)
{
  const SondeHdf5Object *object = sonde_keras_file_is_by_layer (self->file)
                                      ? find_by_name (self, what, index)
                                      : find_by_number (self, index);
  g_autoptr (SondeTensor) tensor = NULL;
  GError *error = NULL;

  if (object == NULL)
    {
      sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                           "the file has no weights “%s” (looked for at “%s”)", name,
                           self->place.path);
      return NULL;
    }
  tensor = sonde_hdf5_read_tensor (sonde_keras_file_get_weights (self->file), object, &error);
  if (tensor == NULL)
    {
      sonde_lowering_take_error (self->out, error);
      return NULL;
    }
  if (matches (&tensor->shape, wanted))
    return g_steal_pointer (&tensor);
  fail_shape (self, name, &tensor->shape, wanted);
  return NULL;
}

/* Zeros in place of what is missing: the failure stays. */
static SondeTensor *
make_empty (const SondeShape *wanted)
{
  SondeShape shape = *wanted;

  for (int i = 0; i < shape.rank; i++)
    shape.dims[i] = 1;
  return sonde_tensor_new (SONDE_DTYPE_F32, &shape);
}

SondeGraphValue *
sonde_keras_weight (SondeKerasLowering *self, const SondeKerasPart *part, const char *what,
                    guint index, const SondeShape *shape)
{
  SondeKerasPlace before = { NULL };
  g_autofree char *name = NULL;
  g_autoptr (SondeTensor) tensor = NULL;
  SondeGraphValue *value = NULL;

  if (part != NULL)
    before = sonde_keras_enter (self, part);
  name = g_strconcat (self->place.name, "/", what, NULL);
  value = g_hash_table_lookup (self->constants, name);
  if (value == NULL)
    {
      tensor = read_weight (self, name, what, index, shape);
      tensor = tensor != NULL ? g_steal_pointer (&tensor) : make_empty (shape);
      value = sonde_lowering_constant (self->out, name, tensor);
      g_hash_table_insert (self->constants, g_steal_pointer (&name), value);
    }
  if (before.path != NULL)
    sonde_keras_leave (self, &before);
  return value;
}
