/* SPDX-License-Identifier: Apache-2.0
 * What else MindSpore leaves in a run: execution orders and settings, checkpoints of a landscape,
 * the files of a profiler. Tables and settings are shown, the rest is named with its size. */
#include "data/wire/sonde-wire-cursor.h"
#include "data/records/mindspore/sonde-mindspore-file-private.h"
#include "data/records/mindspore/sonde-mindspore-items-private.h"
#include "data/records/mindspore/sonde-mindspore-number-private.h"

#include <fcntl.h>
#include <string.h>

#include "data/base/sonde-error.h"

#define MAX_TABLE_BYTES ((guint64) 4 << 20)
#define MAX_SETTINGS_BYTES ((guint64) 16 << 20)
#define MAX_VALUES 1000000

static char *
dup_stem (const SondeMindsporeFile *file, const char *prefix)
{
  const char *dot = strrchr (file->name, '.');
  g_autofree char *stem
      = g_strndup (file->name, dot != NULL ? (gsize) (dot - file->name) : strlen (file->name));

  return g_strconcat (prefix, stem, NULL);
}

/* ---- execution orders ---------------------------------------------------- */

static gboolean
recognises_order (const char *name)
{
  return g_str_has_suffix (name, ".csv")
         && (g_str_has_prefix (name, "ms_execution_order_graph_")
             || g_str_has_prefix (name, "ms_global_execution_order_graph_"));
}

static gboolean
is_there (const SondeMindsporeFile *file)
{
  return TRUE;
}

static gboolean
scan_order (const SondeMindsporeFile *file, SondeRecordDecoder *tags, SondeRecordBatch *batch,
            GError **error)
{
  g_autofree char *tag = dup_stem (file, "");

  return sonde_mindspore_file_add (file, tags, batch, SONDE_RECORD_TEXT, tag, 0, 0, 0, error);
}

static gboolean
read_order (const SondeMindsporeFile *file, guint part, SondeRecord *record, GError **error)
{
  g_autofree char *tag = dup_stem (file, "");

  record->tag = g_intern_string (tag);
  return sonde_mindspore_file_read_table (file, record, error);
}

const SondeMindsporeFileKind sonde_mindspore_file_order
    = { recognises_order, is_there, scan_order, read_order };

/* ---- settings ------------------------------------------------------------ */

/* @member: what the JSON object must have */
static const struct
{
  const char *prefix, *infix, *member, *part;
} settings[] = {
  { "data_dump", "", "common_dump_settings", "dump" },
  { "train_metadata", "", "model_params_file_map", "landscape" },
  { "manifest", "", "saliency_map", "explain" },
  { "", "parallel_strategy", NULL, "parallel" },
  { "", "strategy", "parallel_strategy_item", "parallel" },
};

/* The row of the table for a file of such a name, from @from on. */
static gsize
find_settings (const char *name, gsize from)
{
  gsize i = from;

  if (!g_str_has_suffix (name, ".json"))
    return G_N_ELEMENTS (settings);
  while (
      i < G_N_ELEMENTS (settings)
      && !(g_str_has_prefix (name, settings[i].prefix) && strstr (name, settings[i].infix) != NULL))
    i++;
  return i;
}

static gboolean
recognises_settings (const char *name)
{
  return find_settings (name, 0) < G_N_ELEMENTS (settings);
}

static GBytes *
read_settings_bytes (const SondeMindsporeFile *file)
{
  return sonde_io_read_file (file->io, file->path, MAX_SETTINGS_BYTES, NULL);
}

/* Which row it really is: its member is somewhere in the text. */
static gsize
know_settings (const SondeMindsporeFile *file, GBytes *bytes)
{
  gsize length, i = 0;
  const char *text = bytes != NULL ? g_bytes_get_data (bytes, &length) : NULL;

  if (text == NULL)
    return G_N_ELEMENTS (settings);
  for (; (i = find_settings (file->name, i)) < G_N_ELEMENTS (settings); i++)
    if (settings[i].member == NULL
        || g_strstr_len (text, (gssize) length, settings[i].member) != NULL)
      return i;
  return i;
}

static gboolean
probe_settings (const SondeMindsporeFile *file)
{
  g_autoptr (GBytes) bytes = read_settings_bytes (file);

  return know_settings (file, bytes) < G_N_ELEMENTS (settings);
}

