/* SPDX-License-Identifier: Apache-2.0
 * `sonde explain --output DIR`: maps, tables and settings as files. */
#include <string.h>

#include "app/cli/sonde-cli-explain-facts.h"
#include "app/cli/sonde-cli-explain-private.h"
#include "data/arrays/sonde-npy.h"
#include "data/base/sonde-error.h"

/* ---- maps ---------------------------------------------------------------- */

char *
sonde_explain_make_sample_path (Explain *explain, const SondePrediction *prediction,
                                const char *inside, const char *extension, GError **error)
{
  const SondeDataset *dataset = explain->dataset;
  gboolean is_known = prediction->label >= 0 && (guint64) prediction->label < dataset->n_classes;
  g_autofree char *place = sonde_explain_dup_place (
      is_known ? dataset->classes[prediction->label] : NULL, prediction->name);
  g_autofree char *file = g_strconcat (place, extension, NULL);
  g_autofree char *path = g_build_filename (explain->options->output, inside, file, NULL),
                  *folder = g_path_get_dirname (path);

  return sonde_io_make_directories (NULL, folder, error) ? g_steal_pointer (&path) : NULL;
}

gboolean
sonde_explain_write_map (Explain *explain, const SondeExplainedMap *map, GError **error)
{
  g_autofree char *inside = g_build_filename ("maps", sonde_attribution_spec_get_label (map->spec),
                                              map->target_is, NULL);
  g_autofree char *path
      = sonde_explain_make_sample_path (explain, map->prediction, inside, ".npy", error);

  return path != NULL
         && sonde_npy_write (
             sonde_io_hasty (), path,
             explain->options->channels && map->channels != NULL ? map->channels : map->map, error);
}

/* ---- tables -------------------------------------------------------------- */

/* Tabs and newlines of a file name would break the table. */
static void
append_field (GString *text, const char *field)
{
  for (const char *p = field; *p != '\0'; p++)
    g_string_append_c (text, *p == '\t' || *p == '\n' || *p == '\r' ? ' ' : *p);
}

gboolean
sonde_explain_write_predictions (Explain *explain, GPtrArray *predictions, GError **error)
{
  g_autofree char *path = g_build_filename (explain->options->output, "predictions.tsv", NULL);
  g_autoptr (GString) text
      = g_string_new ("file\ttrue\tpredicted\tp_true\tp_predicted\tmargin\treason\n");

  for (guint i = 0; i < predictions->len; i++)
    {
      const SondePrediction *prediction = g_ptr_array_index (predictions, i);
      const SondeDataset *dataset = explain->dataset;
      const gint64 classes[] = { prediction->label, prediction->predicted };

      append_field (text, prediction->name);
      for (gsize k = 0; k < G_N_ELEMENTS (classes); k++)
        {
          g_string_append_c (text, '\t');
          if (classes[k] >= 0 && (guint64) classes[k] < dataset->n_classes)
            append_field (text, dataset->classes[classes[k]]);
          else if (classes[k] >= 0)
            g_string_append_printf (text, "%" G_GINT64_FORMAT, classes[k]);
        }
      g_string_append_printf (
          text, "\t%.9g\t%.9g\t%.9g\t%s\n",
          sonde_prediction_get_probability (prediction, prediction->label),
          sonde_prediction_get_probability (prediction, prediction->predicted),
          sonde_prediction_get_margin (prediction),
          explain->triage != NULL ? sonde_reason_name (explain->triage->rows[i].reason) : "");
    }
  return sonde_io_replace_file (NULL, path, text->str, text->len, error);
}

gboolean
sonde_explain_write_metrics (Explain *explain, JsonNode *metrics, GError **error)
{
  g_autofree char *path = g_build_filename (explain->options->output, "metrics.json", NULL);
  g_autofree char *text = json_to_string (metrics, TRUE);

  return sonde_io_replace_file (NULL, path, text, strlen (text), error);
}

