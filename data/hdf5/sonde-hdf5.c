/* SPDX-License-Identifier: Apache-2.0
 * The program's side: asks the helper, and believes nothing of what it says before it is checked. */
#include "data/hdf5/sonde-hdf5.h"

#include <string.h>

#include "data/base/sonde-checked.h"
#include "data/base/sonde-error.h"
#include "data/hdf5/sonde-hdf5-wire-private.h"
#include "data/helper/sonde-helper.h"

#define MAX_ANSWER ((guint64) 768 << 20)

/**
 * SondeHdf5Object:
 * @texts: name of an attribute -> GStrv
 * @dtype: INVALID of elements that are none of ours
 * @offset: of the elements in the file; -1: they are in @data
 */
struct _SondeHdf5Object
{
  char *path;
  gboolean is_dataset;
  GHashTable *texts;
  SondeDtype dtype;
  SondeShape shape;
  gint64 offset;
  GBytes *data; /* (nullable) */
};

struct _SondeHdf5
{
  char *name;
  GBytes *bytes;
  GPtrArray *objects; /* (element-type SondeHdf5Object) */
  GHashTable *paths;  /* of them */
};

gboolean
sonde_hdf5_sniff (const guint8 *start, gsize length)
{
  static const guint8 magic[] = { 0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n' };

  return length >= sizeof magic && memcmp (start, magic, sizeof magic) == 0;
}

static void
free_object (gpointer data)
{
  SondeHdf5Object *object = data;

  g_free (object->path);
  g_hash_table_unref (object->texts);
  g_clear_pointer (&object->data, g_bytes_unref);
  g_free (object);
}

void
sonde_hdf5_free (SondeHdf5 *file)
{
  if (file == NULL)
    return;
  g_free (file->name);
  g_bytes_unref (file->bytes);
  g_ptr_array_unref (file->objects);
  g_hash_table_unref (file->paths);
  g_free (file);
}

/* ---- the helper's answer ------------------------------------------------- */

typedef struct
{
  guint8 *bytes;
  gsize length;
} Answer;

static void *
make_room (const gint32 facts[SONDE_HELPER_FACTS], guint64 length, void *data)
{
  Answer *answer = data;

  if (length > MAX_ANSWER)
    return NULL;
  answer->bytes = g_try_malloc (MAX (length, 1));
  answer->length = length;
  return answer->bytes;
}

static GHashTable *
read_texts (GVariant *packed)
{
  GHashTable *texts
      = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_strfreev);
  GVariantIter iter;
  char *name = NULL, **values = NULL;

  g_variant_iter_init (&iter, packed);
  while (g_variant_iter_next (&iter, "{s^as}", &name, &values))
    g_hash_table_insert (texts, name, values);
  return texts;
}

static gboolean
read_shape (GVariant *packed, SondeShape *shape)
{
  gsize n = g_variant_n_children (packed);

  if (n > SONDE_MAX_RANK)
    return FALSE;
  shape->rank = (int) n;
  for (gsize i = 0; i < n; i++)
    {
      g_variant_get_child (packed, i, "x", &shape->dims[i]);
      if (shape->dims[i] < 0)
        return FALSE;
    }
  return TRUE;
}

/* (transfer full) (nullable) when it contradicts itself */
static SondeHdf5Object *
read_object (GVariant *packed)
{
  SondeHdf5Object *object = g_new0 (SondeHdf5Object, 1);
  g_autoptr (GVariant) texts = NULL, shape = NULL, data = NULL;
  const char *dtype = NULL;

  g_variant_get (packed, "(sb@a{sas}&s@axx@ay)", &object->path, &object->is_dataset, &texts, &dtype,
                 &shape, &object->offset, &data);
  object->texts = read_texts (texts);
  object->dtype = sonde_dtype_from_name (dtype);
  object->data = g_variant_get_data_as_bytes (data);
  if (read_shape (shape, &object->shape) && object->offset >= -1)
    return object;
  free_object (object);
  return NULL;
}

static gboolean
read_objects (SondeHdf5 *file, GVariant *packed)
{
  gsize n = g_variant_n_children (packed);

  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (GVariant) child = g_variant_get_child_value (packed, i);
      SondeHdf5Object *object = read_object (child);

      if (object == NULL)
        return FALSE;
      g_ptr_array_add (file->objects, object);
      g_hash_table_insert (file->paths, object->path, object);
    }
  return TRUE;
}

/* ---- asking -------------------------------------------------------------- */

static gboolean
ask (SondeHdf5 *file, Answer *answer, GError **error)
{
  const char *program = g_getenv ("SONDE_PROGRAM");
  const char *arguments[] = { program != NULL ? program : "/proc/self/exe", "hdf5-helper", NULL };
  g_autoptr (SondeHelper) helper = sonde_helper_new (arguments);

  return sonde_helper_decode (helper, 0, file->bytes, file->name, make_room, answer, error);
}

