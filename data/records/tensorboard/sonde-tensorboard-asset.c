/* SPDX-License-Identifier: Apache-2.0
 * Files of TensorBoard's plugins that are recognised but not understood: profiles (of an xplane.pb
 * the names of its planes), sets of the debugger. Each is one record with its size, named by its
 * file. A profiler's marker ("….profile-empty") says that there is a run, and is none itself.
 * Source: openxla/xprof profile_plugin.py; tensorflow/tensorflow
 * tensorflow/core/profiler/protobuf/xplane.proto. */
#include <fcntl.h>
#include <string.h>

#include "data/records/sonde-record-format.h"
#include "data/records/sonde-record-text.h"
#include "data/records/tensorboard.pb-c.h"
#include "data/wire/sonde-wire-decode.h"

#define MAX_PLANE_BYTES ((guint64) 256 << 20)
#define PROFILE_FOLDER "/plugins/profile/"

typedef enum
{
  ASSET_NONE,
  ASSET_MARKER,
  ASSET_PLANES,
  ASSET_TRACE,
  ASSET_DEBUGGER,
} Asset;

static const char *const plugins[] = {
  [ASSET_PLANES] = "profile",
  [ASSET_TRACE] = "profile",
  [ASSET_DEBUGGER] = "debugger-v2",
};

typedef struct
{
  GArray *tags; /* of SondeRecordTag: the name of the file */
  Asset asset;
  guint64 size;
  gint64 wall_time_ns;
  gboolean delivered;
} Source;

static Asset
asset_of_name (const char *file_name)
{
  if (strstr (file_name, "tfevents") != NULL && g_str_has_suffix (file_name, ".profile-empty"))
    return ASSET_MARKER;
  if (g_str_has_suffix (file_name, ".xplane.pb"))
    return ASSET_PLANES;
  if (g_str_has_suffix (file_name, ".trace.json.gz")
      && !g_str_has_suffix (file_name, ".pt.trace.json.gz"))
    return ASSET_TRACE;
  return g_str_has_prefix (file_name, "tfdbg_events") ? ASSET_DEBUGGER : ASSET_NONE;
}

static gboolean
recognises (const char *file_name)
{
  return asset_of_name (file_name) != ASSET_NONE;
}

/* RUN/plugins/profile/SESSION/host.xplane.pb */
static char *
dup_run (const char *folder)
{
  const char *found = strstr (folder, PROFILE_FOLDER);

  return found != NULL && strchr (found + strlen (PROFILE_FOLDER), '/') == NULL
             ? g_strndup (folder, (gsize) (found - folder))
             : g_strdup (folder);
}

/* The name of the tag: sessions of a profile do not fall together. */
static char *
dup_tag (const char *path)
{
  g_autofree char *name = g_path_get_basename (path), *folder = g_path_get_dirname (path);
  g_autofree char *session = g_path_get_basename (folder);

  return strstr (folder, PROFILE_FOLDER) != NULL ? g_strconcat (session, "/", name, NULL)
                                                 : g_steal_pointer (&name);
}

static gboolean
ask_file (const SondeIo *io, const char *path, guint64 *size, gint64 *wall_time_ns, GError **error)
{
  int fd = sonde_io_open_regular (io, path, size, error);
  struct stat status;

  if (fd < 0)
    return FALSE;
  io = io != NULL ? io : sonde_io_system ();
  *wall_time_ns = 0;
  if (io->fstat (io, fd, &status) == 0)
    *wall_time_ns = (gint64) status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
  sonde_io_close (io, fd);
  return TRUE;
}

static void
source_close (gpointer data)
{
  g_array_unref (((Source *) data)->tags);
  g_free (data);
}

