/* SPDX-License-Identifier: Apache-2.0
 * MindSpore's checkpoint: Checkpoint { repeated Value { tag, tensor { dims, tensor_type,
 * tensor_content } } }. Three messages deep and no deeper, so it is read in place, without a
 * decoder that would copy every tensor. */
#include "data/models/sonde-mindspore-checkpoint.h"

#include <string.h>

#include "data/base/sonde-budget.h"
#include "data/base/sonde-checked.h"
#include "data/base/sonde-error.h"

#define MAX_VALUES 1000000
#define CHECK_MARK "crc_num" /* then ten bytes, the largest digit first */
#define CHECK_BYTES 10

static const struct
{
  const char *name;
  SondeDtype dtype;
} dtypes[] = {
  { "Float64", SONDE_DTYPE_F64 },   { "Float32", SONDE_DTYPE_F32 }, { "Float16", SONDE_DTYPE_F16 },
  { "BFloat16", SONDE_DTYPE_BF16 }, { "Int64", SONDE_DTYPE_I64 },   { "Int32", SONDE_DTYPE_I32 },
  { "Int16", SONDE_DTYPE_I16 },     { "Int8", SONDE_DTYPE_I8 },     { "UInt64", SONDE_DTYPE_U64 },
  { "UInt32", SONDE_DTYPE_U32 },    { "UInt16", SONDE_DTYPE_U16 },  { "UInt8", SONDE_DTYPE_U8 },
  { "Bool", SONDE_DTYPE_BOOL },
};

/* Bytes of one message and how far they are read. */
typedef struct
{
  const guint8 *data;
  gsize length, at;
} Cursor;

typedef struct
{
  guint32 number, type;
  guint64 value;  /* of a varint */
  Cursor content; /* of bytes */
} Field;

/* One Value. Empty texts are absent. */
typedef struct
{
  Cursor tag, type, content;
  SondeShape shape;
  guint n_parts; /* of a first one: how many there are so far */
} Item;

typedef struct
{
  const guint8 *start;
  const char *file;
  SondeBudget budget;
  GHashTable *parts; /* name -> GByteArray; of tensors so far, in order of @names */
  GPtrArray *names;
  GArray *items; /* (element-type Item): first part of each */
} Reader;

static gboolean
damaged (const Reader *reader, const guint8 *place, const char *reason, GError **error)
{
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                   "“%s” is not a complete MindSpore checkpoint: at offset %zu %-s.", reader->file,
                   (gsize) (place - reader->start), reason);
  return FALSE;
}

static gboolean
read_varint (Cursor *cursor, guint64 *value)
{
  *value = 0;
  for (guint shift = 0; shift < 64 && cursor->at < cursor->length; shift += 7)
    {
      guint8 byte = cursor->data[cursor->at++];

      *value |= (guint64) (byte & 0x7f) << shift;
      if (byte < 0x80)
        return TRUE;
    }
  return FALSE;
}

static gboolean
read_field (const Reader *reader, Cursor *cursor, Field *field, GError **error)
{
  const guint8 *place = cursor->data + cursor->at;
  guint64 key, length = 0;

  if (!read_varint (cursor, &key) || key >> 3 == 0 || key >> 3 > G_MAXUINT32)
    return damaged (reader, place, N_ ("there is no field"), error);
  field->number = (guint32) (key >> 3);
  field->type = key & 7;
  if (field->type == 0)
    return read_varint (cursor, &field->value)
           || damaged (reader, place, N_ ("a number does not end"), error);
  if (field->type == 1 || field->type == 5)
    length = field->type == 1 ? 8 : 4;
  else if (field->type != 2 || !read_varint (cursor, &length))
    return damaged (reader, place, N_ ("a field has no length"), error);
  if (length > cursor->length - cursor->at)
    return damaged (reader, place, N_ ("a field is longer than what holds it"), error);
  field->content = (Cursor){ cursor->data + cursor->at, length, 0 };
  cursor->at += length;
  return TRUE;
}

static gboolean
add_dimension (const Reader *reader, Item *item, guint64 size, const guint8 *place, GError **error)
{
  if (item->shape.rank == SONDE_MAX_RANK || size > G_MAXINT64)
    return damaged (reader, place, N_ ("a tensor has too many dimensions, or a negative one"),
                    error);
  item->shape.dims[item->shape.rank++] = (gint64) size;
  return TRUE;
}

static gboolean
read_tensor (const Reader *reader, Cursor cursor, Item *item, GError **error)
{
  while (cursor.at < cursor.length)
    {
      const guint8 *place = cursor.data + cursor.at;
      Field field;

      if (!read_field (reader, &cursor, &field, error))
        return FALSE;
      if (field.number == 1 && field.type == 0
          && !add_dimension (reader, item, field.value, place, error))
        return FALSE;
      /* packed */
      while (field.number == 1 && field.type == 2 && field.content.at < field.content.length)
        {
          guint64 size;

          if (!read_varint (&field.content, &size))
            return damaged (reader, place, N_ ("a number does not end"), error);
          if (!add_dimension (reader, item, size, place, error))
            return FALSE;
        }
      if (field.number == 2 && field.type == 2)
        item->type = field.content;
      else if (field.number == 3 && field.type == 2)
        item->content = field.content;
    }
  return TRUE;
}

