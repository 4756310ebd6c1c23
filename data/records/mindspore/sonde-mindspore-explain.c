/* SPDX-License-Identifier: Apache-2.0
 * Explain messages. Files from before November 2020 have texts as ids and pictures inside: what
 * fits is kept (the id as picture's name), told from the others by the wire type of field 1. */
#include "data/records/mindspore/sonde-mindspore-private.h"

#include <math.h>

#include "data/base/sonde-error.h"

typedef struct
{
  SondeWireItem image, inference, metadata, status;
  gint64 sample;
  GArray *truths, *maps, *benchmarks, *occlusions;
} Explain;

static const SondeMindsporeField explain_fields[] = {
  { 2, SONDE_MINDSPORE_BYTES, offsetof (Explain, image), "Explain.image_path" },
  { 3, SONDE_MINDSPORE_INTS, offsetof (Explain, truths), "Explain.ground_truth_label" },
  { 4, SONDE_MINDSPORE_BYTES, offsetof (Explain, inference), "Explain.inference" },
  { 5, SONDE_MINDSPORE_ITEMS, offsetof (Explain, maps), "Explain.explanation" },
  { 6, SONDE_MINDSPORE_ITEMS, offsetof (Explain, benchmarks), "Explain.benchmark" },
  { 7, SONDE_MINDSPORE_BYTES, offsetof (Explain, metadata), "Explain.metadata" },
  { 8, SONDE_MINDSPORE_BYTES, offsetof (Explain, status), "Explain.status" },
  { 9, SONDE_MINDSPORE_ITEMS, offsetof (Explain, occlusions), "Explain.hoc" },
};

/* Probability, deviation, low and high of the true classes, then of the predicted ones. */
typedef struct
{
  GArray *labels, *numbers[2][4];
} Inference;

static const SondeMindsporeField inference_fields[] = {
  { 1, SONDE_MINDSPORE_FLOATS, offsetof (Inference, numbers[0][0]), "Inference.ground_truth_prob" },
  { 2, SONDE_MINDSPORE_INTS, offsetof (Inference, labels), "Inference.predicted_label" },
  { 3, SONDE_MINDSPORE_FLOATS, offsetof (Inference, numbers[1][0]), "Inference.predicted_prob" },
  { 4, SONDE_MINDSPORE_FLOATS, offsetof (Inference, numbers[0][1]),
    "Inference.ground_truth_prob_sd" },
  { 5, SONDE_MINDSPORE_FLOATS, offsetof (Inference, numbers[0][2]),
    "Inference.ground_truth_prob_itl95_low" },
  { 6, SONDE_MINDSPORE_FLOATS, offsetof (Inference, numbers[0][3]),
    "Inference.ground_truth_prob_itl95_hi" },
  { 7, SONDE_MINDSPORE_FLOATS, offsetof (Inference, numbers[1][1]), "Inference.predicted_prob_sd" },
  { 8, SONDE_MINDSPORE_FLOATS, offsetof (Inference, numbers[1][2]),
    "Inference.predicted_prob_itl95_low" },
  { 9, SONDE_MINDSPORE_FLOATS, offsetof (Inference, numbers[1][3]),
    "Inference.predicted_prob_itl95_hi" },
};

typedef struct
{
  SondeWireItem method, path;
  gint64 label;
} Map;

static const SondeMindsporeField map_fields[] = {
  { 1, SONDE_MINDSPORE_BYTES, offsetof (Map, method), "Explanation.explain_method" },
  { 2, SONDE_MINDSPORE_INT, offsetof (Map, label), "Explanation.label" },
  { 3, SONDE_MINDSPORE_BYTES, offsetof (Map, path), "Explanation.heatmap_path" },
};

/* @total: fixed32 now, messages once; @labels: likewise */
typedef struct
{
  SondeWireItem first, second;
  double total;
  GArray *labels;
} Benchmark;

static const SondeMindsporeField benchmark_fields[] = {
  { 1, SONDE_MINDSPORE_BYTES, offsetof (Benchmark, first), "Benchmark.benchmark_method" },
  { 2, SONDE_MINDSPORE_BYTES, offsetof (Benchmark, second), "Benchmark.explain_method" },
  { 3, SONDE_MINDSPORE_FLOAT, offsetof (Benchmark, total), "Benchmark.total_score" },
  { 4, SONDE_MINDSPORE_FLOATS, offsetof (Benchmark, labels), "Benchmark.label_score" },
};

/* Before November 2020: @totals: {1 benchmark, 2 score}; @scores: {1 scores, 2 benchmark} */
typedef struct
{
  SondeWireItem method;
  GArray *totals, *scores;
} OldBenchmark;

