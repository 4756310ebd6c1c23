/* SPDX-License-Identifier: Apache-2.0
 * The search: a queue of jobs, each a greedy walk over the windows of one field. */
#include "explain/counterfactual/sonde-hierarchical-occlusion.h"

#include <math.h>
#include <string.h>

#include "explain/counterfactual/sonde-occlusion-scores.h"

#define DEFAULT_BATCH 16

/* How a goal walks. @from_mask: starts wholly masked and shows; else starts with the image and
 * hides. */
static const struct
{
  gboolean from_mask, raise;
} walks[] = {
  [SONDE_OCCLUSION_KEEP] = { TRUE, TRUE },
  [SONDE_OCCLUSION_DESTROY] = { FALSE, FALSE },
  [SONDE_OCCLUSION_FLIP] = { FALSE, TRUE },
};

typedef struct
{
  const SondeOcclusionSettings *settings;
  SondeOcclusionScores *scores;
  SondeTensor *base, *source; /* where a walk starts, and what windows are taken from */
  gboolean raise;
  double threshold;
  SondeOcclusionResult *result;
  GQueue jobs;
} Search;

/* @parent NULL: the whole image. @before: steps whose boxes are edited before this job starts;
 * lent. */
typedef struct
{
  guint layer;
  SondeBox field;
  SondeOcclusionStep *parent;
  GPtrArray *before;
} Job;

static Job *
job_new (guint layer, const SondeBox *field, SondeOcclusionStep *parent, GPtrArray *before,
         GPtrArray *steps)
{
  Job *job = g_new0 (Job, 1);

  job->layer = layer;
  job->field = *field;
  job->parent = parent;
  job->before = g_ptr_array_new ();
  for (guint i = 0; before != NULL && i < before->len; i++)
    g_ptr_array_add (job->before, g_ptr_array_index (before, i));
  for (guint i = 0; steps != NULL && i < steps->len; i++)
    g_ptr_array_add (job->before, g_ptr_array_index (steps, i));
  return job;
}

static void
job_free (void *data)
{
  Job *job = data;

  g_ptr_array_unref (job->before);
  g_free (job);
}

static void
step_free (void *data)
{
  SondeOcclusionStep *step = data;

  g_ptr_array_unref (step->children);
  g_free (step);
}

void
sonde_occlusion_result_free (SondeOcclusionResult *result)
{
  if (result == NULL)
    return;
  for (guint i = 0; i < SONDE_OCCLUSION_MAX_LAYERS; i++)
    g_clear_pointer (&result->boxes[i], g_array_unref);
  g_clear_pointer (&result->pruned, g_array_unref);
  g_clear_pointer (&result->roots, g_ptr_array_unref);
  g_clear_pointer (&result->steps, g_ptr_array_unref);
  sonde_message_free (result->note);
  g_free (result);
}

GArray *
sonde_occlusion_offsets (int begin, int length, int window, int stride)
{
  GArray *offsets = g_array_new (FALSE, FALSE, sizeof (int));
  int rest = length - window, n = rest / stride + (rest % stride != 0);

  if ((n - 1) * stride + window < length)
    n++;
  for (int i = 0; i < n; i++)
    {
      int offset = i == n - 1 ? begin + rest : begin + i * stride;

      g_array_append_val (offsets, offset);
    }
  return offsets;
}

/* ---- boxes --------------------------------------------------------------- */

/* Boxes of the steps at @layer, and of those above that have no children; depth is at most the
 * layers. */
static void
collect (GPtrArray *steps, guint layer, GArray *boxes)
{
  for (guint i = 0; i < steps->len; i++)
    {
      SondeOcclusionStep *step = g_ptr_array_index (steps, i);

      if (step->layer == layer || step->children->len == 0)
        g_array_append_val (boxes, step->box);
      else
        collect (step->children, layer, boxes);
    }
}

/* The starting image with @boxes edited. */
static SondeTensor *
compose (Search *search, GArray *boxes)
{
  SondeTensor *image = sonde_tensor_copy (search->base);

  for (guint i = 0; i < boxes->len; i++)
    sonde_occlusion_edit (image, search->source, &g_array_index (boxes, SondeBox, i));
  return image;
}

static gboolean
score_of_boxes (Search *search, GArray *boxes, double *out, GError **error)
{
  g_autoptr (SondeTensor) image = compose (search, boxes);

  return sonde_occlusion_scores_get (search->scores, image, NULL, NULL, 1, out, error);
}

static gboolean
is_met (const Search *search, double score)
{
  return search->raise ? score >= search->threshold : score <= search->threshold;
}

/* ---- one job ------------------------------------------------------------- */

