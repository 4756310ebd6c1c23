/* SPDX-License-Identifier: Apache-2.0
 * Payload bytes -> record: the kinds that users and foreign files bring. Contents are as the
 * encoder makes them, or they are damage: what a viewer relies on is checked here, once. */
#include <math.h>

#include "data/records/sonde-record-decode-private.h"

static gboolean
decode_audio (const SondeRecordDecoding *decoder, SondeRecord *record, GError **error)
{
  const Sonde__Records__Audio *message = decoder->message->audio;

  record->u.audio.encoded = g_bytes_new (message->encoded.data, message->encoded.len);
  record->u.audio.sample_rate = SONDE_WIRE_OR (message, sample_rate, 0);
  record->u.audio.n_frames = SONDE_WIRE_OR (message, n_frames, 0);
  record->u.audio.n_channels = SONDE_WIRE_OR (message, n_channels, 0);
  record->u.audio.content_type = DUP_OPTIONAL (message, content_type);
  record->u.audio.label = DUP_OPTIONAL (message, label);
  return sonde_decode_int (SONDE_WIRE_OR (message, index, 0), "audio.index", &record->u.audio.index,
                           error);
}

static gboolean
decode_lineage (const SondeRecordDecoding *decoder, SondeRecord *record, GError **error)
{
  const Sonde__Records__Lineage *message = decoder->message->lineage;

  record->u.lineage.part
      = message->has_part ? sonde_record_dup_bytes (message->part) : g_strdup ("custom");
  record->u.lineage.items = sonde_decode_hparams (message->items, message->n_items);
  record->u.lineage.n = message->n_items;
  return sonde_decode_plain_graph (message->pipeline, "lineage.pipeline",
                                   &record->u.lineage.pipeline, error);
}

static gboolean
decode_pr_curve (const SondeRecordDecoding *decoder, SondeRecord *record, GError **error)
{
  SondeTensor *rows
      = sonde_decode_tensor (decoder->message->pr_curve->rows, "pr_curve.rows", error);

  record->u.pr_curve.rows = rows;
  if (rows == NULL)
    return FALSE;
  if (rows->dtype != SONDE_DTYPE_F64 || rows->shape.rank != 2 || rows->shape.dims[0] != 6)
    return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED,
                              "pr_curve.rows is not a float64 table of 6 rows");
  return TRUE;
}

/* @n strings and the NULL behind them. */
static char **
dup_strings (const ProtobufCBinaryData *strings, gsize n)
{
  char **copy = g_new0 (char *, n + 1);

  for (gsize i = 0; i < n; i++)
    copy[i] = sonde_record_dup_bytes (strings[i]);
  return copy;
}

static gboolean
decode_embedding (const SondeRecordDecoding *decoder, SondeRecord *record, GError **error)
{
  const Sonde__Records__Embedding *message = decoder->message->embedding;
  const SondeTensor *points, *labels;

  record->u.embedding.sprite = BYTES_OPTIONAL (message, sprite);
  record->u.embedding.tile_width = MAX (SONDE_WIRE_OR (message, tile_width, 0), 0);
  record->u.embedding.tile_height = MAX (SONDE_WIRE_OR (message, tile_height, 0), 0);
  if (SONDE_WIRE_OR (message, has_columns, FALSE))
    record->u.embedding.columns = dup_strings (message->columns, message->n_columns);
  record->u.embedding.points = sonde_decode_tensor (message->points, "embedding.points", error);
  if (record->u.embedding.points == NULL
      || !sonde_decode_optional_tensor (message->labels, "embedding.labels",
                                        &record->u.embedding.labels, error))
    return FALSE;
  points = record->u.embedding.points;
  labels = record->u.embedding.labels;
  if (points->dtype != SONDE_DTYPE_F32 || points->shape.rank != 2)
    return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED,
                              "embedding.points is not a float32 table");
  if (labels != NULL
      && (labels->dtype != SONDE_DTYPE_STRING || labels->shape.rank != 2
          || labels->shape.dims[0] != points->shape.dims[0]))
    return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED,
                              "embedding.labels does not have one row of strings per point");
  if (labels != NULL && record->u.embedding.columns != NULL
      && labels->shape.dims[1] != (gint64) message->n_columns)
    return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED,
                              "embedding.labels does not match embedding.columns");
  return TRUE;
}

/* ---- landscape ----------------------------------------------------------- */

