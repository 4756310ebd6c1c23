/* SPDX-License-Identifier: Apache-2.0
 * MindSpore's files without frames as a record format: one whole file after the other. A file that
 * makes no sense is waited for while it is young, and damage when nobody has written to it for a
 * while. */
#include "data/records/mindspore/sonde-mindspore-file-private.h"
#include "data/records/mindspore/sonde-mindspore-decoder-private.h"
#include "data/records/mindspore/sonde-mindspore-run-private.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "data/base/sonde-csv.h"
#include "data/base/sonde-error.h"
#include "data/records/sonde-record-text.h"

#define SETTLED_SECONDS 60
#define MAX_CONTENT_BYTES ((guint64) 64 << 10)
#define MAX_TABLE_BYTES ((guint64) 16 << 20)

static const SondeMindsporeFileKind *const kinds[] = {
  &sonde_mindspore_file_graph,   &sonde_mindspore_file_dump,     &sonde_mindspore_file_export,
  &sonde_mindspore_file_order,   &sonde_mindspore_file_settings, &sonde_mindspore_file_checkpoint,
  &sonde_mindspore_file_profile, &sonde_mindspore_file_async,
};

/* @kind: of the file; @tags: a decoder that has nothing but them; @done: the file was read */
typedef struct
{
  const SondeIo *io;
  char *path;
  const SondeMindsporeFileKind *kind;
  SondeRecordDecoder *tags;
  gboolean done;
} Source;

/* ---- looking at files ---------------------------------------------------- */

static gboolean
describe (const SondeIo *io, const char *path, SondeMindsporeFile *file, GError **error)
{
  struct stat status;

  *file = (SondeMindsporeFile){ io != NULL ? io : sonde_io_system (), path, strrchr (path, '/'), 0,
                                0 };
  file->name = file->name != NULL ? file->name + 1 : path;
  if (file->io->stat (file->io, AT_FDCWD, path, &status, 0) != 0 || !S_ISREG (status.st_mode))
    {
      sonde_data_error_set_errno (error, errno, "cannot look at “%s”", path);
      return FALSE;
    }
  file->size = (guint64) status.st_size;
  file->time_ns = (gint64) status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
  return TRUE;
}

static const SondeMindsporeFileKind *
find_kind (const SondeMindsporeFile *file)
{
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (kinds[i]->recognises (file->name) && kinds[i]->probe (file))
      return kinds[i];
  return NULL;
}

static gboolean
recognises (const char *file_name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (kinds[i]->recognises (file_name))
      return TRUE;
  return FALSE;
}

static gboolean
probe (const SondeIo *io, const char *path)
{
  SondeMindsporeFile file;

  return describe (io, path, &file, NULL) && find_kind (&file) != NULL;
}

/* ---- for the kinds ------------------------------------------------------- */

gboolean
sonde_mindspore_file_add (const SondeMindsporeFile *file, SondeRecordDecoder *tags,
                          SondeRecordBatch *batch, SondeRecordKind kind, const char *tag,
                          gint64 step, gint64 wall_time_ns, guint part, GError **error)
{
  SondeRecordRef ref = {
    .tag = SONDE_RECORD_NO_TAG,
    .kind = kind,
    .step = step,
    .wall_time_ns = wall_time_ns != 0 ? wall_time_ns : file->time_ns,
    .place = sonde_record_place (0, part),
    .session = 1,
  };

  if (tag != NULL && !sonde_mindspore_decoder_text_tag (tags, tag, &ref.tag, error))
    return FALSE;
  sonde_record_batch_add_ref (batch, &ref);
  sonde_record_batch_note_time (batch, ref.wall_time_ns);
  return TRUE;
}

gboolean
sonde_mindspore_file_read_other (const SondeMindsporeFile *file, const char *plugin,
                                 SondeRecord *record, GError **error)
{
  record->kind = SONDE_RECORD_OTHER;
  record->u.other.plugin = g_strdup (plugin);
  record->u.other.bytes = file->size;
  if (file->size <= MAX_CONTENT_BYTES)
    record->u.other.content = sonde_io_read_file (file->io, file->path, MAX_CONTENT_BYTES, NULL);
  return TRUE;
}

static SondeTensor *
make_cells (GPtrArray *rows, guint n_columns, GError **error)
{
  SondeShape shape = sonde_shape_make (2, rows->len, n_columns);
  g_autofree const char **cells = g_new0 (const char *, (gsize) rows->len *n_columns + 1);

  for (guint i = 0; i < rows->len; i++)
    {
      char **row = rows->pdata[i];

      for (guint k = 0; k < n_columns && row[k] != NULL; k++)
        cells[(gsize) i * n_columns + k] = row[k];
    }
  return sonde_tensor_try_new_from_data (SONDE_DTYPE_STRING, &shape, cells, N_ ("table of texts"),
                                         error);
}

static char **
dup_row (GArray *fields)
{
  char **row = g_new0 (char *, fields->len + 1);

  for (guint i = 0; i < fields->len; i++)
    {
      const SondeCsvField *field = &g_array_index (fields, SondeCsvField, i);

      row[i] = sonde_record_dup_text (field->text, field->length);
    }
  return row;
}

