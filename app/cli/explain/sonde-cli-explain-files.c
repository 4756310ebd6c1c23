/* SPDX-License-Identifier: Apache-2.0
 * `sonde explain --output DIR`: what goes into the files of data/explanations. */
#include <string.h>

#include "app/cli/explain/sonde-cli-explain-private.h"
#include "data/arrays/sonde-npy.h"
#include "data/base/sonde-error.h"
#include "data/explanations/sonde-explanation-folder.h"

/* ---- maps ---------------------------------------------------------------- */

char *
sonde_explain_make_sample_path (Explain *explain, const SondePrediction *prediction,
                                const char *inside, const char *ending, GError **error)
{
  const SondeDataset *dataset = explain->dataset;
  gboolean is_known = prediction->label >= 0 && (guint64) prediction->label < dataset->n_classes;

  return sonde_explanation_make_path (explain->options->output, inside,
                                      is_known ? dataset->classes[prediction->label] : NULL,
                                      prediction->name, ending, error);
}

gboolean
sonde_explain_write_map (Explain *explain, const SondeExplainedMap *map, GError **error)
{
  g_autofree char *inside = g_build_filename ("maps", sonde_attribution_spec_get_label (map->spec),
                                              map->target_is, NULL);
  g_autofree char *path
      = sonde_explain_make_sample_path (explain, map->prediction, inside, ".npy", error);

  return path != NULL
         && sonde_npy_write (sonde_io_hasty (), path,
                             explain->options->channels && map->map->channels != NULL
                                 ? map->map->channels
                                 : map->map->map,
                             error);
}

/* ---- settings and metrics ------------------------------------------------ */

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
  const ExplainOptions *options = explain->options;
  const SondeExplanationCall call = { .settings = &options->settings,
                                      .model = explain->subject,
                                      .probabilities = options->probabilities,
                                      .images = options->images,
                                      .version = SONDE_VERSION,
                                      .methods = options->methods,
                                      .targets = options->targets,
                                      .channels = explain->dataset->channels,
                                      .height = explain->dataset->height,
                                      .width = explain->dataset->width,
                                      .triage = options->triage,
                                      .map_channels = options->channels,
                                      .notes = sonde_explain_session_get_notes (explain->session) };

  return sonde_explanation_settings_write (options->output, &call, error);
}

/* ---- triage -------------------------------------------------------------- */

/* (element-type SondeRelatedSample): names are borrowed */
static GArray *
name_related (const SondeTriage *triage, const SondeNeighbour *related, guint n)
{
  GArray *named = g_array_new (FALSE, FALSE, sizeof (SondeRelatedSample));

  for (guint k = 0; k < n; k++)
    {
      const SondePrediction *other = g_ptr_array_index (triage->reference, related[k].row);
      const SondeRelatedSample one = { other->name, related[k].value };

      g_array_append_val (named, one);
    }
  return named;
}

static void
triage_entry_free (void *data)
{
  SondeTriageEntry *entry = data;

  g_array_unref (entry->neighbours);
  g_array_unref (entry->proponents);
  g_array_unref (entry->opponents);
  g_free (entry);
}

static gboolean
write_triage (Explain *explain, GPtrArray *results, GError **error)
{
  const SondeTriage *triage = explain->triage;
  g_autoptr (GPtrArray) entries = g_ptr_array_new_with_free_func (triage_entry_free);

  for (guint i = 0; i < triage->n; i++)
    {
      const SondeTriageRow *row = &triage->rows[i];
      SondeTriageEntry *entry;

      if (row->category == SONDE_N_CATEGORIES)
        continue;
      entry = g_new0 (SondeTriageEntry, 1);
      *entry = (SondeTriageEntry){
        .result = g_ptr_array_index (results, i),
        .signed_margin = row->signed_margin,
        .entropy = row->entropy,
        .energy = row->energy,
        .distance = row->distance,
        .border = row->border,
        .box = row->box,
        .neighbours = name_related (triage, row->neighbours, row->n_neighbours),
        .proponents = name_related (triage, row->proponents, row->n_influences),
        .opponents = name_related (triage, row->opponents, row->n_influences),
      };
      g_ptr_array_add (entries, entry);
    }
  return sonde_explanation_write_triage (explain->options->output, entries,
                                         explain->dataset->classes, explain->dataset->n_classes,
                                         error);
}

/* ---- label errors -------------------------------------------------------- */

/* DIR/NAME.tsv: all labelled samples, the most suspect first. @names: (array length=errors->n);
 * @suspicion: (nullable): order by it instead of by self-confidence */
static gboolean
write_ranked (Explain *explain, const char *name, const char *const *names,
              const SondeLabelErrors *errors, const double *suspicion, GError **error)
{
  g_autofree guint *order
      = suspicion != NULL ? sonde_label_errors_rank (suspicion, errors->n) : NULL;
  g_autoptr (GArray) entries = g_array_new (FALSE, FALSE, sizeof (SondeLabelErrorEntry));

  for (guint k = 0; k < errors->n_labelled; k++)
    {
      guint i = order != NULL ? order[k] : errors->order[k];
      const SondeLabelErrorEntry entry
          = { .name = names[i],
              .given = errors->labels[i],
              .suggested = errors->confident[i],
              .is_suspect = sonde_label_errors_is_suspect (errors, i),
              .self_confidence = errors->self_confidence[i],
              .normalised_margin = errors->normalised_margin[i],
              .weighted_entropy = errors->weighted_entropy[i],
              .score = suspicion != NULL ? suspicion[i] : errors->self_confidence[i] };

      g_array_append_val (entries, entry);
    }
  return sonde_explanation_write_label_errors (explain->options->output, name, entries,
                                               explain->dataset->classes,
                                               explain->dataset->n_classes, error);
}

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
      sonde_set_error (
          error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
          "--probabilities “%s” must be [%u, %u]: a row per image in their order and a column per "
          "class.",
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
  return write_ranked (explain, name, names, errors, given == NULL ? suspicion : NULL, error);
}

static gboolean
write_own_label_errors (Explain *explain, GPtrArray *predictions, const double *suspicion,
                        GError **error)
{
  g_autofree const char **names = g_new (const char *, predictions->len + 1);

  for (guint i = 0; i < predictions->len; i++)
    names[i] = ((SondePrediction *) g_ptr_array_index (predictions, i))->name;
  return write_ranked (explain, "label-errors", names, explain->triage->label_errors, suspicion,
                       error);
}

static gboolean
write_all_label_errors (Explain *explain, GPtrArray *predictions, GError **error)
{
  const SondeTriage *triage = explain->triage;
  g_autofree double *suspicion = g_new (double, predictions->len + 1);

  for (guint i = 0; i < predictions->len; i++)
    suspicion[i] = triage->rows[i].suspicion;
  if (!triage->has_training)
    return write_label_errors (explain, "label-errors", predictions, suspicion, error);
  return write_own_label_errors (explain, predictions, suspicion, error)
         && write_label_errors (explain, "train-label-errors", triage->reference, NULL, error);
}

gboolean
sonde_explain_write_tables (Explain *explain, GPtrArray *predictions, GError **error)
{
  g_autoptr (GPtrArray) results = sonde_explain_session_predict (explain->session, error);

  return results != NULL
         && sonde_explanation_write_predictions (explain->options->output, results,
                                                 explain->dataset->classes,
                                                 explain->dataset->n_classes, error)
         && (explain->triage == NULL
             || (write_triage (explain, results, error)
                 && write_all_label_errors (explain, predictions, error)));
}
