/* SPDX-License-Identifier: Apache-2.0
 * Dumped and exported tensors: .npy files whose name or folder says of what. */
#include "data/records/mindspore/sonde-mindspore-dump-private.h"
#include "data/records/mindspore/sonde-mindspore-file-private.h"
#include "data/records/mindspore/sonde-mindspore-number-private.h"

#include "data/arrays/sonde-npy.h"
#include "data/base/sonde-error.h"

#define NPY ".npy"

static gboolean
recognises (const char *name)
{
  return g_str_has_suffix (name, NPY);
}

static gboolean
read_tensor (const SondeMindsporeFile *file, SondeRecord *record, GError **error)
{
  record->kind = SONDE_RECORD_TENSOR;
  record->u.tensor = sonde_npy_read (file->io, file->path, error);
  return record->u.tensor != NULL;
}

/* ---- dumps --------------------------------------------------------------- */

/* By its name anywhere, by its folder under any name. */
static gboolean
probe_dump (const SondeMindsporeFile *file)
{
  g_autofree char *folder = g_path_get_dirname (file->path);
  SondeMindsporeDump dump;

  if (sonde_mindspore_is_dump_folder (folder, NULL))
    return TRUE;
  if (!sonde_mindspore_dump_parse (file->io, file->path, TRUE, &dump))
    return FALSE;
  sonde_mindspore_dump_clear (&dump);
  return TRUE;
}

/* A file in a dump's folder with another name goes by that name. */
static char *
dup_dump_tag (const SondeMindsporeFile *file, gint64 *step, gint64 *wall_time_ns)
{
  g_autofree char *folder = g_path_get_dirname (file->path);
  SondeMindsporeDump dump;
  char *tag;

  *step = *wall_time_ns = 0;
  if (!sonde_mindspore_dump_parse (file->io, file->path, TRUE, &dump))
    {
      sonde_mindspore_is_dump_folder (folder, step);
      return g_strndup (file->name, strlen (file->name) - strlen (NPY));
    }
  tag = sonde_mindspore_dump_tag (&dump, dump.io, dump.slot);
  *step = dump.iteration;
  *wall_time_ns = dump.wall_time_ns;
  sonde_mindspore_dump_clear (&dump);
  return tag;
}

static gboolean
scan_dump (const SondeMindsporeFile *file, SondeRecordDecoder *tags, SondeRecordBatch *batch,
           GError **error)
{
  gint64 step, wall_time_ns;
  g_autofree char *tag = dup_dump_tag (file, &step, &wall_time_ns);

  return sonde_npy_check (file->io, file->path, error)
         && sonde_mindspore_file_add (file, tags, batch, SONDE_RECORD_TENSOR, tag, step,
                                      wall_time_ns, 0, error);
}

static gboolean
read_dump (const SondeMindsporeFile *file, guint part, SondeRecord *record, GError **error)
{
  gint64 step, wall_time_ns;
  g_autofree char *tag = dup_dump_tag (file, &step, &wall_time_ns);

  record->tag = g_intern_string (tag);
  record->step = step;
  if (wall_time_ns != 0)
    record->wall_time_ns = wall_time_ns;
  return read_tensor (file, record, error);
}

const SondeMindsporeFileKind sonde_mindspore_file_dump
    = { recognises, probe_dump, scan_dump, read_dump };

/* ---- exports: RUN/export_SECONDS/tensor/TAG_STEP.npy, the tag percent-encoded ---- */

static gboolean
probe_export (const SondeMindsporeFile *file)
{
  g_autofree char *folder = g_path_get_dirname (file->path), *name = g_path_get_basename (folder);
  g_autofree char *outer = g_path_get_dirname (folder), *outer_name = g_path_get_basename (outer);
  const char *number = strrchr (file->name, '_');

  return g_str_equal (name, "tensor")
         && sonde_mindspore_is_numbered (outer_name, strlen (outer_name), "export_")
         && number != NULL
         && sonde_mindspore_is_numbered (number, strlen (number) - strlen (NPY), "_");
}

static char *
dup_export_tag (const SondeMindsporeFile *file, gint64 *step)
{
  const char *number = strrchr (file->name, '_');
  g_autofree char *escaped = g_strndup (file->name, (gsize) (number - file->name));
  g_autofree char *tag = g_uri_unescape_string (escaped, NULL);

  *step = g_ascii_strtoll (number + 1, NULL, 10);
  return g_strconcat ("export/", tag != NULL ? tag : escaped, NULL);
}

static gboolean
scan_export (const SondeMindsporeFile *file, SondeRecordDecoder *tags, SondeRecordBatch *batch,
             GError **error)
{
  gint64 step;
  g_autofree char *tag = dup_export_tag (file, &step);

  return sonde_npy_check (file->io, file->path, error)
         && sonde_mindspore_file_add (file, tags, batch, SONDE_RECORD_TENSOR, tag, step, 0, 0,
                                      error);
}

static gboolean
read_export (const SondeMindsporeFile *file, guint part, SondeRecord *record, GError **error)
{
  gint64 step;
  g_autofree char *tag = dup_export_tag (file, &step);

  record->tag = g_intern_string (tag);
  record->step = step;
  return read_tensor (file, record, error);
}

const SondeMindsporeFileKind sonde_mindspore_file_export
    = { recognises, probe_export, scan_export, read_export };