/* The axes fit the heights, and the parts of the path each other. */
static gboolean
check_landscape (const SondeRecord *record, GError **error)
{
  const SondeTensor *x = record->u.landscape.x, *y = record->u.landscape.y,
                    *z = record->u.landscape.z;
  const SondeTensor *const path[] = { record->u.landscape.path_x, record->u.landscape.path_y,
                                      record->u.landscape.path_z, record->u.landscape.intervals };
  gint64 length = -1;

  if (z != NULL
      && (z->shape.rank != 2 || x == NULL || y == NULL
          || sonde_tensor_n_elements (x) != z->shape.dims[1]
          || sonde_tensor_n_elements (y) != z->shape.dims[0]))
    return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED,
                              "landscape.z does not match its axes");
  for (gsize i = 0; i < G_N_ELEMENTS (path); i++)
    {
      gint64 n = path[i] != NULL ? sonde_tensor_n_elements (path[i]) : length;

      if (length >= 0 && n != length)
        return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED,
                                  "the columns of the landscape's path differ in length");
      length = n;
    }
  return TRUE;
}

static gboolean
decode_landscape (const SondeRecordDecoding *decoder, SondeRecord *record, GError **error)
{
  const Sonde__Records__Landscape *message = decoder->message->landscape;
  const struct
  {
    const Sonde__Records__Tensor *message;
    SondeTensor **tensor;
    const char *name;
  } parts[] = {
    { message->x, &record->u.landscape.x, "landscape.x" },
    { message->y, &record->u.landscape.y, "landscape.y" },
    { message->z, &record->u.landscape.z, "landscape.z" },
    { message->path_x, &record->u.landscape.path_x, "landscape.path_x" },
    { message->path_y, &record->u.landscape.path_y, "landscape.path_y" },
    { message->path_z, &record->u.landscape.path_z, "landscape.path_z" },
    { message->intervals, &record->u.landscape.intervals, "landscape.intervals" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (record->u.landscape.found); i++)
    record->u.landscape.found[i] = i < message->n_found ? message->found[i] : NAN;
  record->u.landscape.decomposition = DUP_OPTIONAL (message, decomposition);
  record->u.landscape.unit = DUP_OPTIONAL (message, unit);
  record->u.landscape.steps_per_epoch = SONDE_WIRE_OR (message, steps_per_epoch, 0);
  record->u.landscape.loss = DUP_OPTIONAL (message, loss);
  record->u.landscape.part = DUP_OPTIONAL (message, part);
  record->u.landscape.digest = DUP_OPTIONAL (message, digest);
  for (gsize i = 0; i < G_N_ELEMENTS (record->u.landscape.shares); i++)
    record->u.landscape.shares[i] = i < message->n_shares ? message->shares[i] : NAN;
  record->u.landscape.samples = SONDE_WIRE_OR (message, samples, 0);
  record->u.landscape.seed = SONDE_WIRE_OR (message, seed, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      if (!sonde_decode_optional_tensor (parts[i].message, parts[i].name, parts[i].tensor, error))
        return FALSE;
      if (*parts[i].tensor != NULL && (*parts[i].tensor)->dtype == SONDE_DTYPE_STRING)
        return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED, "%s does not contain numbers",
                                  parts[i].name);
    }
  return check_landscape (record, error);
}

/* ---- mesh, charts, logs -------------------------------------------------- */

static gboolean
decode_mesh (const SondeRecordDecoding *decoder, SondeRecord *record, GError **error)
{
  static const SondeDtype dtypes[]
      = { SONDE_DTYPE_INVALID, SONDE_DTYPE_F32, SONDE_DTYPE_I32, SONDE_DTYPE_U8 };
  const Sonde__Records__Mesh *message = decoder->message->mesh;
  const guint32 part = SONDE_WIRE_OR (message, part, 0);
  const SondeTensor *values;

  record->u.mesh.name
      = message->has_name ? sonde_record_dup_bytes (message->name) : g_strdup (record->tag);
  record->u.mesh.settings = DUP_OPTIONAL (message, settings);
  record->u.mesh.part = part <= SONDE_MESH_COLOR ? (SondeMeshPart) part : SONDE_MESH_UNDEFINED;
  record->u.mesh.values = sonde_decode_tensor (message->values, "mesh.values", error);
  values = record->u.mesh.values;
  if (values == NULL)
    return FALSE;
  if (record->u.mesh.part != SONDE_MESH_UNDEFINED
      && (values->dtype != dtypes[record->u.mesh.part] || values->shape.rank != 3
          || values->shape.dims[2] != 3))
    return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED,
                              "mesh.values does not match mesh.part");
  return TRUE;
}

static gboolean
decode_custom_scalars (const SondeRecordDecoding *decoder, SondeRecord *record, GError **error)
{
  const Sonde__Records__CustomScalars *message = decoder->message->custom_scalars;
  SondeChartPlan *items = g_new0 (SondeChartPlan, message->n_charts);

  record->u.custom_scalars.items = items;
  record->u.custom_scalars.n = message->n_charts;
  for (gsize i = 0; i < message->n_charts; i++)
    {
      const Sonde__Records__Chart *chart = message->charts[i];

      items[i].category
          = chart->has_category ? sonde_record_dup_bytes (chart->category) : g_strdup ("");
      items[i].title = chart->has_title ? sonde_record_dup_bytes (chart->title) : g_strdup ("");
      items[i].is_margin = SONDE_WIRE_OR (chart, is_margin, FALSE);
      items[i].tags = dup_strings (chart->tags, chart->n_tags);
    }
  return TRUE;
}

