/* SPDX-License-Identifier: Apache-2.0
 * Reading .npy files: the elements behind the header. */
#include "data/arrays/sonde-npy.h"

#include "data/arrays/sonde-npy-private.h"
#include "data/base/sonde-budget.h"
#include "data/base/sonde-checked.h"
#include "data/base/sonde-error.h"

#include <string.h>

/* The bytes of the elements, once it is known that the file holds them all. */
static gboolean
check_size (const SondeNpyHeader *header, guint64 file_size, const char *name, gsize *n_bytes,
            GError **error)
{
  g_autofree char *shape = sonde_shape_to_string (&header->shape);
  gint64 n = sonde_shape_n_elements (&header->shape);

  if (n < 0 || !sonde_checked_mul (n_bytes, (gsize) n, header->item_size)
      || (n > 0 && header->item_size > 0 && *n_bytes > file_size - header->data_offset))
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                       "“%s”: the header at offset 0 declares the shape %s of %s, %zu bytes an "
                       "element, but only %" PRIu64 " bytes follow at offset %zu",
                       name, shape, sonde_dtype_name (header->dtype), header->item_size,
                       file_size - header->data_offset, header->data_offset);
      return FALSE;
    }
  return TRUE;
}

static void
swap_elements (guint8 *data, gsize size, gsize n)
{
  for (gsize i = 0; i < n; i++)
    {
      for (gsize k = 0; k < size / 2; k++)
        {
          guint8 kept = data[i * size + k];

          data[i * size + k] = data[i * size + size - 1 - k];
          data[i * size + size - 1 - k] = kept;
        }
    }
}

/* UTF-32 up to the padding of zeros; what is no character becomes U+FFFD. */
static char *
string_of_wide (const guint8 *data, gsize n_bytes, gboolean big_endian)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gsize n = n_bytes / 4;

  for (; n > 0; n--)
    {
      if (memcmp (data + 4 * (n - 1), "\0\0\0\0", 4) != 0)
        break;
    }
  for (gsize i = 0; i < n; i++)
    {
      guint32 c;

      memcpy (&c, data + 4 * i, 4);
      c = big_endian ? GUINT32_FROM_BE (c) : GUINT32_FROM_LE (c);
      g_string_append_unichar (text, c != 0 && g_unichar_validate (c) ? c : 0xfffd);
    }
  return g_strndup (text->str, text->len);
}

static void
fill_strings (SondeTensor *tensor, const SondeNpyHeader *header, const guint8 *data)
{
  char **strings = (void *) tensor->data;
  gint64 n = sonde_tensor_n_elements (tensor);

  for (gint64 i = 0; i < n; i++, data += header->item_size)
    strings[i] = header->wide_characters
                     ? string_of_wide (data, header->item_size, header->big_endian)
                     : g_strndup ((const char *) data, header->item_size);
}

static SondeShape
reversed_shape (const SondeShape *shape)
{
  SondeShape reversed = { .rank = shape->rank };

  for (int i = 0; i < shape->rank; i++)
    reversed.dims[i] = shape->dims[shape->rank - 1 - i];
  return reversed;
}

/* Fortran order is C order of the reversed shape. Takes over @tensor. */
static SondeTensor *
turn_fortran (SondeTensor *tensor)
{
  g_autoptr (SondeTensor) turned = NULL;
  g_autoptr (SondeTensor) owned = tensor;
  int permutation[SONDE_MAX_RANK];

  for (int i = 0; i < tensor->shape.rank; i++)
    permutation[i] = tensor->shape.rank - 1 - i;
  turned = sonde_tensor_transpose (tensor, permutation);
  return sonde_tensor_contiguous (turned);
}

static void
normalise_bool (SondeTensor *tensor)
{
  gsize n = sonde_tensor_n_bytes (tensor);

  for (gsize i = 0; i < n; i++)
    tensor->data[i] = tensor->data[i] != 0;
}

static SondeTensor *
new_tensor (const SondeNpyHeader *header, const char *name, GError **error)
{
  SondeShape shape = header->fortran_order ? reversed_shape (&header->shape) : header->shape;
  g_autofree char *what = g_strdup_printf ("the array in “%s”", name);

  return sonde_tensor_try_new (header->dtype, &shape, NULL, what, error);
}

/* Brings the bytes of the file, already in @tensor, to our order. Takes over @tensor. */
static SondeTensor *
finish (SondeTensor *tensor, const SondeNpyHeader *header)
{
  if (header->big_endian && header->item_size > 1 && header->dtype != SONDE_DTYPE_STRING)
    swap_elements (tensor->data, header->item_size, (gsize) sonde_tensor_n_elements (tensor));
  if (header->dtype == SONDE_DTYPE_BOOL)
    normalise_bool (tensor);
  return header->fortran_order ? turn_fortran (tensor) : tensor;
}

