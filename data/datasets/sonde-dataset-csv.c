/* SPDX-License-Identifier: Apache-2.0
 * A CSV file of numbers: each row a sample, one or several columns its label. */
#include "data/datasets/sonde-dataset-sources.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-budget.h"
#include "data/base/sonde-checked.h"
#include "data/base/sonde-csv.h"
#include "data/base/sonde-error.h"
#include "data/datasets/sonde-dataset-request.h"
#include "data/datasets/sonde-dataset-settings.h"

#define MAX_CLASSES 100000
#define MAX_WHOLE_CLASS 10000 /* whole numbers from 0 up to this are classes as they are */
#define MAX_LABELS 4096

typedef enum
{
  SETTING_LABEL,
  SETTING_KIND,
  SETTING_HEADER,
  SETTING_MISSING,
  SETTING_SHAPE,
  SETTING_SEPARATOR,
  N_SETTINGS
} Setting;

static const SondeDatasetSetting settings[N_SETTINGS] = {
  [SETTING_LABEL] = { "label", N_ ("a column by name or number, several with commas, or none") },
  [SETTING_KIND] = { "kind", N_ ("auto, class or number") },
  [SETTING_HEADER] = { "header", N_ ("auto, yes or no") },
  [SETTING_MISSING] = { "missing", N_ ("error, mean or a number") },
  [SETTING_SHAPE] = { "shape", N_ ("C×H×W as 3x32x32") },
  [SETTING_SEPARATOR] = { "separator", N_ ("a character, or tab") },
};

typedef struct
{
  SondeDataset base;
  gsize n_features, n_labels;
  GArray *features; /* of float [n, n_features] */
  GArray *labels;   /* of float [n, n_labels], or guint [n]: class numbers */
} Csv;

static const SondeDatasetClass csv_class;

/**
 * Load: what is known while reading
 * @is_label: [n_columns]
 * @texts: of classes, in the order found -> their number + 1
 */
typedef struct
{
  Csv *csv;
  SondeCsvReader reader;
  char *values[N_SETTINGS];
  const char *path;
  guint n_columns;
  char **names; /* (nullable): of the columns */
  guint8 *is_label;
  gboolean fill_mean, fill;
  float filling;
  GHashTable *texts;
  GPtrArray *class_names;
  GArray *class_numbers; /* of guint [n] */
  gboolean all_numbers, all_whole;
} Load;

static const SondeCsvField *
field_of (const Load *load, guint column)
{
  return &g_array_index (load->reader.fields, SondeCsvField, column);
}

static gboolean
is_missing (const SondeCsvField *field)
{
  static const char *const texts[] = { "", "NA", "N/A", "NaN", "nan", "null", "NULL", "?" };
  g_autofree char *text
      = field->length < 8 ? g_strstrip (g_strndup (field->text, field->length)) : NULL;

  for (gsize i = 0; text != NULL && i < G_N_ELEMENTS (texts); i++)
    if (g_str_equal (text, texts[i]))
      return TRUE;
  return FALSE;
}

/* ---- header and columns -------------------------------------------------- */

static gboolean
has_header (const Load *load)
{
  const char *wanted = load->values[SETTING_HEADER];

  if (wanted != NULL && !g_str_equal (wanted, "auto"))
    return g_str_equal (wanted, "yes");
  for (guint i = 0; i < load->n_columns; i++)
    {
      double number;

      if (sonde_csv_field_number (field_of (load, i), &number))
        return FALSE;
    }
  return TRUE;
}

static gint64
find_column (const Load *load, const char *text)
{
  gint64 number;

  for (guint i = 0; load->names != NULL && i < load->n_columns; i++)
    if (g_str_equal (load->names[i], text))
      return i;
  if (!g_ascii_string_to_signed (text, 10, -(gint64) load->n_columns, (gint64) load->n_columns - 1,
                                 &number, NULL))
    return -1;
  return number < 0 ? number + load->n_columns : number;
}

static gint64
default_label (const Load *load)
{
  static const char *const names[] = { "label", "class", "target", "y" };

  for (gsize k = 0; load->names != NULL && k < G_N_ELEMENTS (names); k++)
    for (guint i = 0; i < load->n_columns; i++)
      if (g_ascii_strcasecmp (load->names[i], names[k]) == 0)
        return i;
  return load->n_columns - 1;
}

