/* SPDX-License-Identifier: Apache-2.0
 * Boxes to tables of numbers and back. Whoever wrote a record, its numbers are checked. */
#include "explain/study/sonde-study-record.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/images/sonde-png.h"

#define MOST_BOXES 65536
#define MOST_STEPS 4096
#define MOST_PIXELS 65536.0

static const char *const goals[] = { "unmasking", "masking", "flip" };

static SondeTensor *
make_table (gint64 n, int width)
{
  SondeShape shape
      = width > 0 ? sonde_shape_make (2, (int) n, width) : sonde_shape_make (1, (int) n);

  return sonde_tensor_new (SONDE_DTYPE_F64, &shape);
}

static double *
row_of (SondeTensor *table, gint64 i)
{
  return (double *) (void *) table->data + i * (table->shape.rank == 2 ? table->shape.dims[1] : 1);
}

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
  GArray *steps = g_array_new (FALSE, FALSE, sizeof (SondeStudyStep));
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
      SondeStudyStep step
          = { .layer = from->layer, .parent = -1, .box = from->box, .after = from->out };

      if (parent != NULL)
        step.parent = (int) GPOINTER_TO_UINT (g_hash_table_lookup (indices, parent)) - 1;
      g_array_append_val (steps, step);
    }
  return steps;
}

static GArray *
copy_boxes (const GArray *boxes)
{
  GArray *copy = g_array_new (FALSE, FALSE, sizeof (SondeOcclusionBox));

  g_array_append_vals (copy, boxes->data, boxes->len);
  return copy;
}

SondeStudyBoxes *
sonde_study_boxes_new (const SondeOcclusionResult *result, const SondeTensor *image,
                       const char *mask)
{
  SondeStudyBoxes *boxes = g_new0 (SondeStudyBoxes, 1);

  boxes->status = result->status;
  boxes->goal = result->goal;
  boxes->threshold = result->threshold;
  boxes->original = result->original;
  boxes->masked = result->masked;
  boxes->layers = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  for (guint i = 0; i < result->n_layers; i++)
    {
      g_ptr_array_add (boxes->layers, copy_boxes (result->boxes[i]));
      boxes->layer_out[i] = result->layer_out[i];
    }
  boxes->pruned = result->pruned != NULL ? copy_boxes (result->pruned) : NULL;
  boxes->pruned_out = result->pruned_out;
  boxes->steps = make_steps (result);
  boxes->area
      = sonde_occlusion_result_get_area (result, image->shape.dims[1], image->shape.dims[2]);
  boxes->n_candidates = result->n_candidates;
  boxes->mask = g_strdup (mask);
  boxes->note = g_strdup (result->note);
  return boxes;
}

/* ---- writing ------------------------------------------------------------- */

static void
put_box (double *to, const SondeOcclusionBox *box)
{
  to[0] = box->x;
  to[1] = box->y;
  to[2] = box->width;
  to[3] = box->height;
}

static SondeTensor *
make_boxes_table (const SondeStudyBoxes *boxes)
{
  gint64 n = 0;
  SondeTensor *table;

  for (guint l = 0; l < boxes->layers->len; l++)
    n += ((GArray *) g_ptr_array_index (boxes->layers, l))->len;
  table = make_table (n, 5);
  n = 0;
  for (guint l = 0; l < boxes->layers->len; l++)
    {
      const GArray *list = g_ptr_array_index (boxes->layers, l);

      for (guint i = 0; i < list->len; i++, n++)
        {
          row_of (table, n)[0] = l;
          put_box (row_of (table, n) + 1, &g_array_index (list, SondeOcclusionBox, i));
        }
    }
  return table;
}

static SondeTensor *
make_steps_table (const SondeStudyBoxes *boxes)
{
  SondeTensor *table = make_table (boxes->steps->len, 7);

  for (guint i = 0; i < boxes->steps->len; i++)
    {
      const SondeStudyStep *step = &g_array_index (boxes->steps, SondeStudyStep, i);
      double *row = row_of (table, i);

      row[0] = step->layer;
      row[1] = step->parent;
      put_box (row + 2, &step->box);
      row[6] = step->after;
    }
  return table;
}

