/* SPDX-License-Identifier: Apache-2.0
 * CSV files with a step column: every other column of numbers is a scalar, columns of words are
 * texts. A header may come again in the middle, with other columns. Rows that are not finished are
 * waited for.
 *
 * A text is read by its row's offset alone: what the row means is the state of its tag,
 * "COLUMN STEP WALL SEPARATOR"; a tag whose column moves is one more tag of the same name. */
#include <string.h>
#include <sys/stat.h>

#include "data/base/sonde-error.h"
#include "data/records/csv/sonde-csv-columns-private.h"
#include "data/records/sonde-record-format.h"
#include "data/records/sonde-record-text.h"
#include "data/records/sonde-record-limits.h"

#define CHUNK_BYTES ((gsize) 256 << 10) /* read at a time */
#define MAX_ROW_BYTES ((gsize) 16 << 20)
#define PROBE_BYTES ((gsize) 64 << 10)
#define SETTLED_SECONDS 60 /* a last line without an end is whole by then */
#define BOM "\xef\xbb\xbf"

/**
 * Source:
 * @buffer: bytes of the file from @start on; rows up to @used were read
 * @ids: "STATE\nNAME" -> id + 1
 * @column_ids: (array): of the header in force, by column: id + 1, 0: not yet asked for
 * @text_ids: the same of its texts
 * @has_header: one was read
 * @is_whole: the last line is taken as it is
 */
typedef struct
{
  const SondeIo *io;
  int fd;
  char *path;
  GByteArray *buffer;
  guint64 start;
  gsize used;
  char separator;
  SondeCsvColumns columns;
  gboolean has_header, is_whole;
  guint32 *column_ids, *text_ids;
  GArray *tags;
  GHashTable *ids;
  gsize tag_bytes;
} Source;

/* ---- names --------------------------------------------------------------- */

static gboolean
recognises (const char *file_name)
{
  g_autofree char *lower = g_ascii_strdown (file_name, -1);

  return g_str_has_suffix (lower, ".csv") || g_str_has_suffix (lower, ".tsv");
}

/* Of the first rows: where the header begins. */
static gsize
skip_mark (const char *text, gsize length)
{
  return length >= 3 && memcmp (text, BOM, 3) == 0 ? 3 : 0;
}

static gboolean
probe (const SondeIo *io, const char *path)
{
  int fd = sonde_io_open_regular (io, path, NULL, NULL);
  g_autofree char *text = NULL;
  SondeCsvReader reader = { .path = path };
  gboolean right;
  gssize n;

  if (fd < 0)
    return FALSE;
  text = g_malloc (PROBE_BYTES);
  n = sonde_io_pread_full (io, fd, path, text, PROBE_BYTES, 0, NULL);
  sonde_io_close (io, fd);
  if (n <= 0)
    return FALSE;
  reader.at = text + skip_mark (text, (gsize) n);
  reader.end = text + n;
  while (reader.at < reader.end && (*reader.at == '\n' || *reader.at == '\r'))
    reader.at++;
  reader.separator = sonde_csv_guess_separator (reader.at, (gsize) (reader.end - reader.at));
  right = reader.separator != '\0' && sonde_csv_reader_next (&reader, NULL)
          && sonde_csv_columns_parse (reader.fields, NULL);
  sonde_csv_reader_clear (&reader);
  return right;
}

/* ---- bytes --------------------------------------------------------------- */

typedef enum
{
  ROW_READ,
  ROW_WAITING,
  ROW_ERROR,
} RowResult;

/* More bytes behind the buffer; FALSE with *@at_end when there are none. */
static gboolean
fill (Source *source, gboolean *at_end, GError **error)
{
  const guint old = source->buffer->len;
  gssize n;

  *at_end = FALSE;
  g_byte_array_set_size (source->buffer, old + (guint) CHUNK_BYTES);
  n = sonde_io_pread_full (source->io, source->fd, source->path, source->buffer->data + old,
                           CHUNK_BYTES, source->start + old, error);
  g_byte_array_set_size (source->buffer, old + (guint) MAX (n, 0));
  *at_end = n == 0;
  return n > 0;
}