static gboolean
check (const SondeHdf5 *file, GError **error)
{
  gsize length = 0;
  const guint8 *data = g_bytes_get_data (file->bytes, &length);

  if (!sonde_hdf5_sniff (data, length))
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                     "“%s” is no HDF5 file: it does not begin like one", file->name);
  else if (length > SONDE_HDF5_MAX_BYTES)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                     "“%s” holds %zu bytes; HDF5 files of at most %d MiB are read", file->name,
                     length, (int) (SONDE_HDF5_MAX_BYTES >> 20));
  else
    return TRUE;
  return FALSE;
}

SondeHdf5 *
sonde_hdf5_read (GBytes *bytes, const char *name, GError **error)
{
  g_autoptr (SondeHdf5) file = g_new0 (SondeHdf5, 1);
  g_autoptr (GVariant) packed = NULL;
  Answer answer = { 0 };
  gboolean asked = FALSE;

  file->name = g_strdup (name);
  file->bytes = g_bytes_ref (bytes);
  file->objects = g_ptr_array_new_with_free_func (free_object);
  file->paths = g_hash_table_new (g_str_hash, g_str_equal);
  asked = check (file, error) && ask (file, &answer, error);
  packed = g_variant_ref_sink (g_variant_new_from_data (G_VARIANT_TYPE (SONDE_HDF5_OBJECTS),
                                                        answer.bytes, asked ? answer.length : 0,
                                                        FALSE, g_free, answer.bytes));
  if (!asked)
    return NULL;
  if (read_objects (file, packed))
    return g_steal_pointer (&file);
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                   "“%s”: what the helper process says of it makes no sense", name);
  return NULL;
}

/* ---- objects ------------------------------------------------------------- */

guint
sonde_hdf5_get_n_objects (const SondeHdf5 *file)
{
  return file->objects->len;
}

const SondeHdf5Object *
sonde_hdf5_get_object (const SondeHdf5 *file, guint index)
{
  return file->objects->pdata[index];
}

const SondeHdf5Object *
sonde_hdf5_find (const SondeHdf5 *file, const char *path)
{
  return g_hash_table_lookup (file->paths, path);
}

const char *
sonde_hdf5_object_get_path (const SondeHdf5Object *object)
{
  return object->path;
}

gboolean
sonde_hdf5_object_is_dataset (const SondeHdf5Object *object)
{
  return object->is_dataset;
}

const char *const *
sonde_hdf5_object_get_texts (const SondeHdf5Object *object, const char *name)
{
  return g_hash_table_lookup (object->texts, name);
}

const char *
sonde_hdf5_object_get_text (const SondeHdf5Object *object, const char *name)
{
  const char *const *texts = sonde_hdf5_object_get_texts (object, name);

  return texts != NULL ? texts[0] : NULL;
}

/* ---- tensors ------------------------------------------------------------- */

/* bfloat16 has no type in HDF5: Keras writes opaque pairs of bytes and says so. */
static SondeDtype
find_dtype (const SondeHdf5Object *dataset)
{
  const char *said = sonde_hdf5_object_get_text (dataset, "dtype");

  if (dataset->dtype == SONDE_DTYPE_U16 && g_strcmp0 (said, "bfloat16") == 0)
    return SONDE_DTYPE_BF16;
  return dataset->dtype;
}

static gboolean
count_bytes (const SondeHdf5Object *dataset, gint64 *n)
{
  gint64 elements = sonde_shape_n_elements (&dataset->shape);

  return elements >= 0
         && sonde_checked_mul (n, elements, (gint64) sonde_dtype_size (dataset->dtype));
}

SondeTensor *
sonde_hdf5_read_tensor (const SondeHdf5 *file, const SondeHdf5Object *dataset, GError **error)
{
  GBytes *from = dataset->offset >= 0 ? file->bytes : dataset->data;
  gint64 offset = MAX (dataset->offset, 0), n = 0, end = 0;
  gsize length = 0;
  const guint8 *data = g_bytes_get_data (from, &length);
  SondeDtype dtype = find_dtype (dataset);

  if (!dataset->is_dataset || dtype == SONDE_DTYPE_INVALID)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                       "“%s”: “%s” holds no numbers of a type that is read", file->name,
                       dataset->path);
      return NULL;
    }
  if (!count_bytes (dataset, &n) || !sonde_checked_add (&end, offset, n) || (guint64) end > length)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                       "“%s”: the %" PRId64 " bytes of “%s” from offset %" PRId64
                       " on reach beyond the %zu that there are",
                       file->name, n, dataset->path, offset, length);
      return NULL;
    }
  if (n == 0)
    return sonde_tensor_new (dtype, &dataset->shape);
  if ((gsize) (data + offset) % sonde_dtype_size (dtype) != 0)
    return sonde_tensor_try_new_from_data (dtype, &dataset->shape, data + offset, dataset->path,
                                           error);
  return sonde_tensor_new_take (dtype, &dataset->shape, (void *) (data + offset),
                                (GDestroyNotify) g_bytes_unref, g_bytes_ref (from));
}