static GArray *
make_candidates (const SondeBox *field, int window, int stride)
{
  GArray *candidates = g_array_new (FALSE, FALSE, sizeof (SondeBox));
  g_autoptr (GArray) xs = sonde_occlusion_offsets (field->x, field->width, window, stride);
  g_autoptr (GArray) ys = sonde_occlusion_offsets (field->y, field->height, window, stride);

  for (guint x = 0; x < xs->len; x++)
    for (guint y = 0; y < ys->len; y++)
      {
        SondeBox box = { g_array_index (xs, int, x), g_array_index (ys, int, y), window, window };

        g_array_append_val (candidates, box);
      }
  return candidates;
}

/* Index of the first best score; -1 when every one is NaN. */
static int
find_best (const Search *search, const double *scores, guint n)
{
  int best = -1;

  for (guint i = 0; i < n; i++)
    if (!isnan (scores[i])
        && (best < 0 || (search->raise ? scores[i] > scores[best] : scores[i] < scores[best])))
      best = (int) i;
  return best;
}

static SondeOcclusionStep *
add_step (Search *search, guint layer, const SondeBox *box, double out, double change)
{
  SondeOcclusionStep *step = g_new0 (SondeOcclusionStep, 1);

  *step = (SondeOcclusionStep){ layer,  search->result->steps->len, *box, out,
                                change, g_ptr_array_new () };
  g_ptr_array_add (search->result->steps, step);
  return step;
}

/**
 * Walk: one job under way
 * @steps: (element-type SondeOcclusionStep): taken so far, lent
 * @jobs: jobs that refine them
 */
typedef struct
{
  const Job *job;
  SondeTensor *work;
  GArray *candidates;
  GPtrArray *steps, *jobs;
  double start, last;
} Walk;

static void
walk_clear (Walk *walk)
{
  sonde_tensor_unref (walk->work);
  g_array_unref (walk->candidates);
  g_ptr_array_unref (walk->steps);
  g_ptr_array_unref (walk->jobs);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Walk, walk_clear)

static gboolean
walk_begin (Search *search, const Job *job, Walk *walk, GError **error)
{
  g_autoptr (GArray) boxes = g_array_new (FALSE, FALSE, sizeof (SondeBox));

  collect (job->before, SONDE_OCCLUSION_MAX_LAYERS, boxes);
  walk->job = job;
  walk->work = compose (search, boxes);
  walk->candidates = make_candidates (&job->field, search->settings->windows[job->layer],
                                      search->settings->strides[job->layer]);
  walk->steps = g_ptr_array_new ();
  walk->jobs = g_ptr_array_new_with_free_func (job_free);
  if (!sonde_occlusion_scores_get (search->scores, walk->work, NULL, NULL, 1, &walk->start, error))
    return FALSE;
  walk->last = walk->start;
  search->result->n_evaluations++;
  return TRUE;
}

/* Takes the best window. @taken: FALSE when there is none. */
static gboolean
walk_on (Search *search, Walk *walk, gboolean *taken, GError **error)
{
  guint n = walk->candidates->len;
  const SondeBox *boxes = (const SondeBox *) (void *) walk->candidates->data;
  g_autofree double *scores = g_new (double, MAX (n, 1));
  SondeOcclusionStep *step;
  double change;
  int best;

  *taken = FALSE;
  if (!sonde_occlusion_scores_get (search->scores, walk->work, search->source, boxes, n, scores,
                                   error))
    return FALSE;
  search->result->n_candidates += n;
  search->result->n_evaluations += n;
  best = find_best (search, scores, n);
  if (best < 0)
    {
      if (n > 0 && search->result->note == NULL)
        search->result->note = sonde_message_new (
            "Every window gave a score that is not a number, so the search stopped.");
      return TRUE;
    }
  change = scores[best] - walk->last;
  step = add_step (search, walk->job->layer, &boxes[best], scores[best], change);
  sonde_occlusion_edit (walk->work, search->source, &step->box);
  if (walk->job->layer + 1 < search->settings->n_layers
      && (search->raise ? change > 0 : change < 0))
    g_ptr_array_add (walk->jobs, job_new (walk->job->layer + 1, &step->box, step, walk->job->before,
                                          walk->steps));
  g_ptr_array_add (walk->steps, step);
  g_array_remove_index (walk->candidates, (guint) best);
  *taken = TRUE;
  return TRUE;
}

/* Once the parent's own change is matched, smaller windows do its work. */
static gboolean
matches_parent (const Search *search, const Walk *walk, double out)
{
  const SondeOcclusionStep *parent = walk->job->parent;

  if (parent == NULL)
    return FALSE;
  return search->raise ? out - walk->start >= parent->change : out - walk->start <= parent->change;
}