static gboolean
is_separator (char byte, char separator)
{
  return separator != '\0' ? byte == separator : byte == ',' || byte == ';' || byte == '\t';
}

/* The end of the row at @from: behind its line end. A quote opens at the start of a field alone.
 * 0: it is not in the buffer. */
static gsize
find_row_end (const Source *source, gsize from)
{
  const char *text = (const char *) source->buffer->data;
  const gsize length = source->buffer->len;
  gboolean quoted = FALSE;

  for (gsize i = from; i < length; i++)
    if (text[i] == '"')
      quoted
          = !quoted
            && (i == from || is_separator (text[i - 1], source->separator) || text[i - 1] == '"');
    else if (text[i] == '\n' && !quoted)
      return i + 1;
  return 0;
}

/* Where a row ends whose quotes do not. */
static gsize
find_line_end (const Source *source, gsize from)
{
  const char *text = (const char *) source->buffer->data + from;
  const gsize length = MIN (source->buffer->len - from, MAX_ROW_BYTES);
  const char *end = memchr (text, '\n', length);

  return from + (end != NULL ? (gsize) (end - text) + 1 : length);
}

/* Nobody has touched the file for a while. */
static gboolean
is_settled (Source *source)
{
  struct stat status;

  return source->io->fstat (source->io, source->fd, &status) == 0
         && g_get_real_time () / G_USEC_PER_SEC - (gint64) status.st_mtim.tv_sec > SETTLED_SECONDS;
}

static void
forget_used (Source *source)
{
  if (source->used < CHUNK_BYTES)
    return;
  g_byte_array_remove_range (source->buffer, 0, (guint) source->used);
  source->start += source->used;
  source->used = 0;
}

/* The bytes of the next row. @offset: (out): of its first one in the file */
static RowResult
next_row (Source *source, gsize *begin, gsize *end, GError **error)
{
  gboolean at_end = FALSE;

  forget_used (source);
  *begin = source->used;
  while ((*end = find_row_end (source, *begin)) == 0)
    {
      if (source->buffer->len - *begin <= MAX_ROW_BYTES)
        {
          if (fill (source, &at_end, error))
            continue;
          if (!at_end)
            return ROW_ERROR;
          if (source->buffer->len == *begin || !(source->is_whole || is_settled (source)))
            return ROW_WAITING;
        }
      *end = find_line_end (source, *begin);
      break;
    }
  source->used = *end;
  return ROW_READ;
}

/* ---- tags ---------------------------------------------------------------- */

static char *
make_state (const Source *source, int column)
{
  return g_strdup_printf ("%d %d %d %d", column, source->columns.step, source->columns.wall,
                          source->separator);
}

static void
know_tag (Source *source, const char *name, const char *state, guint id)
{
  g_hash_table_insert (source->ids, g_strconcat (state != NULL ? state : "", "\n", name, NULL),
                       GUINT_TO_POINTER (id + 1));
}

/* The id, plus one, of a tag with such a state; 0: there are too many. */
static guint32
find_tag (Source *source, const char *name, const char *state)
{
  g_autofree char *key = g_strconcat (state != NULL ? state : "", "\n", name, NULL);
  guint id = GPOINTER_TO_UINT (g_hash_table_lookup (source->ids, key));
  gsize bytes = strlen (name);
  SondeRecordTag tag;

  if (id != 0 || source->tags->len >= SONDE_TAG_TABLE_MAX_TAGS
      || bytes > SONDE_TAG_TABLE_MAX_BYTES - source->tag_bytes)
    return id;
  tag = (SondeRecordTag){ g_intern_string (name), state != NULL ? g_intern_string (state) : NULL };
  source->tag_bytes += bytes;
  g_array_append_val (source->tags, tag);
  g_hash_table_insert (source->ids, g_steal_pointer (&key), GUINT_TO_POINTER (source->tags->len));
  return source->tags->len;
}

static guint32
column_tag (Source *source, guint column)
{
  if (source->column_ids[column] == 0)
    source->column_ids[column] = find_tag (source, source->columns.names[column], NULL);
  return source->column_ids[column];
}

static guint32
text_tag (Source *source, guint column)
{
  if (source->text_ids[column] == 0)
    {
      g_autofree char *state = make_state (source, (int) column);

      source->text_ids[column] = find_tag (source, source->columns.names[column], state);
    }
  return source->text_ids[column];
}