static gboolean
decode_run_metadata (const SondeRecordDecoding *decoder, SondeRecord *record, GError **error)
{
  const Sonde__Records__RunMetadata *message = decoder->message->run_metadata;

  record->u.run_metadata.message = sonde_decode_bytes (
      message->message, SONDE_WIRE_OR (message, compression, 0), "run_metadata.message", error);
  return record->u.run_metadata.message != NULL;
}

static gboolean
decode_profile (const Sonde__Records__ProfilePart *message, SondeRecord *record, const char *field,
                GError **error)
{
  record->u.profile.message = sonde_decode_bytes (
      message->message, SONDE_WIRE_OR (message, compression, 0), field, error);
  return record->u.profile.message != NULL;
}

static gboolean
decode_span (const SondeRecordDecoding *decoder, SondeRecord *record, GError **error)
{
  return decode_profile (decoder->message->span, record, "span.message", error);
}

static gboolean
decode_memory (const SondeRecordDecoding *decoder, SondeRecord *record, GError **error)
{
  return decode_profile (decoder->message->memory, record, "memory.message", error);
}

static gboolean
decode_session_log (const SondeRecordDecoding *decoder, SondeRecord *record, GError **error)
{
  const Sonde__Records__SessionLog *message = decoder->message->session_log;

  record->u.session_log.status = SONDE_WIRE_OR (message, status, 0);
  record->u.session_log.checkpoint = DUP_OPTIONAL (message, checkpoint);
  record->u.session_log.message = DUP_OPTIONAL (message, message);
  return TRUE;
}

/* ---- explanation --------------------------------------------------------- */

static SondeExplanationClass *
decode_classes (Sonde__Records__ExplanationClass *const *messages, gsize n)
{
  SondeExplanationClass *items = g_new0 (SondeExplanationClass, n);

  for (gsize i = 0; i < n; i++)
    items[i] = (SondeExplanationClass){
      .label = SONDE_WIRE_OR (messages[i], label, -1),
      .probability = SONDE_WIRE_OR (messages[i], probability, NAN),
      .deviation = SONDE_WIRE_OR (messages[i], deviation, NAN),
      .low = SONDE_WIRE_OR (messages[i], low, NAN),
      .high = SONDE_WIRE_OR (messages[i], high, NAN),
    };
  return items;
}

static void
decode_scores (SondeExplanation *explanation, const Sonde__Records__Explanation *message)
{
  SondeExplanationScore *items = g_new0 (SondeExplanationScore, message->n_scores);

  for (gsize i = 0; i < message->n_scores; i++)
    {
      const Sonde__Records__ExplanationScore *score = message->scores[i];

      items[i].benchmark = DUP_OPTIONAL (score, benchmark);
      items[i].method = DUP_OPTIONAL (score, method);
      items[i].total = SONDE_WIRE_OR (score, total, NAN);
      items[i].label_scores
          = g_memdup2 (score->label_scores, score->n_label_scores * sizeof (double));
      items[i].n_label_scores = score->n_label_scores;
    }
  explanation->scores = items;
  explanation->n_scores = message->n_scores;
}

static void
decode_maps (SondeExplanation *explanation, const Sonde__Records__Explanation *message)
{
  explanation->maps = g_new0 (SondeExplanationMap, message->n_maps);
  explanation->n_maps = message->n_maps;
  for (gsize i = 0; i < message->n_maps; i++)
    explanation->maps[i] = (SondeExplanationMap){ DUP_OPTIONAL (message->maps[i], method),
                                                  SONDE_WIRE_OR (message->maps[i], label, -1),
                                                  DUP_OPTIONAL (message->maps[i], heat_map) };
}

static void
decode_occlusion (SondeExplanationOcclusion *occlusion,
                  const Sonde__Records__ExplanationOcclusion *message)
{
  occlusion->label = SONDE_WIRE_OR (message, label, -1);
  occlusion->mask = DUP_OPTIONAL (message, mask);
  occlusion->layers = g_new0 (SondeExplanationLayer, message->n_layers);
  occlusion->n_layers = message->n_layers;
  for (gsize i = 0; i < message->n_layers; i++)
    {
      const Sonde__Records__ExplanationLayer *layer = message->layers[i];
      gsize n = layer->n_boxes / 4;

      occlusion->layers[i].probability = SONDE_WIRE_OR (layer, probability, NAN);
      occlusion->layers[i].boxes = g_memdup2 (layer->boxes, 4 * n * sizeof (int));
      occlusion->layers[i].n_boxes = n;
    }
}

