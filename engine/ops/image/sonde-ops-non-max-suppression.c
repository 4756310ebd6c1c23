/* SPDX-License-Identifier: Apache-2.0
 * NonMaxSuppression: for each image and class the boxes by falling score, without those that
 * overlap one that was taken before by more than the threshold (intersection over union). All in
 * float32, as elsewhere, so that boxes on the threshold fall on the same side. */
#include "engine/ops/sonde-op-implement.h"
#include "engine/ops/sonde-op-dependency-rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct
{
  float left, top, right, bottom, area;
} Corners;

typedef struct
{
  float score;
  gint64 box;
} Candidate;

typedef struct
{
  gint64 batch, classes, boxes;
  gint64 most;
  float overlap, least_score;
  gboolean has_least_score, centred;
} Task;

static gboolean
infer_non_max_suppression (SondeInferContext *context, GError **error)
{
  const SondeType *boxes = &context->inputs[0], *scores = &context->inputs[1];
  SondeDimension joined;

  for (guint k = 0; k < context->n_inputs; k++)
    if (k == 2 ? !sonde_infer_need_integer (context, k, error)
               : !sonde_infer_need_float (context, k, error))
      return FALSE;
  if (!sonde_infer_need_rank (context, 0, 3, error)
      || !sonde_infer_need_rank (context, 1, 3, error))
    return FALSE;
  context->outputs[0] = sonde_infer_type (SONDE_DTYPE_I64, 2);
  context->outputs[0].dims[1] = sonde_dimension (3);
  if (boxes->rank != 3 || scores->rank != 3)
    return TRUE;
  if (boxes->dims[2].size >= 0 && boxes->dims[2].size != 4)
    return sonde_infer_fail (error, "a box has %" PRIi64 " numbers, but needs 4",
                             boxes->dims[2].size);
  if (!sonde_dimension_unify (&boxes->dims[0], &scores->dims[0], &joined)
      || !sonde_dimension_unify (&boxes->dims[1], &scores->dims[2], &joined))
    return sonde_infer_fail (error,
                             "the boxes are [%" PRIi64 ", %" PRIi64 ", 4], but the scores ["
                             "%" PRIi64 ", …, %" PRIi64 "]",
                             boxes->dims[0].size, boxes->dims[1].size, scores->dims[0].size,
                             scores->dims[2].size);
  return TRUE;
}

/* [y, x, y, x] of two opposite corners, or [x, y, width, height] around the middle. */
static Corners
read_box (const float *box, gboolean centred)
{
  Corners corners;

  if (centred)
    corners = (Corners){ box[0] - box[2] / 2, box[1] - box[3] / 2, box[0] + box[2] / 2,
                         box[1] + box[3] / 2, 0 };
  else
    corners = (Corners){ MIN (box[1], box[3]), MIN (box[0], box[2]), MAX (box[1], box[3]),
                         MAX (box[0], box[2]), 0 };
  corners.area = (corners.right - corners.left) * (corners.bottom - corners.top);
  return corners;
}

static gboolean
overlaps (const Corners *a, const Corners *b, float threshold)
{
  float width = MIN (a->right, b->right) - MAX (a->left, b->left);
  float height = MIN (a->bottom, b->bottom) - MAX (a->top, b->top);
  float common, whole;

  if (!(width > 0) || !(height > 0))
    return FALSE;
  common = width * height;
  whole = a->area + b->area - common;
  return common > 0 && a->area > 0 && b->area > 0 && whole > 0 && common / whole > threshold;
}

/* Highest first, of equal ones the first box; NaN last. */
static int
compare_candidates (const void *a, const void *b)
{
  const Candidate *left = a, *right = b;

  if (left->score > right->score || (isnan (right->score) && !isnan (left->score)))
    return -1;
  if (left->score < right->score || (isnan (left->score) && !isnan (right->score)))
    return 1;
  return left->box < right->box ? -1 : left->box > right->box;
}

static gint64
list_candidates (const Task *task, const float *scores, Candidate *candidates)
{
  gint64 n = 0;

  for (gint64 i = 0; i < task->boxes; i++)
    if (!task->has_least_score || scores[i] > task->least_score)
      candidates[n++] = (Candidate){ scores[i], i };
  qsort (candidates, (gsize) n, sizeof *candidates, compare_candidates);
  return n;
}

/* Appends [batch, class, box] for each one taken. */
static void
suppress (const Task *task, const Corners *corners, Candidate *candidates, gint64 n, gint64 batch,
          gint64 class, GArray *result)
{
  gint64 taken = 0; /* at the front of the candidates */

  for (gint64 i = 0; i < n && taken < task->most; i++)
    {
      const Corners *box = &corners[candidates[i].box];
      gint64 row[] = { batch, class, candidates[i].box };
      gboolean free = TRUE;

      for (gint64 k = 0; k < taken && free; k++)
        free = !overlaps (box, &corners[candidates[k].box], task->overlap);
      if (!free)
        continue;
      candidates[taken++] = candidates[i];
      g_array_append_vals (result, row, 3);
    }
}

