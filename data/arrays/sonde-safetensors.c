/* SPDX-License-Identifier: Apache-2.0
 * Safetensors. The header is JSON from a stranger: its length and nesting are looked at before
 * json-glib sees it. */
#include "data/arrays/sonde-safetensors.h"

#include <json-glib/json-glib.h>
#include <string.h>

#include "data/arrays/sonde-json-text.h"
#include "data/base/sonde-budget.h"
#include "data/base/sonde-checked.h"
#include "data/base/sonde-error.h"

#define LENGTH_BYTES 8
#define MAX_HEADER (16u << 20)
#define MAX_NESTING 4 /* { name: { "shape": [ ] } } and one to spare */
#define METADATA "__metadata__"

static const struct
{
  const char *name;
  SondeDtype dtype;
} dtypes[] = {
  { "F64", SONDE_DTYPE_F64 },        { "F32", SONDE_DTYPE_F32 },
  { "F16", SONDE_DTYPE_F16 },        { "BF16", SONDE_DTYPE_BF16 },
  { "I64", SONDE_DTYPE_I64 },        { "I32", SONDE_DTYPE_I32 },
  { "I16", SONDE_DTYPE_I16 },        { "I8", SONDE_DTYPE_I8 },
  { "U64", SONDE_DTYPE_U64 },        { "U32", SONDE_DTYPE_U32 },
  { "U16", SONDE_DTYPE_U16 },        { "U8", SONDE_DTYPE_U8 },
  { "BOOL", SONDE_DTYPE_BOOL },      { "F8_E4M3", SONDE_DTYPE_F8E4M3FN },
  { "F8_E5M2", SONDE_DTYPE_F8E5M2 },
};

/* A tensor of the header: where its bytes are, from the end of the header. */
typedef struct
{
  const char *name; /* borrowed from the JSON */
  SondeDtype dtype;
  SondeShape shape;
  guint64 begin, end;
} Entry;

static gboolean G_GNUC_PRINTF (3, 4)
    safetensors_fail (GError **error, const char *name, const char *format, ...)
{
  va_list list;

  va_start (list, format);
  sonde_set_error_va (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED, format, list);
  va_end (list);
  sonde_prefix_error (error, "“%s” is not a complete safetensors file: ", name);
  return FALSE;
}

/* Deep nesting would be recursion in the JSON parser. */
static gboolean
is_shallow (const char *text, gsize length)
{
  guint depth = 0;
  gboolean inside = FALSE; /* a string */

  for (gsize i = 0; i < length; i++)
    {
      char c = text[i];

      if (inside && c == '\\')
        i++;
      else if (c == '"')
        inside = !inside;
      else if (!inside && (c == '{' || c == '[') && ++depth > MAX_NESTING)
        return FALSE;
      else if (!inside && (c == '}' || c == ']') && depth > 0)
        depth--;
    }
  return TRUE;
}

static gboolean
read_count (JsonArray *array, guint index, guint64 *count)
{
  JsonNode *node = json_array_get_element (array, index);
  gint64 number;

  if (!JSON_NODE_HOLDS_VALUE (node) || json_node_get_value_type (node) != G_TYPE_INT64)
    return FALSE;
  number = json_node_get_int (node);
  *count = (guint64) number;
  return number >= 0;
}

static JsonArray *
get_array (JsonObject *object, const char *member)
{
  JsonNode *node = json_object_get_member (object, member);

  return node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
}

static gboolean
read_dtype (JsonObject *object, Entry *entry, const char *file, GError **error)
{
  JsonNode *node = json_object_get_member (object, "dtype");
  const char *text
      = node != NULL && JSON_NODE_HOLDS_VALUE (node) ? json_node_get_string (node) : NULL;

  if (text == NULL)
    return safetensors_fail (error, file, "tensor “%s” has no dtype.", entry->name);
  for (gsize i = 0; i < G_N_ELEMENTS (dtypes); i++)
    if (g_str_equal (dtypes[i].name, text))
      {
        entry->dtype = dtypes[i].dtype;
        return TRUE;
      }
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                   "“%s”: tensor “%s” has the dtype “%.32s”, which is not understood.", file,
                   entry->name, text);
  return FALSE;
}

