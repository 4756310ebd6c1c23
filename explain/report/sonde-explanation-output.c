/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/report/sonde-explanation-output.h"

#include "data/arrays/sonde-npy.h"
#include "data/base/sonde-error.h"
#include "data/explanations/sonde-explanation-folder.h"

/* ---- triage -------------------------------------------------------------- */

/* (element-type SondeRelatedSample): names are borrowed */
static GArray *
name_related (const SondeTriage *triage, const SondeNeighbour *related, guint n)
{
  GArray *named = g_array_new (FALSE, FALSE, sizeof (SondeRelatedSample));

  for (guint k = 0; k < n; k++)
    {
      const SondeSampleResult *other = g_ptr_array_index (triage->reference, related[k].row);
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
write_triage (const SondeExplanationOutput *output, GError **error)
{
  const SondeTriage *triage = output->triage;
  g_autoptr (GPtrArray) entries = g_ptr_array_new_with_free_func (triage_entry_free);

  for (guint i = 0; i < triage->n; i++)
    {
      const SondeTriageRow *row = &triage->rows[i];
      const SondeSampleResult *result = g_ptr_array_index (output->predictions, i);
      SondeTriageEntry *entry;

      if (result->category == SONDE_N_CATEGORIES)
        continue;
      entry = g_new0 (SondeTriageEntry, 1);
      *entry = (SondeTriageEntry){
        .result = result,
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
  return sonde_explanation_write_triage (output->folder, entries, output->dataset->classes,
                                         output->dataset->n_classes, error);
}

/* ---- label errors -------------------------------------------------------- */

/* DIR/NAME.tsv: all labelled samples, the most suspect first. @names: (array length=errors->n);
 * @suspicion: (nullable): order by it instead of by self-confidence */
static gboolean
write_ranked (const SondeExplanationOutput *output, const char *name, const char *const *names,
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
  return sonde_explanation_write_label_errors (
      output->folder, name, entries, output->dataset->classes, output->dataset->n_classes, error);
}

/* Label errors of @predictions by --probabilities. */
static gboolean
write_label_errors (const SondeExplanationOutput *output, const char *name, GPtrArray *predictions,
                    const double *suspicion, GError **error)
{
  guint n = predictions->len,
        classes = n > 0 ? ((SondeSampleResult *) g_ptr_array_index (predictions, 0))->n_classes : 0;
  g_autoptr (SondeTensor) given
      = output->probabilities != NULL ? sonde_npy_read (NULL, output->probabilities, error) : NULL;
  g_autofree float *p = g_new (float, (gsize) n *classes + 1);
  g_autofree gint64 *labels = g_new (gint64, n + 1);
  g_autofree const char **names = g_new (const char *, n + 1);
  g_autoptr (SondeLabelErrors) errors = NULL;

  if (output->probabilities != NULL && given == NULL)
    return FALSE;
  if (given != NULL
      && (given->shape.rank != 2 || given->shape.dims[0] != n || given->shape.dims[1] != classes))
    {
      sonde_set_error (
          error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
          "--probabilities “%s” must be [%u, %u]: a row per image in their order and a column per "
          "class.",
          output->probabilities, n, classes);
      return FALSE;
    }
  for (guint i = 0; i < n; i++)
    {
      const SondeSampleResult *prediction = g_ptr_array_index (predictions, i);

      labels[i] = prediction->label;
      names[i] = prediction->name;
      for (guint c = 0; c < classes; c++)
        p[(gsize) i * classes + c]
            = given != NULL ? (float) sonde_tensor_get_double (given, (gint64) i * classes + c)
                            : prediction->probabilities[c];
    }
  errors = sonde_label_errors_new (p, labels, n, classes);
  return write_ranked (output, name, names, errors, given == NULL ? suspicion : NULL, error);
}

static gboolean
write_own_label_errors (const SondeExplanationOutput *output, GPtrArray *predictions,
                        const double *suspicion, GError **error)
{
  g_autofree const char **names = g_new (const char *, predictions->len + 1);

  for (guint i = 0; i < predictions->len; i++)
    names[i] = ((SondeSampleResult *) g_ptr_array_index (predictions, i))->name;
  return write_ranked (output, "label-errors", names, output->triage->label_errors, suspicion,
                       error);
}

static gboolean
write_all_label_errors (const SondeExplanationOutput *output, GPtrArray *predictions,
                        GError **error)
{
  const SondeTriage *triage = output->triage;
  g_autofree double *suspicion = g_new (double, predictions->len + 1);

  for (guint i = 0; i < predictions->len; i++)
    suspicion[i] = triage->rows[i].suspicion;
  if (!triage->has_training)
    return write_label_errors (output, "label-errors", predictions, suspicion, error);
  return write_own_label_errors (output, predictions, suspicion, error)
         && write_label_errors (output, "train-label-errors", triage->reference, NULL, error);
}

gboolean
sonde_explanation_output_write (const SondeExplanationOutput *output, GError **error)
{
  return sonde_explanation_write_predictions (output->folder, output->predictions,
                                              output->dataset->classes, output->dataset->n_classes,
                                              error)
         && (output->triage == NULL
             || (write_triage (output, error)
                 && write_all_label_errors (output, output->predictions, error)));
}
