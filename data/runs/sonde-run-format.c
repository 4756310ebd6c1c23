/* SPDX-License-Identifier: Apache-2.0
 * The table of record file formats. A new one is a row here and a reader in data/records. */
#include "data/runs/sonde-run-format-private.h"

#include "data/runs/sonde-run-store.h"

static gboolean
sonde_recognises (const char *file_name)
{
  return g_str_has_suffix (file_name, ".sonde");
}

static gpointer
sonde_open (const SondeIo *io,
            const char    *path,
            GError       **error)
{
  return sonde_record_reader_open (io, path, error);
}

static void
sonde_close (gpointer reader)
{
  sonde_record_reader_free (reader);
}

static SondeFrameResult
sonde_next (gpointer     reader,
            SondeRecord *record,
            guint64     *offset,
            GError     **error)
{
  return sonde_record_reader_next (reader, record, offset, error);
}

static void
sonde_seek (gpointer           reader,
            guint64            position,
            const char *const *tags,
            gsize              n_tags)
{
  sonde_record_reader_seek (reader, position, tags, n_tags);
}

static SondeFrameReader *
sonde_get_frames (gpointer reader)
{
  return sonde_record_reader_get_frames (reader);
}

static const char *const *
sonde_get_tags (gpointer reader,
                gsize   *n_tags)
{
  return sonde_record_reader_get_tags (reader, n_tags);
}

static const SondeRunFormat formats[] = {
  {
    .name = "sonde",
    .recognises = sonde_recognises,
    .open = sonde_open,
    .close = sonde_close,
    .next = sonde_next,
    .seek = sonde_seek,
    .get_frames = sonde_get_frames,
    .get_tags = sonde_get_tags,
    .read_at = sonde_record_read_at,
  },
};

const SondeRunFormat *
sonde_run_format_find (const char *file_name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    if (formats[i].recognises (file_name))
      return &formats[i];
  return NULL;
}

gboolean
sonde_run_recognises_file (const char *path)
{
  g_autofree char *name = g_path_get_basename (path);

  return sonde_run_format_find (name) != NULL;
}
