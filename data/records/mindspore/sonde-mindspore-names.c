/* SPDX-License-Identifier: Apache-2.0
 * MindSpore's event files by name: PREFIX.out.events.summary.SECONDS.ID.HOST_MS; everything behind
 * the seconds was different once. Files with only "summary.123" in the name are looked into. */
#include "data/records/mindspore/sonde-mindspore-names-private.h"

#include "data/records/sonde-record-frame.h"

#define STEM "summary."
#define STRICT_STEM ".out.events." STEM

static gboolean
has_stem (const char *name, const char *stem)
{
  for (const char *p = name; (p = strstr (p, stem)) != NULL; p++)
    if (g_ascii_isdigit (p[strlen (stem)]))
      return TRUE;
  return FALSE;
}

gboolean
sonde_mindspore_is_event_name (const char *file_name)
{
  return has_stem (file_name, STEM) && strstr (file_name, "tfevents") == NULL
         && !g_str_has_suffix (file_name, "_lineage");
}

gboolean
sonde_mindspore_is_lineage_name (const char *file_name)
{
  return has_stem (file_name, STEM) && g_str_has_suffix (file_name, "_lineage");
}

/* A frame's header at the start of @path. */
static gboolean
begins_with_frame (const SondeIo *io, const char *path)
{
  int fd = sonde_io_open_regular (io, path, NULL, NULL);
  guint8 header[SONDE_FRAME_HEADER_BYTES];
  guint32 crc;
  gssize n;

  if (fd < 0)
    return FALSE;
  n = sonde_io_pread_full (io, fd, path, header, sizeof header, 0, NULL);
  sonde_io_close (io, fd);
  if (n != sizeof header)
    return FALSE;
  memcpy (&crc, header + 8, sizeof crc);
  return GUINT32_FROM_LE (crc) == sonde_frame_masked_crc (header, 8);
}

gboolean
sonde_mindspore_probe_event (const SondeIo *io, const char *path)
{
  g_autofree char *name = g_path_get_basename (path);

  return has_stem (name, STRICT_STEM) || begins_with_frame (io, path);
}
