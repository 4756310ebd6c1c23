/* SPDX-License-Identifier: Apache-2.0
 * Which format a file has, and the way from its path to a graph. A further format is a row in
 * @formats. */
#include "data/models/sonde-model-file.h"

#include <limits.h>
#include <string.h>

#include "data/models/onnx/sonde-onnx-private.h"

#define SNIFFED_BYTES 4096
#define FIELDS_SNIFFED 64
#define MAX_IR_VERSION 1000
#define MAX_MINDIR_VERSION 32 /* characters */

/* ---- ONNX ---------------------------------------------------------------- */

/* @root: ModelProto or TensorProto. @take makes the result while the message lives. @source:
 * (nullable): where @data is from. */
static gpointer
parse_onnx (const SondeIo *io, const guint8 *data, gsize length, const char *name,
            const char *folder, SondeOnnxFile *source, const ProtobufCMessageDescriptor *root,
            gpointer (*take) (SondeOnnxReader *reader, void *message, GError **error),
            GError **error)
{
  SondeOnnxReader reader;
  void *message = NULL;
  gpointer result = NULL;

  sonde_onnx_reader_init (&reader, io, name, folder);
  reader.source = source;
  message = sonde_onnx_decode (&reader, root, data, length, error);
  if (message != NULL)
    result = take (&reader, message, error);
  sonde_onnx_free_message (&reader, message);
  sonde_onnx_reader_clear (&reader);
  return result;
}

static gpointer
take_model (SondeOnnxReader *reader, void *message, GError **error)
{
  return sonde_onnx_read_model (reader, message, error);
}

static gpointer
take_tensor (SondeOnnxReader *reader, void *message, GError **error)
{
  return sonde_onnx_read_tensor (reader, message, "tensor", error);
}

static gpointer
load_onnx (const SondeIo *io, const char *path, SondeOnnxFile *file, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path);

  return parse_onnx (io, file->data, file->length, path, folder, file,
                     &onnx__model_proto__descriptor, take_model, error);
}

/* Bytes of a varint at @data, 0 when it is cut off or too long. */
static gsize
skip_varint (const guint8 *data, gsize length, guint64 *value)
{
  *value = 0;
  for (gsize i = 0; i < MIN (length, 10); i++)
    {
      *value |= (guint64) (data[i] & 0x7f) << (7 * i);
      if (data[i] < 0x80)
        return i + 1;
    }
  return 0;
}

/* ONNX has no magic: the outermost fields must be a model's, with a plausible version or a graph
 * among them. Stops without judgement at the end of what was read. */
static gboolean
looks_like_onnx (const guint8 *data, gsize length)
{
  gsize position = 0;
  gboolean plausible = FALSE;

  for (int i = 0; i < FIELDS_SNIFFED && position < length; i++)
    {
      const ProtobufCFieldDescriptor *field = NULL;
      guint64 key = 0, value = 0;
      gsize used = skip_varint (data + position, length - position, &key);
      gboolean is_number = (key & 7) == 0;

      field = protobuf_c_message_descriptor_get_field (&onnx__model_proto__descriptor,
                                                       (guint32) MIN (key >> 3, G_MAXUINT32));
      if (used == 0 || field == NULL || (key & 7 & ~2u) != 0
          || is_number != (field->type == PROTOBUF_C_TYPE_INT64))
        return FALSE;
      position += used;
      used = skip_varint (data + position, length - position, &value);
      if (used == 0)
        return plausible;
      if (field->id == 1 && (value == 0 || value > MAX_IR_VERSION))
        return FALSE;
      plausible = plausible || field->id == 1 || field->id == 7;
      position += used;
      if (!is_number && value >= length - position)
        return plausible;
      position += is_number ? 0 : value;
    }
  return plausible;
}

/* ---- MindIR -------------------------------------------------------------- */

/* Its first field is the version as text, "0.1.1": NULL when @data does not begin so. (transfer
 * full) */
static char *
dup_mindir_version (const guint8 *data, gsize length)
{
  gsize n = length > 2 && data[0] == 0x0a ? data[1] : 0;

  if (n == 0 || n > MAX_MINDIR_VERSION || n > length - 2)
    return NULL;
  for (gsize i = 0; i < n; i++)
    if (!g_ascii_isdigit (data[2 + i]) && data[2 + i] != '.')
      return NULL;
  return g_strndup ((const char *) data + 2, n);
}

static gboolean
looks_like_mindir (const guint8 *data, gsize length)
{
  g_autofree char *version = dup_mindir_version (data, length);

  return version != NULL;
}

static gpointer
refuse_mindir (const SondeIo *io, const char *path, SondeOnnxFile *file, GError **error)
{
  g_autofree char *version = dup_mindir_version (file->data, file->length);

  sonde_set_error (
      error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
      "“%s” is a MindIR model (version %s), which this version does not read. Export it as ONNX: "
      "mindspore.export (…, file_format=\"ONNX\")",
      path, version != NULL ? version : "unknown");
  return NULL;
}

/* Blocks of cipher text, each behind one of these numbers, little-endian. */
static const struct
{
  guint32 magic;
  const char *mode;
} ciphers[] = {
  { 0x7f3a5ed8, "AES-GCM" },
  { 0x7f3a5ed9, "AES-CBC" },
  { 0x7f3a5eda, "SM4-CBC" },
};

static const char *
find_cipher (const guint8 *data, gsize length)
{
  guint32 magic = 0;

  if (length < sizeof magic)
    return NULL;
  memcpy (&magic, data, sizeof magic);
  for (gsize i = 0; i < G_N_ELEMENTS (ciphers); i++)
    if (GUINT32_FROM_LE (magic) == ciphers[i].magic)
      return ciphers[i].mode;
  return NULL;
}