static const SondeMindsporeField old_benchmark_fields[] = {
  { 1, SONDE_MINDSPORE_BYTES, offsetof (OldBenchmark, method), "Benchmark.explain_method" },
  { 2, SONDE_MINDSPORE_ITEMS, offsetof (OldBenchmark, totals), "Benchmark.total_score" },
  { 3, SONDE_MINDSPORE_ITEMS, offsetof (OldBenchmark, scores), "Benchmark.label_score" },
};

static const SondeMindsporeField old_total_fields[] = {
  { 1, SONDE_MINDSPORE_BYTES, offsetof (Benchmark, first), "TotalScore.benchmark_method" },
  { 2, SONDE_MINDSPORE_FLOAT, offsetof (Benchmark, total), "TotalScore.score" },
}, old_score_fields[] = {
  { 1, SONDE_MINDSPORE_FLOATS, offsetof (Benchmark, labels), "LabelScore.score" },
  { 2, SONDE_MINDSPORE_BYTES, offsetof (Benchmark, first), "LabelScore.benchmark_method" },
};

typedef struct
{
  GArray *labels, *methods, *benchmarks;
} Metadata;

static const SondeMindsporeField metadata_fields[] = {
  { 1, SONDE_MINDSPORE_ITEMS, offsetof (Metadata, labels), "Metadata.label" },
  { 2, SONDE_MINDSPORE_ITEMS, offsetof (Metadata, methods), "Metadata.explain_method" },
  { 3, SONDE_MINDSPORE_ITEMS, offsetof (Metadata, benchmarks), "Metadata.benchmark_method" },
};

typedef struct
{
  gint64 label;
  SondeWireItem mask;
  GArray *layers;
} Occlusion;

static const SondeMindsporeField occlusion_fields[] = {
  { 1, SONDE_MINDSPORE_INT, offsetof (Occlusion, label), "Hoc.label" },
  { 2, SONDE_MINDSPORE_BYTES, offsetof (Occlusion, mask), "Hoc.mask" },
  { 3, SONDE_MINDSPORE_ITEMS, offsetof (Occlusion, layers), "Hoc.layer" },
};

typedef struct
{
  double probability;
  GArray *boxes;
} Layer;

static const SondeMindsporeField layer_fields[] = {
  { 1, SONDE_MINDSPORE_FLOAT, offsetof (Layer, probability), "HocLayer.prob" },
  { 2, SONDE_MINDSPORE_INTS, offsetof (Layer, boxes), "HocLayer.box" },
};

#define TAKE(item, fields, into, error)                                                            \
  sonde_mindspore_take ((item), (fields), G_N_ELEMENTS (fields), (into), (error))

static gsize
length_of (GArray *array)
{
  return array != NULL ? array->len : 0;
}

static const SondeWireItem *
item_of (GArray *array, gsize i)
{
  return &g_array_index (array, SondeWireItem, i);
}

static int
to_label (gint64 number)
{
  return (int) CLAMP (number, G_MININT, G_MAXINT);
}

static char **
dup_texts (GArray *items)
{
  g_autoptr (GStrvBuilder) builder = NULL;

  if (items == NULL)
    return NULL;
  builder = g_strv_builder_new ();
  for (guint i = 0; i < items->len; i++)
    {
      g_autofree char *text = sonde_mindspore_dup_text (item_of (items, i));

      g_strv_builder_add (builder, text);
    }
  return g_strv_builder_end (builder);
}

/* ---- classes of a sample ------------------------------------------------- */

static double
number_at (GArray *array, gsize i)
{
  return i < length_of (array) ? g_array_index (array, double, i) : NAN;
}

static SondeExplanationClass *
make_classes (GArray *labels, GArray *numbers[4], gsize *n)
{
  SondeExplanationClass *classes;

  *n = length_of (labels);
  classes = *n > 0 ? g_new (SondeExplanationClass, *n) : NULL;
  for (gsize i = 0; i < *n; i++)
    classes[i] = (SondeExplanationClass){
      .label = to_label (g_array_index (labels, gint64, i)),
      .probability = number_at (numbers[0], i),
      .deviation = number_at (numbers[1], i),
      .low = number_at (numbers[2], i),
      .high = number_at (numbers[3], i),
    };
  return classes;
}

