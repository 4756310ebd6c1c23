/* SPDX-License-Identifier: Apache-2.0
 * Members of a .pt2 archive: found by their paths below its one folder, weights by their
 * configuration. */
#include "data/models/pt2/sonde-pt2-archive.h"

#include <string.h>

#include "data/arrays/sonde-zip.h"
#include "data/base/sonde-budget.h"
#include "data/base/sonde-checked.h"
#include "data/base/sonde-error.h"
#include "data/json/sonde-json-depth.h"

#define MOST_DEPTH 256
#define SCHEMA 8 /* major version, since PyTorch 2.5 */
#define STRIDED 7

/**
 * SondePt2Archive:
 * @members: path below the archive's folder -> GBytes
 * @parsers: of the JSON that objects are lent from
 * @weights: @constants: (nullable): their configurations
 */
struct _SondePt2Archive
{
  char *path, *name;
  GHashTable *members;
  GPtrArray *parsers, *programs;
  JsonObject *program, *weights, *constants;
  gboolean is_old, is_script;
};

SondeDtype
sonde_pt2_dtype (gint64 number)
{
  static const SondeDtype dtypes[] = {
    [1] = SONDE_DTYPE_U8,    [2] = SONDE_DTYPE_I8,    [3] = SONDE_DTYPE_I16, [4] = SONDE_DTYPE_I32,
    [5] = SONDE_DTYPE_I64,   [6] = SONDE_DTYPE_F16,   [7] = SONDE_DTYPE_F32, [8] = SONDE_DTYPE_F64,
    [12] = SONDE_DTYPE_BOOL, [13] = SONDE_DTYPE_BF16,
  };

  return number >= 0 && number < (gint64) G_N_ELEMENTS (dtypes) ? dtypes[number]
                                                                : SONDE_DTYPE_INVALID;
}

/* ---- members ------------------------------------------------------------- */

static const char *
below_folder (const char *name)
{
  const char *slash = strchr (name, '/');

  return slash != NULL ? slash + 1 : name;
}

static gboolean
wants (gpointer data, const char *name)
{
  SondePt2Archive *self = data;
  const char *path = below_folder (name);

  if (g_str_equal (name, "serialized_exported_program.json"))
    self->is_old = TRUE;
  if (g_str_equal (path, "constants.pkl") || g_str_has_prefix (path, "code/"))
    self->is_script = TRUE;
  return g_str_has_prefix (path, "models/") || g_str_equal (path, "byteorder")
         || g_str_equal (path, "archive_format") || g_str_has_prefix (path, "data/weights/")
         || g_str_has_prefix (path, "data/constants/");
}

static gboolean
take (gpointer data, const char *name, guint8 *bytes, gsize length, GError **error)
{
  SondePt2Archive *self = data;
  GBytes *member = g_bytes_new_take (bytes, length);

  if (!g_hash_table_contains (self->members, below_folder (name)))
    {
      g_hash_table_insert (self->members, g_strdup (below_folder (name)), member);
      return TRUE;
    }
  g_bytes_unref (member);
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED, "“%s” has two members “%s”",
                   self->path, name);
  return FALSE;
}

/* Lent; NULL with @error */
static JsonObject *
parse_member (SondePt2Archive *self, const char *path, GError **error)
{
  GBytes *bytes = g_hash_table_lookup (self->members, path);
  JsonParser *parser = json_parser_new ();
  g_autoptr (GError) problem = NULL;
  gsize length = 0;
  const char *text = g_bytes_get_data (bytes, &length);
  JsonNode *root = NULL;

  g_ptr_array_add (self->parsers, parser);
  if (!sonde_json_is_shallow ((const guint8 *) text, length, MOST_DEPTH))
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                       "“%s”: the JSON “%s” is nested more than %u levels deep", self->path, path,
                       (guint) MOST_DEPTH);
      return NULL;
    }
  if (json_parser_load_from_data (parser, text, (gssize) length, &problem))
    root = json_parser_get_root (parser);
  if (root != NULL && JSON_NODE_HOLDS_OBJECT (root))
    return json_node_get_object (root);
  if (problem != NULL)
    sonde_set_error_because (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED, problem,
                             "“%s”: cannot read the JSON “%s”: ", self->path, path);
  else
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                     "“%s”: the JSON “%s” is no object", self->path, path);
  return NULL;
}

