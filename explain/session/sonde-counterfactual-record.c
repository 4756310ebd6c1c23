/* SPDX-License-Identifier: Apache-2.0
 * Counterfactuals from searches, to records, and from records and logs. */
#include "explain/session/sonde-counterfactual-record.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/images/sonde-png.h"

/* ---- from the search ----------------------------------------------------- */

static int
compare_order (gconstpointer a, gconstpointer b)
{
  const SondeOcclusionStep *one = *(SondeOcclusionStep *const *) a,
                           *other = *(SondeOcclusionStep *const *) b;

  return one->order < other->order ? -1 : one->order > other->order;
}

/* The steps of the tree. A tree is at most SONDE_OCCLUSION_MAX_LAYERS deep. */
static void
collect (GPtrArray *steps, GHashTable *parents, GPtrArray *all)
{
  for (guint i = 0; steps != NULL && i < steps->len; i++)
    {
      SondeOcclusionStep *step = g_ptr_array_index (steps, i);

      g_ptr_array_add (all, step);
      for (guint k = 0; step->children != NULL && k < step->children->len; k++)
        g_hash_table_insert (parents, g_ptr_array_index (step->children, k), step);
      collect (step->children, parents, all);
    }
}

/* By the time they were taken. */
static GArray *
make_steps (const SondeOcclusionResult *result)
{
  GArray *steps = g_array_new (FALSE, FALSE, sizeof (SondeCounterfactualWindow));
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  g_autoptr (GHashTable) parents = g_hash_table_new (NULL, NULL),
                         indices = g_hash_table_new (NULL, NULL);

  collect (result->roots, parents, all);
  g_ptr_array_sort (all, compare_order);
  for (guint i = 0; i < all->len; i++)
    g_hash_table_insert (indices, g_ptr_array_index (all, i), GUINT_TO_POINTER (i + 1));
  for (guint i = 0; i < all->len; i++)
    {
      const SondeOcclusionStep *from = g_ptr_array_index (all, i);
      const void *parent = g_hash_table_lookup (parents, from);
      SondeCounterfactualWindow step = { .layer = from->layer,
                                         .parent = -1,
                                         .box = from->box,
                                         .after = from->out,
                                         .change = from->change,
                                         .order = from->order };

      if (parent != NULL)
        step.parent = (int) GPOINTER_TO_UINT (g_hash_table_lookup (indices, parent)) - 1;
      g_array_append_val (steps, step);
    }
  return steps;
}

static GArray *
copy_boxes (const GArray *boxes)
{
  GArray *copy = g_array_new (FALSE, FALSE, sizeof (SondeBox));

  g_array_append_vals (copy, boxes->data, boxes->len);
  return copy;
}

SondeCounterfactual *
sonde_counterfactual_from_occlusion (const SondeOcclusionResult *result, const SondeTensor *image,
                                     const char *mask)
{
  SondeCounterfactual *boxes = sonde_counterfactual_new ();

  boxes->status = result->status;
  boxes->goal = result->goal;
  boxes->threshold = result->threshold;
  boxes->original = result->original;
  boxes->masked = result->masked;
  for (guint i = 0; i < result->n_layers; i++)
    {
      g_ptr_array_add (boxes->layers, copy_boxes (result->boxes[i]));
      boxes->layer_out[i] = result->layer_out[i];
    }
  boxes->pruned = result->pruned != NULL ? copy_boxes (result->pruned) : NULL;
  boxes->pruned_out = result->pruned_out;
  g_array_unref (boxes->steps);
  boxes->steps = make_steps (result);
  boxes->area
      = sonde_occlusion_result_get_area (result, image->shape.dims[1], image->shape.dims[2]);
  boxes->n_candidates = result->n_candidates;
  boxes->n_evaluations = result->n_evaluations;
  boxes->n_scored = result->n_scored;
  boxes->mask = g_strdup (mask);
  boxes->note = sonde_message_copy (result->note);
  return boxes;
}

/* ---- records ------------------------------------------------------------- */

