/* SPDX-License-Identifier: Apache-2.0
 * Settings of images and labels, and what fits them to the model. */
#include "explain/session/sonde-explain-session-data.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-csv.h"
#include "data/base/sonde-error.h"
#include "explain/sonde-explain-run.h"

#define MAX_TABLE_BYTES ((guint64) 1 << 30)

/* One name a line, in the order of the model's outputs. */
static char **
read_names (const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = sonde_io_read_file (NULL, path, 1 << 26, error);
  g_autofree char *text
      = bytes != NULL ? g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes)) : NULL;
  char **lines = text != NULL ? g_strsplit (g_strchomp (text), "\n", -1) : NULL;

  for (gsize i = 0; lines != NULL && lines[i] != NULL; i++)
    g_strstrip (lines[i]);
  if (lines != NULL && (lines[0] == NULL || !g_utf8_validate (text, -1, NULL)))
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                       "The class names in “%s” must be given one per line, in the order of the "
                       "model's outputs.",
                       path);
      g_clear_pointer (&lines, g_strfreev);
    }
  return lines;
}

static gboolean
parse_size (const char *text, int *width, int *height, GError **error)
{
  g_auto (GStrv) parts = text != NULL ? g_strsplit (text, "x", -1) : NULL;
  guint64 sides[2];

  if (text == NULL)
    return TRUE;
  if (g_strv_length (parts) == 2
      && g_ascii_string_to_unsigned (parts[0], 10, 1, 16384, &sides[0], NULL)
      && g_ascii_string_to_unsigned (parts[1], 10, 1, 16384, &sides[1], NULL))
    {
      *width = (int) sides[0];
      *height = (int) sides[1];
      return TRUE;
    }
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                   "The size “%s” must be WIDTHxHEIGHT in pixels, such as 224x224.", text);
  return FALSE;
}

static gboolean
parse_channels (const char *text, SondeDatasetOptions *options, GError **error)
{
  if (text == NULL)
    return TRUE;
  options->bgr = g_str_equal (text, "bgr");
  if (g_str_equal (text, "rgb") || options->bgr)
    options->channels = 3;
  else if (g_str_equal (text, "grey") || g_str_equal (text, "gray"))
    options->channels = 1;
  else
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                       "The channels “%s” must be rgb, bgr or grey.", text);
      return FALSE;
    }
  return TRUE;
}

/* One number for all channels, or one each; std above 0. */
static gboolean
check_numbers (const char *text, gboolean positive, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text != NULL ? text : "1", ",", -1);
  guint n = g_strv_length (parts);
  gboolean good = n == 1 || n == 3;

  for (guint i = 0; good && i < n; i++)
    {
      char *end;
      double number = g_ascii_strtod (parts[i], &end);

      good = end != parts[i] && *end == '\0' && isfinite (number) && (!positive || number > 0);
    }
  if (!good && positive)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                     "The std “%s” must be one number above 0, or three separated by commas (red, "
                     "green, blue), for pixels from 0 to 1.",
                     text);
  else if (!good)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                     "The mean “%s” must be one number, or three separated by commas (red, green, "
                     "blue), for pixels from 0 to 1.",
                     text);
  return good;
}