static gboolean
looks_encrypted (const guint8 *data, gsize length)
{
  return find_cipher (data, length) != NULL;
}

static gpointer
refuse_encrypted (const SondeIo *io, const char *path, SondeOnnxFile *file, GError **error)
{
  const char *mode = find_cipher (file->data, file->length);

  sonde_set_error (
      error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
      "“%s” is encrypted by MindSpore (%s), and cannot be read without its key. Export "
      "the model again, without "
      "enc_key and as ONNX",
      path, mode != NULL ? mode : "unknown cipher");
  return NULL;
}

/* ---- formats ------------------------------------------------------------- */

/* A format that is only known, not read, has a loader that says so. */
static const struct
{
  const char *name;
  const char *extension; /* (nullable) */
  gboolean (*sniff) (const guint8 *data, gsize length);
  gpointer (*load) (const SondeIo *io, const char *path, SondeOnnxFile *file, GError **error);
} formats[] = {
  { "onnx", ".onnx", looks_like_onnx, load_onnx },
  { "encrypted mindir", NULL, looks_encrypted, refuse_encrypted },
  { "mindir", ".mindir", looks_like_mindir, refuse_mindir },
};

const char *
sonde_model_sniff (const SondeIo *io, const char *path, GError **error)
{
  guint8 start[SNIFFED_BYTES];
  int fd = sonde_io_open_regular (io, path, NULL, error);
  gssize length = 0;

  if (fd < 0)
    return NULL;
  length = sonde_io_pread_full (io, fd, path, start, sizeof start, 0, error);
  sonde_io_close (io, fd);
  for (guint i = 0; length > 0 && i < G_N_ELEMENTS (formats); i++)
    if (formats[i].sniff (start, (gsize) length))
      return formats[i].name;
  return NULL;
}

/* The content decides; the extension only for a file too damaged to be known, so that the error
 * says where it is damaged. */
static SondeGraph *
load_file (const SondeIo *io, const char *path, SondeOnnxFile *file, GError **error)
{
  if (file->length == 0)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED, "“%s” is empty", path);
      return NULL;
    }
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    if (formats[i].sniff (file->data, file->length))
      return formats[i].load (io, path, file, error);
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    if (formats[i].extension != NULL && g_str_has_suffix (path, formats[i].extension))
      return formats[i].load (io, path, file, error);

  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                   "“%s” is no model in a format that this version reads (ONNX)", path);
  return NULL;
}

SondeGraph *
sonde_model_load (const SondeIo *io, const char *path, GError **error)
{
  SondeOnnxFile file;
  SondeGraph *graph = NULL;

  if (sonde_onnx_file_open (&file, io, path, error))
    graph = load_file (io, path, &file, error);
  sonde_onnx_file_close (&file);
  return graph;
}

SondeGraph *
sonde_model_parse (const guint8 *data, gsize length, const char *name, GError **error)
{
  return parse_onnx (NULL, data, length, name, NULL, NULL, &onnx__model_proto__descriptor,
                     take_model, error);
}

GBytes *
sonde_model_serialise (SondeGraph *graph, GError **error)
{
  return sonde_onnx_serialise (graph, error);
}

gboolean
sonde_model_save (const SondeIo *io, const char *path, SondeGraph *graph, GError **error)
{
  g_autoptr (GBytes) bytes = sonde_onnx_serialise (graph, error);
  gsize length = 0;
  const guint8 *data = NULL;

  if (bytes == NULL)
    {
      sonde_prefix_error (error, "cannot write “%s”: ", path);
      return FALSE;
    }
  data = g_bytes_get_data (bytes, &length);
  return sonde_io_replace_file (io, path, data, length, error);
}

SondeTensor *
sonde_model_read_tensor (const SondeIo *io, const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = sonde_io_read_file (io, path, INT_MAX, error);
  gsize length = 0;
  const guint8 *data = NULL;

  if (bytes == NULL)
    return NULL;
  data = g_bytes_get_data (bytes, &length);
  return parse_onnx (io, data, length, path, NULL, NULL, &onnx__tensor_proto__descriptor,
                     take_tensor, error);
}

static gpointer
take_tensor_value (SondeOnnxReader *reader, void *message, GError **error)
{
  return sonde_onnx_read_tensor_value (reader, message, error);
}

static gpointer
take_sequence (SondeOnnxReader *reader, void *message, GError **error)
{
  return sonde_onnx_read_sequence (reader, message, error);
}

static gpointer
take_optional (SondeOnnxReader *reader, void *message, GError **error)
{
  return sonde_onnx_read_optional (reader, message, error);
}

SondeValue *
sonde_model_read_value (const SondeIo *io, const char *path, const SondeType *type, GError **error)
{
  g_autoptr (GBytes) bytes = sonde_io_read_file (io, path, INT_MAX, error);
  gsize length = 0;
  const guint8 *data = NULL;

  if (bytes == NULL)
    return NULL;
  data = g_bytes_get_data (bytes, &length);
  if (type->kind == SONDE_VALUE_SEQUENCE)
    return parse_onnx (io, data, length, path, NULL, NULL, &onnx__sequence_proto__descriptor,
                       take_sequence, error);
  if (type->kind == SONDE_VALUE_OPTIONAL)
    return parse_onnx (io, data, length, path, NULL, NULL, &onnx__optional_proto__descriptor,
                       take_optional, error);
  if (type->kind == SONDE_VALUE_TENSOR || type->kind == SONDE_VALUE_NONE)
    return parse_onnx (io, data, length, path, NULL, NULL, &onnx__tensor_proto__descriptor,
                       take_tensor_value, error);

  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                   "“%s” is for a value that is a %s, which this version does not read", path,
                   type->kind == SONDE_VALUE_MAP ? "map" : "sparse tensor");
  return NULL;
}