static gboolean
refuse_column (const Load *load, const char *text, GError **error)
{
  g_autofree char *names
      = load->names != NULL && load->n_columns <= 100 ? g_strjoinv (", ", load->names) : NULL;

  if (names != NULL)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                     "“%s” has no column “%s” for the label; there are 0 to %u: %s", load->path,
                     text, load->n_columns - 1, names);
  else
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                     "“%s” has no column “%s” for the label; there are 0 to %u", load->path, text,
                     load->n_columns - 1);
  return FALSE;
}

static gboolean
find_labels (Load *load, GError **error)
{
  const char *wanted = load->values[SETTING_LABEL];
  g_auto (GStrv) parts = g_strsplit (wanted != NULL ? wanted : "", ",", -1);

  load->is_label = g_malloc0 (load->n_columns);
  if (wanted == NULL)
    load->is_label[default_label (load)] = TRUE;
  for (gsize i = 0; wanted != NULL && !g_str_equal (wanted, "none") && parts[i] != NULL; i++)
    {
      gint64 column = find_column (load, g_strstrip (parts[i]));

      if (column < 0 || i == MAX_LABELS)
        return refuse_column (load, parts[i], error);
      load->is_label[column] = TRUE;
    }
  for (guint i = 0; i < load->n_columns; i++)
    load->csv->n_labels += load->is_label[i];
  load->csv->n_features = load->n_columns - load->csv->n_labels;
  if (load->csv->n_features > 0)
    return TRUE;
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                   "“%s” has %u columns, all of them labels; none is left to learn from",
                   load->path, load->n_columns);
  return FALSE;
}

/* The first row, which is a header or a sample. */
static gboolean
begin (Load *load, gboolean *first_is_sample, GError **error)
{
  g_autoptr (GError) reason = NULL;

  if (!sonde_csv_reader_next (&load->reader, &reason))
    {
      if (reason == NULL)
        sonde_set_error (&reason, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED, "“%s” is empty",
                         load->path);
      g_propagate_error (error, g_steal_pointer (&reason));
      return FALSE;
    }
  load->n_columns = load->reader.fields->len;
  *first_is_sample = !has_header (load);
  if (!*first_is_sample)
    {
      load->names = g_new0 (char *, (gsize) load->n_columns + 1);
      for (guint i = 0; i < load->n_columns; i++)
        {
          g_autofree char *text = g_strndup (field_of (load, i)->text, field_of (load, i)->length);

          load->names[i] = g_strstrip (g_utf8_make_valid (text, -1));
        }
    }
  return find_labels (load, error);
}

/* ---- rows ---------------------------------------------------------------- */

static gboolean
refuse_field (const Load *load, guint column, const char *reason, GError **error)
{
  const SondeCsvField *field = field_of (load, column);
  g_autofree char *raw = g_strndup (field->text, MIN (field->length, 40));
  g_autofree char *text = g_utf8_make_valid (raw, -1);

  if (load->names != NULL)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                     "“%s”, line %" PRIu64 ", column %u (%s): “%s” %-s", load->path,
                     load->reader.line, column, load->names[column], text, reason);
  else
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                     "“%s”, line %" PRIu64 ", column %u: “%s” %-s", load->path, load->reader.line,
                     column, text, reason);
  return FALSE;
}

/* A missing number is NaN until the mean is known. */
static gboolean
read_feature (Load *load, guint column, GError **error)
{
  const SondeCsvField *field = field_of (load, column);
  double number;
  float kept;

  if (!sonde_csv_field_number (field, &number))
    {
      if (!is_missing (field))
        return refuse_field (load, column, N_ ("is not a number"), error);
      if (!load->fill)
        return refuse_field (load, column,
                             N_ ("is missing; missing=mean or missing=NUMBER fill it"), error);
      number = load->fill_mean ? NAN : (double) load->filling;
    }
  else if (isinf (number) || fabs (number) > 3.4e38)
    return refuse_field (load, column, N_ ("is too large"), error);
  kept = (float) number;
  g_array_append_val (load->csv->features, kept);
  return TRUE;
}

static gboolean
read_label (Load *load, guint column, GError **error)
{
  const SondeCsvField *field = field_of (load, column);
  double number = NAN;
  gboolean is_number = sonde_csv_field_number (field, &number) && isfinite (number);
  float kept = (float) number;
  guint class_number;

  if (!is_number && is_missing (field))
    return refuse_field (load, column, N_ ("is not a label"), error);
  load->all_numbers = load->all_numbers && is_number;
  load->all_whole = load->all_whole && is_number && number >= 0 && number == floor (number);
  g_array_append_val (load->csv->labels, kept);
  if (load->csv->n_labels > 1 || load->texts == NULL)
    return is_number ? TRUE
                     : refuse_field (load, column,
                                     N_ ("is not a number; several labels must be numbers"), error);

  {
    g_autofree char *text = g_strstrip (g_strndup (field->text, field->length));

    class_number = GPOINTER_TO_UINT (g_hash_table_lookup (load->texts, text));
    if (class_number == 0)
      {
        g_ptr_array_add (load->class_names, g_strdup (text));
        class_number = load->class_names->len;
        g_hash_table_insert (load->texts, g_ptr_array_index (load->class_names, class_number - 1),
                             GUINT_TO_POINTER (class_number));
      }
  }
  class_number--;
  g_array_append_val (load->class_numbers, class_number);
  return TRUE;
}

