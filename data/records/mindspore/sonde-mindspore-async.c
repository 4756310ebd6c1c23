/* SPDX-License-Identifier: Apache-2.0
 * Tensors that a device dumped by itself: a DumpData message with all inputs and outputs of one
 * operator, or eight bytes of length, the message without data, and the data of all behind it. */
#include "data/records/mindspore/sonde-mindspore-file-private.h"

#include "data/base/sonde-error.h"

/* Numbers of dump_data.proto. */
static const SondeDtype dtypes[] = {
  [1] = SONDE_DTYPE_F32,   [2] = SONDE_DTYPE_F16,  [3] = SONDE_DTYPE_I8,    [4] = SONDE_DTYPE_U8,
  [5] = SONDE_DTYPE_I16,   [6] = SONDE_DTYPE_U16,  [7] = SONDE_DTYPE_I32,   [8] = SONDE_DTYPE_I64,
  [9] = SONDE_DTYPE_U32,   [10] = SONDE_DTYPE_U64, [11] = SONDE_DTYPE_BOOL, [12] = SONDE_DTYPE_F64,
  [27] = SONDE_DTYPE_BF16,
};

/* Formats from 3 on pad and reorder: their bytes are not what the shape says. */
#define MAX_PLAIN_FORMAT 2

typedef struct
{
  GArray *outputs, *inputs, *buffers;
} Message;

static const SondeMindsporeField message_fields[] = {
  { 3, SONDE_MINDSPORE_ITEMS, offsetof (Message, outputs), "DumpData.output" },
  { 4, SONDE_MINDSPORE_ITEMS, offsetof (Message, inputs), "DumpData.input" },
  { 5, SONDE_MINDSPORE_ITEMS, offsetof (Message, buffers), "DumpData.buffer" },
};

typedef struct
{
  gint64 data_type, format, size;
  SondeWireItem shape, data;
} Tensor;

static const SondeMindsporeField output_fields[] = {
  { 1, SONDE_MINDSPORE_INT, offsetof (Tensor, data_type), "OpOutput.data_type" },
  { 2, SONDE_MINDSPORE_INT, offsetof (Tensor, format), "OpOutput.format" },
  { 3, SONDE_MINDSPORE_BYTES, offsetof (Tensor, shape), "OpOutput.shape" },
  { 5, SONDE_MINDSPORE_BYTES, offsetof (Tensor, data), "OpOutput.data" },
  { 6, SONDE_MINDSPORE_INT, offsetof (Tensor, size), "OpOutput.size" },
}, input_fields[] = {
  { 1, SONDE_MINDSPORE_INT, offsetof (Tensor, data_type), "OpInput.data_type" },
  { 2, SONDE_MINDSPORE_INT, offsetof (Tensor, format), "OpInput.format" },
  { 3, SONDE_MINDSPORE_BYTES, offsetof (Tensor, shape), "OpInput.shape" },
  { 4, SONDE_MINDSPORE_BYTES, offsetof (Tensor, data), "OpInput.data" },
  { 5, SONDE_MINDSPORE_INT, offsetof (Tensor, size), "OpInput.size" },
};

typedef struct
{
  GArray *dims;
} Shape;

static const SondeMindsporeField shape_fields[] = {
  { 1, SONDE_MINDSPORE_INTS, offsetof (Shape, dims), "Shape.dim" },
};

/* The file's tensors: outputs first, then inputs. @bytes: of the file */
typedef struct
{
  GBytes *bytes;
  Message message;
  GArray *tensors; /* (element-type Tensor) */
  guint n_outputs;
} Content;

static void
message_clear (Message *message)
{
  g_clear_pointer (&message->outputs, g_array_unref);
  g_clear_pointer (&message->inputs, g_array_unref);
  g_clear_pointer (&message->buffers, g_array_unref);
}

