/* SPDX-License-Identifier: Apache-2.0
 * Trying preprocessings: the same labelled images, spread over all of them, through the network in
 * each way. */
#include <math.h>
#include <string.h>

#include "explain/session/sonde-explain-session-work.h"
#include "explain/sonde-note.h"

#define MOST_IMAGES 320u
#define BATCH 32u
#define BATCH_NUMBERS ((gsize) 1 << 24) /* at most, of large images */
#define PATIENCE (8 * G_USEC_PER_SEC)   /* then it has to do with the batches that there are */
#define KEY "preprocessings"

/**
 * Trying:
 * @right: (array n_tried × MOST_IMAGES): was it right
 * @from: what the session's dataset did to pixels
 */
typedef struct
{
  SondeExplainSession *session;
  SondePreprocessingTrial *trial;
  GByteArray *right;
  SondePreprocessing *from;
} Trying;

/* ---- images --------------------------------------------------------------- */

/* Labelled ones at even distances: folders stand one class behind the other. */
static GArray *
choose_images (SondeExplainSession *session)
{
  GArray *chosen = g_array_new (FALSE, FALSE, sizeof (guint));
  const SondeSplitPart *split = sonde_explain_session_get_split (session);
  guint n = split->n_test, most = MIN (n, MOST_IMAGES);

  for (guint i = 0; i < most; i++)
    {
      guint sample = split->test[(guint64) i * n / most];

      if (sonde_dataset_get_label (sonde_explain_session_get_dataset (session), sample) >= 0)
        g_array_append_val (chosen, sample);
    }
  return chosen;
}

static guint
get_batch (const SondeDataset *dataset)
{
  gsize size = (gsize) dataset->channels * (gsize) dataset->height * (gsize) dataset->width;

  return (guint) CLAMP (BATCH_NUMBERS / MAX (size, 1), 1, BATCH);
}

/* As the session's dataset makes them, without those that cannot be read, which it keeps as faults.
 * @labels: (element-type gint64): gets theirs. (nullable): none can be read */
static SondeTensor *
load_batch (SondeExplainSession *session, const guint *samples, guint n, GArray *labels)
{
  SondeDataset *dataset = sonde_explain_session_get_dataset (session);
  SondeShape shape
      = sonde_shape_make (4, (int) n, dataset->channels, dataset->height, dataset->width);
  g_autoptr (SondeTensor) inputs = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  gsize size = (gsize) dataset->channels * (gsize) dataset->height * (gsize) dataset->width;

  for (guint i = 0; i < n; i++)
    {
      gint64 label = sonde_dataset_get_label (dataset, samples[i]);

      if (sonde_dataset_fill (dataset, samples[i],
                              (float *) (void *) inputs->data + labels->len * size, NULL))
        g_array_append_val (labels, label);
    }
  if (labels->len == 0)
    return NULL;
  shape.dims[0] = labels->len;
  return sonde_tensor_view (inputs, &shape, inputs->strides, 0);
}

/* The same images with @to in the place of what the session does. (nullable): not for so many
 * channels */
static SondeTensor *
convert (Trying *trying, SondeTensor *inputs, const SondePreprocessing *to)
{
  gint64 n = inputs->shape.dims[0], area = inputs->shape.dims[2] * inputs->shape.dims[3];
  int channels = (int) inputs->shape.dims[1];
  double from_mean[4], from_std[4], mean[4], std[4];
  SondeTensor *converted;

  if (!sonde_preprocessing_parse (trying->from, channels, from_mean, from_std)
      || !sonde_preprocessing_parse (to, channels, mean, std))
    return NULL;
  converted = sonde_tensor_new (SONDE_DTYPE_F32, &inputs->shape);
  for (gint64 plane = 0; plane < n * channels; plane++)
    {
      int at = (int) (plane % channels), c = trying->from->bgr ? channels - 1 - at : at;
      gint64 target = plane - at + (to->bgr ? channels - 1 - c : c);
      const float *read = (const float *) (const void *) inputs->data + plane * area;
      float *write = (float *) (void *) converted->data + target * area;

      for (gint64 i = 0; i < area; i++)
        write[i] = (float) ((read[i] * from_std[c] + from_mean[c] - mean[c]) / std[c]);
    }
  return converted;
}

