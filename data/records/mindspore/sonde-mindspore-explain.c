/* SPDX-License-Identifier: Apache-2.0
 * Explain messages. Files from before November 2020 have texts as ids and pictures inside: what
 * fits is kept (the id as picture's name), told from the others by the wire type of field 1. */
#include "data/records/mindspore/sonde-mindspore-contents-private.h"

#include <math.h>

#include "data/records/mindspore.pb-c.h"
#include "data/records/sonde-record-text.h"
#include "data/wire/sonde-wire-decode.h"

static int
to_label (gint64 number)
{
  return (int) CLAMP (number, G_MININT, G_MAXINT);
}

/* NULL of none. */
static char **
dup_texts (const ProtobufCBinaryData *items, gsize n)
{
  char **texts = n > 0 ? g_new0 (char *, n + 1) : NULL;

  for (gsize i = 0; i < n; i++)
    texts[i] = sonde_record_dup_bytes (items[i]);
  return texts;
}

/* ---- classes of a sample ------------------------------------------------- */

typedef struct
{
  const float *items;
  gsize n;
} Numbers;

static double
number_at (Numbers numbers, gsize i)
{
  return i < numbers.n ? (double) numbers.items[i] : NAN;
}

/* @numbers: probability, deviation, low and high */
static SondeExplanationClass *
make_classes (const gint64 *labels, gsize n, const Numbers numbers[4])
{
  SondeExplanationClass *classes = n > 0 ? g_new (SondeExplanationClass, n) : NULL;

  for (gsize i = 0; i < n; i++)
    classes[i] = (SondeExplanationClass){
      .label = to_label (labels[i]),
      .probability = number_at (numbers[0], i),
      .deviation = number_at (numbers[1], i),
      .low = number_at (numbers[2], i),
      .high = number_at (numbers[3], i),
    };
  return classes;
}

static void
read_inference (const Mindspore__Explain *explain, SondeExplanation *explanation)
{
  static const Mindspore__Explain__Inference nothing = MINDSPORE__EXPLAIN__INFERENCE__INIT;
  const Mindspore__Explain__Inference *of = explain->inference ? explain->inference : &nothing;
  const Numbers truths[] = {
    { of->ground_truth_prob, of->n_ground_truth_prob },
    { of->ground_truth_prob_sd, of->n_ground_truth_prob_sd },
    { of->ground_truth_prob_itl95_low, of->n_ground_truth_prob_itl95_low },
    { of->ground_truth_prob_itl95_hi, of->n_ground_truth_prob_itl95_hi },
  };
  const Numbers predictions[] = {
    { of->predicted_prob, of->n_predicted_prob },
    { of->predicted_prob_sd, of->n_predicted_prob_sd },
    { of->predicted_prob_itl95_low, of->n_predicted_prob_itl95_low },
    { of->predicted_prob_itl95_hi, of->n_predicted_prob_itl95_hi },
  };

  explanation->n_truths = explain->n_ground_truth_label;
  explanation->truths = make_classes (explain->ground_truth_label, explanation->n_truths, truths);
  explanation->n_predictions = of->n_predicted_label;
  explanation->predictions
      = make_classes (of->predicted_label, explanation->n_predictions, predictions);
}

/* ---- maps, scores, occlusions -------------------------------------------- */

static void
read_maps (const Mindspore__Explain *explain, gboolean is_old, SondeExplanation *explanation)
{
  explanation->n_maps = explain->n_explanation;
  explanation->maps = g_new0 (SondeExplanationMap, explain->n_explanation);
  for (gsize i = 0; i < explain->n_explanation; i++)
    {
      const Mindspore__Explain__Explanation *proto = explain->explanation[i];
      SondeExplanationMap *map = &explanation->maps[i];

      map->method = sonde_record_dup_bytes (proto->explain_method);
      map->label = to_label (proto->label);
      /* the picture itself once */
      map->heat_map = is_old ? g_strdup ("") : sonde_record_dup_bytes (proto->heatmap_path);
    }
}

