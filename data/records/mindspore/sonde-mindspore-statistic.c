/* SPDX-License-Identifier: Apache-2.0
 * statistic.csv of a dump: a row for each tensor, appended to as operators run. The folder says the
 * iteration, the header which columns there are. */
#include "data/records/mindspore/sonde-mindspore-decoder-private.h"
#include "data/records/mindspore/sonde-mindspore-dump-private.h"
#include "data/records/mindspore/sonde-mindspore-number-private.h"
#include "data/records/mindspore/sonde-mindspore-run-private.h"

#include <math.h>

#include "data/base/sonde-csv.h"
#include "data/base/sonde-error.h"

#define CHUNK_BYTES ((gsize) 1 << 20)
#define MAX_HEADER_BYTES ((gsize) 64 << 10)

typedef enum
{
  COLUMN_OP,
  COLUMN_NAME,
  COLUMN_TIME,
  COLUMN_IO,
  COLUMN_SLOT,
  COLUMN_MAX,
  COLUMN_MIN,
  COLUMN_MEAN,
  COLUMN_COUNT,
  COLUMN_NEGATIVE,
  COLUMN_NAN,
  COLUMN_NEG_INF,
  COLUMN_POS_INF,
  COLUMN_ZERO,
  COLUMN_NORM,
  N_COLUMNS
} Column;

static const char *const column_names[N_COLUMNS] = {
  [COLUMN_OP] = "Op Type",
  [COLUMN_NAME] = "Op Name",
  [COLUMN_TIME] = "Timestamp",
  [COLUMN_IO] = "IO",
  [COLUMN_SLOT] = "Slot",
  [COLUMN_MAX] = "Max Value",
  [COLUMN_MIN] = "Min Value",
  [COLUMN_MEAN] = "Avg Value",
  [COLUMN_COUNT] = "Count",
  [COLUMN_NEGATIVE] = "Negative Zero Count", /* values below zero */
  [COLUMN_NAN] = "NaN Count",
  [COLUMN_NEG_INF] = "Negative Inf Count",
  [COLUMN_POS_INF] = "Positive Inf Count",
  [COLUMN_ZERO] = "Zero Count",
  [COLUMN_NORM] = "L2Norm",
};

/* @places: of the columns in a row, -1: there is none */
typedef struct
{
  const SondeIo *io;
  int fd;
  char *path, *folder;
  gint64 iteration;
  int places[N_COLUMNS];
  guint64 position; /* 0: the header is not read yet */
  SondeRecordDecoder *tags;
} Source;

/* ---- rows ---------------------------------------------------------------- */

typedef struct
{
  char *tag;
  gint64 wall_time_ns;
  SondeStatistics statistics;
} Row;

static double
number_of (const Source *source, const SondeCsvReader *row, Column column)
{
  const int place = source->places[column];
  double number;

  if (place < 0 || place >= (int) row->fields->len
      || !sonde_csv_field_number (&g_array_index (row->fields, SondeCsvField, place), &number))
    return NAN;
  return number;
}

static gint64
count_of (const Source *source, const SondeCsvReader *row, Column column)
{
  double number = number_of (source, row, column);

  return number >= 0 && number < 9e15 ? (gint64) number : 0;
}

static char *
dup_field (const Source *source, const SondeCsvReader *row, Column column)
{
  const int place = source->places[column];
  const SondeCsvField *field;

  if (place < 0 || place >= (int) row->fields->len)
    return g_strdup ("");
  field = &g_array_index (row->fields, SondeCsvField, place);
  return g_strstrip (g_strndup (field->text, field->length));
}

/* From the norm over all finite elements, where the file has it. */
static double
deviation_of (const SondeStatistics *statistics, double norm)
{
  gint64 n = statistics->count - statistics->nan - statistics->pos_inf - statistics->neg_inf;

  if (!isfinite (norm) || n <= 0)
    return NAN;
  return sqrt (MAX (0, norm * norm / (double) n - statistics->mean * statistics->mean));
}

