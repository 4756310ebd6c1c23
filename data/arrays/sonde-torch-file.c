/* SPDX-License-Identifier: Apache-2.0
 * Tensors of PyTorch's files: a pickle that says how they lie in storages, and the storages. */
#include "data/arrays/sonde-torch-file.h"

#include <string.h>

#include "data/arrays/sonde-pickle.h"
#include "data/arrays/sonde-zip.h"
#include "data/base/sonde-checked.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-message-nest.h"

#define MAX_DEPTH 64
#define MAX_TENSORS 100000
#define PICKLE "data.pkl"
#define STORAGES "data/" /* followed by their keys */

/**
 * Reader: one file
 * @members: name without the archive's folder -> GByteArray
 * @tensors: (nullable): where all of them go
 * @n_visits: of values; some may be met more than once
 */
typedef struct
{
  const char *path;
  GHashTable *members;
  SondeBudget budget;
  SondeNamedTensors *tensors;
  guint n_visits;
} Reader;

/* ---- the archive --------------------------------------------------------- */

/* "data/0" of "model/data/0" */
static const char *
strip_folder (const char *name)
{
  const char *slash = strchr (name, '/');

  return slash != NULL ? slash + 1 : name;
}

static gboolean
wants (gpointer data, const char *name)
{
  const char *inner = strip_folder (name);

  return g_str_equal (inner, PICKLE) || g_str_equal (inner, "byteorder")
         || g_str_has_prefix (inner, STORAGES);
}

static gboolean
take (gpointer data, const char *name, guint8 *bytes, gsize length, GError **error)
{
  Reader *reader = data;

  g_hash_table_insert (reader->members, g_strdup (strip_folder (name)),
                       g_byte_array_new_take (bytes, length));
  return TRUE;
}

static gboolean
check_byte_order (Reader *reader, GError **error)
{
  const GByteArray *order = g_hash_table_lookup (reader->members, "byteorder");

  if (order == NULL || (order->len == 6 && memcmp (order->data, "little", 6) == 0))
    return TRUE;
  sonde_set_error (
      error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
      "“%s” was written on a big-endian machine. Load and save it again on another one.",
      reader->path);
  return FALSE;
}

/* Before version 1.6 files were a row of pickles. */
static gboolean
check_zip (const SondeIo *io, const char *path, GError **error)
{
  guint8 head[2] = { 0 };
  guint64 size;
  int fd = sonde_io_open_regular (io, path, &size, error);
  gboolean read;

  if (fd < 0)
    return FALSE;
  read = sonde_io_pread_full (io, fd, path, head, sizeof head, 0, error) >= 0;
  sonde_io_close (io, fd);
  if (!read)
    return FALSE;
  if (memcmp (head, "PK", 2) == 0)
    return TRUE;
  sonde_set_error (
      error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
      "“%s” is no zip archive as torch.save() writes them since PyTorch 1.6. Load and save "
      "it again with a newer PyTorch.",
      path);
  return FALSE;
}

/* ---- storages ------------------------------------------------------------ */

static const struct
{
  const char *name;
  SondeDtype dtype;
} storages[] = {
  { "torch.FloatStorage", SONDE_DTYPE_F32 }, { "torch.DoubleStorage", SONDE_DTYPE_F64 },
  { "torch.HalfStorage", SONDE_DTYPE_F16 },  { "torch.BFloat16Storage", SONDE_DTYPE_BF16 },
  { "torch.LongStorage", SONDE_DTYPE_I64 },  { "torch.IntStorage", SONDE_DTYPE_I32 },
  { "torch.ShortStorage", SONDE_DTYPE_I16 }, { "torch.CharStorage", SONDE_DTYPE_I8 },
  { "torch.ByteStorage", SONDE_DTYPE_U8 },   { "torch.BoolStorage", SONDE_DTYPE_BOOL },
};

static gboolean
damaged (Reader *reader, const char *what, GError **error)
{
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                   "“%s”, member “data.pkl”: %-s", reader->path, what);
  return FALSE;
}