static gboolean
add_settings (GArray *items, GBytes *bytes)
{
  return bytes != NULL
         && sonde_mindspore_items_add_json (items, g_bytes_get_data (bytes, NULL),
                                            g_bytes_get_size (bytes));
}

static gboolean
scan_settings (const SondeMindsporeFile *file, SondeRecordDecoder *tags, SondeRecordBatch *batch,
               GError **error)
{
  g_autoptr (GBytes) bytes = read_settings_bytes (file);
  g_autoptr (GArray) items = sonde_mindspore_items_new ();

  if (!add_settings (items, bytes))
    return sonde_record_damaged (error, "“%s” is not a complete JSON object", file->path);
  return sonde_mindspore_file_add (file, tags, batch, SONDE_RECORD_LINEAGE, NULL, 0, 0, 0, error);
}

static gboolean
read_settings (const SondeMindsporeFile *file, guint part, SondeRecord *record, GError **error)
{
  g_autoptr (GBytes) bytes = read_settings_bytes (file);
  g_autoptr (GArray) items = sonde_mindspore_items_new ();
  gsize i = know_settings (file, bytes);

  if (i == G_N_ELEMENTS (settings))
    return sonde_record_damaged (error, "“%s” no longer contains settings", file->path);
  record->kind = SONDE_RECORD_LINEAGE;
  if (!add_settings (items, bytes))
    return sonde_record_damaged (error, "“%s” is not a complete JSON object", file->path);
  sonde_mindspore_items_steal (items, record, settings[i].part);
  return TRUE;
}

const SondeMindsporeFileKind sonde_mindspore_file_settings = {
  recognises_settings,
  probe_settings,
  scan_settings,
  read_settings,
};

/* ---- checkpoints --------------------------------------------------------- */

static gboolean
recognises_checkpoint (const char *name)
{
  return g_str_has_suffix (name, ".ckpt");
}

/* How a training was cut for several devices ("strategy_ckpt_save_file"): no tensors, listed with
 * its bytes. */
static gboolean
is_strategy (const SondeMindsporeFile *file)
{
  return strstr (file->name, "strategy") != NULL;
}

/* Those of a landscape; a checkpoint that lies alone is a model, no part of a run. */
static gboolean
probe_checkpoint (const SondeMindsporeFile *file)
{
  g_autofree char *folder = g_path_get_dirname (file->path), *name = g_path_get_basename (folder);
  g_autofree char *beside = g_build_filename (folder, "train_metadata.json", NULL);
  struct stat status;

  return is_strategy (file) || g_str_equal (name, "ckpt_dir")
         || file->io->stat (file->io, AT_FDCWD, beside, &status, 0) == 0;
}

/* Backbone_STEP_unit.ckpt: the step is of that unit. */
static char *
dup_checkpoint_tag (const SondeMindsporeFile *file, gint64 *step)
{
  g_autofree char *stem = dup_stem (file, is_strategy (file) ? "parallel/" : "checkpoint/");
  char *unit = strrchr (stem, '_'), *number = NULL;

  *step = 0;
  if (unit != NULL && (g_str_equal (unit, "_step") || g_str_equal (unit, "_epoch")))
    number = g_strrstr_len (stem, unit - stem, "_");
  if (number == NULL || !sonde_mindspore_is_numbered (number, (gsize) (unit - number), "_"))
    return g_steal_pointer (&stem);
  *step = g_ascii_strtoll (number + 1, NULL, 10);
  return g_strndup (stem, (gsize) (number - stem));
}