gboolean
sonde_mindspore_file_read_table (const SondeMindsporeFile *file, SondeRecord *record,
                                 GError **error)
{
  g_autoptr (GBytes) bytes = sonde_io_read_file (file->io, file->path, MAX_TABLE_BYTES, error);
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev);
  SondeCsvReader reader = { .path = file->path, .separator = ',' };
  guint n_columns = 0;
  gboolean is_table;
  gsize length;

  if (bytes == NULL)
    return FALSE;
  record->kind = SONDE_RECORD_TEXT;
  reader.at = g_bytes_get_data (bytes, &length);
  reader.end = reader.at + length;
  record->u.text = sonde_record_dup_text (reader.at, length);
  while (reader.at != NULL && sonde_csv_reader_next (&reader, NULL))
    {
      n_columns = MAX (n_columns, reader.fields->len);
      g_ptr_array_add (rows, dup_row (reader.fields));
    }
  /* a lone long row beside many short ones is no table */
  is_table = rows->len > 0 && (guint64) rows->len * n_columns <= length * 2 + 16;
  if (is_table)
    record->u.cells = make_cells (rows, n_columns, error);
  sonde_csv_reader_clear (&reader);
  return !is_table || record->u.cells != NULL;
}

/* ---- the format ---------------------------------------------------------- */

static void
file_close (gpointer data)
{
  Source *source = data;

  sonde_mindspore_decoder_free (source->tags);
  g_free (source->path);
  g_free (source);
}

static gpointer
file_open (const SondeIo *io, const char *path, guint64 position, const SondeRecordTag *tags,
           gsize n_tags, GError **error)
{
  SondeMindsporeFile file;
  Source *source;

  if (!describe (io, path, &file, error))
    return NULL;
  source = g_new0 (Source, 1);
  source->io = io;
  source->path = g_strdup (path);
  source->kind = find_kind (&file);
  source->tags = sonde_mindspore_decoder_new (tags, n_tags);
  source->done = position > 0;
  return source;
}

static void
add_damage (GPtrArray *damage, guint64 bytes, const char *reason)
{
  SondeFrameDamage *stretch = g_new0 (SondeFrameDamage, 1);

  *stretch = (SondeFrameDamage){ 0, bytes, g_strdup (reason) };
  g_ptr_array_add (damage, stretch);
}

/* A probe says no when it cannot read: is that why? */
static gboolean
can_read (const SondeMindsporeFile *file, GError **error)
{
  int fd = sonde_io_open_regular (file->io, file->path, NULL, error);
  guint8 byte;
  gssize n;

  if (fd < 0)
    return FALSE;
  n = sonde_io_pread_full (file->io, fd, file->path, &byte, 1, 0, error);
  sonde_io_close (file->io, fd);
  return n >= 0;
}

static gboolean
is_young (const SondeMindsporeFile *file)
{
  return g_get_real_time () / G_USEC_PER_SEC - file->time_ns / 1000000000 <= SETTLED_SECONDS;
}

static SondeFrameResult
file_next (gpointer data, SondeRecordBatch *batch, guint64 *position, guint64 *n_records,
           GPtrArray *damage, GError **error)
{
  Source *source = data;
  const guint before = batch->refs->len;
  g_autoptr (GError) problem = NULL;
  SondeMindsporeFile file;

  *n_records = 0;
  if (source->done)
    return SONDE_FRAME_WAITING;
  if (!describe (source->io, source->path, &file, error))
    return SONDE_FRAME_ERROR;
  if (source->kind == NULL)
    source->kind = find_kind (&file);
  if (file.size > 0 && source->kind == NULL && !can_read (&file, error))
    return SONDE_FRAME_ERROR;
  if (file.size == 0 || source->kind == NULL)
    return SONDE_FRAME_WAITING;
  if (!source->kind->scan (&file, source->tags, batch, &problem))
    {
      g_array_set_size (batch->refs, before);
      if (sonde_data_error_is_of_system (problem))
        {
          g_propagate_error (error, g_steal_pointer (&problem));
          return SONDE_FRAME_ERROR;
        }
      if (is_young (&file))
        return SONDE_FRAME_WAITING;
      add_damage (damage, file.size, problem->message);
    }
  source->done = TRUE;
  *position = file.size;
  *n_records = batch->refs->len - before;
  return SONDE_FRAME_RECORD;
}

static GArray *
file_get_tags (gpointer data)
{
  return ((Source *) data)->tags->tags;
}

static gboolean
file_read_place (const SondeIo *io, const char *path, guint64 place, const SondeRecordTag *tags,
                 gsize n_tags, SondeRecord *record, GError **error)
{
  const SondeMindsporeFileKind *kind;
  SondeMindsporeFile file;

  *record = (SondeRecord){ .session = 1 };
  if (!describe (io, path, &file, error))
    return FALSE;
  kind = find_kind (&file);
  if (kind == NULL)
    return sonde_record_damaged (error, "“%s” is no longer a MindSpore file", path);
  record->wall_time_ns = file.time_ns;
  if (kind->read (&file, sonde_record_place_part (place), record, error))
    return TRUE;
  sonde_record_clear (record);
  return FALSE;
}

const SondeRecordFormat sonde_record_format_mindspore_file = {
  .name = "mindspore",
  .recognises = recognises,
  .probe = probe,
  .dup_run = sonde_mindspore_dup_run,
  .open = file_open,
  .next = file_next,
  .get_tags = file_get_tags,
  .close = file_close,
  .read_place = file_read_place,
};
