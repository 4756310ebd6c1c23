/* SPDX-License-Identifier: Apache-2.0
 * MindSpore's checkpoint: a list of values, each a name with a tensor or a part of one. Contents stay
 * where they are until all parts of a tensor are known. */
#include "data/models/sonde-mindspore-checkpoint.h"

#include <string.h>

#include "data/base/sonde-budget.h"
#include "data/base/sonde-checked.h"
#include "data/base/sonde-error.h"
#include "data/models/mindspore-checkpoint.pb-c.h"
#include "data/wire/sonde-wire-decode.h"

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

typedef Mindspore__Checkpoint__Tensor CheckpointTensor;
typedef Mindspore__Checkpoint__Value CheckpointValue;

static const CheckpointTensor no_tensor = MINDSPORE__CHECKPOINT__TENSOR__INIT;

/* The first part of a tensor, or all of it. @n_parts: how many there are so far */
typedef struct
{
  const CheckpointTensor *tensor;
  SondeShape shape;
  guint n_parts;
} Item;

typedef struct
{
  const char *file;
  SondeBudget budget;
  GHashTable *parts; /* name -> GByteArray; of tensors so far, in order of @names */
  GPtrArray *names;
  GArray *items; /* (element-type Item) */
} Reader;

static gboolean
damaged (const Reader *reader, const char *reason, GError **error)
{
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                   "“%s” is not a complete MindSpore checkpoint: %-s.", reader->file, reason);
  return FALSE;
}

static gboolean
get_shape (const Reader *reader, const char *name, const CheckpointTensor *tensor,
           SondeShape *shape, GError **error)
{
  gboolean right = tensor->n_dims <= SONDE_MAX_RANK;

  *shape = (SondeShape){ 0 };
  for (gsize i = 0; right && i < tensor->n_dims; i++)
    {
      shape->dims[shape->rank++] = tensor->dims[i];
      right = tensor->dims[i] >= 0;
    }
  if (!right)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                     "“%s”: tensor “%s” has too many dimensions, or a negative one.", reader->file,
                     name);
  return right;
}

static SondeDtype
find_dtype (ProtobufCBinaryData text)
{
  for (gsize i = 0; i < G_N_ELEMENTS (dtypes); i++)
    if (strlen (dtypes[i].name) == text.len && memcmp (dtypes[i].name, text.data, text.len) == 0)
      return dtypes[i].dtype;
  return SONDE_DTYPE_INVALID;
}

/* What its shape and type come to; G_MAXUINT64: more than there can be, or a type that is not
 * known. */
static guint64
count_bytes (const Item *item)
{
  SondeDtype dtype = find_dtype (item->tensor->tensor_type);
  guint64 needed = dtype != SONDE_DTYPE_INVALID ? sonde_dtype_size (dtype) : G_MAXUINT64;

  for (int i = 0; i < item->shape.rank; i++)
    if (!sonde_checked_mul (&needed, needed, (guint64) item->shape.dims[i]))
      return G_MAXUINT64;
  return needed;
}

static gboolean
is_same (const Item *a, const Item *b)
{
  const ProtobufCBinaryData one = a->tensor->tensor_type, other = b->tensor->tensor_type;

  return one.len == other.len && (one.len == 0 || memcmp (one.data, other.data, one.len) == 0)
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
  else if (bytes->len == 0
           || bytes->len + (guint64) part->tensor->tensor_content.len > count_bytes (first))
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
keep_value (Reader *reader, const CheckpointValue *value, GError **error)
{
  Item item = { .tensor = value->tensor != NULL ? value->tensor : &no_tensor, .n_parts = 1 };
  const ProtobufCBinaryData content = item.tensor->tensor_content;
  g_autofree char *name = g_strndup ((const char *) value->tag.data, value->tag.len);
  GByteArray *bytes;

  if (value->tag.len == 0 || strlen (name) != value->tag.len || !g_utf8_validate (name, -1, NULL))
    return damaged (reader, N_ ("a tensor has no name"), error);
  if (!get_shape (reader, name, item.tensor, &item.shape, error)
      || !sonde_budget_take (&reader->budget, content.len, name, error))
    return FALSE;
  bytes = g_hash_table_lookup (reader->parts, name);
  if (bytes == NULL)
    {
      if (reader->names->len == MAX_VALUES)
        return damaged (reader, N_ ("there are more tensors than any net has"), error);
      bytes = g_byte_array_new ();
      g_array_append_val (reader->items, item);
      g_ptr_array_add (reader->names, g_strdup (name));
      g_hash_table_insert (reader->parts, g_strdup (name), bytes);
    }
  else if (!check_part (reader, name, find_first_part (reader, name), &item, bytes, error))
    return FALSE;
  if (content.len > G_MAXINT32 - bytes->len)
    return damaged (reader, N_ ("a tensor is larger than 2 GiB"), error);
  if (content.len > 0)
    g_byte_array_append (bytes, content.data, (guint) content.len);
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
         || damaged (reader, N_ ("the checksum says that bytes before it changed"), error);
}

static SondeTensor *
make_tensor (Reader *reader, const char *name, const Item *item, GError **error)
{
  const GByteArray *bytes = g_hash_table_lookup (reader->parts, name);
  SondeDtype dtype = find_dtype (item->tensor->tensor_type);
  guint64 needed = count_bytes (item);
  SondeTensor *tensor;

  if (dtype == SONDE_DTYPE_INVALID)
    {
      sonde_set_error (
          error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
          "“%s”: tensor “%s” has the dtype “%.*s”, which is not understood.", reader->file, name,
          (int) MIN (item->tensor->tensor_type.len, 32),
          item->tensor->tensor_type.len > 0 ? (const char *) item->tensor->tensor_type.data : "");
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
read_all (Reader *reader, const Mindspore__Checkpoint *checkpoint, GError **error)
{
  for (gsize i = 0; i < checkpoint->n_value; i++)
    {
      if (checkpoint->value[i]->has_maptensor)
        {
          sonde_set_error (
              error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
              "“%s” holds a map tensor, which only MindSpore's parameter servers have.",
              reader->file);
          return FALSE;
        }
      if (!keep_value (reader, checkpoint->value[i], error))
        return FALSE;
    }
  return reader->names->len > 0 || damaged (reader, N_ ("there is no tensor"), error);
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
  g_autofree char *quoted = g_strdup_printf ("“%s”", name);
  g_auto (SondeWireArena) arena = { 0 };
  Reader reader = { .file = name, .parts = parts, .names = names, .items = items };
  const Mindspore__Checkpoint *checkpoint;

  sonde_budget_init (&reader.budget, 2 * SONDE_BUDGET_PARSE_BYTES, name);
  if (!check_end (&reader, data, &length, error))
    return NULL;
  checkpoint = sonde_wire_decode (&mindspore__checkpoint__descriptor, data, length, quoted, NULL,
                                  &arena, error);
  if (checkpoint == NULL || !read_all (&reader, checkpoint, error))
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