static const SondePickleValue *
get_item (const GPtrArray *items, guint i, SondePickleKind kind)
{
  const SondePickleValue *item
      = items != NULL && i < items->len ? g_ptr_array_index (items, i) : NULL;

  return item != NULL && item->kind == kind ? item : NULL;
}

static SondeDtype
find_dtype (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (storages); i++)
    if (g_str_equal (storages[i].name, name))
      return storages[i].dtype;
  return SONDE_DTYPE_INVALID;
}

/* Any byte but 0 is true, and 1 here. */
static void
normalise (GByteArray *bytes, SondeDtype dtype)
{
  for (guint i = 0; dtype == SONDE_DTYPE_BOOL && i < bytes->len; i++)
    bytes->data[i] = bytes->data[i] != 0;
}

/* The persistent id ("storage", type, key, device, n) as a tensor of one dimension. */
static SondeTensor *
read_storage (Reader *reader, const SondePickleValue *value, GError **error)
{
  const SondePickleValue *id
      = value != NULL ? get_item (value->items, 0, SONDE_PICKLE_TUPLE) : NULL;
  const GPtrArray *parts = id != NULL ? id->items : NULL;
  const SondePickleValue *type = get_item (parts, 1, SONDE_PICKLE_NAME),
                         *key = get_item (parts, 2, SONDE_PICKLE_TEXT),
                         *n = get_item (parts, 4, SONDE_PICKLE_INT);
  g_autofree char *member = key != NULL ? g_strconcat (STORAGES, key->text, NULL) : NULL;
  GByteArray *bytes = member != NULL ? g_hash_table_lookup (reader->members, member) : NULL;
  SondeDtype dtype = type != NULL ? find_dtype (type->text) : SONDE_DTYPE_INVALID;
  SondeShape shape;

  if (type != NULL && dtype == SONDE_DTYPE_INVALID)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                       "“%s” has a tensor of type “%s”, which is not supported.", reader->path,
                       type->text);
      return NULL;
    }
  if (bytes == NULL || n == NULL || n->integer < 0
      || bytes->len / sonde_dtype_size (dtype) < (guint64) n->integer)
    {
      damaged (reader, N_ ("a storage is missing, or shorter than it says"), error);
      return NULL;
    }
  normalise (bytes, dtype);
  shape = sonde_shape_make (1, n->integer);
  return sonde_tensor_new_take (dtype, &shape, bytes->data, (GDestroyNotify) g_byte_array_unref,
                                g_byte_array_ref (bytes));
}

/* ---- tensors ------------------------------------------------------------- */

static gboolean
get_numbers (const SondePickleValue *tuple, gint64 *numbers, int *n)
{
  guint len = tuple != NULL ? tuple->items->len : SONDE_MAX_RANK + 1;

  if (len > SONDE_MAX_RANK)
    return FALSE;
  *n = (int) len;
  for (guint i = 0; i < len; i++)
    {
      const SondePickleValue *item = get_item (tuple->items, i, SONDE_PICKLE_INT);

      if (item == NULL || item->integer < 0)
        return FALSE;
      numbers[i] = item->integer;
    }
  return TRUE;
}

/* Whether the elements lie within @n. */
static gboolean
fits (const SondeShape *shape, const gint64 *strides, gint64 offset, gint64 n)
{
  gint64 last = offset, way;

  for (int i = 0; i < shape->rank; i++)
    {
      if (shape->dims[i] == 0)
        return offset <= n;
      if (!sonde_checked_mul (&way, shape->dims[i] - 1, strides[i])
          || !sonde_checked_add (&last, last, way))
        return FALSE;
    }
  return last < n;
}