static gboolean
run_job (Search *search, const Job *job, GError **error)
{
  g_auto (Walk) walk = { 0 };
  GPtrArray *children = job->parent != NULL ? job->parent->children : search->result->roots;
  gboolean taken;

  if (!walk_begin (search, job, &walk, error))
    return FALSE;
  if (job->parent == NULL && walks[search->settings->goal].from_mask)
    search->result->masked = walk.start;
  while (!is_met (search, walk.last))
    {
      double out;

      if (!walk_on (search, &walk, &taken, error))
        return FALSE;
      if (!taken)
        return TRUE;
      out = ((SondeOcclusionStep *) g_ptr_array_index (walk.steps, walk.steps->len - 1))->out;
      if (matches_parent (search, &walk, out))
        break;
      walk.last = out;
    }
  for (guint i = 0; i < walk.steps->len; i++)
    g_ptr_array_add (children, g_ptr_array_index (walk.steps, i));
  while (walk.jobs->len > 0)
    g_queue_push_tail (&search->jobs, g_ptr_array_steal_index (walk.jobs, 0));
  return TRUE;
}

/* ---- the result ---------------------------------------------------------- */

static guint
find_depth (GPtrArray *steps)
{
  guint depth = 0;

  for (guint i = 0; i < steps->len; i++)
    depth = MAX (depth,
                 1 + find_depth (((SondeOcclusionStep *) g_ptr_array_index (steps, i))->children));
  return depth;
}

/* Boxes and score of each layer, then the cut-off. */
static gboolean
finish (Search *search, GError **error)
{
  SondeOcclusionResult *result = search->result;
  guint depth = find_depth (result->roots), n = depth;

  for (guint layer = 0; layer < depth; layer++)
    {
      result->boxes[layer] = g_array_new (FALSE, FALSE, sizeof (SondeBox));
      collect (result->roots, layer, result->boxes[layer]);
      if (!score_of_boxes (search, result->boxes[layer], &result->layer_out[layer], error))
        return FALSE;
    }
  while (n > 0 && !is_met (search, result->layer_out[n - 1]))
    n--;
  for (guint layer = n; layer < depth; layer++)
    g_clear_pointer (&result->boxes[layer], g_array_unref);
  result->n_layers = n;
  result->status = n > 0 ? SONDE_OCCLUSION_OK : SONDE_OCCLUSION_NO_VALID_RESULT;
  return TRUE;
}

/* Drops boxes from the last one on, where the threshold still holds without them. */
static gboolean
prune (Search *search, GError **error)
{
  SondeOcclusionResult *result = search->result;
  GArray *last = result->boxes[result->n_layers - 1];

  result->pruned
      = g_array_append_vals (g_array_new (FALSE, FALSE, sizeof (SondeBox)), last->data, last->len);
  result->pruned_out = result->layer_out[result->n_layers - 1];
  for (guint i = result->pruned->len; i-- > 0;)
    {
      SondeBox box = g_array_index (result->pruned, SondeBox, i);
      double out;

      g_array_remove_index (result->pruned, i);
      if (!score_of_boxes (search, result->pruned, &out, error))
        return FALSE;
      if (is_met (search, out))
        result->pruned_out = out;
      else
        g_array_insert_val (result->pruned, i, box);
    }
  return TRUE;
}

/* Is there a question: does the image itself stand on the side that the walk leaves or keeps? */
static gboolean
is_asked (const Search *search)
{
  double original = search->result->original;

  if (search->settings->goal == SONDE_OCCLUSION_FLIP)
    return original < search->threshold;
  return original > search->threshold;
}

static gboolean
search_one (Search *search, SondeTensor *image, GError **error)
{
  SondeOcclusionResult *result = search->result;
  SondeBox whole = { 0, 0, (int) image->shape.dims[2], (int) image->shape.dims[1] };
  guint64 asked = sonde_occlusion_scores_get_n_asked (search->scores);
  Job *job;

  if (!sonde_occlusion_scores_get (search->scores, image, NULL, NULL, 1, &result->original, error))
    return FALSE;
  if (!is_asked (search))
    {
      result->status = SONDE_OCCLUSION_BELOW_THRESHOLD;
      result->n_scored = sonde_occlusion_scores_get_n_asked (search->scores) - asked;
      return TRUE;
    }
  g_queue_push_tail (&search->jobs, job_new (0, &whole, NULL, NULL, NULL));
  while ((job = g_queue_pop_head (&search->jobs)) != NULL)
    {
      gboolean good = run_job (search, job, error);

      job_free (job);
      if (!good)
        return FALSE;
    }
  if (!finish (search, error)
      || (search->settings->prune && result->status == SONDE_OCCLUSION_OK
          && !prune (search, error)))
    return FALSE;
  result->n_scored = sonde_occlusion_scores_get_n_asked (search->scores) - asked;
  return TRUE;
}

