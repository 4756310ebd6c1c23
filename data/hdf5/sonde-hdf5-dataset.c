/* SPDX-License-Identifier: Apache-2.0
 * The helper's side: what a dataset holds, and where. */
#include "data/hdf5/sonde-hdf5-helper-private.h"

#include "data/base/sonde-checked.h"
#include "data/base/sonde-error.h"
#include "data/values/sonde-tensor.h"

#define MAX_UNPACKED ((gint64) 512 << 20) /* elements that do not lie in the file as they are */

/* ---- element types ------------------------------------------------------- */

/* IEEE 754, for the three sizes that have a name of ours. */
static gboolean
is_ieee (const SondeHdf5Library *hdf5, hid_t type, gsize size)
{
  static const struct
  {
    gsize size, exponent_at, exponent_bits, bias;
  } kinds[] = { { 2, 10, 5, 15 }, { 4, 23, 8, 127 }, { 8, 52, 11, 1023 } };
  size_t sign_at = 0, exponent_at = 0, exponent_bits = 0, fraction_at = 0, fraction_bits = 0;

  if (hdf5->H5Tget_fields (type, &sign_at, &exponent_at, &exponent_bits, &fraction_at,
                           &fraction_bits)
      < 0)
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (kinds[i].size == size)
      return sign_at == 8 * size - 1 && exponent_at == kinds[i].exponent_at
             && exponent_bits == kinds[i].exponent_bits && fraction_at == 0
             && fraction_bits == kinds[i].exponent_at && hdf5->H5Tget_ebias (type) == kinds[i].bias;
  return FALSE;
}

static const char *
name_integer (const SondeHdf5Library *hdf5, hid_t type, gsize size)
{
  static const struct
  {
    gsize size;
    const char *with_sign, *without;
  } names[] = { { 1, "int8", "uint8" },
                { 2, "int16", "uint16" },
                { 4, "int32", "uint32" },
                { 8, "int64", "uint64" } };

  if (hdf5->H5Tget_precision (type) != 8 * size)
    return "";
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (names[i].size == size)
      return hdf5->H5Tget_sign (type) == H5T_SGN_2 ? names[i].with_sign : names[i].without;
  return "";
}

/* NumPy's name; "" for what holds no numbers of ours. */
static const char *
name_type (const SondeHdf5Library *hdf5, hid_t type)
{
  gsize size = hdf5->H5Tget_size (type);

  switch ((int) hdf5->H5Tget_class (type))
    {
    case H5T_FLOAT:
      return !is_ieee (hdf5, type, size) ? ""
             : size == 2                 ? "float16"
             : size == 4                 ? "float32"
                                         : "float64";
    case H5T_INTEGER:
      return name_integer (hdf5, type, size);
    case H5T_ENUM: /* as h5py writes booleans */
      return size == 1 ? "bool" : "";
    case H5T_OPAQUE: /* as Keras writes bfloat16; an attribute says so */
      return size == 2 ? "uint16" : "";
    default:
      return "";
    }
}

/* ---- storage ------------------------------------------------------------- */

static gboolean
refuse (const char *path, const char *what, GError **error)
{
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                   "the dataset “%s” %-s, which is not read", path, what);
  return FALSE;
}

static gboolean
check_storage (const SondeHdf5Library *hdf5, hid_t storage, const char *path, GError **error)
{
  static const H5Z_filter_t known[]
      = { H5Z_FILTER_DEFLATE, H5Z_FILTER_SHUFFLE, H5Z_FILTER_FLETCHER32 };
  int n_filters = hdf5->H5Pget_nfilters (storage);

  if (hdf5->H5Pget_external_count (storage) != 0)
    return refuse (path, N_ ("lies in another file"), error);
  if (hdf5->H5Pget_layout (storage) == H5D_VIRTUAL)
    return refuse (path, N_ ("is put together of other files"), error);
  for (int i = 0; i < n_filters; i++)
    {
      H5Z_filter_t filter
          = hdf5->H5Pget_filter2 (storage, (unsigned) i, NULL, NULL, NULL, 0, NULL, NULL);
      gboolean found = FALSE;

      for (gsize k = 0; k < G_N_ELEMENTS (known); k++)
        found |= filter == known[k];
      if (!found)
        return refuse (path, N_ ("is packed by another filter than deflate"), error);
    }
  return TRUE;
}

/* Where the elements lie as a program has them in memory; -1: nowhere. */
static gint64
find_offset (const SondeHdf5Library *hdf5, hid_t dataset, hid_t storage, hid_t type)
{
  H5T_class_t class = hdf5->H5Tget_class (type);
  haddr_t offset = HADDR_UNDEF;
  gboolean ordered = hdf5->H5Tget_size (type) == 1 || class == H5T_OPAQUE
                     || hdf5->H5Tget_order (type)
                            == (G_BYTE_ORDER == G_LITTLE_ENDIAN ? H5T_ORDER_LE : H5T_ORDER_BE);

  if (ordered && hdf5->H5Pget_layout (storage) == H5D_CONTIGUOUS
      && hdf5->H5Pget_nfilters (storage) == 0)
    offset = hdf5->H5Dget_offset (dataset);
  return offset != HADDR_UNDEF && offset <= G_MAXINT64 ? (gint64) offset : -1;
}