/* ---- which program ------------------------------------------------------- */

static int
compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

static void
list_programs (SondePt2Archive *self)
{
  GHashTableIter iter;
  gpointer path = NULL;

  g_hash_table_iter_init (&iter, self->members);
  while (g_hash_table_iter_next (&iter, &path, NULL))
    if (g_str_has_prefix (path, "models/") && g_str_has_suffix (path, ".json"))
      g_ptr_array_add (self->programs, g_strndup ((char *) path + strlen ("models/"),
                                                  strlen (path) - strlen ("models/.json")));
  g_ptr_array_sort (self->programs, compare_texts);
}

static gboolean
has_program (const SondePt2Archive *self, const char *name)
{
  return g_ptr_array_find_with_equal_func (self->programs, name, g_str_equal, NULL);
}

static gboolean
refuse (const SondePt2Archive *self, GError **error)
{
  if (self->is_script)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                     "“%s” is TorchScript, which is not read. In PyTorch: torch.export.save "
                     "(torch.export.export (model, example_inputs), \"model.pt2\")",
                     self->path);
  else if (self->is_old)
    sonde_set_error (
        error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
        "“%s” was written by a PyTorch before 2.8; load and save it again with a newer "
        "one: torch.export.save (torch.export.load (…), …)",
        self->path);
  else
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                     "“%s” holds no exported program (models/NAME.json)", self->path);
  return FALSE;
}

static gboolean
choose_program (SondePt2Archive *self, const char *wanted, GError **error)
{
  g_autofree char *names = NULL;

  list_programs (self);
  if (self->programs->len == 0)
    return refuse (self, error);
  if (wanted == NULL)
    wanted = has_program (self, "model") ? "model"
             : self->programs->len == 1  ? self->programs->pdata[0]
                                         : "";
  if (has_program (self, wanted))
    {
      self->name = g_strdup (wanted);
      return TRUE;
    }
  g_ptr_array_add (self->programs, NULL);
  names = g_strjoinv (", ", (char **) self->programs->pdata);
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                   "“%s” holds these programs: %s. Choose one with --signature", self->path, names);
  return FALSE;
}

static gboolean
check_schema (SondePt2Archive *self, GError **error)
{
  JsonObject *version = sonde_json_member_object (self->program, "schema_version");
  gint64 major = sonde_json_member_int (version, "major", -1);
  GBytes *order = g_hash_table_lookup (self->members, "byteorder");

  if (major != SCHEMA)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                       "“%s” has schema version %" PRId64
                       "; %d is read. Save it again with PyTorch "
                       "2.8 or later",
                       self->path, major, SCHEMA);
      return FALSE;
    }
  if (order == NULL || g_bytes_get_size (order) == 0
      || *(const char *) g_bytes_get_data (order, NULL) != 'b')
    return TRUE;
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                   "“%s” was written on a big-endian machine", self->path);
  return FALSE;
}

/* @found: (out) (nullable): absent when the archive has no such file */
static gboolean
read_config (SondePt2Archive *self, const char *kind, JsonObject **found, GError **error)
{
  g_autofree char *path = g_strdup_printf ("data/%s/%s_%s_config.json", kind, self->name, kind);
  JsonObject *root = NULL;

  if (!g_hash_table_contains (self->members, path))
    return TRUE;
  root = parse_member (self, path, error);
  *found = sonde_json_member_object (root, "config");
  return root != NULL;
}