gboolean
sonde_explain_write_settings (Explain *explain, GError **error)
{
  GPtrArray *notes = sonde_study_get_notes (explain->study);
  const ExplainOptions *options = explain->options;
  const SondeStudySettings *pictures = &options->pictures;
  g_autofree char *here = g_get_current_dir ();
  const struct
  {
    const char *name, *value;
  } texts[] = {
    { "folder", here },
    { "model", explain->subject },
    { "data", pictures->data },
    { "labels", pictures->labels },
    { "mean", pictures->mean },
    { "std", pictures->deviation },
    { "size", pictures->size },
    { "channels", pictures->channels },
    { "train_data", pictures->training },
    { "given_labels", pictures->given_labels },
    { "probabilities", options->probabilities },
    { "images", options->images },
    { "device", options->pictures.device != NULL ? options->pictures.device : "cpu" },
    { "version", SONDE_VERSION },
  };
  const struct
  {
    const char *name;
    char **values;
  } lists[] = { { "methods", options->methods }, { "targets", options->targets } };
  g_autofree char *path = g_build_filename (options->output, "settings.json", NULL), *text = NULL;
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (JsonNode) node = NULL;

  json_builder_begin_object (builder);
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    if (texts[i].value != NULL)
      {
        json_builder_set_member_name (builder, texts[i].name);
        json_builder_add_string_value (builder, texts[i].value);
      }
  for (gsize i = 0; i < G_N_ELEMENTS (lists); i++)
    {
      json_builder_set_member_name (builder, lists[i].name);
      json_builder_begin_array (builder);
      for (gsize k = 0; lists[i].values != NULL && lists[i].values[k] != NULL; k++)
        json_builder_add_string_value (builder, lists[i].values[k]);
      json_builder_end_array (builder);
    }
  json_builder_set_member_name (builder, "input");
  json_builder_begin_array (builder);
  for (int i = 0; i < 3; i++)
    json_builder_add_int_value (builder,
                                (int[]){ explain->dataset->channels, explain->dataset->height,
                                         explain->dataset->width }[i]);
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "threads");
  json_builder_add_int_value (builder, options->pictures.threads);
  json_builder_set_member_name (builder, "seed");
  json_builder_add_int_value (builder, options->pictures.seed);
  json_builder_set_member_name (builder, "triage");
  json_builder_add_boolean_value (builder, options->triage);
  json_builder_set_member_name (builder, "map_channels");
  json_builder_add_boolean_value (builder, options->channels);
  json_builder_set_member_name (builder, "notes");
  json_builder_begin_array (builder);
  for (guint i = 0; i < notes->len; i++)
    json_builder_add_string_value (builder, g_ptr_array_index (notes, i));
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  node = json_builder_get_root (builder);
  text = json_to_string (node, TRUE);
  return sonde_io_replace_file (NULL, path, text, strlen (text), error);
}

/* ---- label errors -------------------------------------------------------- */

/* Label errors of @predictions by --probabilities. */
static gboolean
write_label_errors (Explain *explain, const char *name, GPtrArray *predictions,
                    const double *suspicion, GError **error)
{
  guint n = predictions->len,
        classes = n > 0 ? ((SondePrediction *) g_ptr_array_index (predictions, 0))->n_classes : 0;
  g_autoptr (SondeTensor) given
      = explain->options->probabilities != NULL
            ? sonde_npy_read (NULL, explain->options->probabilities, error)
            : NULL;
  g_autofree float *p = g_new (float, (gsize) n *classes + 1);
  g_autofree gint64 *labels = g_new (gint64, n + 1);
  g_autofree const char **names = g_new (const char *, n + 1);
  g_autoptr (SondeLabelErrors) errors = NULL;

  if (explain->options->probabilities != NULL && given == NULL)
    return FALSE;
  if (given != NULL
      && (given->shape.rank != 2 || given->shape.dims[0] != n || given->shape.dims[1] != classes))
    {
      g_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                   "--probabilities %s: must be [%u, %u], a row for each picture in their order "
                   "and a column for each class.",
                   explain->options->probabilities, n, classes);
      return FALSE;
    }
  for (guint i = 0; i < n; i++)
    {
      const SondePrediction *prediction = g_ptr_array_index (predictions, i);

      labels[i] = prediction->label;
      names[i] = prediction->name;
      for (guint c = 0; c < classes; c++)
        p[(gsize) i * classes + c]
            = given != NULL ? (float) sonde_tensor_get_double (given, (gint64) i * classes + c)
                            : prediction->probabilities[c];
    }
  errors = sonde_label_errors_new (p, labels, n, classes);
  return sonde_explain_write_label_errors (explain->options->output, name, names, explain->dataset,
                                           errors, given == NULL ? suspicion : NULL, error);
}

static gboolean
write_own_label_errors (Explain *explain, GPtrArray *predictions, const double *suspicion,
                        GError **error)
{
  g_autofree const char **names = g_new (const char *, predictions->len + 1);

  for (guint i = 0; i < predictions->len; i++)
    names[i] = ((SondePrediction *) g_ptr_array_index (predictions, i))->name;
  return sonde_explain_write_label_errors (explain->options->output, "label-errors", names,
                                           explain->dataset, explain->triage->label_errors,
                                           suspicion, error);
}

gboolean
sonde_explain_write_facts (Explain *explain, GPtrArray *predictions, GError **error)
{
  const SondeTriage *triage = explain->triage;
  g_autofree double *suspicion = g_new (double, predictions->len + 1);
  gboolean of_training = triage != NULL && triage->has_training;

  if (triage == NULL)
    return TRUE;
  for (guint i = 0; i < predictions->len; i++)
    suspicion[i] = triage->rows[i].suspicion;
  if (!sonde_explain_write_triage (explain->options->output, explain->dataset, predictions, triage,
                                   error))
    return FALSE;
  if (!of_training)
    return write_label_errors (explain, "label-errors", predictions, suspicion, error);
  return write_own_label_errors (explain, predictions, suspicion, error)
         && write_label_errors (explain, "train-label-errors", triage->reference, NULL, error);
}