static gboolean
check_row (const Load *load, GError **error)
{
  guint64 bytes;

  if (load->reader.fields->len != load->n_columns)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                       "“%s”, line %" PRIu64 ": there are %u columns, in the first row %u",
                       load->path, load->reader.line, load->reader.fields->len, load->n_columns);
      return FALSE;
    }
  if (sonde_checked_mul (&bytes, ((guint64) load->csv->base.n + 1) * sizeof (float),
                         (guint64) load->n_columns)
      && bytes <= SONDE_BUDGET_PARSE_BYTES)
    return TRUE;
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                   "“%s”, line %" PRIu64 ": the numbers up to here need more than %d MiB",
                   load->path, load->reader.line, (int) (SONDE_BUDGET_PARSE_BYTES >> 20));
  return FALSE;
}

static gboolean
read_row (Load *load, GError **error)
{
  if (!check_row (load, error))
    return FALSE;
  for (guint i = 0; i < load->n_columns; i++)
    if (!(load->is_label[i] ? read_label : read_feature) (load, i, error))
      return FALSE;
  load->csv->base.n++;
  return TRUE;
}

static gboolean
read_rows (Load *load, GError **error)
{
  g_autoptr (GError) reason = NULL;
  gboolean is_sample;

  if (!begin (load, &is_sample, error))
    return FALSE;
  if (is_sample && !read_row (load, error))
    return FALSE;
  while (sonde_csv_reader_next (&load->reader, &reason))
    if (!read_row (load, error))
      return FALSE;
  if (reason == NULL && load->csv->base.n == 0)
    sonde_set_error (&reason, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                     "“%s” has a header and no rows", load->path);
  if (reason == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&reason));
  return FALSE;
}

/* ---- what the rows mean -------------------------------------------------- */

static gboolean
fill_means (Load *load, GError **error)
{
  float *features = (float *) (void *) load->csv->features->data;
  gsize n_features = load->csv->n_features;

  for (gsize k = 0; load->fill_mean && k < n_features; k++)
    {
      double sum = 0;
      guint n = 0;

      for (guint i = 0; i < load->csv->base.n; i++)
        if (!isnan (features[i * n_features + k]))
          {
            sum += (double) features[i * n_features + k];
            n++;
          }
      for (guint i = 0; i < load->csv->base.n; i++)
        if (isnan (features[i * n_features + k]))
          features[i * n_features + k] = n > 0 ? (float) (sum / n) : 0;
    }
  return TRUE;
}

static int
compare_numbers (const void *a, const void *b)
{
  double first = g_ascii_strtod (*(char *const *) a, NULL),
         second = g_ascii_strtod (*(char *const *) b, NULL);

  return (first > second) - (first < second);
}