static gboolean
parse (SondePt2Archive *self, const char *program, GError **error)
{
  g_autofree char *path = NULL;

  if (!choose_program (self, program, error))
    return FALSE;
  path = g_strdup_printf ("models/%s.json", self->name);
  self->program = parse_member (self, path, error);
  return self->program != NULL && check_schema (self, error)
         && read_config (self, "weights", &self->weights, error)
         && read_config (self, "constants", &self->constants, error);
}

SondePt2Archive *
sonde_pt2_archive_open (const SondeIo *io, const char *path, const char *program, GError **error)
{
  static const SondeZipTaker taker = { wants, take };
  g_autoptr (SondePt2Archive) self = g_new0 (SondePt2Archive, 1);

  self->path = g_strdup (path);
  self->members
      = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_bytes_unref);
  self->parsers = g_ptr_array_new_with_free_func (g_object_unref);
  self->programs = g_ptr_array_new_with_free_func (g_free);
  if (!sonde_zip_read (io, path, ".pt2", &taker, self, error) || !parse (self, program, error))
    return NULL;
  return g_steal_pointer (&self);
}

void
sonde_pt2_archive_free (SondePt2Archive *self)
{
  if (self == NULL)
    return;
  g_free (self->path);
  g_free (self->name);
  g_hash_table_unref (self->members);
  g_ptr_array_unref (self->parsers);
  g_ptr_array_unref (self->programs);
  g_free (self);
}

JsonObject *
sonde_pt2_archive_get_program (SondePt2Archive *self)
{
  return self->program;
}

const char *
sonde_pt2_archive_get_name (SondePt2Archive *self)
{
  return self->name;
}

GPtrArray *
sonde_pt2_archive_list_programs (SondePt2Archive *self)
{
  return self->programs;
}

/* ---- tensors ------------------------------------------------------------- */

/* A tensor inside its storage, in elements. */
typedef struct
{
  SondeDtype dtype;
  SondeShape shape;
  gint64 strides[SONDE_MAX_RANK], offset;
} Layout;

static gboolean
read_layout (JsonObject *meta, Layout *layout)
{
  JsonArray *sizes = sonde_json_member_array (meta, "sizes");
  JsonArray *strides = sonde_json_member_array (meta, "strides");

  *layout = (Layout){ .dtype = sonde_pt2_dtype (sonde_json_member_int (meta, "dtype", 0)) };
  layout->offset
      = sonde_json_member_int (sonde_json_member_object (meta, "storage_offset"), "as_int", -1);
  layout->shape.rank = (int) sonde_json_member_count (sizes);
  if (layout->dtype == SONDE_DTYPE_INVALID || layout->offset < 0 || sizes == NULL
      || sonde_json_member_count (strides) != sonde_json_member_count (sizes)
      || sonde_json_member_int (meta, "layout", STRIDED) != STRIDED
      || layout->shape.rank > SONDE_MAX_RANK)
    return FALSE;
  for (int i = 0; i < layout->shape.rank; i++)
    {
      layout->shape.dims[i]
          = sonde_json_member_int (sonde_json_member_element (sizes, (guint) i), "as_int", -1);
      layout->strides[i]
          = sonde_json_member_int (sonde_json_member_element (strides, (guint) i), "as_int", -1);
      if (layout->shape.dims[i] < 0 || layout->strides[i] < 0)
        return FALSE;
    }
  return TRUE;
}

/* How many elements the storage must have; -1: more than can be counted. */
static gint64
count_needed (const Layout *layout)
{
  gint64 last = layout->offset, step = 0;

  for (int i = 0; i < layout->shape.rank; i++)
    {
      if (layout->shape.dims[i] == 0)
        return 0;
      if (!sonde_checked_mul (&step, layout->shape.dims[i] - 1, layout->strides[i])
          || !sonde_checked_add (&last, last, step))
        return -1;
    }
  return sonde_checked_add (&last, last, 1) ? last : -1;
}