static gboolean
decode_explanation (const SondeRecordDecoding *decoder, SondeRecord *record, GError **error)
{
  const Sonde__Records__Explanation *message = decoder->message->explanation;
  const guint32 lists = SONDE_WIRE_OR (message, lists, 0);
  SondeExplanation *explanation = sonde_explanation_new ();

  record->u.explanation = explanation;
  explanation->has_sample = message->has_sample;
  explanation->sample = SONDE_WIRE_OR (message, sample, 0);
  explanation->image = DUP_OPTIONAL (message, image);
  explanation->status = DUP_OPTIONAL (message, status);
  explanation->truths = decode_classes (message->truths, message->n_truths);
  explanation->n_truths = message->n_truths;
  explanation->predictions = decode_classes (message->predictions, message->n_predictions);
  explanation->n_predictions = message->n_predictions;
  decode_maps (explanation, message);
  decode_scores (explanation, message);
  explanation->occlusions = g_new0 (SondeExplanationOcclusion, message->n_occlusions);
  explanation->n_occlusions = message->n_occlusions;
  for (gsize i = 0; i < message->n_occlusions; i++)
    decode_occlusion (&explanation->occlusions[i], message->occlusions[i]);
  if (lists & 1)
    explanation->labels = dup_strings (message->labels, message->n_labels);
  if (lists & 2)
    explanation->methods = dup_strings (message->methods, message->n_methods);
  if (lists & 4)
    explanation->benchmarks = dup_strings (message->benchmarks, message->n_benchmarks);
  return TRUE;
}

/* ---- notes and what is left ---------------------------------------------- */

static gboolean
decode_note (const SondeRecordDecoding *decoder, SondeRecord *record, GError **error)
{
  const Sonde__Records__TagNote *message = decoder->message->note;

  record->u.tag_note.display_name = DUP_OPTIONAL (message, display_name);
  record->u.tag_note.description = DUP_OPTIONAL (message, description);
  record->u.tag_note.unit = DUP_OPTIONAL (message, unit);
  record->u.tag_note.group = DUP_OPTIONAL (message, group);
  return TRUE;
}

static gboolean
decode_other (const SondeRecordDecoding *decoder, SondeRecord *record, GError **error)
{
  const Sonde__Records__Other *message = decoder->message->other;

  record->u.other.plugin
      = message->has_plugin ? sonde_record_dup_bytes (message->plugin) : g_strdup ("");
  record->u.other.content = BYTES_OPTIONAL (message, content);
  record->u.other.bytes = SONDE_WIRE_OR (message, bytes, 0);
  return sonde_decode_optional_tensor (message->tensor, "other.tensor", &record->u.other.tensor,
                                       error);
}

/* Its kind says all. */
static gboolean
decode_end (const SondeRecordDecoding *decoder, SondeRecord *record, GError **error)
{
  return TRUE;
}

const SondeRecordKindRow *
sonde_decode_find_kind (SondeRecordKind kind)
{
  static const SondeRecordKindRow rows[SONDE_N_RECORD_KINDS] = {
    [SONDE_RECORD_AUDIO] = { decode_audio, CONTENT (audio), TRUE },
    [SONDE_RECORD_LINEAGE] = { decode_lineage, CONTENT (lineage), FALSE },
    [SONDE_RECORD_PR_CURVE] = { decode_pr_curve, CONTENT (pr_curve), TRUE },
    [SONDE_RECORD_EMBEDDING] = { decode_embedding, CONTENT (embedding), FALSE },
    [SONDE_RECORD_LANDSCAPE] = { decode_landscape, CONTENT (landscape), FALSE },
    [SONDE_RECORD_SPAN] = { decode_span, CONTENT (span), FALSE },
    [SONDE_RECORD_MEMORY] = { decode_memory, CONTENT (memory), FALSE },
    [SONDE_RECORD_MESH] = { decode_mesh, CONTENT (mesh), TRUE },
    [SONDE_RECORD_CUSTOM_SCALARS] = { decode_custom_scalars, CONTENT (custom_scalars), FALSE },
    [SONDE_RECORD_RUN_METADATA] = { decode_run_metadata, CONTENT (run_metadata), FALSE },
    [SONDE_RECORD_SESSION_LOG] = { decode_session_log, CONTENT (session_log), FALSE },
    [SONDE_RECORD_EXPLAIN] = { decode_explanation, CONTENT (explanation), FALSE },
    [SONDE_RECORD_NOTE] = { decode_note, CONTENT (note), TRUE },
    [SONDE_RECORD_OTHER] = { decode_other, CONTENT (other), FALSE },
    [SONDE_RECORD_END] = { decode_end, 0, FALSE },
  };

  return rows[kind].decode != NULL ? &rows[kind] : NULL;
}