static gboolean
read_inference (const SondeWireItem *message, GArray *truths, SondeExplanation *explanation,
                GError **error)
{
  Inference inference = { NULL };
  gboolean right = TAKE (message, inference_fields, &inference, error);

  if (right)
    {
      explanation->truths = make_classes (truths, inference.numbers[0], &explanation->n_truths);
      explanation->predictions
          = make_classes (inference.labels, inference.numbers[1], &explanation->n_predictions);
    }
  g_clear_pointer (&inference.labels, g_array_unref);
  for (guint i = 0; i < 8; i++)
    g_clear_pointer (&inference.numbers[i / 4][i % 4], g_array_unref);
  return right;
}

/* ---- maps, scores, occlusions -------------------------------------------- */

static gboolean
read_maps (GArray *items, gboolean is_old, SondeExplanation *explanation, GError **error)
{
  explanation->maps = g_new0 (SondeExplanationMap, length_of (items));
  for (gsize i = 0; i < length_of (items); i++)
    {
      SondeExplanationMap *map = &explanation->maps[i];
      Map proto = { { 0 } };

      if (!TAKE (item_of (items, i), map_fields, &proto, error))
        return FALSE;
      map->method = sonde_mindspore_dup_text (&proto.method);
      map->label = to_label (proto.label);
      /* the picture itself once */
      map->heat_map = is_old ? g_strdup ("") : sonde_mindspore_dup_text (&proto.path);
      explanation->n_maps++;
    }
  return TRUE;
}

static void
set_label_scores (SondeExplanationScore *score, GArray *labels)
{
  g_free (score->label_scores);
  score->n_label_scores = length_of (labels);
  score->label_scores
      = labels != NULL ? g_memdup2 (labels->data, labels->len * sizeof (double)) : NULL;
}

static gboolean
read_score (const SondeWireItem *message, GArray *scores, GError **error)
{
  Benchmark proto = { .total = NAN };
  gboolean right = TAKE (message, benchmark_fields, &proto, error);
  g_autoptr (GArray) labels = proto.labels;
  SondeExplanationScore score = { .total = proto.total };

  if (!right)
    return FALSE;
  score.benchmark = sonde_mindspore_dup_text (&proto.first);
  score.method = sonde_mindspore_dup_text (&proto.second);
  set_label_scores (&score, labels);
  g_array_append_val (scores, score);
  return TRUE;
}

/* Of one method the total and the scores of each benchmark, apart. */
static gboolean
read_old_parts (GArray *items, const SondeMindsporeField *fields, gboolean is_total,
                const char *method, GArray *scores, guint first, GError **error)
{
  for (gsize i = 0; i < length_of (items); i++)
    {
      Benchmark part = { .total = NAN };
      gboolean right = sonde_mindspore_take (item_of (items, i), fields, 2, &part, error);
      g_autoptr (GArray) labels = part.labels;
      g_autofree char *benchmark = sonde_mindspore_dup_text (&part.first);
      SondeExplanationScore *score = NULL;

      if (!right)
        return FALSE;
      for (guint k = first; k < MIN (scores->len, first + 1000) && score == NULL; k++)
        if (g_str_equal (g_array_index (scores, SondeExplanationScore, k).benchmark, benchmark))
          score = &g_array_index (scores, SondeExplanationScore, k);
      if (score == NULL)
        {
          SondeExplanationScore fresh
              = { g_steal_pointer (&benchmark), g_strdup (method), NAN, NULL, 0 };

          g_array_append_val (scores, fresh);
          score = &g_array_index (scores, SondeExplanationScore, scores->len - 1);
        }
      if (is_total)
        score->total = part.total;
      else
        set_label_scores (score, labels);
    }
  return TRUE;
}

static gboolean
read_old_score (const SondeWireItem *message, GArray *scores, GError **error)
{
  OldBenchmark proto = { { 0 } };
  gboolean right = TAKE (message, old_benchmark_fields, &proto, error);
  g_autoptr (GArray) totals = proto.totals, labels = proto.scores;
  g_autofree char *method = sonde_mindspore_dup_text (&proto.method);
  guint first = scores->len;

  return right && read_old_parts (totals, old_total_fields, TRUE, method, scores, first, error)
         && read_old_parts (labels, old_score_fields, FALSE, method, scores, first, error);
}

/* Old ones hold messages where new ones hold a text. */
static gboolean
is_old_score (const SondeWireItem *message)
{
  SondeWireCursor cursor = sonde_wire_item_cursor (message);
  SondeWireItem item;

  while (sonde_wire_next (&cursor, &item) == SONDE_WIRE_ITEM)
    if (item.number == 3)
      return item.type == 2;
  return FALSE;
}

