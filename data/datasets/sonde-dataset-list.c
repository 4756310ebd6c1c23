/* SPDX-License-Identifier: Apache-2.0
 * A table of images: file, class, and the object's box where it is known. Tabs between fields, no
 * quotes. */
#include "data/datasets/sonde-dataset-sources.h"

#include <string.h>

#include "data/base/sonde-csv.h"
#include "data/base/sonde-error.h"
#include "data/datasets/sonde-dataset-request.h"
#include "data/datasets/sonde-image-files.h"

#define MAX_TABLE_BYTES ((guint64) 1 << 30)
#define MAX_CLASSES 100000
#define MAX_SIDE 65536

enum
{
  FILE_COLUMN,
  CLASS_COLUMN,
  X_COLUMN,
  Y_COLUMN,
  WIDTH_COLUMN,
  HEIGHT_COLUMN,
  N_COLUMNS,
};

static const struct
{
  const char *name, *alias;
  int column;
} column_names[] = {
  { "file", "image", FILE_COLUMN }, { "class", "label", CLASS_COLUMN },
  { "x", "x", X_COLUMN },           { "y", "y", Y_COLUMN },
  { "w", "width", WIDTH_COLUMN },   { "h", "height", HEIGHT_COLUMN },
};

typedef struct
{
  const char *path;
  int columns[N_COLUMNS]; /* -1: not there */
  GArray *images;         /* of SondeImageFile */
  GPtrArray *names;       /* text of each one's class */
} Table;

static gboolean
read_header (Table *table, SondeCsvReader *reader, GError **error)
{
  for (int c = 0; c < N_COLUMNS; c++)
    table->columns[c] = -1;
  if (!sonde_csv_reader_next (reader, error))
    {
      if (error != NULL && *error == NULL)
        sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED, "“%s” is empty",
                         table->path);
      return FALSE;
    }
  for (guint i = 0; i < reader->fields->len; i++)
    {
      const SondeCsvField *field = &g_array_index (reader->fields, SondeCsvField, i);
      g_autofree char *name = g_strndup (field->text, field->length);

      g_strstrip (name);
      for (gsize k = 0; k < G_N_ELEMENTS (column_names); k++)
        if (table->columns[column_names[k].column] < 0
            && (g_ascii_strcasecmp (name, column_names[k].name) == 0
                || g_ascii_strcasecmp (name, column_names[k].alias) == 0))
          table->columns[column_names[k].column] = (int) i;
    }
  if (table->columns[FILE_COLUMN] >= 0 && table->columns[CLASS_COLUMN] >= 0)
    return TRUE;
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                   "“%s” lacks the column “%s” in its first line; a list of images begins with a "
                   "header: file, class, and "
                   "x, y, w, h where boxes are known, with tabs between them",
                   table->path, table->columns[FILE_COLUMN] < 0 ? "file" : "class");
  return FALSE;
}

static char *
dup_field (const Table *table, const SondeCsvReader *reader, int column)
{
  int index = table->columns[column];
  const SondeCsvField *field;

  if (index < 0 || (guint) index >= reader->fields->len)
    return g_strdup ("");
  field = &g_array_index (reader->fields, SondeCsvField, index);
  return g_strstrip (g_strndup (field->text, field->length));
}

/* All four numbers, or none. */
static gboolean
read_box (const Table *table, const SondeCsvReader *reader, SondeImageFile *image, GError **error)
{
  double numbers[4];
  int n = 0;

  for (int c = X_COLUMN; c <= HEIGHT_COLUMN; c++)
    {
      g_autofree char *text = dup_field (table, reader, c);
      SondeCsvField field = { text, strlen (text) };

      if (text[0] == '\0')
        continue;
      if (!sonde_csv_field_number (&field, &numbers[c - X_COLUMN])
          || numbers[c - X_COLUMN] < -MAX_SIDE || numbers[c - X_COLUMN] > MAX_SIDE)
        {
          sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                           "“%s”, line %" PRIu64 ": “%s” is not a number of pixels", table->path,
                           reader->line, text);
          return FALSE;
        }
      n++;
    }
  image->has_box = n == 4 && numbers[2] > 0 && numbers[3] > 0;
  if (image->has_box)
    image->box
        = (SondeBox){ (int) numbers[0], (int) numbers[1], (int) numbers[2], (int) numbers[3] };
  return TRUE;
}

