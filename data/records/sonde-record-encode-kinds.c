/* SPDX-License-Identifier: Apache-2.0
 * Record -> payload bytes: the kinds that users and foreign files bring. Each fills the message,
 * which sonde_record_encode() packs. */
#include <math.h>

#include "data/records/sonde-record-encode-private.h"

/* A held and initialised message of a type: NEW (encoder, audio, Audio). */
#define NEW(encoder, lower, Type)                                                                  \
  ({                                                                                               \
    Sonde__Records__##Type *new_message                                                            \
        = sonde_encode_hold ((encoder), g_new (Sonde__Records__##Type, 1));                        \
    sonde__records__##lower##__init (new_message);                                                 \
    new_message;                                                                                   \
  })

ProtobufCBinaryData *
sonde_encode_strings (SondeRecordEncoder *encoder, char **strings, gsize *n)
{
  ProtobufCBinaryData *fields;

  *n = strings != NULL ? g_strv_length (strings) : 0;
  fields = sonde_encode_hold (encoder, g_new (ProtobufCBinaryData, MAX (*n, 1)));
  for (gsize i = 0; i < *n; i++)
    fields[i] = sonde_encode_binary (strings[i], strlen (strings[i]));
  return fields;
}

static void
encode_audio (SondeRecordEncoder *encoder, const SondeRecord *record)
{
  Sonde__Records__Audio *message = NEW (encoder, audio, Audio);

  SET_BYTES (message, encoded, record->u.audio.encoded);
  SET (message, index, (guint32) record->u.audio.index);
  SET (message, sample_rate, record->u.audio.sample_rate);
  SET (message, n_frames, record->u.audio.n_frames);
  SET (message, n_channels, record->u.audio.n_channels);
  SET_TEXT (message, content_type, record->u.audio.content_type);
  SET_TEXT (message, label, record->u.audio.label);
  encoder->message.audio = message;
}

static void
encode_lineage (SondeRecordEncoder *encoder, const SondeRecord *record)
{
  Sonde__Records__Lineage *message = NEW (encoder, lineage, Lineage);

  SET_TEXT (message, part, record->u.lineage.part);
  message->n_items = record->u.lineage.n;
  message->items = sonde_encode_hparams (encoder, record->u.lineage.items, record->u.lineage.n);
  message->pipeline = sonde_encode_plain_graph (encoder, record->u.lineage.pipeline);
  encoder->message.lineage = message;
}

static void
encode_pr_curve (SondeRecordEncoder *encoder, const SondeRecord *record)
{
  Sonde__Records__PrCurve *message = NEW (encoder, pr_curve, PrCurve);

  message->rows = sonde_encode_tensor (encoder, record->u.pr_curve.rows);
  encoder->message.pr_curve = message;
}

static void
encode_embedding (SondeRecordEncoder *encoder, const SondeRecord *record)
{
  Sonde__Records__Embedding *message = NEW (encoder, embedding, Embedding);

  message->points = sonde_encode_tensor (encoder, record->u.embedding.points);
  message->labels = sonde_encode_tensor (encoder, record->u.embedding.labels);
  message->columns
      = sonde_encode_strings (encoder, record->u.embedding.columns, &message->n_columns);
  if (record->u.embedding.columns != NULL)
    SET (message, has_columns, TRUE);
  SET_BYTES (message, sprite, record->u.embedding.sprite);
  SET (message, tile_width, record->u.embedding.tile_width);
  SET (message, tile_height, record->u.embedding.tile_height);
  encoder->message.embedding = message;
}

static void
encode_landscape (SondeRecordEncoder *encoder, const SondeRecord *record)
{
  Sonde__Records__Landscape *message = NEW (encoder, landscape, Landscape);

  message->x = sonde_encode_tensor (encoder, record->u.landscape.x);
  message->y = sonde_encode_tensor (encoder, record->u.landscape.y);
  message->z = sonde_encode_tensor (encoder, record->u.landscape.z);
  message->path_x = sonde_encode_tensor (encoder, record->u.landscape.path_x);
  message->path_y = sonde_encode_tensor (encoder, record->u.landscape.path_y);
  message->path_z = sonde_encode_tensor (encoder, record->u.landscape.path_z);
  message->intervals = sonde_encode_tensor (encoder, record->u.landscape.intervals);
  message->n_found = G_N_ELEMENTS (record->u.landscape.found);
  message->found = (double *) record->u.landscape.found;
  SET_TEXT (message, decomposition, record->u.landscape.decomposition);
  SET_TEXT (message, unit, record->u.landscape.unit);
  SET (message, steps_per_epoch, record->u.landscape.steps_per_epoch);
  SET_TEXT (message, loss, record->u.landscape.loss);
  SET_TEXT (message, part, record->u.landscape.part);
  SET_TEXT (message, digest, record->u.landscape.digest);
  message->n_shares = G_N_ELEMENTS (record->u.landscape.shares);
  message->shares = (double *) record->u.landscape.shares;
  SET (message, samples, record->u.landscape.samples);
  SET (message, seed, record->u.landscape.seed);
  encoder->message.landscape = message;
}

static void
encode_mesh (SondeRecordEncoder *encoder, const SondeRecord *record)
{
  Sonde__Records__Mesh *message = NEW (encoder, mesh, Mesh);

  SET_TEXT (message, name, record->u.mesh.name);
  SET (message, part, record->u.mesh.part);
  message->values = sonde_encode_tensor (encoder, record->u.mesh.values);
  SET_TEXT (message, settings, record->u.mesh.settings);
  encoder->message.mesh = message;
}

static void
encode_custom_scalars (SondeRecordEncoder *encoder, const SondeRecord *record)
{
  Sonde__Records__CustomScalars *message = NEW (encoder, custom_scalars, CustomScalars);
  const SondeChartPlan *items = record->u.custom_scalars.items;
  void **list;
  Sonde__Records__Chart *charts;

  message->n_charts = record->u.custom_scalars.n;
  charts = sonde_encode_list (encoder, message->n_charts, sizeof *charts, &list);
  message->charts = (Sonde__Records__Chart **) list;
  for (gsize i = 0; i < message->n_charts; i++)
    {
      sonde__records__chart__init (&charts[i]);
      SET_TEXT (&charts[i], category, items[i].category);
      SET_TEXT (&charts[i], title, items[i].title);
      SET (&charts[i], is_margin, items[i].is_margin != FALSE);
      charts[i].tags = sonde_encode_strings (encoder, items[i].tags, &charts[i].n_tags);
    }
  encoder->message.custom_scalars = message;
}

/* A message that others read and write. */
static Sonde__Records__ProfilePart *
encode_profile (SondeRecordEncoder *encoder, const SondeRecord *record)
{
  Sonde__Records__ProfilePart *message = NEW (encoder, profile_part, ProfilePart);
  SondeCompression compression = SONDE_COMPRESSION_NONE;
  gsize length = 0;
  GBytes *bytes = record->u.profile.message;
  const void *data = bytes != NULL ? g_bytes_get_data (bytes, &length) : NULL;

  SET (message, message, sonde_encode_compress (encoder, data, length, &compression));
  if (compression != SONDE_COMPRESSION_NONE)
    SET (message, compression, compression);
  return message;
}

static void
encode_span (SondeRecordEncoder *encoder, const SondeRecord *record)
{
  encoder->message.span = encode_profile (encoder, record);
}

static void
encode_memory (SondeRecordEncoder *encoder, const SondeRecord *record)
{
  encoder->message.memory = encode_profile (encoder, record);
}

static void
encode_run_metadata (SondeRecordEncoder *encoder, const SondeRecord *record)
{
  Sonde__Records__RunMetadata *message = NEW (encoder, run_metadata, RunMetadata);
  SondeCompression compression = SONDE_COMPRESSION_NONE;
  gsize length = 0;
  GBytes *bytes = record->u.run_metadata.message;
  const void *data = bytes != NULL ? g_bytes_get_data (bytes, &length) : NULL;

  SET (message, message, sonde_encode_compress (encoder, data, length, &compression));
  if (compression != SONDE_COMPRESSION_NONE)
    SET (message, compression, compression);
  encoder->message.run_metadata = message;
}

static void
encode_session_log (SondeRecordEncoder *encoder, const SondeRecord *record)
{
  Sonde__Records__SessionLog *message = NEW (encoder, session_log, SessionLog);

  SET (message, status, record->u.session_log.status);
  SET_TEXT (message, checkpoint, record->u.session_log.checkpoint);
  SET_TEXT (message, message, record->u.session_log.message);
  encoder->message.session_log = message;
}

/* ---- explanation --------------------------------------------------------- */

static Sonde__Records__ExplanationClass **
encode_classes (SondeRecordEncoder *encoder, const SondeExplanationClass *items, gsize n)
{
  void **list;
  Sonde__Records__ExplanationClass *messages
      = sonde_encode_list (encoder, n, sizeof *messages, &list);

  for (gsize i = 0; i < n; i++)
    {
      sonde__records__explanation_class__init (&messages[i]);
      SET (&messages[i], label, items[i].label);
      SET (&messages[i], probability, items[i].probability);
      SET (&messages[i], deviation, items[i].deviation);
      SET (&messages[i], low, items[i].low);
      SET (&messages[i], high, items[i].high);
    }
  return (Sonde__Records__ExplanationClass **) list;
}

static void
encode_maps (SondeRecordEncoder *encoder, Sonde__Records__Explanation *message,
             const SondeExplanation *explanation)
{
  void **list;
  Sonde__Records__ExplanationMap *messages
      = sonde_encode_list (encoder, explanation->n_maps, sizeof *messages, &list);

  for (gsize i = 0; i < explanation->n_maps; i++)
    {
      sonde__records__explanation_map__init (&messages[i]);
      SET_TEXT (&messages[i], method, explanation->maps[i].method);
      SET (&messages[i], label, explanation->maps[i].label);
      SET_TEXT (&messages[i], heat_map, explanation->maps[i].heat_map);
    }
  message->n_maps = explanation->n_maps;
  message->maps = (Sonde__Records__ExplanationMap **) list;
}

static void
encode_scores (SondeRecordEncoder *encoder, Sonde__Records__Explanation *message,
               const SondeExplanation *explanation)
{
  void **list;
  Sonde__Records__ExplanationScore *messages
      = sonde_encode_list (encoder, explanation->n_scores, sizeof *messages, &list);

  for (gsize i = 0; i < explanation->n_scores; i++)
    {
      const SondeExplanationScore *score = &explanation->scores[i];

      sonde__records__explanation_score__init (&messages[i]);
      SET_TEXT (&messages[i], benchmark, score->benchmark);
      SET_TEXT (&messages[i], method, score->method);
      SET (&messages[i], total, score->total);
      messages[i].n_label_scores = score->n_label_scores;
      messages[i].label_scores = score->label_scores;
    }
  message->n_scores = explanation->n_scores;
  message->scores = (Sonde__Records__ExplanationScore **) list;
}

static Sonde__Records__ExplanationLayer **
encode_layers (SondeRecordEncoder *encoder, const SondeExplanationOcclusion *occlusion)
{
  void **list;
  Sonde__Records__ExplanationLayer *messages
      = sonde_encode_list (encoder, occlusion->n_layers, sizeof *messages, &list);

  for (gsize i = 0; i < occlusion->n_layers; i++)
    {
      sonde__records__explanation_layer__init (&messages[i]);
      SET (&messages[i], probability, occlusion->layers[i].probability);
      messages[i].n_boxes = 4 * occlusion->layers[i].n_boxes;
      messages[i].boxes = occlusion->layers[i].boxes;
    }
  return (Sonde__Records__ExplanationLayer **) list;
}

static void
encode_occlusions (SondeRecordEncoder *encoder, Sonde__Records__Explanation *message,
                   const SondeExplanation *explanation)
{
  void **list;
  Sonde__Records__ExplanationOcclusion *messages
      = sonde_encode_list (encoder, explanation->n_occlusions, sizeof *messages, &list);

  for (gsize i = 0; i < explanation->n_occlusions; i++)
    {
      const SondeExplanationOcclusion *occlusion = &explanation->occlusions[i];

      sonde__records__explanation_occlusion__init (&messages[i]);
      SET (&messages[i], label, occlusion->label);
      SET_TEXT (&messages[i], mask, occlusion->mask);
      messages[i].n_layers = occlusion->n_layers;
      messages[i].layers = encode_layers (encoder, occlusion);
    }
  message->n_occlusions = explanation->n_occlusions;
  message->occlusions = (Sonde__Records__ExplanationOcclusion **) list;
}

static void
encode_explanation (SondeRecordEncoder *encoder, const SondeRecord *record)
{
  Sonde__Records__Explanation *message = NEW (encoder, explanation, Explanation);
  const SondeExplanation *explanation = record->u.explanation;

  if (explanation->has_sample)
    SET (message, sample, explanation->sample);
  SET_TEXT (message, image, explanation->image);
  SET_TEXT (message, status, explanation->status);
  message->n_truths = explanation->n_truths;
  message->truths = encode_classes (encoder, explanation->truths, explanation->n_truths);
  message->n_predictions = explanation->n_predictions;
  message->predictions
      = encode_classes (encoder, explanation->predictions, explanation->n_predictions);
  encode_maps (encoder, message, explanation);
  encode_scores (encoder, message, explanation);
  encode_occlusions (encoder, message, explanation);
  message->labels = sonde_encode_strings (encoder, explanation->labels, &message->n_labels);
  message->methods = sonde_encode_strings (encoder, explanation->methods, &message->n_methods);
  message->benchmarks
      = sonde_encode_strings (encoder, explanation->benchmarks, &message->n_benchmarks);
  SET (message, lists,
       (explanation->labels != NULL) | (explanation->methods != NULL) << 1
           | (explanation->benchmarks != NULL) << 2);
  encoder->message.explanation = message;
}

/* ---- notes and what is left ---------------------------------------------- */

static void
encode_note (SondeRecordEncoder *encoder, const SondeRecord *record)
{
  Sonde__Records__TagNote *message = NEW (encoder, tag_note, TagNote);

  SET_TEXT (message, display_name, record->u.tag_note.display_name);
  SET_TEXT (message, description, record->u.tag_note.description);
  SET_TEXT (message, unit, record->u.tag_note.unit);
  SET_TEXT (message, group, record->u.tag_note.group);
  encoder->message.note = message;
}

static void
encode_other (SondeRecordEncoder *encoder, const SondeRecord *record)
{
  Sonde__Records__Other *message = NEW (encoder, other, Other);

  SET_TEXT (message, plugin, record->u.other.plugin);
  message->tensor = sonde_encode_tensor (encoder, record->u.other.tensor);
  SET_BYTES (message, content, record->u.other.content);
  SET (message, bytes, record->u.other.bytes);
  encoder->message.other = message;
}

/* Its kind says all. */
static void
encode_end (SondeRecordEncoder *encoder, const SondeRecord *record)
{
}

SondeRecordEncodeFunction
sonde_encode_find_kind (SondeRecordKind kind)
{
  static const SondeRecordEncodeFunction kinds[SONDE_N_RECORD_KINDS] = {
    [SONDE_RECORD_AUDIO] = encode_audio,
    [SONDE_RECORD_LINEAGE] = encode_lineage,
    [SONDE_RECORD_PR_CURVE] = encode_pr_curve,
    [SONDE_RECORD_EMBEDDING] = encode_embedding,
    [SONDE_RECORD_LANDSCAPE] = encode_landscape,
    [SONDE_RECORD_SPAN] = encode_span,
    [SONDE_RECORD_MEMORY] = encode_memory,
    [SONDE_RECORD_MESH] = encode_mesh,
    [SONDE_RECORD_CUSTOM_SCALARS] = encode_custom_scalars,
    [SONDE_RECORD_RUN_METADATA] = encode_run_metadata,
    [SONDE_RECORD_SESSION_LOG] = encode_session_log,
    [SONDE_RECORD_EXPLAIN] = encode_explanation,
    [SONDE_RECORD_NOTE] = encode_note,
    [SONDE_RECORD_OTHER] = encode_other,
    [SONDE_RECORD_END] = encode_end,
  };

  return kinds[kind];
}
