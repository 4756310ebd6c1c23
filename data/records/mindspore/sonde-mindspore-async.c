/* SPDX-License-Identifier: Apache-2.0
 * Tensors that a device dumped by itself: a DumpData message with all inputs and outputs of one
 * operator, or eight bytes of length, the message without data, and the data of all behind it. */
#include "data/records/mindspore/sonde-mindspore-dump-private.h"
#include "data/records/mindspore/sonde-mindspore-file-private.h"

#include "data/base/sonde-budget.h"
#include "data/base/sonde-error.h"
#include "data/records/mindspore.pb-c.h"
#include "data/wire/sonde-wire-decode.h"

/* Numbers of dump_data.proto. */
static const SondeDtype dtypes[] = {
  [1] = SONDE_DTYPE_F32,   [2] = SONDE_DTYPE_F16,  [3] = SONDE_DTYPE_I8,    [4] = SONDE_DTYPE_U8,
  [5] = SONDE_DTYPE_I16,   [6] = SONDE_DTYPE_U16,  [7] = SONDE_DTYPE_I32,   [8] = SONDE_DTYPE_I64,
  [9] = SONDE_DTYPE_U32,   [10] = SONDE_DTYPE_U64, [11] = SONDE_DTYPE_BOOL, [12] = SONDE_DTYPE_F64,
  [27] = SONDE_DTYPE_BF16,
};

/* Formats from 3 on pad and reorder: their bytes are not what the shape says. */
#define MAX_PLAIN_FORMAT 2

/* An input or an output. */
typedef struct
{
  gint64 data_type, format, size;
  const Mindspore__DumpData__Shape *shape; /* (nullable) */
  ProtobufCBinaryData data;
} Tensor;

/* The file's tensors: outputs first, then inputs. @bytes: of the file; @arena: of its message */
typedef struct
{
  GBytes *bytes;
  SondeWireArena arena;
  GArray *tensors; /* (element-type Tensor) */
  guint n_outputs;
} Content;