static gboolean
read_rows (Table *table, SondeCsvReader *reader, GError **error)
{
  g_autoptr (GError) reason = NULL;

  while (sonde_csv_reader_next (reader, &reason))
    {
      SondeImageFile image = { .name = dup_field (table, reader, FILE_COLUMN), .label = -1 };

      if (image.name[0] == '\0' || !read_box (table, reader, &image, error))
        {
          if (image.name[0] == '\0')
            sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                             "“%s”, line %" PRIu64 ": names no file", table->path, reader->line);
          g_free (image.name);
          return FALSE;
        }
      g_array_append_val (table->images, image);
      g_ptr_array_add (table->names, dup_field (table, reader, CLASS_COLUMN));
    }
  if (reason == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&reason));
  return FALSE;
}

static int
compare_names (const void *a, const void *b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

static gboolean
as_index (const char *text, guint64 *index)
{
  return g_ascii_string_to_unsigned (text, 10, 0, MAX_CLASSES - 1, index, NULL);
}

/* The classes there are: those given; 0 to the largest where all are numbers; else the distinct
 * names sorted. */
static char **
find_classes (const Table *table, const char *const *given)
{
  g_autoptr (GPtrArray) classes = g_ptr_array_new ();
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  gboolean numbers = TRUE;
  guint64 largest = 0, index;

  if (given != NULL)
    return g_strdupv ((char **) given);
  for (guint i = 0; i < table->names->len; i++)
    {
      char *name = g_ptr_array_index (table->names, i);

      if (name[0] == '\0' || !g_hash_table_add (seen, name))
        continue;
      numbers = numbers && as_index (name, &index);
      largest = numbers ? MAX (largest, index) : 0;
      g_ptr_array_add (classes, g_strdup (name));
    }
  g_ptr_array_sort (classes, compare_names);
  if (numbers && classes->len > 0)
    {
      for (guint i = 0; i < classes->len; i++)
        g_free (g_ptr_array_index (classes, i));
      g_ptr_array_set_size (classes, 0);
      for (guint64 c = 0; c <= largest; c++)
        g_ptr_array_add (classes, g_strdup_printf ("%" PRIu64, c));
    }
  g_ptr_array_add (classes, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&classes), FALSE);
}

static gboolean
set_labels (Table *table, char **classes, GError **error)
{
  g_autoptr (GHashTable) indices = g_hash_table_new (g_str_hash, g_str_equal);
  guint n = g_strv_length (classes);

  for (guint c = 0; c < n; c++)
    g_hash_table_insert (indices, classes[c], GUINT_TO_POINTER (c + 1));
  for (guint i = 0; i < table->names->len; i++)
    {
      const char *name = g_ptr_array_index (table->names, i);
      guint found = GPOINTER_TO_UINT (g_hash_table_lookup (indices, name));
      guint64 index;

      if (name[0] == '\0')
        continue;
      if (found == 0 && as_index (name, &index) && index < n)
        found = (guint) index + 1;
      if (found == 0)
        {
          sonde_set_error (
              error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
              "“%s”: “%s” has the class “%s”, which is none of the %u names given for the classes",
              table->path, g_array_index (table->images, SondeImageFile, i).name, name, n);
          return FALSE;
        }
      g_array_index (table->images, SondeImageFile, i).label = (int) found - 1;
    }
  return TRUE;
}

static void
free_image_files (GArray *images)
{
  for (guint i = 0; i < images->len; i++)
    g_free (g_array_index (images, SondeImageFile, i).name);
  g_array_unref (images);
}

SondeDataset *
sonde_dataset_list_open (SondeDatasetRequest *request, GError **error)
{
  g_autoptr (GBytes) bytes
      = sonde_io_read_file (request->options->io, request->argument, MAX_TABLE_BYTES, error);
  Table table = { .path = request->argument };
  SondeCsvReader reader = { .path = request->argument, .separator = '\t' };
  g_autofree char *folder = g_path_get_dirname (request->argument);
  g_auto (GStrv) classes = NULL;
  gboolean good;

  if (bytes == NULL)
    return NULL;
  reader.at = g_bytes_get_data (bytes, NULL);
  reader.end = reader.at + g_bytes_get_size (bytes);
  table.images = g_array_new (FALSE, FALSE, sizeof (SondeImageFile));
  table.names = g_ptr_array_new_with_free_func (g_free);
  good = read_header (&table, &reader, error) && read_rows (&table, &reader, error);
  sonde_csv_reader_clear (&reader);
  if (good)
    {
      classes = find_classes (&table, request->options->names);
      good = set_labels (&table, classes, error);
    }
  g_ptr_array_unref (table.names);
  if (!good)
    {
      free_image_files (table.images);
      return NULL;
    }
  return sonde_dataset_image_files_open (request, folder, table.images, g_steal_pointer (&classes),
                                         error);
}