static int
compare_texts (const void *a, const void *b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* Classes get numbers in the order of their texts, or of their numbers. */
static void
sort_classes (Load *load)
{
  guint n = load->class_names->len;
  g_autofree guint *numbers = g_new (guint, MAX (n, 1));
  g_autoptr (GPtrArray) sorted = g_ptr_array_sized_new (n);

  g_ptr_array_extend (sorted, load->class_names, NULL, NULL);
  g_ptr_array_sort (sorted, load->all_numbers ? compare_numbers : compare_texts);
  for (guint i = 0; i < n; i++)
    numbers[GPOINTER_TO_UINT (g_hash_table_lookup (load->texts, g_ptr_array_index (sorted, i))) - 1]
        = i;
  for (guint i = 0; i < load->csv->base.n; i++)
    g_array_index (load->csv->labels, guint, i)
        = numbers[g_array_index (load->class_numbers, guint, i)];
  load->csv->base.n_classes = n;
  load->csv->base.classes = g_new0 (char *, (gsize) n + 1);
  for (guint i = 0; i < n; i++)
    load->csv->base.classes[i] = g_utf8_make_valid (g_ptr_array_index (sorted, i), -1);
}

/* Whole numbers that begin with 0 are classes as they are: one that no row has keeps its number. */
static gboolean
take_whole_classes (Load *load)
{
  float largest = 0, smallest = G_MAXFLOAT;

  for (guint i = 0; i < load->csv->base.n; i++)
    {
      largest = MAX (largest, g_array_index (load->csv->labels, float, i));
      smallest = MIN (smallest, g_array_index (load->csv->labels, float, i));
    }
  if (smallest > 0 || largest > MAX_WHOLE_CLASS)
    return FALSE;
  for (guint i = 0; i < load->csv->base.n; i++)
    g_array_index (load->csv->labels, guint, i)
        = (guint) g_array_index (load->csv->labels, float, i);
  sonde_dataset_number_classes (&load->csv->base, (guint) largest + 1);
  return TRUE;
}

static gboolean
take_labels (Load *load, GError **error)
{
  Csv *csv = load->csv;
  const char *kind = load->values[SETTING_KIND] != NULL ? load->values[SETTING_KIND] : "auto";
  gboolean automatic = g_str_equal (kind, "auto");
  gboolean classes
      = csv->n_labels <= 1 && load->texts != NULL
        && (g_str_equal (kind, "class") || (automatic && (!load->all_numbers || load->all_whole)));

  csv->base.label_dtype = classes || csv->n_labels == 0 ? SONDE_DTYPE_I64 : SONDE_DTYPE_F32;
  csv->base.label_shape = csv->base.label_dtype == SONDE_DTYPE_I64
                              ? sonde_shape_scalar ()
                              : sonde_shape_make (1, csv->n_labels);
  if (!classes || csv->n_labels == 0)
    {
      sonde_dataset_number_classes (&csv->base, 0);
      return TRUE;
    }
  if (load->class_names->len > MAX_CLASSES)
    {
      sonde_set_error (
          error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
          "“%s” has %u different labels, too many for classes; kind=number takes them as numbers",
          load->path, load->class_names->len);
      return FALSE;
    }
  if (!load->all_whole || !take_whole_classes (load))
    sort_classes (load);
  return TRUE;
}

static gboolean
take_shape (Load *load, GError **error)
{
  Csv *csv = load->csv;
  const char *text = load->values[SETTING_SHAPE];
  g_auto (GStrv) parts = g_strsplit (text != NULL ? text : "", "x", -1);
  guint64 sizes[3] = { 1, 1, csv->n_features };
  guint n = g_strv_length (parts);
  gboolean right = text == NULL || n == 2 || n == 3;

  for (guint i = 0; right && i < n && text != NULL; i++)
    right = g_ascii_string_to_unsigned (parts[i], 10, 1, 1 << 20, &sizes[3 - n + i], NULL);
  if (!right || sizes[0] > 4096 || sizes[0] * sizes[1] * sizes[2] != csv->n_features)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                       "“%s” has %zu columns of numbers, which shape=%s does not fit", load->path,
                       csv->n_features, text);
      return FALSE;
    }
  csv->base.channels = (int) sizes[0];
  csv->base.height = (int) sizes[1];
  csv->base.width = (int) sizes[2];
  csv->base.dtype = SONDE_DTYPE_F32;
  csv->base.shape = text != NULL ? sonde_shape_make (3, sizes[0], sizes[1], sizes[2])
                                 : sonde_shape_make (1, csv->n_features);
  return TRUE;
}

static gboolean
check_settings (Load *load, GError **error)
{
  static const char *const choices[N_SETTINGS][4] = {
    [SETTING_KIND] = { "auto", "class", "number" },
    [SETTING_HEADER] = { "auto", "yes", "no" },
  };
  const char *missing = load->values[SETTING_MISSING], *separator = load->values[SETTING_SEPARATOR];

  for (int i = 0; i < N_SETTINGS; i++)
    if (load->values[i] != NULL && choices[i][0] != NULL
        && !g_strv_contains (choices[i], load->values[i]))
      return sonde_dataset_settings_refuse ("csv", load->values[i], settings, N_SETTINGS, error);
  if (missing != NULL && !g_str_equal (missing, "error"))
    {
      SondeCsvField field = { missing, strlen (missing) };
      double number = 0;

      load->fill = TRUE;
      load->fill_mean = g_str_equal (missing, "mean");
      if (!load->fill_mean && (!sonde_csv_field_number (&field, &number) || fabs (number) > 3.4e38))
        return sonde_dataset_settings_refuse ("csv", missing, settings, N_SETTINGS, error);
      load->filling = (float) number;
    }
  load->reader.separator = ',';
  if (separator == NULL)
    return TRUE;
  if (strlen (separator) != 1 && !g_str_equal (separator, "tab"))
    return sonde_dataset_settings_refuse ("csv", separator, settings, N_SETTINGS, error);
  load->reader.separator = separator[1] == '\0' ? separator[0] : '\t';
  return TRUE;
}