static void
fill_tables (SondeRecord *record, const SondeStudyBoxes *boxes)
{
  record->u.counterfactual.boxes = make_boxes_table (boxes);
  record->u.counterfactual.outputs = make_table (boxes->layers->len, 0);
  for (guint l = 0; l < boxes->layers->len; l++)
    *row_of (record->u.counterfactual.outputs, l) = boxes->layer_out[l];
  record->u.counterfactual.steps = make_steps_table (boxes);
  if (boxes->pruned == NULL)
    return;
  record->u.counterfactual.pruned = make_table (boxes->pruned->len, 4);
  for (guint i = 0; i < boxes->pruned->len; i++)
    put_box (row_of (record->u.counterfactual.pruned, i),
             &g_array_index (boxes->pruned, SondeOcclusionBox, i));
}

void
sonde_study_boxes_fill_record (const SondeStudyBoxes *boxes, SondeRecord *record)
{
  record->kind = SONDE_RECORD_COUNTERFACTUAL;
  record->u.counterfactual.goal = g_strdup (goals[boxes->goal]);
  record->u.counterfactual.result = g_strdup (sonde_occlusion_status_name (boxes->status));
  record->u.counterfactual.parameters = g_strdup (boxes->spec);
  record->u.counterfactual.mask = g_strdup (boxes->mask);
  record->u.counterfactual.remark = g_strdup (boxes->note);
  record->u.counterfactual.target = (int) boxes->target;
  record->u.counterfactual.threshold = boxes->threshold;
  record->u.counterfactual.original = boxes->original;
  record->u.counterfactual.masked = boxes->masked;
  record->u.counterfactual.pruned_output = boxes->pruned_out;
  record->u.counterfactual.area = boxes->area;
  record->u.counterfactual.candidates = boxes->n_candidates;
  fill_tables (record, boxes);
}

gboolean
sonde_study_record_boxes (SondeSummaryWriter *writer, SondeDataset *dataset,
                          const SondePrediction *prediction, const SondeStudyBoxes *boxes,
                          gint64 step, GError **error)
{
  SondeRecord record = { .step = step, .tag = g_intern_string (SONDE_STUDY_BOXES_TAG) };
  g_autoptr (SondeImage) image = sonde_dataset_dup_image (dataset, prediction->sample, error);

  if (image == NULL)
    return FALSE;
  record.u.counterfactual.image = sonde_png_encode (image);
  sonde_study_boxes_fill_record (boxes, &record);
  sonde_prediction_fill_note (prediction, dataset, &record.u.counterfactual.note);
  sonde_summary_writer_add_record (writer, &record);
  sonde_record_clear (&record);
  return TRUE;
}

/* ---- reading ------------------------------------------------------------- */

static SondeStudyBoxes *
fail (GError **error, const char *what)
{
  g_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
               "Counterfactual boxes: %s cannot be.", what);
  return NULL;
}

/* A whole number within pixels. */
static gboolean
take_pixels (double value, double least, int *pixels)
{
  if (!(value >= least && value <= MOST_PIXELS) || value != floor (value))
    return FALSE;
  *pixels = (int) value;
  return TRUE;
}

static gboolean
take_box (const double *from, SondeOcclusionBox *box)
{
  return take_pixels (from[0], 0, &box->x) && take_pixels (from[1], 0, &box->y)
         && take_pixels (from[2], 1, &box->width) && take_pixels (from[3], 1, &box->height);
}