/* In the machine's byte order. (transfer full) */
static GBytes *
read_elements (SondeHdf5Walk *walk, hid_t dataset, hid_t type, gint64 n_bytes, const char *path,
               GError **error)
{
  const SondeHdf5Library *hdf5 = walk->hdf5;
  hid_t memory = hdf5->H5Tcopy (type);
  g_autofree void *data = NULL;
  gboolean done = FALSE;

  if (!sonde_checked_add (&walk->unpacked, walk->unpacked, n_bytes)
      || walk->unpacked > MAX_UNPACKED)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                     "unpacked, “%s” and the datasets before it hold more than %d MiB", path,
                     (int) (MAX_UNPACKED >> 20));
  else
    data = g_try_malloc0 (MAX ((gsize) n_bytes, 1));
  if (data != NULL)
    {
      if (hdf5->H5Tget_class (type) != H5T_OPAQUE)
        hdf5->H5Tset_order (memory, G_BYTE_ORDER == G_LITTLE_ENDIAN ? H5T_ORDER_LE : H5T_ORDER_BE);
      done = hdf5->H5Dread (dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
    }
  hdf5->H5Tclose (memory);
  if (done)
    return g_bytes_new_take (g_steal_pointer (&data), (gsize) n_bytes);
  if (error != NULL && *error == NULL)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                     "the elements of “%s” cannot be read", path);
  return NULL;
}

/* ---- datasets ------------------------------------------------------------ */

static gboolean
read_shape (const SondeHdf5Library *hdf5, hid_t space, SondeShape *shape)
{
  hsize_t dims[H5S_MAX_RANK] = { 0 };
  int rank = hdf5->H5Sget_simple_extent_ndims (space);

  if (rank < 0 || rank > SONDE_MAX_RANK
      || hdf5->H5Sget_simple_extent_dims (space, dims, NULL) != rank)
    return FALSE;
  shape->rank = rank;
  for (int i = 0; i < rank; i++)
    shape->dims[i] = dims[i] <= G_MAXINT64 ? (gint64) dims[i] : -1;
  return sonde_shape_n_elements (shape) >= 0;
}

/**
 * Dataset: one that is open
 * @dtype: "" for elements that are none of ours
 */
typedef struct
{
  hid_t type, space, storage;
  const char *dtype;
  SondeShape shape;
  gint64 offset;
  GBytes *data;
} Dataset;

static gboolean
look (SondeHdf5Walk *walk, hid_t object, Dataset *dataset, const char *path, GError **error)
{
  const SondeHdf5Library *hdf5 = walk->hdf5;
  gint64 n_bytes = 0;

  if (dataset->type < 0 || dataset->space < 0 || dataset->storage < 0
      || !read_shape (hdf5, dataset->space, &dataset->shape)
      || !sonde_checked_mul (&n_bytes, sonde_shape_n_elements (&dataset->shape),
                             (gint64) hdf5->H5Tget_size (dataset->type)))
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                       "the sizes or the type of the dataset “%s” cannot be", path);
      return FALSE;
    }
  if (!check_storage (hdf5, dataset->storage, path, error))
    return FALSE;
  dataset->dtype = name_type (hdf5, dataset->type);
  dataset->offset = find_offset (hdf5, object, dataset->storage, dataset->type);
  if (dataset->dtype[0] != '\0' && dataset->offset < 0)
    dataset->data = read_elements (walk, object, dataset->type, n_bytes, path, error);
  else
    dataset->data = g_bytes_new (NULL, 0);
  return dataset->data != NULL;
}

static void
add (SondeHdf5Walk *walk, const Dataset *dataset)
{
  const SondeShape *shape = &dataset->shape;

  g_variant_builder_add (&walk->objects, "s", dataset->dtype);
  g_variant_builder_add_value (
      &walk->objects, g_variant_new_fixed_array (G_VARIANT_TYPE_INT64, shape->dims,
                                                 (gsize) shape->rank, sizeof shape->dims[0]));
  g_variant_builder_add (&walk->objects, "x", dataset->offset);
  g_variant_builder_add_value (
      &walk->objects, g_variant_new_from_bytes (G_VARIANT_TYPE_BYTESTRING, dataset->data, TRUE));
}

gboolean
sonde_hdf5_add_dataset (SondeHdf5Walk *walk, hid_t object, const char *path, GError **error)
{
  const SondeHdf5Library *hdf5 = walk->hdf5;
  Dataset dataset = { .type = hdf5->H5Dget_type (object),
                      .space = hdf5->H5Dget_space (object),
                      .storage = hdf5->H5Dget_create_plist (object),
                      .dtype = "",
                      .offset = -1 };
  gboolean done = look (walk, object, &dataset, path, error);

  if (done)
    add (walk, &dataset);
  g_clear_pointer (&dataset.data, g_bytes_unref);
  hdf5->H5Tclose (dataset.type);
  hdf5->H5Sclose (dataset.space);
  hdf5->H5Pclose (dataset.storage);
  return done;
}