/* Arguments of _rebuild_tensor_v2: storage, offset, sizes, strides, … */
static SondeTensor *
build_tensor (Reader *reader, const GPtrArray *arguments, GError **error)
{
  const SondePickleValue *offset = get_item (arguments, 1, SONDE_PICKLE_INT);
  g_autoptr (SondeTensor) storage = NULL, view = NULL;
  SondeShape shape = { 0 };
  gint64 strides[SONDE_MAX_RANK] = { 0 }, n;
  int n_strides = -1;

  storage = read_storage (reader, get_item (arguments, 0, SONDE_PICKLE_PERSISTENT), error);
  if (storage == NULL)
    return NULL;
  if (offset == NULL || offset->integer < 0
      || !get_numbers (get_item (arguments, 2, SONDE_PICKLE_TUPLE), shape.dims, &shape.rank)
      || !get_numbers (get_item (arguments, 3, SONDE_PICKLE_TUPLE), strides, &n_strides)
      || n_strides != shape.rank || (n = sonde_shape_n_elements (&shape)) < 0
      || !fits (&shape, strides, offset->integer, storage->shape.dims[0]))
    {
      damaged (reader, N_ ("a tensor does not lie in its storage"), error);
      return NULL;
    }
  view = sonde_tensor_view (storage, &shape, strides, offset->integer);
  if (!sonde_tensor_is_contiguous (view)
      && !sonde_budget_take (&reader->budget, (guint64) n * sonde_dtype_size (view->dtype),
                             N_ ("a tensor"), error))
    return NULL;
  return sonde_tensor_contiguous (view);
}

/* The tensor that @value makes. @is_tensor: (out): FALSE without an error where it makes something else */
static SondeTensor *
read_tensor (Reader *reader, const SondePickleValue *value, gboolean *is_tensor, GError **error)
{
  static const char *const parameters[]
      = { "torch._utils._rebuild_parameter", "torch._utils._rebuild_parameter_with_state" };
  const GPtrArray *arguments;

  for (gsize i = 0; i < G_N_ELEMENTS (parameters); i++)
    if ((arguments = sonde_pickle_value_get_call (value, parameters[i])) != NULL
        && arguments->len > 0)
      value = g_ptr_array_index (arguments, 0);
  arguments = sonde_pickle_value_get_call (value, "torch._utils._rebuild_tensor_v2");
  *is_tensor = arguments != NULL;
  return arguments != NULL ? build_tensor (reader, arguments, error) : NULL;
}

/* ---- what else there is -------------------------------------------------- */

static gboolean collect (Reader *reader, const SondePickleValue *value, const char *name,
                         guint depth, GError **error);

static gboolean
collect_item (Reader *reader, const SondePickleValue *value, const char *name, const char *key,
              guint depth, GError **error)
{
  g_autofree char *whole = name != NULL ? g_strconcat (name, ".", key, NULL) : g_strdup (key);

  return collect (reader, value, whole, depth + 1, error);
}

static gboolean
collect_items (Reader *reader, const GPtrArray *items, const char *name, guint depth,
               GError **error)
{
  for (guint i = 0; items != NULL && i < items->len; i++)
    {
      g_autofree char *key = g_strdup_printf ("%u", i);

      if (!collect_item (reader, g_ptr_array_index (items, i), name, key, depth, error))
        return FALSE;
    }
  return TRUE;
}