static gboolean
understand (const Source *source, const SondeCsvReader *row, Row *result)
{
  g_autofree char *op = dup_field (source, row, COLUMN_OP),
                  *name = dup_field (source, row, COLUMN_NAME);
  g_autofree char *io = dup_field (source, row, COLUMN_IO),
                  *slot = dup_field (source, row, COLUMN_SLOT);
  g_autofree char *time = dup_field (source, row, COLUMN_TIME);
  g_autofree char *full_name = NULL;
  SondeStatistics *statistics = &result->statistics;
  gint64 stamp;

  if (*name == '\0' || *io == '\0' || !sonde_mindspore_is_numbered (slot, strlen (slot), ""))
    return FALSE;
  stamp = g_ascii_strtoll (time, NULL, 10);
  *statistics = (SondeStatistics){
    .count = count_of (source, row, COLUMN_COUNT),
    .min = number_of (source, row, COLUMN_MIN),
    .max = number_of (source, row, COLUMN_MAX),
    .mean = number_of (source, row, COLUMN_MEAN),
    .abs_mean = NAN,
    .zeros = count_of (source, row, COLUMN_ZERO),
    .negatives = count_of (source, row, COLUMN_NEGATIVE),
    .nan = count_of (source, row, COLUMN_NAN),
    .pos_inf = count_of (source, row, COLUMN_POS_INF),
    .neg_inf = count_of (source, row, COLUMN_NEG_INF),
  };
  statistics->std = deviation_of (statistics, number_of (source, row, COLUMN_NORM));
  full_name = sonde_mindspore_dup_full_name (source->io, source->folder, op, name);
  result->wall_time_ns = stamp >= 1000000000000000 && stamp < 9000000000000000 ? stamp * 1000 : 0;
  result->tag = g_strdup_printf ("%s/%s/%s", full_name, io, slot);
  return TRUE;
}

/* ---- bytes --------------------------------------------------------------- */

/* Whole lines from @offset on, at least one. NULL: there is none yet, or @error. */
static GByteArray *
read_lines (const Source *source, guint64 offset, gsize wanted, GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_sized_new ((guint) wanted);
  gssize n;

  g_byte_array_set_size (bytes, (guint) wanted);
  n = sonde_io_pread_full (source->io, source->fd, source->path, bytes->data, wanted, offset,
                           error);
  while (n > 0 && bytes->data[n - 1] != '\n')
    n--;
  if (n <= 0)
    return NULL;
  g_byte_array_set_size (bytes, (guint) n);
  return g_steal_pointer (&bytes);
}

static SondeCsvReader
reader_of (const Source *source, const GByteArray *bytes)
{
  return (SondeCsvReader){
    .path = source->path,
    .at = (const char *) bytes->data,
    .end = (const char *) bytes->data + bytes->len,
    .separator = ',',
  };
}

/* @length: (out): of the header's line. FALSE: there is none, or it is not one, or @error */
static gboolean
read_header (Source *source, gsize *length, GError **error)
{
  g_autoptr (GByteArray) bytes = read_lines (source, 0, MAX_HEADER_BYTES, error);
  SondeCsvReader reader;
  gboolean right;

  if (bytes == NULL)
    return FALSE;
  reader = reader_of (source, bytes);
  right = sonde_csv_reader_next (&reader, NULL);
  *length = (gsize) (reader.at - (const char *) bytes->data);
  for (guint i = 0; i < N_COLUMNS; i++)
    {
      source->places[i] = -1;
      for (guint k = 0; right && k < reader.fields->len; k++)
        {
          const SondeCsvField *field = &g_array_index (reader.fields, SondeCsvField, k);
          g_autofree char *name = g_strstrip (g_strndup (field->text, field->length));

          if (g_str_equal (name, column_names[i]))
            source->places[i] = (int) k;
        }
    }
  sonde_csv_reader_clear (&reader);
  return right && source->places[COLUMN_NAME] >= 0 && source->places[COLUMN_IO] >= 0
         && source->places[COLUMN_SLOT] >= 0;
}

/* ---- the format ---------------------------------------------------------- */

static void
statistic_close (gpointer data)
{
  Source *source = data;

  sonde_io_close (source->io, source->fd);
  sonde_mindspore_decoder_free (source->tags);
  g_free (source->path);
  g_free (source->folder);
  g_free (source);
}

static gpointer
statistic_open (const SondeIo *io, const char *path, guint64 position, const SondeRecordTag *tags,
                gsize n_tags, GError **error)
{
  int fd = sonde_io_open_regular (io, path, NULL, error);
  g_autoptr (GError) problem = NULL;
  Source *source;
  gsize length;

  if (fd < 0)
    return NULL;
  source = g_new0 (Source, 1);
  source->io = io != NULL ? io : sonde_io_system ();
  source->fd = fd;
  source->path = g_strdup (path);
  source->folder = g_path_get_dirname (path);
  source->tags = sonde_mindspore_decoder_new (tags, n_tags);
  sonde_mindspore_is_dump_folder (source->folder, &source->iteration);
  if (position > 0 && read_header (source, &length, &problem))
    source->position = position;
  if (problem == NULL)
    return source;
  g_propagate_error (error, g_steal_pointer (&problem));
  statistic_close (source);
  return NULL;
}

static gboolean
recognises (const char *file_name)
{
  return g_str_equal (file_name, "statistic.csv");
}

static gboolean
probe (const SondeIo *io, const char *path)
{
  Source *source = statistic_open (io, path, 0, NULL, 0, NULL);
  gboolean right;
  gsize length;

  if (source == NULL)
    return FALSE;
  right = read_header (source, &length, NULL);
  statistic_close (source);
  return right;
}