/* ---- trying --------------------------------------------------------------- */

static void
count_row (Trying *trying, SondePreprocessing *tried, const float *logits, gint64 classes,
           gint64 label, guint8 *right)
{
  gint64 best = 0;
  double sum = 0;

  for (gint64 c = 1; c < classes; c++)
    if (logits[c] > logits[best])
      best = c;
  for (gint64 c = 0; c < classes; c++)
    sum += exp ((double) logits[c] - (double) logits[best]);
  *right = best == label;
  tried->n_right += best == label;
  if (label < classes)
    tried->loss += log (sum) + (double) logits[best] - (double) logits[label];
}

/* One batch in one way. */
static gboolean
try_one (Trying *trying, guint index, SondeTensor *inputs, GArray *labels, GError **error)
{
  SondePreprocessing *tried = g_ptr_array_index (trying->trial->tried, index);
  g_autoptr (SondeTensor) converted = index > 0 ? convert (trying, inputs, tried) : NULL,
                          logits = NULL, plain = NULL;

  logits = sonde_explainer_forward (sonde_explain_session_get_explainer (trying->session),
                                    converted != NULL ? converted : inputs, error);
  plain = logits != NULL ? sonde_tensor_contiguous (logits) : NULL;
  for (guint i = 0; plain != NULL && i < labels->len; i++)
    count_row (trying, tried, (const float *) (const void *) plain->data + i * plain->shape.dims[1],
               plain->shape.dims[1], g_array_index (labels, gint64, i),
               trying->right->data + (gsize) index * MOST_IMAGES + trying->trial->n_images + i);
  return plain != NULL;
}

/* Those from @first on, on as many of @images as time allows; the others leave the list. */
static gboolean
try_all (Trying *trying, GArray *images, guint first, GError **error)
{
  SondePreprocessingTrial *trial = trying->trial;
  const gint64 begun = g_get_monotonic_time ();
  const guint batch = get_batch (sonde_explain_session_get_dataset (trying->session));

  for (guint done = 0; done < images->len; done += batch)
    {
      guint n = MIN (batch, images->len - done);
      g_autoptr (GArray) labels = g_array_new (FALSE, FALSE, sizeof (gint64));
      g_autoptr (SondeTensor) inputs
          = load_batch (trying->session, &g_array_index (images, guint, done), n, labels);

      for (guint i = first; inputs != NULL && i < trial->tried->len; i++)
        if (!sonde_explain_session_tick (trying->session,
                                         (guint64) done * trial->tried->len + i * n,
                                         (guint64) images->len * trial->tried->len, error)
            || !try_one (trying, i, inputs, labels, error))
          return FALSE;
      trial->n_images += labels->len;
      if (g_get_monotonic_time () - begun > PATIENCE)
        g_array_set_size (images, done + n);
    }
  return TRUE;
}

static gboolean
is_better (const SondePreprocessing *a, const SondePreprocessing *b)
{
  return a->n_right > b->n_right || (a->n_right == b->n_right && a->loss < b->loss);
}

static void
judge (Trying *trying)
{
  SondePreprocessingTrial *trial = trying->trial;
  const guint8 *own = trying->right->data, *best;

  trial->best = 0;
  for (guint i = 1; i < trial->tried->len; i++)
    if (is_better (g_ptr_array_index (trial->tried, i),
                   g_ptr_array_index (trial->tried, trial->best)))
      trial->best = i;
  best = own + (gsize) trial->best * MOST_IMAGES;
  trial->n_only_best = trial->n_only_own = 0;
  for (guint i = 0; i < trial->n_images; i++)
    {
      trial->n_only_best += best[i] && !own[i];
      trial->n_only_own += own[i] && !best[i];
    }
}