static SondeOcclusionResult *
result_new (SondeOcclusionGoal goal, double threshold)
{
  SondeOcclusionResult *result = g_new0 (SondeOcclusionResult, 1);

  result->goal = goal;
  result->threshold = threshold;
  result->original = result->masked = result->pruned_out = NAN;
  result->roots = g_ptr_array_new ();
  result->steps = g_ptr_array_new_with_free_func (step_free);
  return result;
}

double
sonde_occlusion_result_get_area (const SondeOcclusionResult *result, gint64 height, gint64 width)
{
  GArray *boxes = result->pruned != NULL
                      ? result->pruned
                      : (result->n_layers > 0 ? result->boxes[result->n_layers - 1] : NULL);
  g_autofree guint8 *covered = g_new0 (guint8, height * width);
  gint64 n = 0;

  if (boxes == NULL)
    return NAN;
  for (guint i = 0; i < boxes->len; i++)
    {
      const SondeBox *box = &g_array_index (boxes, SondeBox, i);

      for (int y = box->y; y < box->y + box->height; y++)
        memset (covered + y * width + box->x, 1, (gsize) box->width);
    }
  for (gint64 i = 0; i < height * width; i++)
    n += covered[i];
  return (double) n / (double) (height * width);
}

/* ---- the way in ---------------------------------------------------------- */

static gboolean
check (SondeTensor *image, SondeTensor *mask, const SondeOcclusionSettings *settings,
       GError **error)
{
  g_autofree char *size = sonde_tensor_describe (image);
  gint64 field;

  if (image->dtype != SONDE_DTYPE_F32 || image->shape.rank != 3 || mask->dtype != SONDE_DTYPE_F32
      || !sonde_shape_equal (&image->shape, &mask->shape))
    {
      g_autofree char *other = sonde_tensor_describe (mask);

      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "Hierarchical occlusion requires an image and a mask of the same float32 "
                       "shape [C, H, W], not %s and %s.",
                       size, other);
      return FALSE;
    }
  if (settings->n_layers < 1 || settings->n_layers > SONDE_OCCLUSION_MAX_LAYERS
      || settings->n_thresholds < 1)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "Hierarchical occlusion requires 1 to %d window sizes and at least one "
                       "threshold, not %u and %u.",
                       SONDE_OCCLUSION_MAX_LAYERS, settings->n_layers, settings->n_thresholds);
      return FALSE;
    }
  field = MIN (image->shape.dims[1], image->shape.dims[2]);
  for (guint i = 0; i < settings->n_layers; i++)
    {
      int window = settings->windows[i], stride = settings->strides[i];

      if (window < 1 || window >= field || stride < 1 || stride > window
          || (i > 0 && stride > settings->strides[i - 1]))
        {
          sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                           "Window %d with stride %d does not fit: a window must be smaller than "
                           "the image's short side or the previous window (%" PRIi64
                           "), and a stride must lie between 1 and its window and not exceed the "
                           "previous stride. Set windows= and strides= for this image (%s).",
                           window, stride, field, size);
          return FALSE;
        }
      field = window;
    }
  return TRUE;
}

GPtrArray *
sonde_hierarchical_occlusion_run (SondeTensor *image, SondeTensor *mask,
                                  const SondeOcclusionSettings *settings, SondeScoreFunction score,
                                  gpointer data, GError **error)
{
  g_autoptr (GPtrArray) results
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_occlusion_result_free);
  g_autoptr (SondeTensor) original = NULL, masked = NULL;
  g_autoptr (SondeOcclusionScores) scores = NULL;
  gboolean from_mask = walks[settings->goal].from_mask;

  if (!check (image, mask, settings, error))
    return NULL;
  original = sonde_tensor_contiguous (image);
  masked = sonde_tensor_contiguous (mask);
  scores = sonde_occlusion_scores_new (
      original, settings->batch > 0 ? settings->batch : DEFAULT_BATCH, score, data, error);
  if (scores == NULL)
    return NULL;
  for (guint i = 0; i < settings->n_thresholds; i++)
    {
      Search search = {
        .settings = settings,
        .scores = scores,
        .base = from_mask ? masked : original,
        .source = from_mask ? original : masked,
        .raise = walks[settings->goal].raise,
        .threshold = settings->thresholds[i],
        .result = result_new (settings->goal, settings->thresholds[i]),
        .jobs = G_QUEUE_INIT,
      };
      gboolean good;

      g_ptr_array_add (results, search.result);
      good = search_one (&search, original, error);
      g_queue_clear_full (&search.jobs, job_free);
      if (!good)
        return NULL;
    }
  return g_steal_pointer (&results);
}