static gboolean
read_value (const Reader *reader, Cursor cursor, Item *item, GError **error)
{
  while (cursor.at < cursor.length)
    {
      Field field;

      if (!read_field (reader, &cursor, &field, error))
        return FALSE;
      if (field.number == 1 && field.type == 2)
        item->tag = field.content;
      else if (field.number == 2 && field.type == 2
               && !read_tensor (reader, field.content, item, error))
        return FALSE;
      else if (field.number == 3)
        {
          sonde_set_error (
              error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
              "“%s” holds a map tensor, which only MindSpore's parameter servers have.",
              reader->file);
          return FALSE;
        }
    }
  return TRUE;
}

static SondeDtype
find_dtype (const Cursor *text)
{
  for (gsize i = 0; i < G_N_ELEMENTS (dtypes); i++)
    if (strlen (dtypes[i].name) == text->length
        && memcmp (dtypes[i].name, text->data, text->length) == 0)
      return dtypes[i].dtype;
  return SONDE_DTYPE_INVALID;
}

/* What its shape and type come to; G_MAXUINT64: more than there can be, or a type that is not
 * known. */
static guint64
count_bytes (const Item *item)
{
  SondeDtype dtype = find_dtype (&item->type);
  guint64 needed = dtype != SONDE_DTYPE_INVALID ? sonde_dtype_size (dtype) : G_MAXUINT64;

  for (int i = 0; i < item->shape.rank; i++)
    if (!sonde_checked_mul (&needed, needed, (guint64) item->shape.dims[i]))
      return G_MAXUINT64;
  return needed;
}

static gboolean
is_same (const Item *a, const Item *b)
{
  return a->type.length == b->type.length
         && (a->type.length == 0 || memcmp (a->type.data, b->type.data, a->type.length) == 0)
         && sonde_shape_equal (&a->shape, &b->shape);
}

/* Parts have no number: they are those that follow each other under one name, and what they come to
 * tells. */
static gboolean
check_part (const Reader *reader, const char *name, Item *first, const Item *part,
            const GByteArray *bytes, GError **error)
{
  const char *problem = NULL;

  first->n_parts++;
  if (strcmp (g_ptr_array_index (reader->names, reader->names->len - 1), name) != 0)
    problem = N_ ("follows other tensors");
  else if (!is_same (first, part))
    problem = N_ ("has another shape or type than the first");
  else if (bytes->len == 0 || bytes->len + (guint64) part->content.length > count_bytes (first))
    problem = N_ ("exceeds the size of the tensor");
  if (problem != NULL)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                     "“%s”: part %u of tensor “%s” %-s.", reader->file, first->n_parts, name,
                     problem);
  return problem == NULL;
}

static Item *
find_first_part (const Reader *reader, const char *name)
{
  guint i = reader->names->len;

  while (i-- > 0)
    if (strcmp (g_ptr_array_index (reader->names, i), name) == 0)
      return &g_array_index (reader->items, Item, i);
  g_assert_not_reached ();
}

/* Large tensors come in several values of one name. */
static gboolean
keep_value (Reader *reader, const Item *item, const guint8 *place, GError **error)
{
  g_autofree char *name = g_strndup ((const char *) item->tag.data, item->tag.length);
  GByteArray *bytes;

  if (item->tag.length == 0 || strlen (name) != item->tag.length
      || !g_utf8_validate (name, -1, NULL))
    return damaged (reader, place, N_ ("a tensor has no name"), error);
  if (!sonde_budget_take (&reader->budget, item->content.length, name, error))
    return FALSE;
  bytes = g_hash_table_lookup (reader->parts, name);
  if (bytes == NULL)
    {
      if (reader->names->len == MAX_VALUES)
        return damaged (reader, place, N_ ("there are more tensors than any net has"), error);
      bytes = g_byte_array_new ();
      g_array_append_val (reader->items, *item);
      g_array_index (reader->items, Item, reader->items->len - 1).n_parts = 1;
      g_ptr_array_add (reader->names, g_strdup (name));
      g_hash_table_insert (reader->parts, g_strdup (name), bytes);
    }
  else if (!check_part (reader, name, find_first_part (reader, name), item, bytes, error))
    return FALSE;
  if (item->content.length > G_MAXINT32 - bytes->len)
    return damaged (reader, place, N_ ("a tensor is larger than 2 GiB"), error);
  g_byte_array_append (bytes, item->content.data, (guint) item->content.length);
  return TRUE;
}