static gboolean
take_layers (SondeStudyBoxes *boxes, const SondeRecord *record)
{
  SondeTensor *outputs = record->u.counterfactual.outputs;
  g_autoptr (SondeTensor) table = sonde_tensor_contiguous (record->u.counterfactual.boxes);
  gint64 n = sonde_tensor_n_elements (outputs);

  if (n > SONDE_OCCLUSION_MAX_LAYERS || table->shape.dims[0] > MOST_BOXES)
    return FALSE;
  for (gint64 l = 0; l < n; l++)
    {
      boxes->layer_out[l] = sonde_tensor_get_double (outputs, l);
      g_ptr_array_add (boxes->layers, g_array_new (FALSE, FALSE, sizeof (SondeOcclusionBox)));
    }
  for (gint64 i = 0; i < table->shape.dims[0]; i++)
    {
      const double *row = row_of (table, i);
      SondeOcclusionBox box;

      if (!(row[0] >= 0 && row[0] < (double) n) || !take_box (row + 1, &box))
        return FALSE;
      g_array_append_val ((GArray *) g_ptr_array_index (boxes->layers, (guint) row[0]), box);
    }
  return TRUE;
}

static gboolean
take_pruned (SondeStudyBoxes *boxes, const SondeRecord *record)
{
  g_autoptr (SondeTensor) table = record->u.counterfactual.pruned != NULL
                                      ? sonde_tensor_contiguous (record->u.counterfactual.pruned)
                                      : NULL;

  if (table == NULL)
    return TRUE;
  if (table->shape.dims[0] > MOST_BOXES)
    return FALSE;
  boxes->pruned = g_array_new (FALSE, FALSE, sizeof (SondeOcclusionBox));
  for (gint64 i = 0; i < table->shape.dims[0]; i++)
    {
      SondeOcclusionBox box;

      if (!take_box (row_of (table, i), &box))
        return FALSE;
      g_array_append_val (boxes->pruned, box);
    }
  return TRUE;
}

static gboolean
take_steps (SondeStudyBoxes *boxes, const SondeRecord *record)
{
  g_autoptr (SondeTensor) table = sonde_tensor_contiguous (record->u.counterfactual.steps);

  if (table->shape.dims[0] > MOST_STEPS)
    return FALSE;
  for (gint64 i = 0; i < table->shape.dims[0]; i++)
    {
      const double *row = row_of (table, i);
      SondeStudyStep step = { .after = row[6] };

      if (!(row[0] >= 0 && row[0] < SONDE_OCCLUSION_MAX_LAYERS)
          || !(row[1] >= -1 && row[1] < (double) i) || row[1] != floor (row[1])
          || !take_box (row + 2, &step.box))
        return FALSE;
      step.layer = (guint) row[0];
      step.parent = (int) row[1];
      g_array_append_val (boxes->steps, step);
    }
  return TRUE;
}

static SondeStudyBoxes *
new_boxes (void)
{
  SondeStudyBoxes *boxes = g_new0 (SondeStudyBoxes, 1);

  boxes->layers = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  boxes->steps = g_array_new (FALSE, FALSE, sizeof (SondeStudyStep));
  boxes->threshold = boxes->original = boxes->masked = boxes->pruned_out = boxes->area = NAN;
  return boxes;
}

/* The index of a word of the record; -1: it is none of them. */
static int
find_word (const char *word, const char *const *words, int n)
{
  for (int i = 0; i < n; i++)
    if (g_strcmp0 (word, words[i]) == 0)
      return i;
  return -1;
}

SondeStudyBoxes *
sonde_study_boxes_from_record (const SondeRecord *record, GError **error)
{
  const char *const results[] = { sonde_occlusion_status_name (SONDE_OCCLUSION_OK),
                                  sonde_occlusion_status_name (SONDE_OCCLUSION_NO_VALID_RESULT),
                                  sonde_occlusion_status_name (SONDE_OCCLUSION_BELOW_THRESHOLD) };
  int goal = find_word (record->u.counterfactual.goal, goals, G_N_ELEMENTS (goals));
  int result = find_word (record->u.counterfactual.result, results, G_N_ELEMENTS (results));
  g_autoptr (SondeStudyBoxes) boxes = new_boxes ();

  boxes->target = record->u.counterfactual.target;
  boxes->spec = g_strdup (
      record->u.counterfactual.parameters != NULL ? record->u.counterfactual.parameters : "");
  boxes->mask = g_strdup (record->u.counterfactual.mask);
  boxes->note = g_strdup (record->u.counterfactual.remark);
  boxes->threshold = record->u.counterfactual.threshold;
  boxes->original = record->u.counterfactual.original;
  boxes->masked = record->u.counterfactual.masked;
  boxes->pruned_out = record->u.counterfactual.pruned_output;
  boxes->area = record->u.counterfactual.area;
  boxes->n_candidates = record->u.counterfactual.candidates;
  if (goal < 0 || result < 0)
    return fail (error, goal < 0 ? "the goal" : "the result");
  boxes->goal = (SondeOcclusionGoal) goal;
  boxes->status = (SondeOcclusionStatus) result;
  if (!take_layers (boxes, record) || !take_pruned (boxes, record))
    return fail (error, "a layer or a box");
  return take_steps (boxes, record) ? g_steal_pointer (&boxes) : fail (error, "a step");
}