static void
content_clear (Content *content)
{
  sonde_wire_arena_clear (&content->arena);
  g_clear_pointer (&content->tensors, g_array_unref);
  g_clear_pointer (&content->bytes, g_bytes_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Content, content_clear)

/* Hands out the bytes behind the message: inputs come first there. */
static gboolean
place_data (Content *content, const guint8 *at, const guint8 *end, GError **error)
{
  const guint n = content->tensors->len;

  for (guint i = 0; i < n; i++)
    {
      Tensor *tensor = &g_array_index (content->tensors, Tensor, (i + content->n_outputs) % n);

      if (tensor->data.len > 0)
        continue;
      if (tensor->size < 0 || tensor->size > end - at)
        return sonde_record_damaged (error, "DumpData has fewer bytes than its sizes state");
      tensor->data = (ProtobufCBinaryData){ (gsize) tensor->size, (guint8 *) at };
      at += tensor->size;
    }
  return TRUE;
}

static gboolean
parse (Content *content, const guint8 *bytes, gsize length, GError **error)
{
  const Mindspore__DumpData *message;

  sonde_wire_arena_empty (&content->arena);
  g_clear_pointer (&content->tensors, g_array_unref);
  content->tensors = g_array_new (FALSE, FALSE, sizeof (Tensor));
  message = sonde_wire_decode (&mindspore__dump_data__descriptor, bytes, length, NULL, NULL,
                               &content->arena, error);
  if (message == NULL)
    return FALSE;
  content->n_outputs = (guint) message->n_output;
  for (gsize i = 0; i < message->n_output; i++)
    {
      const Mindspore__DumpData__Output *from = message->output[i];
      const Tensor tensor = { from->data_type, from->format, from->size, from->shape, from->data };

      g_array_append_val (content->tensors, tensor);
    }
  for (gsize i = 0; i < message->n_input; i++)
    {
      const Mindspore__DumpData__Input *from = message->input[i];
      const Tensor tensor = { from->data_type, from->format, from->size, from->shape, from->data };

      g_array_append_val (content->tensors, tensor);
    }
  return content->tensors->len > 0
         || sonde_record_damaged (error, "the file contains no DumpData tensor");
}

static gboolean
load (const SondeMindsporeFile *file, Content *content, GError **error)
{
  const guint8 *data;
  guint64 header = 0;
  gsize length;

  content->bytes = sonde_io_read_file (file->io, file->path, SONDE_BUDGET_PARSE_BYTES, error);
  if (content->bytes == NULL)
    return FALSE;
  data = g_bytes_get_data (content->bytes, &length);
  if (length > sizeof header)
    memcpy (&header, data, sizeof header);
  header = GUINT64_FROM_LE (header);
  if (header > 0 && header <= length - sizeof header
      && parse (content, data + sizeof header, (gsize) header, NULL))
    return place_data (content, data + sizeof header + header, data + length, error);
  return parse (content, data, length, error);
}

/* ---- the kind ------------------------------------------------------------ */

/* NAME.TASK.STREAM.TIME, or with .bin; told from other files by the three numbers. */
static gboolean
recognises (const char *name)
{
  const char *dot = strrchr (name, '.');
  const char *end;
  guint n = 0;

  if (dot == NULL)
    return FALSE;
  if (g_str_equal (dot, ".bin"))
    return TRUE;
  for (end = name + strlen (name); n < 3; n++)
    {
      const char *begin = end;

      while (begin > name && g_ascii_isdigit (begin[-1]))
        begin--;
      if (begin == end || begin == name || begin[-1] != '.')
        return FALSE;
      end = begin - 1;
    }
  return end > name;
}

static gboolean
probe (const SondeMindsporeFile *file)
{
  g_autofree char *folder = g_path_get_dirname (file->path);
  SondeMindsporeDump dump;

  if (!sonde_mindspore_is_dump_folder (folder, NULL)
      || !sonde_mindspore_dump_parse (file->io, file->path, FALSE, &dump))
    return FALSE;
  sonde_mindspore_dump_clear (&dump);
  return TRUE;
}

static char *
dup_tag (const SondeMindsporeDump *dump, const Content *content, guint i)
{
  const gboolean is_output = i < content->n_outputs;

  if (dump->slot >= 0)
    return sonde_mindspore_dump_tag (dump, dump->io, dump->slot);
  return sonde_mindspore_dump_tag (dump, is_output ? "output" : "input",
                                   is_output ? i : i - content->n_outputs);
}

static gboolean
scan (const SondeMindsporeFile *file, SondeRecordDecoder *tags, SondeRecordBatch *batch,
      GError **error)
{
  g_auto (Content) content = { 0 };
  g_autoptr (GError) problem = NULL;
  SondeMindsporeDump dump;
  gboolean right = load (file, &content, &problem);

  if (sonde_data_error_is_of_system (problem))
    {
      g_propagate_error (error, g_steal_pointer (&problem));
      return FALSE;
    }
  if (!sonde_mindspore_dump_parse (file->io, file->path, FALSE, &dump))
    return sonde_record_damaged (error, "“%s” is not the name of a dump file", file->name);
  if (!right)
    {
      /* some other form of a device: named with its size */
      right = sonde_mindspore_file_add (file, tags, batch, SONDE_RECORD_OTHER, dump.node,
                                        dump.iteration, dump.wall_time_ns, 0, error);
      sonde_mindspore_dump_clear (&dump);
      return right;
    }
  for (guint i = 0; right && i < MIN (content.tensors->len, SONDE_RECORD_PLACE_MAX_PARTS); i++)
    {
      g_autofree char *tag = dup_tag (&dump, &content, i);

      right = sonde_mindspore_file_add (file, tags, batch, SONDE_RECORD_TENSOR, tag, dump.iteration,
                                        dump.wall_time_ns, i, error);
    }
  sonde_mindspore_dump_clear (&dump);
  return right;
}

static SondeTensor *
make_tensor (const Tensor *proto, GError **error)
{
  SondeDtype dtype = (guint64) proto->data_type < G_N_ELEMENTS (dtypes) ? dtypes[proto->data_type]
                                                                        : SONDE_DTYPE_INVALID;
  const gsize rank = proto->shape != NULL ? proto->shape->n_dim : 0;
  g_autoptr (SondeTensor) tensor = NULL;
  SondeShape shape = { 0 };
  SondeBudget budget;

  if (dtype == SONDE_DTYPE_INVALID || (guint64) proto->format > MAX_PLAIN_FORMAT
      || rank > SONDE_MAX_RANK)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                       "element type %" PRIi64 " in layout %" PRIi64
                       " is specific to the device and cannot be read",
                       proto->data_type, proto->format);
      return NULL;
    }
  for (gsize i = 0; i < rank; i++)
    shape.dims[shape.rank++] = MAX (proto->shape->dim[i], -1);
  sonde_budget_init (&budget, SONDE_BUDGET_PARSE_BYTES, N_ ("tensor of a dump"));
  if (sonde_shape_n_elements (&shape) < 0
      || (guint64) sonde_shape_n_elements (&shape) * sonde_dtype_size (dtype) != proto->data.len)
    {
      sonde_record_damaged (error, "the number of bytes of the tensor does not match its shape");
      return NULL;
    }
  tensor = sonde_tensor_try_new (dtype, &shape, &budget, N_ ("its elements"), error);
  if (tensor != NULL && proto->data.len > 0)
    memcpy (tensor->data, proto->data.data, proto->data.len);
  for (gsize i = 0; dtype == SONDE_DTYPE_BOOL && tensor != NULL && i < proto->data.len; i++)
    tensor->data[i] = tensor->data[i] != 0;
  return g_steal_pointer (&tensor);
}

static gboolean
read_record (const SondeMindsporeFile *file, guint part, SondeRecord *record, GError **error)
{
  g_auto (Content) content = { 0 };
  g_autofree char *tag = NULL;
  SondeMindsporeDump dump;
  g_autoptr (GError) problem = NULL;
  gboolean has_tensors = load (file, &content, &problem);

  if (sonde_data_error_is_of_system (problem))
    {
      g_propagate_error (error, g_steal_pointer (&problem));
      return FALSE;
    }
  if (!sonde_mindspore_dump_parse (file->io, file->path, FALSE, &dump))
    return sonde_record_damaged (error, "“%s” is not the name of a dump file", file->name);
  record->step = dump.iteration;
  if (dump.wall_time_ns != 0)
    record->wall_time_ns = dump.wall_time_ns;
  tag = has_tensors ? dup_tag (&dump, &content, part) : g_strdup (dump.node);
  sonde_mindspore_dump_clear (&dump);
  record->tag = g_intern_string (tag);
  if (!has_tensors)
    return sonde_mindspore_file_read_other (file, "device dump", record, error);
  if (part >= content.tensors->len)
    return sonde_record_damaged (error, "“%s” has no tensor %u", file->path, part);
  record->kind = SONDE_RECORD_TENSOR;
  record->u.tensor = make_tensor (&g_array_index (content.tensors, Tensor, part), error);
  return record->u.tensor != NULL;
}

const SondeMindsporeFileKind sonde_mindspore_file_async = { recognises, probe, scan, read_record };
