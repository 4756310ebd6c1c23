/* SPDX-License-Identifier: Apache-2.0 */
#include "data/traces/sonde-trace-mindspore.h"

#include <string.h>

#include "data/base/sonde-csv.h"
#include "data/traces/sonde-trace-texts.h"

#define OUTPUT_FOLDER "ASCEND_PROFILER_OUTPUT"
#define TRACE_NAME "trace_view.json"
#define TABLE_BYTES_MAX ((guint64) 256 << 20)

/* Tables with the name and the type of operators. @folder: beside the trace's; @prefix: of the file */
static const struct
{
  const char *folder, *prefix, *name, *type;
} tables[] = {
  { "FRAMEWORK", "cpu_op_detail_info", "full_op_name", "op_type" },
  { OUTPUT_FOLDER, "kernel_details", "Name", "Type" },
};

/* ---- the folder ---------------------------------------------------------- */

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* Names of what is in @path, sorted. */
static GPtrArray *
list_names (const char *path)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  return names;
}

static void
add_trace (GPtrArray *paths, const char *folder, const char *inner)
{
  g_autofree char *path = g_build_filename (folder, inner, TRACE_NAME, NULL);

  if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
    g_ptr_array_add (paths, g_steal_pointer (&path));
}

GPtrArray *
sonde_trace_list_folder (const char *path)
{
  GPtrArray *paths = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) names = list_names (path);

  add_trace (paths, path, "");
  add_trace (paths, path, OUTPUT_FOLDER);
  for (guint i = 0; i < names->len; i++)
    if (g_str_has_suffix (g_ptr_array_index (names, i), "_ascend_ms"))
      {
        g_autofree char *folder = g_build_filename (path, g_ptr_array_index (names, i), NULL);

        add_trace (paths, folder, OUTPUT_FOLDER);
      }
  return paths;
}

/* ---- types --------------------------------------------------------------- */

static gboolean
is_field (const SondeCsvField *field, const char *text)
{
  return field->length == strlen (text) && memcmp (field->text, text, field->length) == 0;
}

/* The column with @name in the head; -1 when there is none. */
static int
find_column (const GArray *fields, const char *name)
{
  for (guint i = 0; i < fields->len; i++)
    if (is_field (&g_array_index (fields, SondeCsvField, i), name))
      return (int) i;
  return -1;
}

/* @types: name → type */
static void
read_rows (GHashTable *types, SondeCsvReader *reader, const char *name_head, const char *type_head)
{
  int name_column, type_column;

  if (!sonde_csv_reader_next (reader, NULL))
    return;
  name_column = find_column (reader->fields, name_head);
  type_column = find_column (reader->fields, type_head);
  while (name_column >= 0 && type_column >= 0 && sonde_csv_reader_next (reader, NULL))
    {
      const SondeCsvField *fields = (const SondeCsvField *) reader->fields->data;

      if (MAX (name_column, type_column) < (int) reader->fields->len)
        g_hash_table_insert (types,
                             g_strndup (fields[name_column].text, fields[name_column].length),
                             g_strndup (fields[type_column].text, fields[type_column].length));
    }
}

static void
read_table (GHashTable *types, const SondeIo *io, const char *path, guint table)
{
  g_autoptr (GBytes) bytes = sonde_io_read_file (io, path, TABLE_BYTES_MAX, NULL);
  SondeCsvReader reader = { .path = path, .separator = ',' };
  gsize n;

  if (bytes == NULL)
    return;
  reader.at = g_bytes_get_data (bytes, &n);
  reader.end = reader.at + n;
  read_rows (types, &reader, tables[table].name, tables[table].type);
  sonde_csv_reader_clear (&reader);
}

/* @folder: the one in which the trace lies */
static void
read_tables (GHashTable *types, const SondeIo *io, const char *folder, guint table)
{
  g_autofree char *path = g_build_filename (folder, "..", tables[table].folder, NULL);
  g_autoptr (GPtrArray) names = list_names (path);

  for (guint i = 0; i < names->len; i++)
    {
      const char *name = g_ptr_array_index (names, i);
      g_autofree char *file = g_build_filename (path, name, NULL);

      if (g_str_has_prefix (name, tables[table].prefix) && g_str_has_suffix (name, ".csv"))
        read_table (types, io, file, table);
    }
}

static int
compare_operators (gconstpointer a, gconstpointer b)
{
  guint32 x = ((const SondeTraceOperator *) a)->span, y = ((const SondeTraceOperator *) b)->span;

  return (x > y) - (x < y);
}

void
sonde_trace_add_types (SondeTrace *trace, const SondeIo *io, const char *path)
{
  g_autoptr (GHashTable) types = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autofree char *folder = g_path_get_dirname (path);

  for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
    read_tables (types, io, folder, i);
  if (g_hash_table_size (types) == 0)
    return;
  for (gsize i = 0; i < trace->n_spans; i++)
    {
      const SondeTraceLabel *label = sonde_trace_get_label (trace, trace->spans[i].label);
      const char *type = g_hash_table_lookup (types, label->name);
      SondeTraceOperator named = { (guint32) i, NULL, 0, 0 };

      if (type == NULL)
        continue;
      named.type
          = sonde_trace_texts_get (trace->texts, sonde_trace_texts_add_string (trace->texts, type));
      g_array_append_val (trace->operators, named);
    }
  g_array_sort (trace->operators, compare_operators);
}
