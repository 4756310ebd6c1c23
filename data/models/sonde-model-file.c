/* SPDX-License-Identifier: Apache-2.0
 * Which format a file has, and the way from its path to a graph. A further format is a row in
 * @formats. */
#include "data/models/sonde-model-file.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/models/caffe/sonde-caffe.h"
#include "data/models/keras/sonde-keras.h"
#include "data/models/lowering/sonde-lowering.h"
#include "data/models/lowering/sonde-model-options.h"
#include "data/models/mindir/sonde-mindir.h"
#include "data/models/mindir/write/sonde-mindir-write.h"
#include "data/models/onnx/sonde-onnx.h"
#include "data/models/pt2/sonde-pt2.h"
#include "data/models/tensorflow/sonde-tensorflow.h"
#include "data/models/tflite/sonde-tflite.h"

#define SNIFFED_BYTES 4096

/* ---- encrypted MindIR ----------------------------------------------------- */

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

static SondeGraph *
refuse_encrypted (const char *path, const guint8 *start, gsize length, GError **error)
{
  const char *mode = find_cipher (start, length);

  sonde_set_error (
      error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
      "“%s” is encrypted by MindSpore (%-s), and cannot be read without its key. Export "
      "the model again, without enc_key",
      path, mode != NULL ? mode : N_ ("unknown cipher"));
  return NULL;
}

/* ---- formats ------------------------------------------------------------- */

/* One of @load (ONNX, which is the graph's own form), @read (every other format, into a SondeLowering
 * that is ready and finished here) and @refuse (a format that is only known) is set. */
static const struct
{
  const char *name;
  const char *extension; /* (nullable) */
  gboolean (*sniff) (const guint8 *start, gsize length);
  SondeGraph *(*load) (const SondeIo *io, const char *path, GError **error);
  void (*read) (SondeLowering *lowering, const SondeIo *io, const char *path);
  SondeGraph *(*refuse) (const char *path, const guint8 *start, gsize length, GError **error);
} formats[] = {
  { "savedmodel", "saved_model.pb", sonde_saved_model_sniff, NULL, sonde_saved_model_read, NULL },
  { "onnx", ".onnx", sonde_onnx_sniff, sonde_onnx_load, NULL, NULL },
  { "tflite", ".tflite", sonde_tflite_sniff, NULL, sonde_tflite_read, NULL },
  { "encrypted mindir", NULL, looks_encrypted, NULL, NULL, refuse_encrypted },
  { "mindir", ".mindir", sonde_mindir_sniff, NULL, sonde_mindir_read, NULL },
  { "graphdef", ".pb", sonde_graphdef_sniff, NULL, sonde_graphdef_read, NULL },
  { "keras", ".keras", sonde_keras_sniff, NULL, sonde_keras_read, NULL },
  { "keras", ".h5", sonde_keras_sniff, NULL, sonde_keras_read, NULL },
  { "pt2", ".pt2", sonde_pt2_sniff, NULL, sonde_pt2_read, NULL },
  { "caffe", ".prototxt", sonde_caffe_sniff, NULL, sonde_caffe_read, NULL },
  { "caffe", ".caffemodel", sonde_caffe_sniff, NULL, sonde_caffe_read, NULL },
};

/* The first bytes of a file: @start has SNIFFED_BYTES. Returns: how many there are, −1 with
 * @error. */
static gssize
read_start (const SondeIo *io, const char *path, guint8 *start, GError **error)
{
  int fd = sonde_io_open_regular (io, path, NULL, error);
  gssize length;

  if (fd < 0)
    return -1;
  length = sonde_io_pread_full (io, fd, path, start, SNIFFED_BYTES, 0, error);
  sonde_io_close (io, fd);
  return length;
}

/* A model that is a folder (SavedModel) is the file in it that says what it is. (transfer full) */
static char *
find_file (const SondeIo *io, const char *path)
{
  struct stat status;

  if (io == NULL)
    io = sonde_io_system ();
  if (io->stat (io, AT_FDCWD, path, &status, 0) == 0 && S_ISDIR (status.st_mode))
    return g_build_filename (path, "saved_model.pb", NULL);
  return g_strdup (path);
}

/* Row of @formats; −1: no format that is known. */
static int
find_format (const guint8 *start, gsize length)
{
  for (guint i = 0; length > 0 && i < G_N_ELEMENTS (formats); i++)
    if (formats[i].sniff (start, length))
      return (int) i;
  return -1;
}