static void
set_label_scores (SondeExplanationScore *score, const float *scores, gsize n)
{
  g_free (score->label_scores);
  score->n_label_scores = n;
  score->label_scores = n > 0 ? g_new (double, n) : NULL;
  for (gsize i = 0; i < n; i++)
    score->label_scores[i] = (double) scores[i];
}

static gboolean
read_score (ProtobufCBinaryData message, SondeWireArena *arena, GArray *scores, GError **error)
{
  const Mindspore__Benchmark *proto
      = sonde_wire_decode_field (&mindspore__benchmark__descriptor, message, arena, error);
  SondeExplanationScore score = { 0 };

  if (proto == NULL)
    return FALSE;
  score.total = (double) SONDE_WIRE_OR (proto, total_score, NAN);
  score.benchmark = sonde_record_dup_bytes (proto->benchmark_method);
  score.method = sonde_record_dup_bytes (proto->explain_method);
  set_label_scores (&score, proto->label_score, proto->n_label_score);
  g_array_append_val (scores, score);
  return TRUE;
}

/* The score of a benchmark among those from @first on, made when there is none. */
static SondeExplanationScore *
find_old_score (GArray *scores, guint first, ProtobufCBinaryData name, const char *method)
{
  g_autofree char *benchmark = sonde_record_dup_bytes (name);
  SondeExplanationScore fresh = { .total = NAN };

  for (guint k = first; k < MIN (scores->len, first + 1000); k++)
    if (g_str_equal (g_array_index (scores, SondeExplanationScore, k).benchmark, benchmark))
      return &g_array_index (scores, SondeExplanationScore, k);
  fresh.benchmark = g_steal_pointer (&benchmark);
  fresh.method = g_strdup (method);
  g_array_append_val (scores, fresh);
  return &g_array_index (scores, SondeExplanationScore, scores->len - 1);
}

/* Of one method the total and the scores of each benchmark, apart. */
static gboolean
read_old_score (ProtobufCBinaryData message, SondeWireArena *arena, GArray *scores, GError **error)
{
  const Mindspore__OldBenchmark *proto
      = sonde_wire_decode_field (&mindspore__old_benchmark__descriptor, message, arena, error);
  g_autofree char *method = proto != NULL ? sonde_record_dup_bytes (proto->explain_method) : NULL;
  const guint first = scores->len;

  if (proto == NULL)
    return FALSE;
  for (gsize i = 0; i < proto->n_total_score; i++)
    {
      const Mindspore__OldBenchmark__TotalScore *total = proto->total_score[i];

      find_old_score (scores, first, total->benchmark_method, method)->total
          = (double) SONDE_WIRE_OR (total, score, NAN);
    }
  for (gsize i = 0; i < proto->n_label_score; i++)
    {
      const Mindspore__OldBenchmark__LabelScore *labels = proto->label_score[i];

      set_label_scores (find_old_score (scores, first, labels->benchmark_method, method),
                        labels->score, labels->n_score);
    }
  return TRUE;
}

/* Old ones hold messages where new ones hold a number. */
static gboolean
is_old_score (ProtobufCBinaryData message)
{
  SondeWireCursor cursor = sonde_wire_cursor (message.data, message.len);
  SondeWireItem item;

  while (sonde_wire_next (&cursor, &item) == SONDE_WIRE_ITEM)
    if (item.number == 3)
      return item.type == SONDE_WIRE_BYTES;
  return FALSE;
}

static gboolean
read_scores (const Mindspore__Explain *explain, gboolean is_old, SondeWireArena *arena,
             SondeExplanation *explanation, GError **error)
{
  g_autoptr (GArray) scores = g_array_new (FALSE, TRUE, sizeof (SondeExplanationScore));
  gboolean right = TRUE;

  for (gsize i = 0; right && i < explain->n_benchmark; i++)
    right = is_old || is_old_score (explain->benchmark[i])
                ? read_old_score (explain->benchmark[i], arena, scores, error)
                : read_score (explain->benchmark[i], arena, scores, error);
  explanation->n_scores = scores->len;
  explanation->scores = (SondeExplanationScore *) g_array_free (g_steal_pointer (&scores), FALSE);
  return right;
}