static gboolean
load_bytes (Load *load, GBytes *bytes, GError **error)
{
  static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8 */
  gsize length;
  const char *text = g_bytes_get_data (bytes, &length);

  load->reader.path = load->path;
  load->reader.at = text;
  load->reader.end = text + length;
  if (length >= 3 && memcmp (text, mark, 3) == 0)
    load->reader.at += 3;
  load->all_numbers = load->all_whole = TRUE;
  if (g_strcmp0 (load->values[SETTING_KIND], "number") != 0)
    {
      load->texts = g_hash_table_new (g_str_hash, g_str_equal);
      load->class_names = g_ptr_array_new_with_free_func (g_free);
      load->class_numbers = g_array_new (FALSE, FALSE, sizeof (guint));
    }
  return read_rows (load, error) && fill_means (load, error) && take_labels (load, error)
         && take_shape (load, error);
}

static void
load_clear (Load *load)
{
  sonde_csv_reader_clear (&load->reader);
  for (int i = 0; i < N_SETTINGS; i++)
    g_free (load->values[i]);
  g_strfreev (load->names);
  g_free (load->is_label);
  g_clear_pointer (&load->texts, g_hash_table_unref);
  g_clear_pointer (&load->class_names, g_ptr_array_unref);
  g_clear_pointer (&load->class_numbers, g_array_unref);
}

SondeDataset *
sonde_dataset_csv_open (SondeDatasetRequest *request, GError **error)
{
  gsize length = strcspn (request->argument, ";");
  g_autofree char *path = g_strndup (request->argument, length);
  g_autoptr (SondeDataset) dataset = NULL;
  g_autoptr (GBytes) bytes = NULL;
  Csv *csv = g_new0 (Csv, 1);
  Load load = { .csv = csv, .path = path };
  gboolean loaded;

  dataset = &csv->base;
  dataset->klass = &csv_class;
  dataset->in_memory = TRUE;
  dataset->test_begin = -1;
  for (int c = 0; c < 4; c++)
    dataset->std[c] = 1;
  csv->features = g_array_new (FALSE, FALSE, sizeof (float));
  csv->labels = g_array_new (FALSE, FALSE, sizeof (float));
  loaded = sonde_dataset_settings_read ("csv", request->argument + length, settings, N_SETTINGS,
                                        load.values, error)
           && check_settings (&load, error);
  bytes = loaded ? sonde_io_read_file (request->options->io, path, SONDE_BUDGET_PARSE_BYTES, error)
                 : NULL;
  loaded = bytes != NULL && load_bytes (&load, bytes, error);
  load_clear (&load);
  return loaded ? g_steal_pointer (&dataset) : NULL;
}

static gboolean
csv_fill (SondeDataset *dataset, guint sample, void *into, GError **error)
{
  const Csv *csv = (const Csv *) dataset;

  memcpy (into, csv->features->data + sample * csv->n_features * sizeof (float),
          csv->n_features * sizeof (float));
  return TRUE;
}

static gint64
csv_get_label (SondeDataset *dataset, guint sample)
{
  const Csv *csv = (const Csv *) dataset;

  if (dataset->label_dtype != SONDE_DTYPE_I64 || csv->n_labels == 0)
    return -1;
  return g_array_index (csv->labels, guint, sample);
}

static void
csv_fill_label (SondeDataset *dataset, guint sample, void *into)
{
  const Csv *csv = (const Csv *) dataset;

  if (dataset->label_dtype == SONDE_DTYPE_I64)
    *(gint64 *) into = csv_get_label (dataset, sample);
  else
    memcpy (into, csv->labels->data + sample * csv->n_labels * sizeof (float),
            csv->n_labels * sizeof (float));
}

static char *
csv_dup_name (SondeDataset *dataset, guint sample)
{
  return g_strdup_printf ("row %u", sample);
}

static void
csv_free (SondeDataset *dataset)
{
  Csv *csv = (Csv *) dataset;

  g_array_unref (csv->features);
  g_array_unref (csv->labels);
  g_free (csv);
}

static const SondeDatasetClass csv_class = {
  .name = "csv",
  .free = csv_free,
  .fill = csv_fill,
  .get_label = csv_get_label,
  .fill_label = csv_fill_label,
  .dup_name = csv_dup_name,
};