/* Takes over the columns of a header that was found. */
static void
set_header (Source *source, SondeCsvColumns *columns)
{
  sonde_csv_columns_clear (&source->columns);
  source->columns = *columns;
  g_free (source->column_ids);
  g_free (source->text_ids);
  source->column_ids = g_new0 (guint32, columns->n);
  source->text_ids = g_new0 (guint32, columns->n);
  source->has_header = TRUE;
}

/* ---- rows ---------------------------------------------------------------- */

typedef struct
{
  const SondeCsvField *fields;
  guint n;
  gint64 step, wall_time_ns;
  gboolean has_wall;
  guint64 offset;
} Row;

static void
add_text (Source *source, SondeRecordBatch *batch, const Row *row, guint column)
{
  guint32 id = text_tag (source, column);
  SondeRecordRef ref = { id - 1, SONDE_RECORD_TEXT, row->step, row->wall_time_ns, 0, 1, FALSE };

  /* the part of the place is the tag: it says which column */
  if (id == 0 || id > SONDE_RECORD_PLACE_MAX_PARTS)
    return;
  ref.place = sonde_record_place (row->offset, id - 1);
  sonde_record_batch_add_ref (batch, &ref);
}

static void
add_wide (Source *source, SondeRecordBatch *batch, const Row *row)
{
  for (guint i = 0; i < MIN (row->n, source->columns.n); i++)
    {
      double number = 0;
      SondeCsvKind kind;
      guint32 id;

      if ((int) i == source->columns.step || ((int) i == source->columns.wall && row->has_wall)
          || *source->columns.names[i] == '\0')
        continue;
      kind = sonde_csv_field_value (&row->fields[i], source->separator, &number);
      if (kind == SONDE_CSV_TEXT)
        add_text (source, batch, row, i);
      else if (kind == SONDE_CSV_NUMBER && (id = column_tag (source, i)) != 0)
        sonde_record_batch_add_point (batch, id - 1, row->step, row->wall_time_ns, number, 1);
    }
}

/* A tag and its value in each row, perhaps of several runs. */
static void
add_long (Source *source, SondeRecordBatch *batch, const Row *row)
{
  const SondeCsvColumns *columns = &source->columns;
  const SondeCsvField *tag, *run;
  g_autofree char *name = NULL;
  double number;
  guint32 id;

  if ((int) row->n <= MAX (MAX (columns->tag, columns->value), columns->run)
      || sonde_csv_field_value (&row->fields[columns->value], source->separator, &number)
             != SONDE_CSV_NUMBER)
    return;
  tag = &row->fields[columns->tag];
  run = columns->run >= 0 ? &row->fields[columns->run] : NULL;
  if (run == NULL || run->length == 0 || (run->length == 1 && run->text[0] == '.'))
    name = g_strndup (tag->text, tag->length);
  else
    name = g_strdup_printf ("%.*s/%.*s", (int) MIN (run->length, 4096), run->text,
                            (int) MIN (tag->length, 4096), tag->text);
  id = find_tag (source, name, NULL);
  if (id != 0)
    sonde_record_batch_add_point (batch, id - 1, row->step, row->wall_time_ns, number, 1);
}

static gboolean
understand_row (Source *source, SondeCsvReader *reader, Row *row)
{
  const SondeCsvColumns *columns = &source->columns;

  row->fields = (const SondeCsvField *) reader->fields->data;
  row->n = reader->fields->len;
  row->wall_time_ns = 0;
  row->has_wall = columns->wall >= 0 && columns->wall < (int) row->n
                  && sonde_csv_field_time (&row->fields[columns->wall], source->separator,
                                           &row->wall_time_ns);
  row->has_wall |= columns->wall_is_sure;
  return columns->step < (int) row->n
         && sonde_csv_field_step (&row->fields[columns->step], source->separator, &row->step);
}