static void
read_layers (const Mindspore__Explain__Hoc *proto, SondeExplanationOcclusion *occlusion)
{
  occlusion->n_layers = proto->n_layer;
  occlusion->layers = g_new0 (SondeExplanationLayer, proto->n_layer);
  for (gsize i = 0; i < proto->n_layer; i++)
    {
      const Mindspore__Explain__HocLayer *from = proto->layer[i];
      SondeExplanationLayer *layer = &occlusion->layers[i];

      layer->probability = (double) SONDE_WIRE_OR (from, prob, NAN);
      layer->n_boxes = from->n_box / 4;
      layer->boxes = g_new (int, 4 * layer->n_boxes);
      for (gsize k = 0; k < 4 * layer->n_boxes; k++)
        layer->boxes[k] = to_label (from->box[k]);
    }
}

static void
read_occlusions (const Mindspore__Explain *explain, SondeExplanation *explanation)
{
  explanation->n_occlusions = explain->n_hoc;
  explanation->occlusions = g_new0 (SondeExplanationOcclusion, explain->n_hoc);
  for (gsize i = 0; i < explain->n_hoc; i++)
    {
      SondeExplanationOcclusion *occlusion = &explanation->occlusions[i];

      occlusion->label = to_label (explain->hoc[i]->label);
      occlusion->mask = sonde_record_dup_bytes (explain->hoc[i]->mask);
      read_layers (explain->hoc[i], occlusion);
    }
}

static void
read_metadata (const Mindspore__Explain__Metadata *metadata, SondeExplanation *explanation)
{
  if (metadata == NULL)
    return;
  explanation->labels = dup_texts (metadata->label, metadata->n_label);
  explanation->methods = dup_texts (metadata->explain_method, metadata->n_explain_method);
  explanation->benchmarks = dup_texts (metadata->benchmark_method, metadata->n_benchmark_method);
}

/* ---- the event ----------------------------------------------------------- */

/* Field 1: a number, or the text of old files. @is_old: (out) */
static void
take_sample (ProtobufCBinaryData message, SondeExplanation *explanation, gboolean *is_old)
{
  SondeWireCursor cursor = sonde_wire_cursor (message.data, message.len);
  SondeWireItem item;

  *is_old = FALSE;
  while (sonde_wire_next (&cursor, &item) == SONDE_WIRE_ITEM)
    if (item.number == 1 && item.type == SONDE_WIRE_VARINT)
      {
        explanation->has_sample = TRUE;
        explanation->sample = (gint64) item.value;
      }
    else if (item.number == 1 && item.type == SONDE_WIRE_BYTES)
      {
        *is_old = TRUE;
        g_free (explanation->image);
        explanation->image = sonde_record_dup_text (item.bytes, item.length);
      }
}

gboolean
sonde_mindspore_read_explanation (ProtobufCBinaryData message, SondeRecord *record, GError **error)
{
  SondeExplanation *explanation = record->u.explanation = sonde_explanation_new ();
  g_auto (SondeWireArena) arena = { 0 };
  const Mindspore__Explain *explain
      = sonde_wire_decode_field (&mindspore__explain__descriptor, message, &arena, error);
  gboolean is_old;

  if (explain == NULL)
    return FALSE;
  take_sample (message, explanation, &is_old);
  if (explain->has_image_path && !is_old)
    explanation->image = sonde_record_dup_bytes (explain->image_path);
  if (explain->has_status)
    explanation->status = sonde_record_dup_bytes (explain->status);
  read_inference (explain, explanation);
  read_maps (explain, is_old, explanation);
  read_occlusions (explain, explanation);
  read_metadata (explain->metadata, explanation);
  return read_scores (explain, is_old, &arena, explanation, error);
}