static gboolean
read_scores (GArray *items, gboolean is_old, SondeExplanation *explanation, GError **error)
{
  g_autoptr (GArray) scores = g_array_new (FALSE, TRUE, sizeof (SondeExplanationScore));
  gboolean right = TRUE;

  for (gsize i = 0; right && i < length_of (items); i++)
    right = is_old || is_old_score (item_of (items, i))
                ? read_old_score (item_of (items, i), scores, error)
                : read_score (item_of (items, i), scores, error);
  explanation->n_scores = scores->len;
  explanation->scores = (SondeExplanationScore *) g_array_free (g_steal_pointer (&scores), FALSE);
  return right;
}

static gboolean
read_layers (GArray *items, SondeExplanationOcclusion *occlusion, GError **error)
{
  occlusion->layers = g_new0 (SondeExplanationLayer, length_of (items));
  for (gsize i = 0; i < length_of (items); i++)
    {
      SondeExplanationLayer *layer = &occlusion->layers[i];
      Layer proto = { NAN, NULL };
      gboolean right = TAKE (item_of (items, i), layer_fields, &proto, error);
      g_autoptr (GArray) boxes = proto.boxes;

      if (!right)
        return FALSE;
      occlusion->n_layers++;
      layer->probability = proto.probability;
      layer->n_boxes = length_of (boxes) / 4;
      layer->boxes = g_new (int, 4 * layer->n_boxes);
      for (gsize k = 0; k < 4 * layer->n_boxes; k++)
        layer->boxes[k] = to_label (g_array_index (boxes, gint64, k));
    }
  return TRUE;
}

static gboolean
read_occlusions (GArray *items, SondeExplanation *explanation, GError **error)
{
  explanation->occlusions = g_new0 (SondeExplanationOcclusion, length_of (items));
  for (gsize i = 0; i < length_of (items); i++)
    {
      SondeExplanationOcclusion *occlusion = &explanation->occlusions[i];
      Occlusion proto = { 0 };
      gboolean right = TAKE (item_of (items, i), occlusion_fields, &proto, error);
      g_autoptr (GArray) layers = proto.layers;

      if (!right)
        return FALSE;
      explanation->n_occlusions++;
      occlusion->label = to_label (proto.label);
      occlusion->mask = sonde_mindspore_dup_text (&proto.mask);
      if (!read_layers (layers, occlusion, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_metadata (const SondeWireItem *message, SondeExplanation *explanation, GError **error)
{
  Metadata metadata = { NULL };
  gboolean right = TAKE (message, metadata_fields, &metadata, error);
  g_autoptr (GArray) labels = metadata.labels, methods = metadata.methods,
                     benchmarks = metadata.benchmarks;

  explanation->labels = dup_texts (labels);
  explanation->methods = dup_texts (methods);
  explanation->benchmarks = dup_texts (benchmarks);
  return right;
}

/* ---- the event ----------------------------------------------------------- */

/* Field 1: a number, or the text of old files. @is_old: (out) */
static void
take_sample (const SondeWireItem *message, SondeExplanation *explanation, gboolean *is_old)
{
  SondeWireCursor cursor = sonde_wire_item_cursor (message);
  SondeWireItem item;

  *is_old = FALSE;
  while (sonde_wire_next (&cursor, &item) == SONDE_WIRE_ITEM)
    if (item.number == 1 && item.type == 0)
      {
        explanation->has_sample = TRUE;
        explanation->sample = (gint64) item.value;
      }
    else if (item.number == 1 && item.type == 2)
      {
        *is_old = TRUE;
        g_free (explanation->image);
        explanation->image = sonde_mindspore_dup_text (&item);
      }
}

gboolean
sonde_mindspore_read_explanation (const SondeWireItem *message, SondeRecord *record, GError **error)
{
  SondeExplanation *explanation = record->u.explanation = sonde_explanation_new ();
  Explain explain = { 0 };
  gboolean is_old, right = TAKE (message, explain_fields, &explain, error);
  g_autoptr (GArray) truths = explain.truths, maps = explain.maps, benchmarks = explain.benchmarks,
                     occlusions = explain.occlusions;

  if (!right)
    return FALSE;
  take_sample (message, explanation, &is_old);
  if (explain.image.number != 0 && !is_old)
    explanation->image = sonde_mindspore_dup_text (&explain.image);
  if (explain.status.number != 0)
    explanation->status = sonde_mindspore_dup_text (&explain.status);
  return read_inference (&explain.inference, truths, explanation, error)
         && read_maps (maps, is_old, explanation, error)
         && read_scores (benchmarks, is_old, explanation, error)
         && read_occlusions (occlusions, explanation, error)
         && read_metadata (&explain.metadata, explanation, error);
}