static void
run_task (const Task *task, const float *boxes, const float *scores, GArray *result)
{
  g_autofree Corners *corners = g_new (Corners, task->boxes + 1);
  g_autofree Candidate *candidates = g_new (Candidate, task->boxes + 1);

  for (gint64 b = 0; b < task->batch; b++)
    {
      for (gint64 i = 0; i < task->boxes; i++)
        corners[i] = read_box (boxes + 4 * (b * task->boxes + i), task->centred);
      for (gint64 c = 0; c < task->classes; c++)
        suppress (
            task, corners, candidates,
            list_candidates (task, scores + (b * task->classes + c) * task->boxes, candidates), b,
            c, result);
    }
}

/* ---- the operands -------------------------------------------------------- */

static SondeTensor *
operand (const SondeValueContext *context, guint k)
{
  SondeTensor *tensor = k < context->n_inputs ? sonde_value_get_tensor (context->inputs[k]) : NULL;

  return tensor && sonde_tensor_n_elements (tensor) > 0 ? tensor : NULL;
}

static gboolean
fits (const SondeTensor *boxes, const SondeTensor *scores)
{
  const SondeShape *b = &boxes->shape, *s = &scores->shape;

  return b->rank == 3 && s->rank == 3 && b->dims[2] == 4 && b->dims[0] == s->dims[0]
         && b->dims[1] == s->dims[2] && sonde_dtype_is_float (boxes->dtype)
         && sonde_dtype_is_float (scores->dtype);
}

static SondeTensor *
make_result (const GArray *rows)
{
  SondeShape shape = { .rank = 2, .dims = { (gint64) rows->len / 3, 3 } };

  return sonde_tensor_new_from_data (SONDE_DTYPE_I64, &shape, rows->data);
}

static gboolean
compute_non_max_suppression (const SondeValueContext *context, GError **error)
{
  SondeTensor *boxes = sonde_value_get_tensor (context->inputs[0]),
              *scores = sonde_value_get_tensor (context->inputs[1]);
  SondeTensor *most = operand (context, 2), *overlap = operand (context, 3),
              *least = operand (context, 4);
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (SondeTensor) boxes_f32 = NULL, scores_f32 = NULL, result = NULL;
  Task task;

  if (boxes == NULL || scores == NULL || !fits (boxes, scores))
    return sonde_infer_fail (
        error, "needs boxes [N, count, 4] and scores [N, classes, count], both float");
  if ((most && !sonde_dtype_is_integer (most->dtype))
      || (overlap && !sonde_dtype_is_float (overlap->dtype))
      || (least && !sonde_dtype_is_float (least->dtype)))
    return sonde_infer_fail (
        error, "the number of boxes must be an integer, the thresholds of a float type");
  task = (Task){
    .batch = scores->shape.dims[0],
    .classes = scores->shape.dims[1],
    .boxes = scores->shape.dims[2],
    .most = most ? sonde_tensor_get_int (most, 0) : 0,
    .overlap = overlap ? (float) sonde_tensor_get_double (overlap, 0) : 0,
    .least_score = least ? (float) sonde_tensor_get_double (least, 0) : 0,
    .has_least_score = least != NULL,
    .centred = sonde_node_get_int (context->node, "center_point_box", 0) != 0,
  };
  boxes_f32 = sonde_tensor_cast (boxes, SONDE_DTYPE_F32);
  scores_f32 = sonde_tensor_cast (scores, SONDE_DTYPE_F32);
  if (task.most > 0)
    run_task (&task, (const float *) (const void *) boxes_f32->data,
              (const float *) (const void *) scores_f32->data, rows);
  result = make_result (rows);
  context->outputs[0] = sonde_value_new_tensor (result);
  return TRUE;
}

/* ---- rows ---------------------------------------------------------------- */

static const SondeAttributeRule box_rule[] = {
  { "center_point_box", SONDE_ATTRIBUTE_INT, .minimum = 0, .maximum = 1 },
  { NULL },
};

const SondeOpClass sonde_ops_non_max_suppression[] = {
  {
      .domain = "",
      .name = "NonMaxSuppression",
      .since = 10,
      .min_inputs = 2,
      .max_inputs = 5,
      .min_outputs = 1,
      .max_outputs = 1,
      .flags = SONDE_OP_DYNAMIC,
      .family = SONDE_FAMILY_REDUCTION,
      .attributes = box_rule,
      .infer = infer_non_max_suppression,
      .compute_values = compute_non_max_suppression,
      .reach = { sonde_reach_everything, 0 },
      .typing = SONDE_TYPING_OWN,
  },
  { NULL },
};
