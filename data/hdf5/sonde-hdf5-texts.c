/* SPDX-License-Identifier: Apache-2.0
 * The helper's side: attributes that hold texts. */
#include "data/hdf5/sonde-hdf5-helper-private.h"

#include <string.h>

#include "data/base/sonde-checked.h"
#include "data/base/sonde-error.h"

#define MAX_TEXTS ((gint64) 1 << 20)
#define MAX_TEXT_BYTES ((gint64) 128 << 20) /* of all attributes of a file */

/**
 * Attribute: one that is open
 * @n: texts; @size: of one, with fixed length, or of a pointer
 */
typedef struct
{
  hid_t attribute, type, space;
  gint64 n, size;
  gboolean variable;
} Attribute;

static gboolean
take_budget (SondeHdf5Walk *walk, gint64 bytes)
{
  if (sonde_checked_add (&walk->text_bytes, walk->text_bytes, bytes)
      && walk->text_bytes <= MAX_TEXT_BYTES)
    return TRUE;
  if (walk->error == NULL)
    sonde_set_error (&walk->error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                     "its attributes hold more than %d MiB of texts", (int) (MAX_TEXT_BYTES >> 20));
  return FALSE;
}

static void
add_text (SondeHdf5Walk *walk, const char *text, gsize length)
{
  g_autofree char *valid = g_utf8_make_valid (text, (gssize) strnlen (text, length));

  g_variant_builder_add (&walk->objects, "s", valid);
}

static gboolean
add_fixed (SondeHdf5Walk *walk, const Attribute *attribute)
{
  gint64 bytes = attribute->n * attribute->size;
  g_autofree char *texts
      = take_budget (walk, bytes) ? g_try_malloc0 (MAX ((gsize) bytes, 1)) : NULL;

  if (texts == NULL
      || (attribute->n > 0
          && walk->hdf5->H5Aread (attribute->attribute, attribute->type, texts) < 0))
    return FALSE;
  for (gint64 i = 0; i < attribute->n; i++)
    add_text (walk, texts + i * attribute->size, (gsize) attribute->size);
  return TRUE;
}

static gboolean
add_variable (SondeHdf5Walk *walk, const Attribute *attribute)
{
  g_autofree char **texts = g_new0 (char *, (gsize) attribute->n + 1);
  gboolean done = TRUE;

  if (attribute->n == 0)
    return TRUE;
  if (walk->hdf5->H5Aread (attribute->attribute, attribute->type, texts) < 0)
    return FALSE;
  for (gint64 i = 0; i < attribute->n && done; i++)
    {
      gsize length = texts[i] != NULL ? strlen (texts[i]) : 0;

      done = take_budget (walk, (gint64) length + 1);
      if (done)
        add_text (walk, texts[i] != NULL ? texts[i] : "", length);
    }
  walk->hdf5->H5Dvlen_reclaim (attribute->type, attribute->space, H5P_DEFAULT, texts);
  return done;
}

/* FALSE for an attribute that is damaged; one without texts is passed over. */
static gboolean
add_attribute (SondeHdf5Walk *walk, Attribute *attribute, const char *name)
{
  const SondeHdf5Library *hdf5 = walk->hdf5;
  gboolean done = FALSE;

  if (attribute->type < 0 || attribute->space < 0)
    return FALSE;
  if (hdf5->H5Tget_class (attribute->type) != H5T_STRING)
    return TRUE;
  attribute->n = hdf5->H5Sget_simple_extent_npoints (attribute->space);
  attribute->size = (gint64) hdf5->H5Tget_size (attribute->type);
  attribute->variable = hdf5->H5Tis_variable_str (attribute->type) > 0;
  if (attribute->n < 0 || attribute->n > MAX_TEXTS || attribute->size < 1
      || attribute->size > MAX_TEXT_BYTES)
    return FALSE;
  g_variant_builder_open (&walk->objects, G_VARIANT_TYPE ("{sas}"));
  add_text (walk, name, strlen (name));
  g_variant_builder_open (&walk->objects, G_VARIANT_TYPE ("as"));
  done = attribute->variable ? add_variable (walk, attribute) : add_fixed (walk, attribute);
  g_variant_builder_close (&walk->objects);
  g_variant_builder_close (&walk->objects);
  return done;
}

static herr_t
visit_attribute (hid_t object, const char *name, const H5A_info_t *info, void *data)
{
  SondeHdf5Walk *walk = data;
  const SondeHdf5Library *hdf5 = walk->hdf5;
  Attribute attribute = { .attribute = hdf5->H5Aopen (object, name, H5P_DEFAULT) };
  gboolean done = FALSE;

  if (attribute.attribute < 0)
    return -1;
  attribute.type = hdf5->H5Aget_type (attribute.attribute);
  attribute.space = hdf5->H5Aget_space (attribute.attribute);
  done = add_attribute (walk, &attribute, name);
  hdf5->H5Tclose (attribute.type);
  hdf5->H5Sclose (attribute.space);
  hdf5->H5Aclose (attribute.attribute);
  return done ? 0 : -1;
}

gboolean
sonde_hdf5_add_texts (SondeHdf5Walk *walk, hid_t object, const char *path, GError **error)
{
  herr_t status = -1;

  g_variant_builder_open (&walk->objects, G_VARIANT_TYPE ("a{sas}"));
  status
      = walk->hdf5->H5Aiterate2 (object, H5_INDEX_NAME, H5_ITER_INC, NULL, visit_attribute, walk);
  g_variant_builder_close (&walk->objects);
  if (status >= 0)
    return TRUE;
  if (walk->error != NULL)
    g_propagate_error (error, g_steal_pointer (&walk->error));
  else
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                     "the attributes of “%s” cannot be read", path);
  return FALSE;
}
