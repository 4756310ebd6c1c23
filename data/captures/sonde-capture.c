/* SPDX-License-Identifier: Apache-2.0
 * The struct. */
#include "data/captures/sonde-capture-private.h"

#include <string.h>

#include "data/base/sonde-error.h"
#include "data/base/sonde-io.h"

static void
value_free (gpointer data)
{
  SondeCaptureValue *value = data;

  g_free (value->name);
  g_clear_pointer (&value->tensor, sonde_tensor_unref);
  g_free (value);
}

SondeCapture *
sonde_capture_new (void)
{
  SondeCapture *capture = g_new0 (SondeCapture, 1);

  capture->facts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  capture->inputs = g_ptr_array_new_with_free_func (value_free);
  capture->values = g_ptr_array_new_with_free_func (value_free);
  capture->stops = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_capture_stop_free);
  return capture;
}

void
sonde_capture_free (SondeCapture *capture)
{
  if (capture == NULL)
    return;
  g_clear_pointer (&capture->model, g_bytes_unref);
  g_hash_table_unref (capture->facts);
  g_ptr_array_unref (capture->inputs);
  g_ptr_array_unref (capture->values);
  g_ptr_array_unref (capture->stops);
  g_free (capture);
}

void
sonde_capture_set_fact (SondeCapture *capture, const char *key, const char *value)
{
  if (value != NULL)
    g_hash_table_replace (capture->facts, g_strdup (key), g_strdup (value));
  else
    g_hash_table_remove (capture->facts, key);
}

const char *
sonde_capture_get_fact (const SondeCapture *capture, const char *key)
{
  return g_hash_table_lookup (capture->facts, key);
}

static void
add_value (GPtrArray *list, const char *name, SondeTensor *tensor,
           const SondeStatistics *statistics)
{
  SondeCaptureValue *value = g_new0 (SondeCaptureValue, 1);

  value->name = g_strdup (name);
  value->tensor = tensor != NULL ? sonde_tensor_ref (tensor) : NULL;
  value->has_statistics = statistics != NULL;
  if (statistics != NULL)
    value->statistics = *statistics;
  g_ptr_array_add (list, value);
}

void
sonde_capture_add_input (SondeCapture *capture, const char *name, SondeTensor *tensor)
{
  add_value (capture->inputs, name, tensor, NULL);
}

void
sonde_capture_add_value (SondeCapture *capture, const char *name, SondeTensor *tensor,
                         const SondeStatistics *statistics)
{
  add_value (capture->values, name, tensor, statistics);
}

void
sonde_capture_add_stop (SondeCapture *capture, const char *command, gboolean enabled)
{
  g_ptr_array_add (capture->stops, sonde_capture_stop_new (command, enabled));
}

static SondeTensor *
find_in (GPtrArray *list, const char *name)
{
  for (guint i = 0; i < list->len; i++)
    {
      const SondeCaptureValue *value = g_ptr_array_index (list, i);

      if (g_str_equal (value->name, name) && value->tensor != NULL)
        return value->tensor;
    }
  return NULL;
}

SondeTensor *
sonde_capture_find_tensor (const SondeCapture *capture, const char *name)
{
  SondeTensor *tensor = find_in (capture->inputs, name);

  return tensor != NULL ? tensor : find_in (capture->values, name);
}

void
sonde_capture_set_error (sqlite3 *database, const char *path, GError **error)
{
  int reason = sqlite3_errcode (database) & 0xff;
  SondeDataError code = reason == SQLITE_CORRUPT || reason == SQLITE_NOTADB
                            ? SONDE_DATA_ERROR_DAMAGED
                        : reason == SQLITE_FULL ? SONDE_DATA_ERROR_NO_SPACE
                                                : SONDE_DATA_ERROR_IO;

  sonde_set_error (error, SONDE_DATA_ERROR, code, "capture “%s”: %s", path,
                   sqlite3_errmsg (database));
}

#define HEADER_BYTES 100
#define APPLICATION_ID_AT 68

gboolean
sonde_capture_sniff (const char *path)
{
  static const char magic[16] = "SQLite format 3";
  guint8 header[HEADER_BYTES];
  guint64 size;
  int fd = sonde_io_open_regular (NULL, path, &size, NULL);
  gssize n = fd >= 0 ? sonde_io_pread_full (NULL, fd, path, header, sizeof header, 0, NULL) : 0;
  guint32 id;

  if (fd >= 0)
    sonde_io_close (NULL, fd);
  if (n < (gssize) sizeof header || memcmp (header, magic, sizeof magic) != 0)
    return FALSE;
  memcpy (&id, header + APPLICATION_ID_AT, sizeof id);
  return GUINT32_FROM_BE (id) == SONDE_CAPTURE_APPLICATION_ID;
}