/* How many values are in it, by their lengths alone. */
static gboolean
count_values (const SondeMindsporeFile *file, guint *n, GError **error)
{
  int fd = sonde_io_open_regular (file->io, file->path, NULL, error);
  guint64 at = 0;
  gboolean right = fd >= 0;

  for (*n = 0; right && at < file->size && *n < MAX_VALUES; (*n)++)
    {
      guint8 head[11];
      guint64 length = 0;
      gssize bytes = sonde_io_pread_full (file->io, fd, file->path, head, sizeof head, at, error);
      SondeWireCursor cursor = sonde_wire_cursor (head + 1, (gsize) MAX (bytes - 1, 0));

      /* some end with "crc_num" and ten bytes */
      if (*n > 0 && at + 17 == file->size && bytes > 7 && memcmp (head, "crc_num", 7) == 0)
        break;
      right = bytes > 1 && head[0] == 0x0a && sonde_wire_take_varint (&cursor, &length)
              && length <= file->size - at - (guint64) (cursor.at - head);
      at += length + (guint64) (cursor.at - head);
    }
  if (fd >= 0)
    sonde_io_close (file->io, fd);
  return right || (error != NULL && *error != NULL)
             ? right
             : sonde_record_damaged (error, "“%s” is not a complete checkpoint", file->path);
}

static gboolean
scan_checkpoint (const SondeMindsporeFile *file, SondeRecordDecoder *tags, SondeRecordBatch *batch,
                 GError **error)
{
  gint64 step;
  g_autofree char *tag = dup_checkpoint_tag (file, &step);
  guint n;

  return (is_strategy (file) || count_values (file, &n, error))
         && sonde_mindspore_file_add (file, tags, batch, SONDE_RECORD_OTHER, tag, step, 0, 0,
                                      error);
}

static gboolean
read_checkpoint (const SondeMindsporeFile *file, guint part, SondeRecord *record, GError **error)
{
  gint64 step;
  g_autofree char *tag = dup_checkpoint_tag (file, &step);
  guint n = 0;

  if (!is_strategy (file) && !count_values (file, &n, error))
    return FALSE;
  record->tag = g_intern_string (tag);
  record->step = step;
  record->kind = SONDE_RECORD_OTHER;
  record->u.other.plugin = is_strategy (file) ? g_strdup ("parallel strategy")
                                              : g_strdup_printf ("checkpoint of %u values", n);
  record->u.other.bytes = file->size;
  return TRUE;
}

const SondeMindsporeFileKind sonde_mindspore_file_checkpoint = {
  recognises_checkpoint,
  probe_checkpoint,
  scan_checkpoint,
  read_checkpoint,
};

/* ---- profiles ------------------------------------------------------------ */

/* Texts end with the number of a device; other texts are not even looked at. */
static gboolean
recognises_profile (const char *name)
{
  const char *number = strrchr (name, '_');

  return g_str_has_suffix (name, ".csv") || g_str_has_suffix (name, ".json")
         || (number != NULL && g_str_has_suffix (name, ".txt")
             && sonde_mindspore_is_numbered (number, strlen (number) - strlen (".txt"), "_"));
}

/* In a folder that a profiler made, or one below it. */
static gboolean
probe_profile (const SondeMindsporeFile *file)
{
  g_auto (GStrv) parts = g_strsplit (file->path, "/", -1);
  const guint n = g_strv_length (parts);

  for (guint i = n > 4 ? n - 4 : 0; i + 1 < n; i++)
    if (g_str_has_suffix (parts[i], "_ascend_ms"))
      return TRUE;
  return n > 1 && g_str_has_prefix (parts[n - 2], "profiler") && strchr (file->name, '_') != NULL;
}

static gboolean
is_table (const SondeMindsporeFile *file)
{
  return g_str_has_suffix (file->name, ".csv") && file->size <= MAX_TABLE_BYTES;
}

static gboolean
scan_profile (const SondeMindsporeFile *file, SondeRecordDecoder *tags, SondeRecordBatch *batch,
              GError **error)
{
  g_autofree char *tag = dup_stem (file, "profiler/");

  return sonde_mindspore_file_add (file, tags, batch,
                                   is_table (file) ? SONDE_RECORD_TEXT : SONDE_RECORD_OTHER, tag, 0,
                                   0, 0, error);
}

static gboolean
read_profile (const SondeMindsporeFile *file, guint part, SondeRecord *record, GError **error)
{
  g_autofree char *tag = dup_stem (file, "profiler/");

  record->tag = g_intern_string (tag);
  return is_table (file) ? sonde_mindspore_file_read_table (file, record, error)
                         : sonde_mindspore_file_read_other (file, "profiler", record, error);
}

const SondeMindsporeFileKind sonde_mindspore_file_profile = {
  recognises_profile,
  probe_profile,
  scan_profile,
  read_profile,
};