static void
content_clear (Content *content)
{
  message_clear (&content->message);
  g_clear_pointer (&content->tensors, g_array_unref);
  g_clear_pointer (&content->bytes, g_bytes_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Content, content_clear)

static gboolean
add_tensors (Content *content, GArray *items, const SondeMindsporeField *fields, gsize n_fields,
             GError **error)
{
  for (guint i = 0; items != NULL && i < items->len; i++)
    {
      Tensor tensor = { 0 };

      if (!sonde_mindspore_take (&g_array_index (items, SondeWireItem, i), fields, n_fields,
                                 &tensor, error))
        return FALSE;
      g_array_append_val (content->tensors, tensor);
    }
  return TRUE;
}

/* Hands out the bytes behind the message: inputs come first there. */
static gboolean
place_data (Content *content, const guint8 *at, const guint8 *end, GError **error)
{
  const guint n = content->tensors->len;

  for (guint i = 0; i < n; i++)
    {
      Tensor *tensor = &g_array_index (content->tensors, Tensor, (i + content->n_outputs) % n);

      if (tensor->data.length > 0)
        continue;
      if (tensor->size < 0 || tensor->size > end - at)
        return sonde_mindspore_damaged (error, "DumpData has fewer bytes than its sizes state");
      tensor->data = sonde_mindspore_whole (at, (gsize) tensor->size);
      at += tensor->size;
    }
  return TRUE;
}

static gboolean
parse (Content *content, const SondeWireItem *message, GError **error)
{
  message_clear (&content->message);
  g_clear_pointer (&content->tensors, g_array_unref);
  content->tensors = g_array_new (FALSE, FALSE, sizeof (Tensor));
  if (!sonde_mindspore_take (message, message_fields, G_N_ELEMENTS (message_fields),
                             &content->message, error)
      || !add_tensors (content, content->message.outputs, output_fields,
                       G_N_ELEMENTS (output_fields), error))
    return FALSE;
  content->n_outputs = content->tensors->len;
  if (!add_tensors (content, content->message.inputs, input_fields, G_N_ELEMENTS (input_fields),
                    error))
    return FALSE;
  return content->tensors->len > 0
         || sonde_mindspore_damaged (error, "the file contains no DumpData tensor");
}

static gboolean
load (const SondeMindsporeFile *file, Content *content, GError **error)
{
  const guint8 *data;
  SondeWireItem message;
  guint64 header = 0;
  gsize length;

  content->bytes = sonde_io_read_file (file->io, file->path, SONDE_BUDGET_PARSE_BYTES, error);
  if (content->bytes == NULL)
    return FALSE;
  data = g_bytes_get_data (content->bytes, &length);
  if (length > sizeof header)
    memcpy (&header, data, sizeof header);
  header = GUINT64_FROM_LE (header);
  if (header > 0 && header <= length - sizeof header)
    {
      message = sonde_mindspore_whole (data + sizeof header, (gsize) header);
      if (parse (content, &message, NULL))
        return place_data (content, data + sizeof header + header, data + length, error);
    }
  message = sonde_mindspore_whole (data, length);
  return parse (content, &message, error);
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
    return sonde_mindspore_damaged (error, "“%s” is not the name of a dump file", file->name);
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
  Shape list = { NULL };
  gboolean right = sonde_mindspore_take (&proto->shape, shape_fields, G_N_ELEMENTS (shape_fields),
                                         &list, error);
  g_autoptr (GArray) dims = list.dims;
  g_autoptr (SondeTensor) tensor = NULL;
  SondeShape shape = { 0 };
  SondeBudget budget;

  if (!right)
    return NULL;
  if (dtype == SONDE_DTYPE_INVALID || (guint64) proto->format > MAX_PLAIN_FORMAT
      || (dims != NULL && dims->len > SONDE_MAX_RANK))
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                       "element type %" PRIi64 " in layout %" PRIi64
                       " is specific to the device and cannot be read",
                       proto->data_type, proto->format);
      return NULL;
    }
  for (guint i = 0; dims != NULL && i < dims->len; i++)
    shape.dims[shape.rank++] = MAX (g_array_index (dims, gint64, i), -1);
  sonde_budget_init (&budget, SONDE_BUDGET_PARSE_BYTES, "tensor of a dump");
  if (sonde_shape_n_elements (&shape) < 0
      || (guint64) sonde_shape_n_elements (&shape) * sonde_dtype_size (dtype) != proto->data.length)
    {
      sonde_mindspore_damaged (error, "the number of bytes of the tensor does not match its shape");
      return NULL;
    }
  tensor = sonde_tensor_try_new (dtype, &shape, &budget, "its elements", error);
  if (tensor != NULL && proto->data.length > 0)
    memcpy (tensor->data, proto->data.bytes, proto->data.length);
  for (gsize i = 0; dtype == SONDE_DTYPE_BOOL && tensor != NULL && i < proto->data.length; i++)
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
    return sonde_mindspore_damaged (error, "“%s” is not the name of a dump file", file->name);
  record->step = dump.iteration;
  if (dump.wall_time_ns != 0)
    record->wall_time_ns = dump.wall_time_ns;
  tag = has_tensors ? dup_tag (&dump, &content, part) : g_strdup (dump.node);
  sonde_mindspore_dump_clear (&dump);
  record->tag = g_intern_string (tag);
  if (!has_tensors)
    return sonde_mindspore_file_read_other (file, "device dump", record, error);
  if (part >= content.tensors->len)
    return sonde_mindspore_damaged (error, "“%s” has no tensor %u", file->path, part);
  record->kind = SONDE_RECORD_TENSOR;
  record->u.tensor = make_tensor (&g_array_index (content.tensors, Tensor, part), error);
  return record->u.tensor != NULL;
}

const SondeMindsporeFileKind sonde_mindspore_file_async = { recognises, probe, scan, read_record };