/* The CRC-32 of zip and zlib; a look-up a byte is enough for a file that is read once. */
static guint32
checksum (const guint8 *data, gsize length)
{
  guint32 table[256], sum = 0xffffffff;

  for (guint32 i = 0; i < G_N_ELEMENTS (table); i++)
    {
      table[i] = i;
      for (int k = 0; k < 8; k++)
        table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320 : 0);
    }
  for (gsize i = 0; i < length; i++)
    sum = table[(sum ^ data[i]) & 0xff] ^ sum >> 8;
  return ~sum;
}

/* Leaves out what MindSpore appends with crc_check=True. */
static gboolean
check_end (const Reader *reader, const guint8 *data, gsize *length, GError **error)
{
  gsize tail = strlen (CHECK_MARK) + CHECK_BYTES;
  const guint8 *mark = data + *length - tail;
  guint64 said = 0;

  if (*length < tail || memcmp (mark, CHECK_MARK, strlen (CHECK_MARK)) != 0)
    return TRUE;
  *length -= tail;
  for (int i = 0; i < CHECK_BYTES; i++)
    said = said << 8 | mark[strlen (CHECK_MARK) + (gsize) i];
  return said == checksum (data, *length)
         || damaged (reader, mark, N_ ("the checksum says that bytes before it changed"), error);
}

static SondeTensor *
make_tensor (Reader *reader, const char *name, const Item *item, GError **error)
{
  const GByteArray *bytes = g_hash_table_lookup (reader->parts, name);
  SondeDtype dtype = find_dtype (&item->type);
  guint64 needed = count_bytes (item);
  SondeTensor *tensor;

  if (dtype == SONDE_DTYPE_INVALID)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                       "“%s”: tensor “%s” has the dtype “%.*s”, which is not understood.",
                       reader->file, name, (int) MIN (item->type.length, 32),
                       item->type.data != NULL ? (const char *) item->type.data : "");
      return NULL;
    }
  if (needed != bytes->len)
    {
      if (item->n_parts > 1 && bytes->len < needed)
        sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                         "“%s”: tensor “%s” has %u bytes, its shape needs %" PRIu64
                         ": part %u is missing.",
                         reader->file, name, bytes->len, needed, item->n_parts + 1);
      else
        sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                         "“%s”: tensor “%s” has %u bytes, its shape needs %" PRIu64 ".",
                         reader->file, name, bytes->len, needed);
      return NULL;
    }
  tensor = sonde_tensor_try_new (dtype, &item->shape, &reader->budget, name, error);
  if (tensor != NULL && bytes->len > 0)
    memcpy (tensor->data, bytes->data, bytes->len);
  return tensor;
}

static gboolean
read_all (Reader *reader, Cursor cursor, GError **error)
{
  while (cursor.at < cursor.length)
    {
      const guint8 *place = cursor.data + cursor.at;
      Item item = { 0 };
      Field field;

      if (!read_field (reader, &cursor, &field, error))
        return FALSE;
      if (field.number == 1 && field.type == 2
          && (!read_value (reader, field.content, &item, error)
              || !keep_value (reader, &item, place, error)))
        return FALSE;
    }
  return reader->names->len > 0 || damaged (reader, cursor.data, N_ ("there is no tensor"), error);
}

SondeNamedTensors *
sonde_mindspore_checkpoint_parse (const guint8 *data, gsize length, const char *name,
                                  GError **error)
{
  g_autoptr (SondeNamedTensors) tensors = sonde_named_tensors_new ();
  g_autoptr (GHashTable) parts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                                        (GDestroyNotify) g_byte_array_unref);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) items = g_array_new (FALSE, FALSE, sizeof (Item));
  Reader reader = { .start = data, .file = name, .parts = parts, .names = names, .items = items };

  sonde_budget_init (&reader.budget, 2 * SONDE_BUDGET_PARSE_BYTES, name);
  if (!check_end (&reader, data, &length, error)
      || !read_all (&reader, (Cursor){ data, length, 0 }, error))
    return NULL;
  for (guint i = 0; i < names->len; i++)
    {
      const char *tag = g_ptr_array_index (names, i);
      g_autoptr (SondeTensor) tensor
          = make_tensor (&reader, tag, &g_array_index (items, Item, i), error);

      if (tensor == NULL)
        return NULL;
      sonde_named_tensors_set (tensors, tag, tensor);
    }
  return g_steal_pointer (&tensors);
}

SondeNamedTensors *
sonde_mindspore_checkpoint_read (const SondeIo *io, const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = sonde_io_read_file (io, path, SONDE_BUDGET_PARSE_BYTES, error);
  const guint8 *data;
  gsize length;

  if (bytes == NULL)
    return NULL;
  data = g_bytes_get_data (bytes, &length);
  return sonde_mindspore_checkpoint_parse (data != NULL ? data : (const guint8 *) "", length, path,
                                           error);
}