static gpointer
source_open (const SondeIo *io, const char *path, guint64 position, const SondeRecordTag *tags,
             gsize n_tags, GError **error)
{
  Source *source = g_new0 (Source, 1);
  g_autofree char *name = g_path_get_basename (path), *tag_name = dup_tag (path);
  SondeRecordTag tag = { g_intern_string (tag_name), NULL };

  source->tags = g_array_new (FALSE, TRUE, sizeof (SondeRecordTag));
  g_array_append_val (source->tags, tag);
  source->asset = asset_of_name (name);
  if (!ask_file (io, path, &source->size, &source->wall_time_ns, error))
    {
      source_close (source);
      return NULL;
    }
  source->delivered = source->asset == ASSET_MARKER || position > 0 || source->size == 0;
  return source;
}

static SondeFrameResult
source_next (gpointer data, SondeRecordBatch *batch, guint64 *position, guint64 *n_records,
             GPtrArray *damage, GError **error)
{
  Source *source = data;
  const SondeRecordRef ref = {
    .tag = 0, .kind = SONDE_RECORD_OTHER, .wall_time_ns = source->wall_time_ns, .session = 1
  };

  *position = source->size;
  *n_records = source->delivered ? 0 : 1;
  if (source->delivered)
    return SONDE_FRAME_WAITING;
  source->delivered = TRUE;
  sonde_record_batch_add_ref (batch, &ref);
  sonde_record_batch_note_time (batch, ref.wall_time_ns);
  return SONDE_FRAME_RECORD;
}

static GArray *
source_get_tags (gpointer data)
{
  return ((Source *) data)->tags;
}

/* XSpace: 1 planes; a name a line. The list is walked: of a file that is cut the names before are
 * there. */
static GBytes *
list_planes (const SondeIo *io, const char *path)
{
  g_autoptr (GBytes) bytes = sonde_io_read_file (io, path, MAX_PLANE_BYTES, NULL);
  g_autoptr (GString) text = g_string_new (NULL);
  g_auto (SondeWireArena) arena = { 0 };
  const Tensorboard__XPlane *plane;
  SondeWireCursor cursor;
  SondeWireItem item;
  const guint8 *data;
  gsize length;

  if (bytes == NULL || (data = g_bytes_get_data (bytes, &length)) == NULL)
    return NULL;
  cursor = sonde_wire_cursor (data, length);
  while (sonde_wire_next (&cursor, &item) == SONDE_WIRE_ITEM)
    {
      if (item.number != 1 || item.type != SONDE_WIRE_BYTES)
        continue;
      sonde_wire_arena_empty (&arena);
      plane = sonde_wire_decode_field (&tensorboard__xplane__descriptor,
                                       sonde_wire_item_field (&item), &arena, NULL);
      if (plane != NULL && plane->has_name)
        {
          g_autofree char *name
              = sonde_record_dup_text (plane->name.data, MIN (plane->name.len, 1024));

          g_string_append_printf (text, "%s\n", name);
        }
    }
  return text->len > 0 ? g_bytes_new (text->str, text->len) : NULL;
}

static gboolean
read_place (const SondeIo *io, const char *path, guint64 place, const SondeRecordTag *tags,
            gsize n_tags, SondeRecord *record, GError **error)
{
  g_autofree char *name = g_path_get_basename (path), *tag = dup_tag (path);
  Asset asset = asset_of_name (name);

  *record = (SondeRecord){ .kind = SONDE_RECORD_OTHER, .session = 1, .tag = g_intern_string (tag) };
  if (!ask_file (io, path, &record->u.other.bytes, &record->wall_time_ns, error))
    {
      sonde_record_clear (record);
      return FALSE;
    }
  record->u.other.plugin = g_strdup (plugins[asset]);
  if (asset == ASSET_PLANES)
    record->u.other.content = list_planes (io, path);
  return TRUE;
}

const SondeRecordFormat sonde_record_format_tensorboard_asset = {
  .name = "tensorboard",
  .recognises = recognises,
  .dup_run = dup_run,
  .open = source_open,
  .next = source_next,
  .get_tags = source_get_tags,
  .close = source_close,
  .read_place = read_place,
};