/* A string of 0 bytes an element lets a header of 100 bytes promise any number of elements. */
static gboolean
check_strings (const SondeNpyHeader *header, const char *name, GError **error)
{
  if (header->dtype != SONDE_DTYPE_STRING || header->item_size > 0
      || sonde_shape_n_elements (&header->shape) <= SONDE_NPY_MAX_HEADER)
    return TRUE;
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                   "“%s”: too many elements of no bytes", name);
  return FALSE;
}

SondeTensor *
sonde_npy_parse (const guint8 *data, gsize length, const char *name, GError **error)
{
  SondeNpyHeader header;
  SondeTensor *tensor;
  gsize n_bytes;

  if (!sonde_npy_parse_header (data, length, name, &header, error)
      || !check_size (&header, length, name, &n_bytes, error)
      || !check_strings (&header, name, error))
    return NULL;

  tensor = new_tensor (&header, name, error);
  if (tensor == NULL)
    return NULL;
  if (header.dtype == SONDE_DTYPE_STRING)
    fill_strings (tensor, &header, data + header.data_offset);
  else if (n_bytes > 0)
    memcpy (tensor->data, data + header.data_offset, n_bytes);
  return finish (tensor, &header);
}

/* The header of an open file; its bytes are the only ones read. */
static gboolean
read_header (const SondeIo *io, int fd, const char *path, SondeNpyHeader *header, GError **error)
{
  gsize room = SONDE_NPY_PREAMBLE + SONDE_NPY_MAX_HEADER;
  g_autofree guint8 *bytes = g_malloc (room);
  gssize got = sonde_io_pread_full (io, fd, path, bytes, room, 0, error);

  return got >= 0 && sonde_npy_parse_header (bytes, (gsize) got, path, header, error);
}

static SondeTensor *
read_strings (const SondeIo *io, int fd, const char *path, const SondeNpyHeader *header,
              gsize n_bytes, GError **error)
{
  g_autofree guint8 *bytes = sonde_try_alloc (NULL, n_bytes, path, error);
  gssize got;
  SondeTensor *tensor;

  if (bytes == NULL)
    return NULL;
  got = sonde_io_pread_full (io, fd, path, bytes, n_bytes, header->data_offset, error);
  if (got < 0)
    return NULL;
  memset (bytes + got, 0, n_bytes - (gsize) got); /* the file shrank meanwhile */
  tensor = new_tensor (header, path, error);
  if (tensor != NULL)
    fill_strings (tensor, header, bytes);
  return tensor;
}

static SondeTensor *
read_elements (const SondeIo *io, int fd, const char *path, const SondeNpyHeader *header,
               gsize n_bytes, GError **error)
{
  g_autoptr (SondeTensor) tensor = NULL;
  gssize got;

  if (header->dtype == SONDE_DTYPE_STRING)
    return read_strings (io, fd, path, header, n_bytes, error);

  tensor = new_tensor (header, path, error);
  if (tensor == NULL)
    return NULL;
  got = sonde_io_pread_full (io, fd, path, tensor->data, n_bytes, header->data_offset, error);
  if (got >= 0 && (gsize) got < n_bytes)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                     "“%s” became shorter while it was read; it ends at offset %zu", path,
                     header->data_offset + (gsize) got);
  return got >= 0 && (gsize) got == n_bytes ? g_steal_pointer (&tensor) : NULL;
}

SondeTensor *
sonde_npy_read (const SondeIo *io, const char *path, GError **error)
{
  SondeTensor *tensor = NULL;
  SondeNpyHeader header;
  guint64 size;
  gsize n_bytes;
  int fd;

  fd = sonde_io_open_regular (io, path, &size, error);
  if (fd < 0)
    return NULL;

  if (read_header (io, fd, path, &header, error)
      && check_size (&header, MAX (size, header.data_offset), path, &n_bytes, error)
      && check_strings (&header, path, error))
    tensor = read_elements (io, fd, path, &header, n_bytes, error);
  sonde_io_close (io, fd);
  return tensor != NULL ? finish (tensor, &header) : NULL;
}

gboolean
sonde_npy_check (const SondeIo *io, const char *path, GError **error)
{
  return sonde_npy_look (io, path, NULL, NULL, error);
}

gboolean
sonde_npy_look (const SondeIo *io, const char *path, SondeDtype *dtype, SondeShape *shape,
                GError **error)
{
  SondeNpyHeader header;
  guint64 size;
  gsize n_bytes;
  gboolean right;
  int fd;

  fd = sonde_io_open_regular (io, path, &size, error);
  if (fd < 0)
    return FALSE;
  right = read_header (io, fd, path, &header, error)
          && check_size (&header, MAX (size, header.data_offset), path, &n_bytes, error)
          && check_strings (&header, path, error);
  sonde_io_close (io, fd);
  if (right && dtype != NULL)
    *dtype = header.dtype;
  if (right && shape != NULL)
    *shape = header.shape;
  return right;
}