static int
find_extension (const char *path)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    if (formats[i].extension != NULL && g_str_has_suffix (path, formats[i].extension))
      return (int) i;
  return -1;
}

gboolean
sonde_model_has_extension (const char *path)
{
  return find_extension (path) >= 0;
}

const char *
sonde_model_sniff (const SondeIo *io, const char *path, GError **error)
{
  guint8 start[SNIFFED_BYTES];
  g_autofree char *file = find_file (io, path);
  gssize length = read_start (io, file, start, error);
  int format = length > 0 ? find_format (start, (gsize) length) : -1;

  return format >= 0 ? formats[format].name : NULL;
}

/* (transfer full): of formats that are read, each once: "onnx, mindir, caffe" */
static char *
dup_format_names (void)
{
  GString *names = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    if (formats[i].refuse == NULL
        && (i == 0 || !g_str_equal (formats[i].name, formats[i - 1].name)))
      g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", formats[i].name);
  return g_string_free (names, FALSE);
}

static SondeGraph *
lower (const char *format, void (*read) (SondeLowering *, const SondeIo *, const char *),
       const SondeIo *io, const char *path, const SondeModelOptions *options,
       SondeConversion **conversion, GError **error)
{
  g_autoptr (SondeLowering) lowering = sonde_lowering_new (format, path, options);

  read (lowering, io, path);
  return sonde_lowering_finish (lowering, conversion, error);
}

/* The content decides; the extension only for a file too damaged to be known, so that the error
 * says where it is damaged. */
static SondeGraph *
read_file (const SondeIo *io, const char *path, const SondeModelOptions *options,
           SondeConversion **conversion, GError **error)
{
  guint8 start[SNIFFED_BYTES];
  gssize length = read_start (io, path, start, error);
  g_autoptr (SondeGraph) graph = NULL;
  int format;

  if (length < 0)
    return NULL;
  if (length == 0)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED, "“%s” is empty", path);
      return NULL;
    }
  format = find_format (start, (gsize) length);
  if (format < 0)
    format = find_extension (path);
  if (format < 0)
    {
      g_autofree char *names = dup_format_names ();

      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                       "“%s” is not a model in a format that this version reads (%s)", path, names);
      return NULL;
    }
  if (formats[format].refuse != NULL)
    return formats[format].refuse (path, start, (gsize) length, error);
  if (formats[format].read != NULL)
    return lower (formats[format].name, formats[format].read, io, path, options, conversion, error);
  graph = formats[format].load (io, path, error);
  if (graph == NULL || !sonde_model_options_apply (options, graph, path, error))
    return NULL;
  return g_steal_pointer (&graph);
}

SondeGraph *
sonde_model_read (const SondeIo *io, const char *path, const SondeModelOptions *options,
                  SondeConversion **conversion, GError **error)
{
  g_autofree char *file = find_file (io, path);

  return read_file (io, file, options, conversion, error);
}

SondeGraph *
sonde_model_load (const SondeIo *io, const char *path, GError **error)
{
  return sonde_model_read (io, path, NULL, NULL, error);
}

SondeGraph *
sonde_model_parse (const guint8 *data, gsize length, const char *name, GError **error)
{
  return sonde_onnx_parse (data, length, name, error);
}

GBytes *
sonde_model_serialise (SondeGraph *graph, GError **error)
{
  return sonde_onnx_serialise (graph, NULL, error);
}

GBytes *
sonde_model_serialise_mindir (SondeGraph *graph, GError **error)
{
  return sonde_mindir_serialise (graph, NULL, error);
}

gboolean
sonde_model_mindir_writes (const char *domain, const char *op)
{
  return sonde_mindir_writes (domain, op);
}

SondeGraph *
sonde_model_parse_mindir (const guint8 *data, gsize length, const char *name, GError **error)
{
  g_autoptr (SondeLowering) lowering = sonde_lowering_new ("mindir", name, NULL);

  sonde_mindir_parse (lowering, data, length);
  return sonde_lowering_finish (lowering, NULL, error);
}

gboolean
sonde_model_save (const SondeIo *io, const char *path, SondeGraph *graph, GError **error)
{
  g_autoptr (GBytes) bytes = sonde_onnx_serialise (graph, NULL, error);
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
  return sonde_onnx_parse_tensor (io, data, length, path, error);
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
  return sonde_onnx_parse_value (io, data, length, path, type, error);
}