double
sonde_study_boxes_measure_area (const SondeStudyBoxes *boxes, int width, int height)
{
  const GArray *list = boxes->pruned != NULL ? boxes->pruned
                       : boxes->layers->len > 0
                           ? g_ptr_array_index (boxes->layers, boxes->layers->len - 1)
                           : NULL;
  gsize row = (gsize) MAX (width, 0) + 1, n = 0;
  g_autofree int *change
      = list != NULL && width > 0 && height > 0 ? g_new0 (int, row *((gsize) height + 1)) : NULL;

  /* Where boxes begin and end, summed along both axes: how many boxes cover a pixel. Boxes of
   * others may be many and large. */
  for (guint i = 0; change != NULL && i < list->len; i++)
    {
      const SondeOcclusionBox *box = &g_array_index (list, SondeOcclusionBox, i);
      gsize x0 = (gsize) MIN (box->x, width), x1 = (gsize) MIN (box->x + box->width, width);
      gsize y0 = (gsize) MIN (box->y, height), y1 = (gsize) MIN (box->y + box->height, height);

      change[y0 * row + x0]++;
      change[y0 * row + x1]--;
      change[y1 * row + x0]--;
      change[y1 * row + x1]++;
    }
  for (int y = 0; change != NULL && y < height; y++)
    for (gsize x = 0, at = (gsize) y * row; x < row; x++, at++)
      {
        change[at] += (x > 0 ? change[at - 1] : 0) + (y > 0 ? change[at - row] : 0)
                      - (x > 0 && y > 0 ? change[at - row - 1] : 0);
        n += change[at] > 0;
      }
  return change != NULL ? (double) n / ((double) width * height) : NAN;
}

SondeStudyBoxes *
sonde_study_boxes_from_log (const SondeExplanationOcclusion *occlusion, double original,
                            GError **error)
{
  g_autoptr (SondeStudyBoxes) boxes = new_boxes ();

  boxes->target = occlusion->label;
  boxes->goal = SONDE_OCCLUSION_KEEP;
  boxes->status = occlusion->n_layers > 0 ? SONDE_OCCLUSION_OK : SONDE_OCCLUSION_NO_VALID_RESULT;
  boxes->spec = g_strdup ("by=unmasking");
  boxes->mask = g_strdup (occlusion->mask);
  boxes->original = original;
  for (gsize l = 0; l < occlusion->n_layers; l++)
    {
      const SondeExplanationLayer *layer = &occlusion->layers[l];
      GArray *list = g_array_new (FALSE, FALSE, sizeof (SondeOcclusionBox));

      g_ptr_array_add (boxes->layers, list);
      if (l >= SONDE_OCCLUSION_MAX_LAYERS || layer->n_boxes > MOST_BOXES)
        return fail (error, "so many layers or boxes");
      boxes->layer_out[l] = layer->probability;
      for (gsize i = 0; i < layer->n_boxes; i++)
        {
          const double numbers[] = { layer->boxes[4 * i], layer->boxes[4 * i + 1],
                                     layer->boxes[4 * i + 2], layer->boxes[4 * i + 3] };
          SondeOcclusionBox box;

          if (!take_box (numbers, &box))
            return fail (error, "a box");
          g_array_append_val (list, box);
        }
    }
  return g_steal_pointer (&boxes);
}