/* Mean and std as the transform normalise. */
static char *
make_normalise (const SondeExplanationSettings *options)
{
  const char *mean = options->mean != NULL ? options->mean : "0",
             *std = options->std != NULL ? options->std : "1";
  gsize n_mean = 1, n_std = 1;
  g_autoptr (GString) text = g_string_new ("normalise:");

  for (const char *p = mean; *p != '\0'; p++)
    n_mean += *p == ',';
  for (const char *p = std; *p != '\0'; p++)
    n_std += *p == ',';
  for (gsize i = 0; i < (n_mean == 1 ? n_std : 1); i++)
    g_string_append_printf (text, "%s%s", i > 0 ? "," : "", mean);
  g_string_append_c (text, ':');
  for (gsize i = 0; i < (n_std == 1 ? n_mean : 1); i++)
    g_string_append_printf (text, "%s%s", i > 0 ? "," : "", std);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Declared sizes of the first input without a default; -1 where open or no image. */
static void
get_model_input (SondeGraph *model, gint64 sizes[3])
{
  sizes[0] = sizes[1] = sizes[2] = -1;
  for (guint i = 0; i < model->inputs->len; i++)
    {
      const SondeGraphValue *input = g_ptr_array_index (model->inputs, i);

      if (input->constant != NULL)
        continue;
      for (int k = 0; input->type.rank == 4 && k < 3; k++)
        sizes[k] = input->type.dims[k + 1].size;
      return;
    }
}

static gboolean
fits (const SondeDataset *dataset, const gint64 sizes[3])
{
  return (sizes[0] < 0 || sizes[0] == dataset->channels)
         && (sizes[1] < 0 || sizes[1] == dataset->height)
         && (sizes[2] < 0 || sizes[2] == dataset->width);
}

static SondeDataset *
open_once (const char *source, const SondeDatasetOptions *given, const char *program,
           GError **error)
{
  const char *arguments[] = { program, "image-helper", NULL };
  SondeDatasetOptions options = *given;

  options.decoder = sonde_image_decoder_new (arguments);
  return sonde_dataset_open (source, &options, error);
}

/* @sizes: channels, height and width of the model; @side, @colour: what of the images was changed.
 * (transfer full) */
static SondeMessage *
describe_fitting (const char *source, const SondeDataset *dataset, const gint64 sizes[3],
                  gboolean side, gboolean colour)
{
  SondeMessage *message
      = dataset->channels == 1
            ? sonde_message_new (
                "The images of “%s” are %d×%d with 1 channel, the model takes %" PRIi64 "×%" PRIi64
                " with %" PRIi64 ":",
                source, dataset->width, dataset->height, sizes[2], sizes[1], sizes[0])
            : sonde_message_new (
                "The images of “%s” are %d×%d with %d channels, the model takes %" PRIi64
                "×%" PRIi64 " with %" PRIi64 ":",
                source, dataset->width, dataset->height, dataset->channels, sizes[2], sizes[1],
                sizes[0]);

  if (side)
    sonde_message_append_format (message,
                                 " they were scaled to cover it and cut around the middle");
  if (colour && sizes[0] == 1)
    sonde_message_append_format (message, " they were made grey");
  else if (colour)
    sonde_message_append_format (message, " grey was taken for red, green and blue");
  sonde_message_append_format (message, "; another size and other channels can be chosen.");
  return message;
}

/* Again, as the model takes them, unless an option has said otherwise. */
static SondeDataset *
open_fitted (const SondeExplanationSettings *options, const char *source,
             SondeDatasetOptions *opening, const gint64 sizes[3], const char *program,
             GPtrArray *notes, GError **error)
{
  g_autoptr (SondeDataset) dataset = open_once (source, opening, program, error);
  gboolean side, colour;
  SondeDataset *fitted;

  if (dataset == NULL || fits (dataset, sizes) || dataset->shape.rank != 3)
    return g_steal_pointer (&dataset);
  side = options->size == NULL && sizes[1] > 0 && sizes[2] > 0
         && (sizes[1] != dataset->height || sizes[2] != dataset->width);
  colour = options->channels == NULL && (sizes[0] == 1 || sizes[0] == 3)
           && sizes[0] != dataset->channels;
  if (!side && !colour)
    return g_steal_pointer (&dataset);
  if (side)
    {
      opening->width = (int) sizes[2];
      opening->height = (int) sizes[1];
    }
  if (colour)
    opening->channels = (int) sizes[0];
  fitted = open_once (source, opening, program, error);
  if (fitted != NULL)
    g_ptr_array_add (notes, describe_fitting (source, dataset, sizes, side, colour));
  return fitted;
}

SondeDataset *
sonde_explain_session_open_data (const SondeExplanationSettings *options, const char *source,
                                 gboolean training, SondeGraph *model, const char *program,
                                 SondeSplitPart *split, GPtrArray *notes, GError **error)
{
  SondeDatasetOptions opening = { .seed = 1 };
  g_auto (GStrv) names = options->labels != NULL ? read_names (options->labels, error) : NULL;
  g_autofree char *normalise
      = options->mean != NULL || options->std != NULL ? make_normalise (options) : NULL;
  const char *transforms[] = { normalise, NULL };
  SondeDataset *dataset;
  gint64 sizes[3];
  guint begin, end;

  if ((options->labels != NULL && names == NULL)
      || !parse_size (options->size, &opening.width, &opening.height, error)
      || !parse_channels (options->channels, &opening, error)
      || !check_numbers (options->mean, FALSE, error) || !check_numbers (options->std, TRUE, error))
    return NULL;
  opening.names = (const char *const *) names;
  opening.transforms = normalise != NULL ? transforms : NULL;
  get_model_input (model, sizes);
  dataset = open_fitted (options, source, &opening, sizes, program, notes, error);
  if (dataset == NULL)
    return NULL;
  begin = dataset->test_begin >= 0 && !training ? (guint) dataset->test_begin : 0;
  end = dataset->test_begin > 0 && training ? (guint) dataset->test_begin : dataset->n;
  split->n_test = end - begin;
  split->test = g_new (guint, MAX (split->n_test, 1));
  for (guint i = 0; i < split->n_test; i++)
    split->test[i] = begin + i;
  return dataset;
}

gboolean
sonde_explain_session_check_classes (const SondeExplanationSettings *options,
                                     const SondeDataset *dataset, guint n_model_classes,
                                     GError **error)
{
  gboolean numbered = dataset->n_classes > 0 && g_str_equal (dataset->classes[0], "0");

  if (dataset->n_classes == n_model_classes || dataset->n_classes == 0
      || (numbered && dataset->n_classes < n_model_classes))
    return TRUE;
  if (options->labels != NULL)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                     "“%s” names %u classes, but the model has %u; it must contain one name per "
                     "line for each output.",
                     options->labels, dataset->n_classes, n_model_classes);
  else
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                     "The data have %u classes (“%s” … “%s”), but the model has %u; provide a file "
                     "with the names of the model's classes in order, one per line.",
                     dataset->n_classes, dataset->classes[0],
                     dataset->classes[dataset->n_classes - 1], n_model_classes);
  return FALSE;
}