/* Shape and place agree with each other and with the bytes there are. */
static gboolean
read_extent (JsonObject *object, Entry *entry, guint64 available, const char *file, GError **error)
{
  JsonArray *shape = get_array (object, "shape"), *offsets = get_array (object, "data_offsets");
  guint64 bytes = sonde_dtype_size (entry->dtype);

  if (shape == NULL || offsets == NULL || json_array_get_length (offsets) != 2)
    return safetensors_fail (error, file, "tensor “%s” lacks shape or data_offsets.", entry->name);
  if (json_array_get_length (shape) > SONDE_MAX_RANK)
    return safetensors_fail (error, file, "tensor “%s” has %u dimensions; %d are possible.",
                             entry->name, json_array_get_length (shape), SONDE_MAX_RANK);
  entry->shape.rank = (int) json_array_get_length (shape);
  for (int i = 0; i < entry->shape.rank; i++)
    {
      guint64 size;

      if (!read_count (shape, (guint) i, &size) || !sonde_checked_mul (&bytes, bytes, size))
        return safetensors_fail (error, file, "the shape of tensor “%s” makes no sense.",
                                 entry->name);
      entry->shape.dims[i] = (gint64) size;
    }
  if (!read_count (offsets, 0, &entry->begin) || !read_count (offsets, 1, &entry->end)
      || entry->begin > entry->end || entry->end > available)
    return safetensors_fail (error, file, "tensor “%s” lies outside the file.", entry->name);
  if (entry->end - entry->begin != bytes)
    return safetensors_fail (error, file,
                             "tensor “%s” has %" PRIu64 " bytes, its shape needs %" PRIu64 ".",
                             entry->name, entry->end - entry->begin, bytes);
  return TRUE;
}

static int
compare_places (const void *a, const void *b)
{
  const Entry *first = a, *second = b;

  if (first->begin != second->begin)
    return first->begin < second->begin ? -1 : 1;
  return first->end < second->end ? -1 : first->end > second->end;
}

/* Neither holes nor overlaps: nothing hides in the file, and no byte is two tensors'. */
static gboolean
check_places (const GArray *entries, guint64 available, const char *file, GError **error)
{
  g_autofree Entry *sorted = g_memdup2 (entries->data, entries->len * sizeof (Entry));
  guint64 at = 0;

  if (entries->len > 0)
    qsort (sorted, entries->len, sizeof (Entry), compare_places);
  for (guint i = 0; i < entries->len; i++)
    {
      if (sorted[i].begin != at)
        return safetensors_fail (
            error, file, "tensor “%s” does not begin where the one before ends.", sorted[i].name);
      at = sorted[i].end;
    }
  return at == available
         || safetensors_fail (error, file, "%" PRIu64 " bytes at the end belong to no tensor.",
                              available - at);
}

static gboolean
read_entries (JsonObject *header, guint64 available, GArray *entries, const char *file,
              GError **error)
{
  g_autoptr (GList) names = json_object_get_members (header);

  for (GList *item = names; item != NULL; item = item->next)
    {
      JsonNode *node = json_object_get_member (header, item->data);
      Entry entry = { .name = item->data };

      if (g_str_equal (entry.name, METADATA))
        continue;
      if (!JSON_NODE_HOLDS_OBJECT (node))
        return safetensors_fail (error, file, "the header says nothing of tensor “%s”.",
                                 entry.name);
      if (!read_dtype (json_node_get_object (node), &entry, file, error)
          || !read_extent (json_node_get_object (node), &entry, available, file, error))
        return FALSE;
      g_array_append_val (entries, entry);
    }
  return check_places (entries, available, file, error);
}

static SondeNamedTensors *
read_tensors (const GArray *entries, const guint8 *data, const char *file, GError **error)
{
  g_autoptr (SondeNamedTensors) tensors = sonde_named_tensors_new ();
  SondeBudget budget;

  sonde_budget_init (&budget, SONDE_BUDGET_PARSE_BYTES, file);
  for (guint i = 0; i < entries->len; i++)
    {
      const Entry *entry = &g_array_index (entries, Entry, i);
      g_autoptr (SondeTensor) tensor
          = sonde_tensor_try_new (entry->dtype, &entry->shape, &budget, entry->name, error);

      if (tensor == NULL)
        return NULL;
      if (entry->end > entry->begin)
        memcpy (tensor->data, data + entry->begin, entry->end - entry->begin);
      sonde_named_tensors_set (tensors, entry->name, tensor);
    }
  return g_steal_pointer (&tensors);
}

SondeNamedTensors *
sonde_safetensors_parse (const guint8 *data, gsize length, const char *name, GError **error)
{
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  g_autoptr (GArray) entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  g_autoptr (GError) reason = NULL;
  const char *header = (const char *) data + LENGTH_BYTES;
  guint64 header_length = 0;

  if (length >= LENGTH_BYTES)
    memcpy (&header_length, data, sizeof header_length);
  header_length = GUINT64_FROM_LE (header_length);
  if (length < LENGTH_BYTES || header_length > length - LENGTH_BYTES || header_length > MAX_HEADER
      || header_length < 2)
    return safetensors_fail (error, name, "its header would have %" PRIu64 " bytes.",
                             header_length),
           NULL;
  if (!is_shallow (header, header_length) || !g_utf8_validate_len (header, header_length, NULL))
    return safetensors_fail (error, name, "its header is no flat UTF-8 JSON."), NULL;
  if (!json_parser_load_from_data (parser, header, (gssize) header_length, &reason))
    return safetensors_fail (error, name, "its header is no JSON: %s", reason->message), NULL;
  if (json_parser_get_root (parser) == NULL
      || !JSON_NODE_HOLDS_OBJECT (json_parser_get_root (parser)))
    return safetensors_fail (error, name, "its header is no JSON object."), NULL;
  if (!read_entries (json_node_get_object (json_parser_get_root (parser)),
                     length - LENGTH_BYTES - header_length, entries, name, error))
    return NULL;
  return read_tensors (entries, data + LENGTH_BYTES + header_length, name, error);
}

