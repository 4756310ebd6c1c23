/* SPDX-License-Identifier: Apache-2.0
 * Tensors of a dump from their files, compared with what its listing says of them. */
#include "data/records/msprobe/sonde-msprobe-dump.h"

#include <string.h>

#include <isa-l/crc.h>

#include "data/arrays/sonde-npy.h"
#include "data/arrays/sonde-torch-file.h"
#include "data/base/sonde-error.h"

#define FOLDER "dump_tensor_data"

/* ---- checksums ----------------------------------------------------------- */

static guint32
compute_crc (const SondeTensor *tensor)
{
  const guint8 *bytes = tensor->data;
  gsize n = sonde_tensor_n_bytes (tensor);
  guint32 crc = 0;

  for (gsize done = 0; done < n;)
    {
      gsize part = MIN (n - done, (gsize) 1 << 30);

      crc = crc32_gzip_refl (crc, bytes + done, part);
      done += part;
    }
  return crc;
}

/* Words of eight bytes, the last filled up with zeros. */
static guint64
compute_xor (const SondeTensor *tensor)
{
  const guint8 *bytes = tensor->data;
  gsize n = sonde_tensor_n_bytes (tensor);
  guint64 sum = 0, word = 0;

  for (gsize i = 0; i < n; i += sizeof word)
    {
      word = 0;
      memcpy (&word, bytes + i, MIN (n - i, sizeof word));
      sum ^= GUINT64_FROM_LE (word);
    }
  return sum;
}

/* What msprobe wrote of bfloat16 before it took the bytes as they are. */
static gboolean
agrees_as_float (const SondeTensor *tensor, guint32 crc)
{
  g_autoptr (SondeTensor) wide = NULL;

  if (tensor->dtype != SONDE_DTYPE_BF16)
    return FALSE;
  wide = sonde_tensor_cast ((SondeTensor *) tensor, SONDE_DTYPE_F32);
  return compute_crc (wide) == crc;
}

/* One of another form says nothing; so does the sum of a scalar, which is the number itself. */
static gboolean
agrees (const SondeTensor *tensor, const char *checksum)
{
  gsize length = strlen (checksum);
  guint64 number;

  if (length == 18 && g_str_has_prefix (checksum, "0x"))
    return tensor->shape.rank == 0
           || !g_ascii_string_to_unsigned (checksum + 2, 16, 0, G_MAXUINT64, &number, NULL)
           || compute_xor (tensor) == number;
  if (length != 8 || !g_ascii_string_to_unsigned (checksum, 16, 0, G_MAXUINT32, &number, NULL))
    return TRUE;
  return compute_crc (tensor) == number || agrees_as_float (tensor, (guint32) number);
}

/* ---- files --------------------------------------------------------------- */

/* A plain name: no folder, no link. (transfer full) */
static char *
find_file (const SondeMsprobeDump *dump, const SondeMsprobeTensor *tensor, GError **error)
{
  g_autofree char *path = g_build_filename (dump->path, FOLDER, tensor->file, NULL);

  if (*tensor->file != '\0' && strchr (tensor->file, '/') == NULL
      && !g_str_equal (tensor->file, "..") && !g_file_test (path, G_FILE_TEST_IS_SYMLINK))
    return g_steal_pointer (&path);
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_FORBIDDEN,
                   "“%s”: the file “%s” of “%s” does not lie in the dump.", dump->path,
                   tensor->file, tensor->name);
  return NULL;
}

static SondeTensor *
read_file (const SondeMsprobeDump *dump, const char *path, GError **error)
{
  if (g_str_has_suffix (path, ".npy"))
    return sonde_npy_read (dump->io, path, error);
  if (g_str_has_suffix (path, ".pt"))
    return sonde_torch_file_read_tensor (dump->io, path, error);
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                   "“%s” is neither a .pt nor a .npy file.", path);
  return NULL;
}

static gboolean
check_type (const SondeTensor *read, const SondeMsprobeTensor *tensor, const char *path,
            GError **error)
{
  g_autofree char *is = NULL, *said = NULL;

  if (tensor->dtype == SONDE_DTYPE_INVALID
      || (read->dtype == tensor->dtype && sonde_shape_equal (&read->shape, &tensor->shape)))
    return TRUE;
  is = sonde_shape_to_string (&read->shape);
  said = sonde_shape_to_string (&tensor->shape);
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                   "“%s” is %s %s, but the dump's listing says %s %s.", path,
                   sonde_dtype_name (read->dtype), is, sonde_dtype_name (tensor->dtype), said);
  return FALSE;
}

static gboolean
check_sum (SondeTensor *read, const SondeMsprobeTensor *tensor, const char *path, GError **error)
{
  g_autoptr (SondeTensor) row_major = NULL;

  if (tensor->checksum == NULL || read->dtype == SONDE_DTYPE_STRING)
    return TRUE;
  row_major = sonde_tensor_contiguous (read);
  if (agrees (row_major, tensor->checksum))
    return TRUE;
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                   "“%s” does not agree with its checksum %s in the dump's listing.", path,
                   tensor->checksum);
  return FALSE;
}

static void
append_number (GString *text, const char *name, const SondeMsprobeNumber *number)
{
  if (number->known)
    g_string_append_printf (text, "%s%s %.6g", text->len > 0 ? ", " : "", name, number->number);
}

/* What there is in place of the tensor. */
static void
set_no_file (const SondeMsprobeTensor *tensor, GError **error)
{
  g_autoptr (GString) numbers = g_string_new (NULL);

  append_number (numbers, "min", &tensor->min);
  append_number (numbers, "max", &tensor->max);
  append_number (numbers, "mean", &tensor->mean);
  append_number (numbers, "norm", &tensor->norm);
  if (numbers->len > 0)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                     "Of “%s” only statistics were kept: %s.", tensor->name, numbers->str);
  else if (tensor->checksum != NULL)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                     "Of “%s” only a checksum was kept: %s.", tensor->name, tensor->checksum);
  else
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                     "Of “%s” only type and shape were kept.", tensor->name);
}

SondeTensor *
sonde_msprobe_dump_read (SondeMsprobeDump *dump, const SondeMsprobeTensor *tensor, GError **error)
{
  g_autofree char *path = NULL;
  g_autoptr (SondeTensor) read = NULL;

  if (tensor->file == NULL)
    {
      set_no_file (tensor, error);
      return NULL;
    }
  path = find_file (dump, tensor, error);
  if (path == NULL)
    return NULL;
  read = read_file (dump, path, error);
  if (read == NULL || !check_type (read, tensor, path, error)
      || !check_sum (read, tensor, path, error))
    return NULL;
  return g_steal_pointer (&read);
}