/* ---- given labels -------------------------------------------------------- */

static gint64
class_of (const SondeDataset *dataset, const char *text)
{
  guint64 index;

  for (guint c = 0; c < dataset->n_classes; c++)
    if (g_str_equal (dataset->classes[c], text))
      return c;
  return g_ascii_string_to_unsigned (text, 10, 0, G_MAXINT, &index, NULL) ? (gint64) index : -1;
}

/* file → class + 1, under the name as it stands and under each of its ends behind a "/". */
static GHashTable *
read_given (const char *path, const SondeDataset *dataset, GError **error)
{
  g_autoptr (GBytes) bytes = sonde_io_read_file (NULL, path, MAX_TABLE_BYTES, error);
  g_autoptr (GHashTable) labels = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  SondeCsvReader reader = { .path = path, .separator = '\t' };
  g_autoptr (GError) reason = NULL;
  int file = -1, given = -1;

  if (bytes == NULL)
    return NULL;
  reader.at = g_bytes_get_data (bytes, NULL);
  reader.end = reader.at + g_bytes_get_size (bytes);
  while (sonde_csv_reader_next (&reader, &reason))
    {
      g_autofree char *name = NULL, *text = NULL;

      for (guint i = 0; file < 0 && i < reader.fields->len; i++)
        {
          const SondeCsvField *field = &g_array_index (reader.fields, SondeCsvField, i);

          if (field->length == 5 && memcmp (field->text, "given", 5) == 0)
            given = (int) i;
          if (field->length == 5 && memcmp (field->text, "class", 5) == 0 && given < 0)
            given = (int) i;
        }
      if (file < 0)
        {
          for (guint i = 0; i < reader.fields->len; i++)
            if (g_array_index (reader.fields, SondeCsvField, i).length == 4
                && memcmp (g_array_index (reader.fields, SondeCsvField, i).text, "file", 4) == 0)
              file = (int) i;
          if (file < 0 || given < 0)
            break;
          continue;
        }
      if ((guint) MAX (file, given) >= reader.fields->len)
        continue;
      name = g_strndup (g_array_index (reader.fields, SondeCsvField, file).text,
                        g_array_index (reader.fields, SondeCsvField, file).length);
      text = g_strndup (g_array_index (reader.fields, SondeCsvField, given).text,
                        g_array_index (reader.fields, SondeCsvField, given).length);
      for (const char *end = name; end != NULL;
           end = strchr (end, '/') != NULL ? strchr (end, '/') + 1 : NULL)
        g_hash_table_insert (labels, g_strdup (end),
                             GINT_TO_POINTER ((int) class_of (dataset, text) + 1));
    }
  sonde_csv_reader_clear (&reader);
  if (reason != NULL)
    g_propagate_error (error, g_steal_pointer (&reason));
  else if (file < 0 || given < 0)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                     "The first line of the labels to check in “%s” must name the columns file and "
                     "given, separated by tabs.",
                     path);
  else
    return g_steal_pointer (&labels);
  return NULL;
}

gboolean
sonde_explain_session_apply_given_labels (const char *path, SondeDataset *dataset,
                                          GPtrArray *predictions, GError **error)
{
  g_autoptr (GHashTable) labels = read_given (path, dataset, error);
  guint found = 0;

  for (guint i = 0; labels != NULL && i < predictions->len; i++)
    {
      SondeSampleResult *prediction = g_ptr_array_index (predictions, i);
      gpointer label = NULL;

      for (const char *end = prediction->name;
           end != NULL && label == NULL && strchr (end, '/') != NULL; end = strchr (end, '/') + 1)
        label = g_hash_table_lookup (labels, end);
      if (label == NULL)
        label = g_hash_table_lookup (labels, prediction->name);
      if (label == NULL)
        continue;
      prediction->label = GPOINTER_TO_INT (label) - 1;
      sonde_sample_result_measure (prediction);
      found++;
    }
  if (labels == NULL || found == predictions->len)
    return labels != NULL;
  sonde_set_error (
      error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
      "The labels to check in “%s” name %u of the %u images; “%s” should be one of its files.",
      path, found, predictions->len,
      ((SondeSampleResult *) g_ptr_array_index (predictions, 0))->name);
  return FALSE;
}