/* One row or header. FALSE: it is neither. *@n_records counts rows. */
static gboolean
take_row (Source *source, SondeCsvReader *reader, guint64 offset, SondeRecordBatch *batch,
          guint64 *n_records)
{
  Row row = { .offset = offset };
  SondeCsvColumns columns;

  if (!source->has_header || !understand_row (source, reader, &row))
    {
      if (!sonde_csv_columns_parse (reader->fields, &columns))
        return FALSE;
      set_header (source, &columns);
      return TRUE;
    }
  if (batch == NULL)
    return TRUE;
  (*n_records)++;
  if (row.wall_time_ns != 0)
    sonde_record_batch_note_time (batch, row.wall_time_ns);
  if (source->columns.tag >= 0)
    add_long (source, batch, &row);
  else
    add_wide (source, batch, &row);
  return TRUE;
}

static void
add_damage (GPtrArray *damage, guint64 offset, gsize bytes, const char *reason)
{
  SondeFrameDamage *stretch = g_new0 (SondeFrameDamage, 1);

  *stretch = (SondeFrameDamage){ offset, bytes, g_strdup (reason) };
  g_ptr_array_add (damage, stretch);
}

/* The fields of the bytes of one row; an empty line has none. */
static void
parse_row (Source *source, SondeCsvReader *reader, gsize begin, gsize end, guint64 offset,
           SondeRecordBatch *batch, GPtrArray *damage, guint64 *n_records)
{
  const char *text = (const char *) source->buffer->data;
  g_autoptr (GError) error = NULL;

  if (offset == 0)
    begin += skip_mark (text + begin, end - begin);
  if (source->separator == '\0')
    source->separator = sonde_csv_guess_separator (text + begin, end - begin);
  reader->at = text + begin;
  reader->end = text + end;
  reader->separator = source->separator != '\0' ? source->separator : ',';
  if (!sonde_csv_reader_next (reader, &error))
    {
      if (error != NULL && damage != NULL)
        add_damage (damage, offset, end - begin, "quotes inside a row that make no sense");
      return;
    }
  if (!take_row (source, reader, offset, batch, n_records) && damage != NULL)
    add_damage (damage, offset, end - begin,
                source->has_header ? "a row without a step" : "a row before any header");
}

/* Rows up to @limit, or some thousand of them. @batch: (nullable): only headers matter */
static RowResult
take_rows (Source *source, guint64 limit, SondeRecordBatch *batch, GPtrArray *damage,
           guint64 *n_records, GError **error)
{
  const guint64 first = source->start + source->used;
  SondeCsvReader reader = { .path = source->path };
  RowResult result = ROW_READ;
  gsize begin, end;

  while (result == ROW_READ && source->start + source->used < limit
         && source->start + source->used - first < CHUNK_BYTES * 4)
    {
      result = next_row (source, &begin, &end, error);
      if (result == ROW_READ)
        parse_row (source, &reader, begin, end, source->start + begin, batch, damage, n_records);
    }
  sonde_csv_reader_clear (&reader);
  return result;
}

/* ---- the format ---------------------------------------------------------- */

static void
csv_close (gpointer data)
{
  Source *source = data;

  sonde_io_close (source->io, source->fd);
  sonde_csv_columns_clear (&source->columns);
  g_byte_array_unref (source->buffer);
  g_hash_table_unref (source->ids);
  g_array_unref (source->tags);
  g_free (source->column_ids);
  g_free (source->text_ids);
  g_free (source->path);
  g_free (source);
}

static Source *
source_new (const SondeIo *io, const char *path, const SondeRecordTag *tags, gsize n_tags,
            GError **error)
{
  int fd = sonde_io_open_regular (io, path, NULL, error);
  Source *source;

  if (fd < 0)
    return NULL;
  source = g_new0 (Source, 1);
  source->io = io != NULL ? io : sonde_io_system ();
  source->fd = fd;
  source->path = g_strdup (path);
  source->buffer = g_byte_array_new ();
  source->tags = g_array_new (FALSE, TRUE, sizeof (SondeRecordTag));
  g_array_append_vals (source->tags, tags, (guint) n_tags);
  source->ids = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < n_tags; i++)
    if (tags[i].name != NULL)
      know_tag (source, tags[i].name, tags[i].state, i);
  return source;
}