/* Row-major from anywhere in @storage. */
static void
gather (const Layout *layout, const guint8 *storage, SondeTensor *tensor)
{
  gsize size = sonde_dtype_size (layout->dtype);
  gint64 n = sonde_tensor_n_elements (tensor), at[SONDE_MAX_RANK] = { 0 }, from = layout->offset;

  for (gint64 k = 0; k < n; k++)
    {
      memcpy (tensor->data + (gsize) k * size, storage + (gsize) from * size, size);
      for (int i = layout->shape.rank - 1; i >= 0; i--)
        {
          from += layout->strides[i];
          if (++at[i] < layout->shape.dims[i])
            break;
          from -= at[i] * layout->strides[i];
          at[i] = 0;
        }
    }
}

static gboolean
is_row_major (const Layout *layout)
{
  gint64 expected = 1;

  for (int i = layout->shape.rank - 1; i >= 0; i--)
    {
      if (layout->shape.dims[i] != 1 && layout->strides[i] != expected)
        return FALSE;
      expected *= layout->shape.dims[i];
    }
  return TRUE;
}

static SondeTensor *
copy_tensor (const Layout *layout, GBytes *storage, const char *name, GError **error)
{
  const guint8 *bytes = g_bytes_get_data (storage, NULL);
  gsize size = sonde_dtype_size (layout->dtype);
  SondeBudget budget;
  SondeTensor *tensor = NULL;

  if (is_row_major (layout) && layout->offset == 0)
    return sonde_tensor_try_new_from_data (layout->dtype, &layout->shape, bytes, name, error);
  if (is_row_major (layout))
    return sonde_tensor_try_new_from_data (layout->dtype, &layout->shape,
                                           bytes + (gsize) layout->offset * size, name, error);
  sonde_budget_init (&budget, SONDE_BUDGET_PARSE_BYTES, name); /* stride 0 makes much of little */
  tensor = sonde_tensor_try_new (layout->dtype, &layout->shape, &budget, name, error);
  if (tensor != NULL)
    gather (layout, bytes, tensor);
  return tensor;
}

/* (nullable): the storage that a configuration names; only members of its own folder. */
static GBytes *
find_storage (SondePt2Archive *self, const char *kind, const char *file)
{
  g_autofree char *path = file != NULL ? g_strdup_printf ("data/%s/%s", kind, file) : NULL;

  return path != NULL ? g_hash_table_lookup (self->members, path) : NULL;
}

SondeTensor *
sonde_pt2_archive_read_tensor (SondePt2Archive *self, const char *name, GError **error)
{
  JsonObject *entry = sonde_json_member_object (self->weights, name);
  const char *kind = entry != NULL ? "weights" : "constants";
  GBytes *storage = NULL;
  gint64 needed = 0;
  Layout layout;

  entry = entry != NULL ? entry : sonde_json_member_object (self->constants, name);
  storage = find_storage (self, kind, sonde_json_member_text (entry, "path_name"));
  if (storage == NULL)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                       "“%s” has no values for “%s”", self->path, name);
      return NULL;
    }
  if (sonde_json_member_bool (entry, "use_pickle", FALSE)
      || !read_layout (sonde_json_member_object (entry, "tensor_meta"), &layout))
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                       "“%s”: the values of “%s” are pickled, or of a type or layout that is not "
                       "read",
                       self->path, name);
      return NULL;
    }
  needed = count_needed (&layout);
  if (needed < 0 || (guint64) needed > g_bytes_get_size (storage) / sonde_dtype_size (layout.dtype))
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                       "“%s”: “%s” needs %" PRId64 " elements, its storage has %" PRIu64,
                       self->path, name, needed,
                       (guint64) (g_bytes_get_size (storage) / sonde_dtype_size (layout.dtype)));
      return NULL;
    }
  return copy_tensor (&layout, storage, name, error);
}