/* The best so far with the planes in the other order, unless an order was asked for. */
static gboolean
try_order (Trying *trying, GArray *images, GError **error)
{
  SondePreprocessingTrial *trial = trying->trial;
  const SondePreprocessing *best = g_ptr_array_index (trial->tried, trial->best);
  SondePreprocessing *other;
  guint n_images = trial->n_images;

  if (sonde_explain_session_get_dataset (trying->session)->channels != 3
      || sonde_explain_session_get_settings (trying->session)->channels != NULL)
    return TRUE;
  other = sonde_preprocessing_new (best->title, best->mean, best->std);
  other->bgr = !best->bgr;
  g_ptr_array_add (trial->tried, other);
  g_byte_array_set_size (trying->right, trial->tried->len * MOST_IMAGES);
  trial->n_images = 0;
  if (!try_all (trying, images, trial->tried->len - 1, error))
    return FALSE;
  if (trial->n_images < n_images) /* time was too short to compare it with the others */
    g_ptr_array_set_size (trial->tried, (int) trial->tried->len - 1);
  trial->n_images = n_images;
  judge (trying);
  return TRUE;
}

/* ---- what there is to try ------------------------------------------------- */

static char *
join_numbers (const float *numbers, int n, gboolean backwards)
{
  g_autoptr (GString) text = g_string_new (NULL);
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  for (int c = 0; c < n; c++)
    {
      g_ascii_formatd (buffer, sizeof buffer, "%.9g", (double) numbers[backwards ? n - 1 - c : c]);
      g_string_append_printf (text, "%s%s", c > 0 ? "," : "", buffer);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* What the session's dataset does. */
static SondePreprocessing *
describe_own (SondeExplainSession *session)
{
  const SondeDataset *dataset = sonde_explain_session_get_dataset (session);
  gboolean bgr = dataset->channels == 3
                 && g_strcmp0 (sonde_explain_session_get_settings (session)->channels, "bgr") == 0;
  g_autofree char *mean = join_numbers (dataset->mean, dataset->channels, bgr),
                  *std = join_numbers (dataset->std, dataset->channels, bgr);
  SondePreprocessing *own
      = sonde_preprocessing_new (N_ ("the numbers customary for these data"), mean, std);

  own->bgr = bgr;
  return own;
}

static gboolean
is_same (const SondePreprocessing *a, const SondePreprocessing *b, int channels)
{
  double a_mean[4], a_std[4], b_mean[4], b_std[4];

  if (a->bgr != b->bgr || !sonde_preprocessing_parse (a, channels, a_mean, a_std)
      || !sonde_preprocessing_parse (b, channels, b_mean, b_std))
    return FALSE;
  for (int c = 0; c < channels; c++)
    if (fabs (a_mean[c] - b_mean[c]) > 1e-6 || fabs (a_std[c] - b_std[c]) > 1e-6)
      return FALSE;
  return TRUE;
}

/* The session's own first, under the name it has in the list if it is one of these; each once. */
static void
list_candidates (Trying *trying)
{
  SondeExplainSession *session = trying->session;
  int channels = sonde_explain_session_get_dataset (session)->channels;
  g_autoptr (GPtrArray) list
      = sonde_preprocessing_list (sonde_explain_session_get_recorded (session),
                                  sonde_explain_session_get_model (session), channels);
  SondePreprocessing *own = describe_own (session);

  trying->from = own;
  g_ptr_array_add (trying->trial->tried, own);
  for (guint i = 0; i < list->len; i++)
    {
      SondePreprocessing *one = g_ptr_array_index (list, i);
      double mean[4], std[4];
      gboolean known = !sonde_preprocessing_parse (one, channels, mean, std);

      if (sonde_explain_session_get_settings (session)->channels != NULL)
        one->bgr = own->bgr; /* the order was chosen */

      for (guint k = 0; k < trying->trial->tried->len; k++)
        known = known || is_same (g_ptr_array_index (trying->trial->tried, k), one, channels);
      if (is_same (own, one, channels))
        {
          g_free (own->title);
          own->title = g_strdup (one->title);
        }
      if (!known)
        {
          SondePreprocessing *copy = sonde_preprocessing_new (one->title, one->mean, one->std);

          copy->bgr = one->bgr;
          g_ptr_array_add (trying->trial->tried, copy);
        }
    }
}

/* Images with a mean of their own, and no numbers chosen by anybody. */
static gboolean
can_try (SondeExplainSession *session)
{
  const SondeExplanationSettings *settings = sonde_explain_session_get_settings (session);

  return settings->mean == NULL && settings->std == NULL && settings->data != NULL
         && sonde_explain_session_get_dataset (session)->shape.rank == 3
         && sonde_explain_session_get_dataset (session)->channels <= 4;
}

static gboolean
is_plain (const SondeDataset *dataset)
{
  for (int c = 0; c < dataset->channels; c++)
    if (dataset->mean[c] != 0 || dataset->std[c] != 1)
      return FALSE;
  return TRUE;
}

/* What was done to the pixels unasked, where that does not look wrong. */
static void
note (SondeExplainSession *session, const SondePreprocessingTrial *trial)
{
  if (sonde_preprocessing_trial_is_clear (trial))
    return;
  if (trial->n_images == 0 && can_try (session)
      && is_plain (sonde_explain_session_get_dataset (session)))
    g_ptr_array_add (
        sonde_explain_session_get_notes (session),
        sonde_message_new ("No mean and standard deviation set: pixels are fed as 0–1. If accuracy "
                           "looks too low, set the values used in training."));
  else if (trial->n_images > 0 && is_plain (sonde_explain_session_get_dataset (session)))
    g_ptr_array_add (
        sonde_explain_session_get_notes (session),
        sonde_message_new (
            "No mean and standard deviation set: pixels are fed as 0–1. None of the %u usual "
            "alternatives is clearly better on %u labelled images.",
            trial->tried->len - 1, trial->n_images));
}

static SondePreprocessingTrial *
compute (SondeExplainSession *session, GError **error)
{
  g_autoptr (SondePreprocessingTrial) trial = sonde_preprocessing_trial_new ();
  g_autoptr (GArray) images = choose_images (session);
  g_autoptr (GByteArray) right = g_byte_array_new ();
  Trying trying = { .session = session, .trial = trial, .right = right };

  if (images->len == 0)
    return g_steal_pointer (&trial);
  sonde_explain_session_begin (session, N_ ("Trying preprocessings"), 0);
  list_candidates (&trying);
  g_byte_array_set_size (right, trial->tried->len * MOST_IMAGES);
  if (!try_all (&trying, images, 0, error))
    return NULL;
  judge (&trying);
  if (trial->n_images > 0 && !try_order (&trying, images, error))
    return NULL;
  for (guint i = 0; i < trial->tried->len && trial->n_images > 0; i++)
    ((SondePreprocessing *) g_ptr_array_index (trial->tried, i))->loss /= trial->n_images;
  return g_steal_pointer (&trial);
}

const SondePreprocessingTrial *
sonde_explain_session_try_preprocessings (SondeExplainSession *session, GError **error)
{
  SondeExplainCache *cache = sonde_explain_session_get_cache (session);
  SondePreprocessingTrial *trial;

  if (sonde_explain_session_get_trial (session) != NULL)
    return sonde_explain_session_get_trial (session);
  trial = can_try (session)
              ? sonde_explain_codec_load (&sonde_preprocessing_trial_codec, cache, KEY)
              : sonde_preprocessing_trial_new ();
  if (trial == NULL)
    {
      trial = compute (session, error);
      if (trial == NULL)
        return NULL;
      sonde_explain_codec_store (&sonde_preprocessing_trial_codec, cache, KEY, trial);
    }
  note (session, trial);
  sonde_explain_session_take_trial (session, trial);
  return trial;
}
