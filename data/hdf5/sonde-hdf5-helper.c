/* SPDX-License-Identifier: Apache-2.0
 * The helper's side: libhdf5 reads from memory, and only what needs no second file. */
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/hdf5/sonde-hdf5-decode-private.h"
#include "data/hdf5/sonde-hdf5-helper-private.h"
#include "data/hdf5/sonde-hdf5-wire-private.h"
#include "data/hdf5/sonde-hdf5.h"

#define MAX_OBJECTS 100000
#define MAX_DEPTH 64
#define SECONDS 1 /* and one for every 64 MiB */

/* ---- the file, without a copy -------------------------------------------- */

/* The library asks for memory and copies the image into it; it gets the bytes that are there. */
typedef struct
{
  guint8 *data;
} Image;

static void *
image_malloc (size_t size, H5FD_file_image_op_t op, void *data)
{
  return ((Image *) data)->data;
}

static void *
image_copy (void *to, const void *from, size_t size, H5FD_file_image_op_t op, void *data)
{
  return to == from ? to : NULL;
}

static void *
image_realloc (void *bytes, size_t size, H5FD_file_image_op_t op, void *data)
{
  return NULL;
}

static herr_t
image_free (void *bytes, H5FD_file_image_op_t op, void *data)
{
  return 0;
}

static void *
image_copy_data (void *data)
{
  return data;
}

static herr_t
image_free_data (void *data)
{
  return 0;
}

static hid_t
open_image (const SondeHdf5Library *hdf5, const guint8 *data, gsize length)
{
  Image image = { (guint8 *) data };
  H5FD_file_image_callbacks_t callbacks
      = { image_malloc,    image_copy,      image_realloc, image_free,
          image_copy_data, image_free_data, &image };
  hid_t access = hdf5->H5Pcreate (*hdf5->file_access), file = -1;

  if (access >= 0 && hdf5->H5Pset_fapl_core (access, 1 << 16, FALSE) >= 0
      && hdf5->H5Pset_file_image_callbacks (access, &callbacks) >= 0
      && hdf5->H5Pset_file_image (access, (void *) data, length) >= 0)
    file = hdf5->H5Fopen ("memory", 0, access); /* 0: for reading */
  hdf5->H5Pclose (access);
  return file;
}

/* ---- objects ------------------------------------------------------------- */

/* A group whose links are visited. */
typedef struct
{
  SondeHdf5Walk *walk;
  const char *path; /* "" for the root */
  guint depth;
} Place;

static gboolean visit_object (SondeHdf5Walk *walk, hid_t object, const char *path, guint depth,
                              GError **error);

static gboolean
refuse_link (const char *path, GError **error)
{
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                   "“%s” is a link to another place or file, which is not followed", path);
  return FALSE;
}

static gboolean
open_link (SondeHdf5Walk *walk, hid_t group, const char *name, const char *path, guint depth,
           GError **error)
{
  hid_t object = walk->hdf5->H5Oopen (group, name, H5P_DEFAULT);
  gboolean done = FALSE;

  if (object < 0)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED, "“%s” cannot be opened",
                       path);
      return FALSE;
    }
  done = visit_object (walk, object, path, depth + 1, error);
  walk->hdf5->H5Oclose (object);
  return done;
}

static herr_t
visit_link (hid_t group, const char *name, const H5L_info_t *info, void *data)
{
  const Place *place = data;
  SondeHdf5Walk *walk = place->walk;
  g_autofree char *valid = g_utf8_make_valid (name, -1);
  g_autofree char *path = g_strconcat (place->path, "/", valid, NULL);
  gboolean done = FALSE;

  if (info->type != H5L_TYPE_HARD)
    done = refuse_link (path, &walk->error);
  else
    done = open_link (walk, group, name, path, place->depth, &walk->error);
  return done ? 0 : -1;
}

static gboolean
visit_links (SondeHdf5Walk *walk, hid_t group, const char *path, guint depth, GError **error)
{
  Place place = { walk, path, depth };

  if (walk->hdf5->H5Literate (group, H5_INDEX_NAME, H5_ITER_INC, NULL, visit_link, &place) >= 0)
    return TRUE;
  if (walk->error != NULL)
    g_propagate_error (error, g_steal_pointer (&walk->error));
  else
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                     "the group “%s” cannot be read", path[0] != '\0' ? path : "/");
  return FALSE;
}