static gboolean
add_row (Source *source, const SondeCsvReader *reader, guint64 offset, SondeRecordBatch *batch)
{
  SondeRecordRef ref = {
    .kind = SONDE_RECORD_STATISTICS,
    .step = source->iteration,
    .place = sonde_record_place (offset, 0),
    .session = 1,
  };
  gboolean right;
  Row row;

  if (!understand (source, reader, &row))
    return FALSE;
  right = sonde_mindspore_decoder_text_tag (source->tags, row.tag, &ref.tag, NULL);
  g_free (row.tag);
  if (!right)
    return FALSE;
  ref.wall_time_ns = row.wall_time_ns;
  sonde_record_batch_add_ref (batch, &ref);
  if (row.wall_time_ns != 0)
    sonde_record_batch_note_time (batch, row.wall_time_ns);
  return TRUE;
}

static void
add_damage (GPtrArray *damage, guint64 offset, guint64 bytes, const char *reason)
{
  SondeFrameDamage *stretch = g_new0 (SondeFrameDamage, 1);

  *stretch = (SondeFrameDamage){ offset, bytes, g_strdup (reason) };
  g_ptr_array_add (damage, stretch);
}

static SondeFrameResult
statistic_next (gpointer data, SondeRecordBatch *batch, guint64 *position, guint64 *n_records,
                GPtrArray *damage, GError **error)
{
  Source *source = data;
  g_autoptr (GByteArray) bytes = NULL;
  g_autoptr (GError) problem = NULL;
  SondeCsvReader reader;
  gsize length;

  *n_records = 0;
  if (source->position == 0)
    {
      if (read_header (source, &length, &problem))
        source->position = length;
      else if (problem == NULL)
        return SONDE_FRAME_WAITING;
    }
  if (problem == NULL)
    bytes = read_lines (source, source->position, CHUNK_BYTES, &problem);
  if (problem != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&problem));
      return SONDE_FRAME_ERROR;
    }
  if (bytes == NULL)
    return SONDE_FRAME_WAITING;
  reader = reader_of (source, bytes);
  for (const char *begin = reader.at; begin < reader.end; begin = reader.at)
    {
      const guint64 offset = source->position + (guint64) (begin - (const char *) bytes->data);
      const gboolean is_row = sonde_csv_reader_next (&reader, &problem);

      if (is_row && add_row (source, &reader, offset, batch))
        (*n_records)++;
      else if (is_row)
        add_damage (damage, offset, (guint64) (reader.at - begin),
                    "a row without name, input or output, and slot");
      if (!is_row)
        {
          if (problem != NULL)
            add_damage (damage, offset, (guint64) (reader.end - begin), problem->message);
          break;
        }
    }
  sonde_csv_reader_clear (&reader);
  source->position += bytes->len;
  *position = source->position;
  return SONDE_FRAME_RECORD;
}

static GArray *
statistic_get_tags (gpointer data)
{
  return ((Source *) data)->tags->tags;
}

static gboolean
statistic_read_place (const SondeIo *io, const char *path, guint64 place,
                      const SondeRecordTag *tags, gsize n_tags, SondeRecord *record, GError **error)
{
  const guint64 offset = sonde_record_place_offset (place);
  Source *source = statistic_open (io, path, offset, NULL, 0, error);
  g_autoptr (GByteArray) bytes = NULL;
  SondeCsvReader reader;
  gboolean right = FALSE;
  Row row;

  *record = (SondeRecord){ 0 };
  if (source == NULL)
    return FALSE;
  if (source->position > 0)
    bytes = read_lines (source, offset, MAX_HEADER_BYTES, NULL);
  if (bytes != NULL)
    {
      reader = reader_of (source, bytes);
      right = sonde_csv_reader_next (&reader, NULL) && understand (source, &reader, &row);
      sonde_csv_reader_clear (&reader);
    }
  if (right)
    {
      *record = (SondeRecord){ SONDE_RECORD_STATISTICS, source->iteration, row.wall_time_ns, 1,
                               g_intern_string (row.tag) };
      record->u.statistics = row.statistics;
      g_free (row.tag);
    }
  else
    sonde_record_damaged (error, "“%s” no longer has this row at byte %" PRIu64, path, offset);
  statistic_close (source);
  return right;
}

const SondeRecordFormat sonde_record_format_mindspore_statistic = {
  .name = "mindspore",
  .recognises = recognises,
  .probe = probe,
  .dup_run = sonde_mindspore_dup_run,
  .open = statistic_open,
  .next = statistic_next,
  .get_tags = statistic_get_tags,
  .close = statistic_close,
  .read_place = statistic_read_place,
};