SondeNamedTensors *
sonde_safetensors_read (const SondeIo *io, const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = sonde_io_read_file (io, path, SONDE_BUDGET_PARSE_BYTES, error);
  gsize length;
  const guint8 *data;

  if (bytes == NULL)
    return NULL;
  data = g_bytes_get_data (bytes, &length);
  return sonde_safetensors_parse (data != NULL ? data : (const guint8 *) "", length, path, error);
}

/* Writing */

static const char *
find_name (SondeDtype dtype)
{
  for (gsize i = 0; i < G_N_ELEMENTS (dtypes); i++)
    if (dtypes[i].dtype == dtype)
      return dtypes[i].name;
  return NULL;
}

static void
add_entry (JsonBuilder *builder, const char *name, SondeTensor *tensor, guint64 at)
{
  json_builder_set_member_name (builder, name);
  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "dtype");
  json_builder_add_string_value (builder, find_name (tensor->dtype));
  json_builder_set_member_name (builder, "shape");
  json_builder_begin_array (builder);
  for (int i = 0; i < tensor->shape.rank; i++)
    json_builder_add_int_value (builder, tensor->shape.dims[i]);
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "data_offsets");
  json_builder_begin_array (builder);
  json_builder_add_int_value (builder, (gint64) at);
  json_builder_add_int_value (builder, (gint64) (at + sonde_tensor_n_bytes (tensor)));
  json_builder_end_array (builder);
  json_builder_end_object (builder);
}

/* The header, padded so that the tensors begin at a multiple of eight; wide elements first, so that
 * all are aligned. */
static char *
dup_header (const SondeNamedTensors *tensors, GByteArray *body)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (JsonNode) root = NULL;
  g_autofree char *text = NULL;
  gsize length;

  json_builder_begin_object (builder);
  for (gsize size = 8; size > 0; size /= 2)
    for (gsize i = 0; i < sonde_named_tensors_get_size (tensors); i++)
      {
        g_autoptr (SondeTensor) tensor
            = sonde_tensor_contiguous (sonde_named_tensors_get_tensor (tensors, i));

        if (sonde_dtype_size (tensor->dtype) != size)
          continue;
        add_entry (builder, sonde_named_tensors_get_name (tensors, i), tensor, body->len);
        g_byte_array_append (body, tensor->data, (guint) sonde_tensor_n_bytes (tensor));
      }
  json_builder_end_object (builder);
  root = json_builder_get_root (builder);
  text = sonde_json_node_to_text (root, FALSE);
  length = strlen (text);
  return g_strdup_printf ("%s%*s", text, (int) ((8 - length % 8) % 8), "");
}

static gboolean
check_writable (const SondeNamedTensors *tensors, const char *path, GError **error)
{
  guint64 total = 0;

  for (gsize i = 0; i < sonde_named_tensors_get_size (tensors); i++)
    {
      SondeTensor *tensor = sonde_named_tensors_get_tensor (tensors, i);

      total += sonde_tensor_n_bytes (tensor);
      if (find_name (tensor->dtype) == NULL)
        sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                         "“%s”: safetensors has no dtype for “%s” (%s).", path,
                         sonde_named_tensors_get_name (tensors, i),
                         sonde_dtype_name (tensor->dtype));
      else if (total > G_MAXINT32) /* of the byte array */
        sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                         "“%s” would be larger than 2 GiB.", path);
      else
        continue;
      return FALSE;
    }
  return TRUE;
}

gboolean
sonde_safetensors_write (const SondeIo *io, const char *path, const SondeNamedTensors *tensors,
                         GError **error)
{
  g_autoptr (GByteArray) body = g_byte_array_new (), file = g_byte_array_new ();
  g_autofree char *header = NULL;
  guint64 length;

  if (!check_writable (tensors, path, error))
    return FALSE;
  header = dup_header (tensors, body);
  length = GUINT64_TO_LE ((guint64) strlen (header));
  g_byte_array_append (file, (const guint8 *) &length, sizeof length);
  g_byte_array_append (file, (const guint8 *) header, (guint) strlen (header));
  g_byte_array_append (file, body->data, body->len);
  return sonde_io_replace_file (io, path, file->data, file->len, error);
}