/* A group that is reached again would go round for ever. */
static gboolean
enter_group (SondeHdf5Walk *walk, hid_t group, const char *path, guint depth, GError **error)
{
  H5O_info_t info = { 0 };
  guint64 *address = NULL;

  if (depth > MAX_DEPTH)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                       "its groups are nested more than %u levels deep", (guint) MAX_DEPTH);
      return FALSE;
    }
  if (walk->hdf5->H5Oget_info2 (group, &info, H5O_INFO_BASIC) < 0)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                       "the group “%s” cannot be read", path);
      return FALSE;
    }
  address = g_new (guint64, 1);
  *address = info.addr;
  if (g_hash_table_add (walk->seen, address))
    return TRUE;
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                   "the group “%s” has a second path", path);
  return FALSE;
}

static void
add_nothing (SondeHdf5Walk *walk)
{
  g_variant_builder_add (&walk->objects, "s", "");
  g_variant_builder_add_value (&walk->objects, g_variant_new_array (G_VARIANT_TYPE_INT64, NULL, 0));
  g_variant_builder_add (&walk->objects, "x", (gint64) -1);
  g_variant_builder_add_value (&walk->objects, g_variant_new_array (G_VARIANT_TYPE_BYTE, NULL, 0));
}

/* The answer's tuple of one object. */
static gboolean
describe (SondeHdf5Walk *walk, hid_t object, gboolean is_dataset, const char *path, GError **error)
{
  gboolean done = FALSE;

  g_variant_builder_open (&walk->objects, G_VARIANT_TYPE (SONDE_HDF5_OBJECT));
  g_variant_builder_add (&walk->objects, "s", path[0] != '\0' ? path : "/");
  g_variant_builder_add (&walk->objects, "b", is_dataset);
  done = sonde_hdf5_add_texts (walk, object, path, error);
  if (done && is_dataset)
    done = sonde_hdf5_add_dataset (walk, object, path, error);
  else if (done)
    add_nothing (walk);
  if (done)
    g_variant_builder_close (&walk->objects);
  return done;
}

static gboolean
visit_object (SondeHdf5Walk *walk, hid_t object, const char *path, guint depth, GError **error)
{
  H5I_type_t type = walk->hdf5->H5Iget_type (object);

  if (type != H5I_GROUP && type != H5I_DATASET)
    return TRUE; /* a named type */
  if (++walk->n_objects > MAX_OBJECTS)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                       "it holds more than %u groups and datasets", (guint) MAX_OBJECTS);
      return FALSE;
    }
  if (type == H5I_GROUP && !enter_group (walk, object, path, depth, error))
    return FALSE;
  return describe (walk, object, type == H5I_DATASET, path, error)
         && (type == H5I_DATASET || visit_links (walk, object, path, depth, error));
}

/* ---- decoding ------------------------------------------------------------ */

static gboolean
walk_file (SondeHdf5Walk *walk, hid_t file, GError **error)
{
  hid_t root = walk->hdf5->H5Oopen (file, "/", H5P_DEFAULT);
  gboolean done = FALSE;

  if (root < 0)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                       "its outermost group cannot be read");
      return FALSE;
    }
  done = visit_object (walk, root, "", 0, error);
  walk->hdf5->H5Oclose (root);
  return done;
}

static void
take_result (SondeHdf5Walk *walk, SondeHelperResult *result)
{
  GVariant *objects = g_variant_ref_sink (g_variant_builder_end (&walk->objects));

  result->owner = objects;
  result->release = (GDestroyNotify) g_variant_unref;
  result->payload = g_variant_get_data (objects);
  result->length = g_variant_get_size (objects);
}

gboolean
sonde_hdf5_decode (guint32 kind, const guint8 *data, gsize length, SondeHelperResult *result,
                   GError **error)
{
  SondeHdf5Walk walk = { .hdf5 = sonde_hdf5_get_library () };
  hid_t file = walk.hdf5 != NULL ? open_image (walk.hdf5, data, length) : -1;
  gboolean done = FALSE;

  if (file < 0)
    {
      if (walk.hdf5 == NULL)
        sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                         "libhdf5 cannot be loaded; install the Debian package libhdf5-103-1");
      else
        sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                         "it is no HDF5 file, or cut off");
      return FALSE;
    }
  walk.seen = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_variant_builder_init (&walk.objects, G_VARIANT_TYPE (SONDE_HDF5_OBJECTS));
  done = walk_file (&walk, file, error);
  if (done)
    take_result (&walk, result);
  g_variant_builder_clear (&walk.objects);
  g_hash_table_unref (walk.seen);
  walk.hdf5->H5Fclose (file);
  return done;
}

int
sonde_hdf5_helper_run (int fd)
{
  const SondeHelperCodec codec = { .max_bytes = SONDE_HDF5_MAX_BYTES,
                                   .seconds = SECONDS,
                                   .load = sonde_hdf5_load_library,
                                   .decode = sonde_hdf5_decode };

  return sonde_helper_run (fd, &codec);
}