void
sonde_counterfactual_fill_record (const SondeCounterfactual *boxes, SondeRecord *record)
{
  SondeCounterfactualTables tables;

  record->kind = SONDE_RECORD_COUNTERFACTUAL;
  record->u.counterfactual.goal = g_strdup (sonde_occlusion_goal_name (boxes->goal));
  record->u.counterfactual.result = g_strdup (sonde_occlusion_status_name (boxes->status));
  record->u.counterfactual.parameters = g_strdup (boxes->spec);
  record->u.counterfactual.mask = g_strdup (boxes->mask);
  record->u.counterfactual.remark = g_strdup (sonde_message_get_english (boxes->note));
  record->u.counterfactual.target = (int) boxes->target;
  record->u.counterfactual.threshold = boxes->threshold;
  record->u.counterfactual.original = boxes->original;
  record->u.counterfactual.masked = boxes->masked;
  record->u.counterfactual.pruned_output = boxes->pruned_out;
  record->u.counterfactual.area = boxes->area;
  record->u.counterfactual.candidates = boxes->n_candidates;
  sonde_counterfactual_make_tables (boxes, &tables);
  record->u.counterfactual.boxes = tables.boxes;
  record->u.counterfactual.outputs = tables.outputs;
  record->u.counterfactual.pruned = tables.pruned;
  record->u.counterfactual.steps = tables.steps;
}

gboolean
sonde_counterfactual_record (SondeSummaryWriter *writer, SondeDataset *dataset,
                             const SondeSampleResult *prediction, const SondeCounterfactual *boxes,
                             gint64 step, GError **error)
{
  SondeRecord record = { .step = step, .tag = g_intern_string (SONDE_COUNTERFACTUAL_TAG) };
  g_autoptr (SondeImage) image = sonde_dataset_dup_image (dataset, prediction->sample, error);

  if (image == NULL)
    return FALSE;
  record.u.counterfactual.image = sonde_png_encode (image);
  sonde_counterfactual_fill_record (boxes, &record);
  sonde_explain_fill_note (prediction, dataset, &record.u.counterfactual.note);
  sonde_summary_writer_add_record (writer, &record);
  sonde_record_clear (&record);
  return TRUE;
}

SondeCounterfactual *
sonde_counterfactual_from_record (const SondeRecord *record, GError **error)
{
  const SondeCounterfactualTables tables
      = { record->u.counterfactual.boxes, record->u.counterfactual.outputs,
          record->u.counterfactual.pruned, record->u.counterfactual.steps };
  g_autoptr (SondeCounterfactual) boxes = sonde_counterfactual_new ();

  boxes->target = record->u.counterfactual.target;
  boxes->spec = g_strdup (
      record->u.counterfactual.parameters != NULL ? record->u.counterfactual.parameters : "");
  boxes->mask = g_strdup (record->u.counterfactual.mask);
  boxes->note = record->u.counterfactual.remark != NULL
                    ? sonde_message_new_text (record->u.counterfactual.remark)
                    : NULL;
  boxes->threshold = record->u.counterfactual.threshold;
  boxes->original = record->u.counterfactual.original;
  boxes->masked = record->u.counterfactual.masked;
  boxes->pruned_out = record->u.counterfactual.pruned_output;
  boxes->area = record->u.counterfactual.area;
  boxes->n_candidates = record->u.counterfactual.candidates;
  return sonde_counterfactual_set_names (boxes, record->u.counterfactual.goal,
                                         record->u.counterfactual.result, error)
                 && sonde_counterfactual_take_tables (boxes, &tables, error)
             ? g_steal_pointer (&boxes)
             : NULL;
}

SondeCounterfactual *
sonde_counterfactual_from_log (const SondeExplanationOcclusion *occlusion, double original,
                               GError **error)
{
  g_autoptr (SondeCounterfactual) boxes = sonde_counterfactual_new ();

  boxes->target = occlusion->label;
  boxes->goal = SONDE_OCCLUSION_KEEP;
  boxes->status = occlusion->n_layers > 0 ? SONDE_OCCLUSION_OK : SONDE_OCCLUSION_NO_VALID_RESULT;
  boxes->spec = g_strdup ("by=unmasking");
  boxes->mask = g_strdup (occlusion->mask);
  boxes->original = original;
  for (gsize l = 0; l < occlusion->n_layers; l++)
    if (!sonde_counterfactual_add_layer (boxes, occlusion->layers[l].probability,
                                         occlusion->layers[l].boxes, occlusion->layers[l].n_boxes,
                                         error))
      return NULL;
  return g_steal_pointer (&boxes);
}
