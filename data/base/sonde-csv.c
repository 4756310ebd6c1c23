/* SPDX-License-Identifier: Apache-2.0
 * Rows and fields of a CSV text. */
#include "data/base/sonde-csv.h"

#include "data/base/sonde-error.h"

#include <math.h>
#include <string.h>

void
sonde_csv_reader_clear (SondeCsvReader *reader)
{
  g_clear_pointer (&reader->fields, g_array_unref);
  if (reader->unquoted != NULL)
    g_string_free (g_steal_pointer (&reader->unquoted), TRUE);
}

static void
add_field (SondeCsvReader *reader,
           const char *text, /* NULL: it is the end of unquoted, from @length on */
           gsize length)
{
  SondeCsvField field = { text, length };

  g_array_append_val (reader->fields, field);
}

/* Behind the opening quote: up to the closing one, doubled ones undone, into unquoted. */
static gboolean
read_quoted (SondeCsvReader *reader, GError **error)
{
  while (reader->at < reader->end)
    {
      const char *quote = memchr (reader->at, '"', (gsize) (reader->end - reader->at));
      const char *stop = quote != NULL ? quote : reader->end;

      for (const char *p = reader->at; (p = memchr (p, '\n', (gsize) (stop - p))) != NULL; p++)
        reader->next_line++;
      g_string_append_len (reader->unquoted, reader->at, stop - reader->at);
      reader->at = stop;
      if (quote == NULL)
        break;
      reader->at++;
      if (reader->at == reader->end || *reader->at != '"')
        return TRUE;
      g_string_append_c (reader->unquoted, '"');
      reader->at++;
    }
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                   "“%s”, line %" PRIu64 ": a quoted field has no end", reader->path, reader->line);
  return FALSE;
}

/* One field; the separator or line end behind it stays. */
static gboolean
read_field (SondeCsvReader *reader, GError **error)
{
  const char *begin = reader->at;

  if (begin < reader->end && *begin == '"')
    {
      gsize from = reader->unquoted->len;

      reader->at++;
      if (!read_quoted (reader, error))
        return FALSE;
      add_field (reader, NULL, from);
      if (reader->at == reader->end || *reader->at == reader->separator || *reader->at == '\n'
          || *reader->at == '\r')
        return TRUE;
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                       "“%s”, line %" PRIu64 ", column %u: there is text behind the closing quote",
                       reader->path, reader->line, reader->fields->len);
      return FALSE;
    }
  while (reader->at < reader->end && *reader->at != reader->separator && *reader->at != '\n'
         && *reader->at != '\r')
    reader->at++;
  add_field (reader, begin, (gsize) (reader->at - begin));
  return TRUE;
}

/* "\n", "\r\n" or "\r", if there is one. */
static gboolean
skip_line_end (SondeCsvReader *reader)
{
  const char *begin = reader->at;

  if (reader->at < reader->end && *reader->at == '\r')
    reader->at++;
  if (reader->at < reader->end && *reader->at == '\n')
    reader->at++;
  reader->next_line += reader->at > begin;
  return reader->at > begin;
}

/* Quoted fields know where they begin in a buffer that has stopped moving only now. */
static void
place_unquoted (SondeCsvReader *reader)
{
  gsize end = reader->unquoted->len;

  for (guint i = reader->fields->len; i-- > 0;)
    {
      SondeCsvField *field = &g_array_index (reader->fields, SondeCsvField, i);

      if (field->text == NULL)
        {
          gsize from = field->length;

          *field = (SondeCsvField){ reader->unquoted->str + from, end - from };
          end = from;
        }
    }
}

gboolean
sonde_csv_reader_next (SondeCsvReader *reader, GError **error)
{
  if (reader->fields == NULL)
    {
      reader->fields = g_array_new (FALSE, FALSE, sizeof (SondeCsvField));
      reader->unquoted = g_string_new (NULL);
      reader->next_line = 1;
    }
  while (skip_line_end (reader))
    ;
  g_array_set_size (reader->fields, 0);
  g_string_truncate (reader->unquoted, 0);
  reader->line = reader->next_line;
  if (reader->at == reader->end)
    return FALSE;
  for (;;)
    {
      if (reader->fields->len == SONDE_CSV_MAX_FIELDS)
        {
          sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                           "“%s”, line %" PRIu64 ": there are more than %d columns", reader->path,
                           reader->line, SONDE_CSV_MAX_FIELDS);
          return FALSE;
        }
      if (!read_field (reader, error))
        return FALSE;
      if (reader->at == reader->end || *reader->at != reader->separator)
        break;
      reader->at++;
    }
  skip_line_end (reader);
  place_unquoted (reader);
  return TRUE;
}

/* Whole numbers are most of what is read, and the general way is slow. */
static gboolean
small_number (const char *p, const char *end, double *number)
{
  gboolean negative = p < end && *p == '-';
  guint value = 0;

  p += negative;
  if (p == end || end - p > 8)
    return FALSE;
  for (; p < end; p++)
    {
      if (!g_ascii_isdigit (*p))
        return FALSE;
      value = 10 * value + (guint) (*p - '0');
    }
  *number = negative ? -(double) value : (double) value;
  return TRUE;
}

gboolean
sonde_csv_field_number (const SondeCsvField *field, double *number)
{
  const char *begin = field->text, *end = field->text + field->length;
  char text[64], *stop;
  gsize length;

  while (begin < end && (*begin == ' ' || *begin == '\t'))
    begin++;
  while (end > begin && (end[-1] == ' ' || end[-1] == '\t'))
    end--;
  if (small_number (begin, end, number))
    return TRUE;
  length = (gsize) (end - begin);
  if (length == 0 || length >= sizeof text)
    return FALSE;
  memcpy (text, begin, length);
  text[length] = '\0';
  *number = g_ascii_strtod (text, &stop);
  return stop == text + length && !isnan (*number);
}