/* Goes on behind @position: the header in force there is found first. */
static gpointer
csv_open (const SondeIo *io, const char *path, guint64 position, const SondeRecordTag *tags,
          gsize n_tags, GError **error)
{
  Source *source = source_new (io, path, tags, n_tags, error);

  if (source == NULL)
    return NULL;
  while (source->start + source->used < position)
    if (take_rows (source, position, NULL, NULL, NULL, NULL) != ROW_READ)
      break;
  if (source->start + source->used != position)
    {
      g_byte_array_set_size (source->buffer, 0);
      source->start = position;
      source->used = 0;
    }
  return source;
}

static SondeFrameResult
csv_next (gpointer data, SondeRecordBatch *batch, guint64 *position, guint64 *n_records,
          GPtrArray *damage, GError **error)
{
  Source *source = data;
  guint64 before = source->start + source->used;
  RowResult result;

  *n_records = 0;
  result = take_rows (source, G_MAXUINT64, batch, damage, n_records, error);
  *position = source->start + source->used;
  if (result == ROW_ERROR)
    return SONDE_FRAME_ERROR;
  return *position > before ? SONDE_FRAME_RECORD : SONDE_FRAME_WAITING;
}

static GArray *
csv_get_tags (gpointer data)
{
  return ((Source *) data)->tags;
}

/* ---- reading one --------------------------------------------------------- */

/* Numbers of make_state(). */
static gboolean
parse_state (const char *state, gint64 numbers[4])
{
  g_auto (GStrv) words = g_strsplit (state != NULL ? state : "", " ", 5);

  for (guint i = 0; i < 4; i++)
    if (g_strv_length (words) != 4
        || !g_ascii_string_to_signed (words[i], 10, -1, SONDE_CSV_MAX_FIELDS, &numbers[i], NULL))
      return FALSE;
  return TRUE;
}

static gboolean
fill_text (const Source *source, const SondeCsvReader *reader, const gint64 numbers[4],
           SondeRecord *record)
{
  const SondeCsvField *fields = (const SondeCsvField *) reader->fields->data;
  const gint64 n = reader->fields->len;

  if (numbers[0] < 0 || numbers[0] >= n || numbers[1] < 0 || numbers[1] >= n
      || !sonde_csv_field_step (&fields[numbers[1]], reader->separator, &record->step))
    return FALSE;
  if (numbers[2] >= 0 && numbers[2] < n)
    sonde_csv_field_time (&fields[numbers[2]], reader->separator, &record->wall_time_ns);
  record->kind = SONDE_RECORD_TEXT;
  record->session = 1;
  record->u.text = sonde_record_dup_text (fields[numbers[0]].text, fields[numbers[0]].length);
  return TRUE;
}

static gboolean
csv_read_place (const SondeIo *io, const char *path, guint64 place, const SondeRecordTag *tags,
                gsize n_tags, SondeRecord *record, GError **error)
{
  const guint part = sonde_record_place_part (place);
  SondeCsvReader reader = { .path = path };
  gboolean right = FALSE;
  gint64 numbers[4];
  Source *source;
  gsize begin, end;

  *record = (SondeRecord){ 0 };
  source = source_new (io, path, NULL, 0, error);
  if (source == NULL)
    return FALSE;
  source->start = sonde_record_place_offset (place);
  source->is_whole = TRUE;
  if (part < n_tags && parse_state (tags[part].state, numbers))
    {
      source->separator = reader.separator = (char) numbers[3];
      if (next_row (source, &begin, &end, NULL) == ROW_READ)
        {
          reader.at = (const char *) source->buffer->data + begin;
          reader.end = (const char *) source->buffer->data + end;
          right = sonde_csv_reader_next (&reader, NULL)
                  && fill_text (source, &reader, numbers, record);
        }
      record->tag = tags[part].name;
    }
  sonde_csv_reader_clear (&reader);
  csv_close (source);
  if (!right)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                     "“%s” no longer has this row at byte %" PRIu64, path,
                     sonde_record_place_offset (place));
  return right;
}

const SondeRecordFormat sonde_record_format_csv = {
  .name = "csv",
  .recognises = recognises,
  .probe = probe,
  .open = csv_open,
  .next = csv_next,
  .get_tags = csv_get_tags,
  .close = csv_close,
  .read_place = csv_read_place,
};