/* Entries whose keys are texts or numbers. */
static gboolean
collect_entries (Reader *reader, const GPtrArray *entries, const char *name, guint depth,
                 GError **error)
{
  for (guint i = 0; entries != NULL && i + 1 < entries->len; i += 2)
    {
      const SondePickleValue *key = g_ptr_array_index (entries, i);
      g_autofree char *text = key->kind == SONDE_PICKLE_TEXT ? g_strdup (key->text)
                              : key->kind == SONDE_PICKLE_INT
                                  ? g_strdup_printf ("%" G_GINT64_FORMAT, key->integer)
                                  : NULL;

      if (text != NULL
          && !collect_item (reader, g_ptr_array_index (entries, i + 1), name, text, depth, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
add_tensor (Reader *reader, SondeTensor *tensor, const char *name, GError **error)
{
  if (sonde_named_tensors_get_size (reader->tensors) == MAX_TENSORS)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                       "“%s” holds more than %d arrays", reader->path, MAX_TENSORS);
      return FALSE;
    }
  sonde_named_tensors_set (reader->tensors, name != NULL ? name : "tensor", tensor);
  return TRUE;
}

/* Calls that make no tensor: dictionaries, and those whose result is nothing to us. */
static gboolean
collect_call (Reader *reader, const SondePickleValue *value, const char *name, guint depth,
              GError **error)
{
  static const char *const other[] = { "torch.Size", "torch.device" };
  const SondePickleValue *function = g_ptr_array_index (value->items, 0);

  if (sonde_pickle_value_get_call (value, "collections.OrderedDict") != NULL)
    return collect_entries (reader, value->entries, name, depth, error);
  for (gsize i = 0; i < G_N_ELEMENTS (other); i++)
    if (sonde_pickle_value_get_call (value, other[i]) != NULL)
      return TRUE;
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                   "“%s” calls “%s”, which is not run. Save the tensors alone: torch.save "
                   "(model.state_dict (), …).",
                   reader->path, function->kind == SONDE_PICKLE_NAME ? function->text : "…");
  return FALSE;
}

static gboolean
collect (Reader *reader, const SondePickleValue *value, const char *name, guint depth,
         GError **error)
{
  g_autoptr (SondeTensor) tensor = NULL;
  gboolean is_tensor;

  if (depth > MAX_DEPTH || ++reader->n_visits > SONDE_PICKLE_MAX_VALUES)
    return damaged (reader, N_ ("values lie inside each other too deep or too often"), error);
  tensor = read_tensor (reader, value, &is_tensor, error);
  if (is_tensor)
    return tensor != NULL && add_tensor (reader, tensor, name, error);
  if (value->kind == SONDE_PICKLE_LIST || value->kind == SONDE_PICKLE_TUPLE)
    return collect_items (reader, value->items, name, depth, error);
  if (value->kind == SONDE_PICKLE_DICT)
    return collect_entries (reader, value->entries, name, depth, error);
  return value->kind != SONDE_PICKLE_CALL || collect_call (reader, value, name, depth, error);
}

/* ---- files --------------------------------------------------------------- */

static SondePickle *
open_file (Reader *reader, const SondeIo *io, const char *path, GError **error)
{
  static const SondeZipTaker taker = { wants, take };
  g_autofree char *place = sonde_message_nest ("“%s”, member “%s”", path, PICKLE);
  const GByteArray *bytes;

  reader->path = path;
  reader->members = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                           (GDestroyNotify) g_byte_array_unref);
  sonde_budget_init (&reader->budget, SONDE_BUDGET_PARSE_BYTES, path);
  if (!check_zip (io, path, error) || !sonde_zip_read (io, path, ".pt", &taker, reader, error)
      || !check_byte_order (reader, error))
    return NULL;
  bytes = g_hash_table_lookup (reader->members, PICKLE);
  if (bytes != NULL)
    return sonde_pickle_parse (bytes->data, bytes->len, place, error);
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                   "“%s” is a zip archive without “data.pkl”: torch.save() did not write it.",
                   path);
  return NULL;
}

SondeTensor *
sonde_torch_file_read_tensor (const SondeIo *io, const char *path, GError **error)
{
  Reader reader = { 0 };
  g_autoptr (SondePickle) pickle = open_file (&reader, io, path, error);
  SondeTensor *tensor = NULL;
  gboolean is_tensor = TRUE;

  if (pickle != NULL)
    tensor = read_tensor (&reader, sonde_pickle_get_root (pickle), &is_tensor, error);
  if (!is_tensor)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                     "“%s” is not a single tensor.", path);
  g_hash_table_unref (reader.members);
  return tensor;
}

SondeNamedTensors *
sonde_torch_file_read (const SondeIo *io, const char *path, GError **error)
{
  Reader reader = { 0 };
  g_autoptr (SondePickle) pickle = open_file (&reader, io, path, error);
  g_autoptr (SondeNamedTensors) tensors = sonde_named_tensors_new ();
  gboolean done;

  reader.tensors = tensors;
  done = pickle != NULL && collect (&reader, sonde_pickle_get_root (pickle), NULL, 0, error);
  g_hash_table_unref (reader.members);
  return done ? g_steal_pointer (&tensors) : NULL;
}
