/* SPDX-License-Identifier: Apache-2.0
 * Record -> payload bytes: the head, and the kinds of a training. */
#include <math.h>

#include "data/records/sonde-record-encode-private.h"

static void
pack (SondeRecordEncoder *encoder)
{
  gsize length = sonde__records__record__get_packed_size (&encoder->message);
  gsize start = encoder->out->len;

  g_byte_array_set_size (encoder->out, start + length);
  sonde__records__record__pack (&encoder->message, encoder->out->data + start);
}

/* The id of @tag; the first use of a tag declares it in this record. */
static guint32
tag_id (SondeRecordEncoder *encoder, const char *tag)
{
  Sonde__Records__Record *message = &encoder->message;
  Sonde__Records__TagDeclaration *declaration;
  gboolean is_new;
  guint32 id = sonde_tag_table_add (encoder->table, tag, &is_new);
  gsize n = message->n_declarations;

  if (!is_new)
    return id;
  declaration = sonde_encode_hold (encoder, g_new (Sonde__Records__TagDeclaration, 1));
  sonde__records__tag_declaration__init (declaration);
  SET (declaration, id, id);
  SET_TEXT (declaration, name, tag);
  if ((n & (n - 1)) == 0) /* grows at 0, 1, 2, 4, 8, … */
    {
      Sonde__Records__TagDeclaration **list
          = g_new (Sonde__Records__TagDeclaration *, MAX (2 * n, 1));

      if (n > 0)
        memcpy (list, message->declarations, n * sizeof *list);
      message->declarations = sonde_encode_hold (encoder, list);
    }
  message->declarations[message->n_declarations++] = declaration;
  return id;
}

/* ---- kinds --------------------------------------------------------------- */

static void
encode_session (SondeRecordEncoder *encoder, const SondeRecord *record)
{
  Sonde__Records__SessionStart start = SONDE__RECORDS__SESSION_START__INIT;

  SET_TEXT (&start, program, record->u.session_start.program);
  SET_TEXT (&start, host, record->u.session_start.host);
  SET (&start, format_version, record->u.session_start.format_version);
  SET (&start, pid, record->u.session_start.pid);
  encoder->message.session_start = &start;
  pack (encoder);
}

#define FEW_SCALARS 64

static void
encode_scalars (SondeRecordEncoder *encoder, const SondeRecord *record)
{
  Sonde__Records__Scalars scalars = SONDE__RECORDS__SCALARS__INIT;
  const SondeScalar *items = record->u.scalars.items;
  gsize n = record->u.scalars.n;
  guint32 few_tags[FEW_SCALARS];
  double few_values[FEW_SCALARS];

  scalars.n_tags = scalars.n_values = n;
  scalars.tags = n <= FEW_SCALARS ? few_tags : sonde_encode_hold (encoder, g_new (guint32, n));
  scalars.values = n <= FEW_SCALARS ? few_values : sonde_encode_hold (encoder, g_new (double, n));
  for (gsize i = 0; i < n; i++)
    {
      scalars.tags[i] = tag_id (encoder, items[i].tag);
      scalars.values[i] = items[i].value;
    }
  encoder->message.scalars = &scalars;
  pack (encoder);
}

/* Filled bins as pairs of distance and count; @pairs has room for all. Returns the numbers
 * written. */
static gsize
list_bins (const guint64 *bins, guint64 *pairs)
{
  gsize n = 0, last = 0;

  for (gsize i = 0; i < SONDE_HISTOGRAM_N_BINS; i++)
    {
      if (bins[i] == 0)
        continue;
      pairs[n++] = i - last;
      pairs[n++] = bins[i];
      last = i;
    }
  return n;
}

static void
encode_own_bins (SondeRecordEncoder *encoder, const SondeRecord *record)
{
  Sonde__Records__Histogram message = SONDE__RECORDS__HISTOGRAM__INIT;
  const SondeHistogram *histogram = record->u.histogram;
  guint64 negative[2 * SONDE_HISTOGRAM_N_BINS], positive[2 * SONDE_HISTOGRAM_N_BINS];

  message.n_negative = list_bins (histogram->negative, negative);
  message.negative = negative;
  message.n_positive = list_bins (histogram->positive, positive);
  message.positive = positive;
  SET (&message, zero, histogram->zero);
  SET (&message, nan, histogram->nan);
  SET (&message, pos_inf, histogram->pos_inf);
  SET (&message, neg_inf, histogram->neg_inf);
  SET (&message, min, histogram->min);
  SET (&message, max, histogram->max);
  SET (&message, sum, histogram->sum);
  SET (&message, sum_squares, histogram->sum_squares);
  encoder->message.histogram = &message;
  pack (encoder);
}

static void
encode_foreign_bins (SondeRecordEncoder *encoder, const SondeBins *bins)
{
  Sonde__Records__Histogram message = SONDE__RECORDS__HISTOGRAM__INIT;
  Sonde__Records__Bins chosen = SONDE__RECORDS__BINS__INIT;

  chosen.n_lefts = chosen.n_rights = chosen.n_counts = bins->n;
  chosen.lefts = bins->lefts;
  chosen.rights = bins->rights;
  chosen.counts = bins->counts;
  SET (&chosen, count, bins->count);
  SET (&chosen, min, bins->min);
  SET (&chosen, max, bins->max);
  SET (&chosen, sum, bins->sum);
  SET (&chosen, sum_squares, bins->sum_squares);
  SET (&chosen, nan, bins->nan);
  SET (&chosen, pos_inf, bins->pos_inf);
  SET (&chosen, neg_inf, bins->neg_inf);
  message.bins = &chosen;
  encoder->message.histogram = &message;
  pack (encoder);
}

static void
encode_histogram (SondeRecordEncoder *encoder, const SondeRecord *record)
{
  if (record->u.histogram == NULL)
    encode_foreign_bins (encoder, record->u.bins);
  else
    encode_own_bins (encoder, record);
}

static void
fill_note (Sonde__Records__SampleNote *message, const SondeSampleNote *note)
{
  sonde__records__sample_note__init (message);
  SET_TEXT (message, sample, note->sample);
  SET_TEXT (message, label_name, note->label_name);
  SET_TEXT (message, predicted_name, note->predicted_name);
  if (note->label >= 0)
    SET (message, label, note->label);
  if (note->predicted >= 0)
    SET (message, predicted, note->predicted);
  if (!isnan (note->label_probability))
    SET (message, label_probability, note->label_probability);
  if (!isnan (note->predicted_probability))
    SET (message, predicted_probability, note->predicted_probability);
}

static void
encode_image (SondeRecordEncoder *encoder, const SondeRecord *record)
{
  Sonde__Records__Image image = SONDE__RECORDS__IMAGE__INIT;
  Sonde__Records__SampleNote note;

  fill_note (&note, &record->u.image.note);
  SET_BYTES (&image, encoded, record->u.image.encoded);
  SET (&image, width, (guint32) record->u.image.width);
  SET (&image, height, (guint32) record->u.image.height);
  SET (&image, index, (guint32) record->u.image.index);
  image.note = &note;
  encoder->message.image = &image;
  pack (encoder);
}

static void
set_text_parts (SondeRecordEncoder *encoder, const SondeMessage *message)
{
  gsize n = message != NULL ? sonde_message_get_n_parts (message) : 0;
  Sonde__Records__MessagePart *parts
      = sonde_encode_list (encoder, n, sizeof *parts, (void ***) &encoder->message.text_parts);

  encoder->message.n_text_parts = n;
  for (gsize i = 0; i < n; i++)
    {
      const char *const *arguments;

      sonde__records__message_part__init (&parts[i]);
      SET_TEXT (&parts[i], id, sonde_message_get_part (message, (guint) i, &arguments));
      parts[i].arguments
          = sonde_encode_strings (encoder, (char **) arguments, &parts[i].n_arguments);
    }
}

static void
encode_text (SondeRecordEncoder *encoder, const SondeRecord *record)
{
  SET_TEXT (&encoder->message, text, record->u.text != NULL ? record->u.text : "");
  encoder->message.text_cells = sonde_encode_tensor (encoder, record->u.cells);
  set_text_parts (encoder, record->u.message);
  pack (encoder);
}

static void
encode_tensor (SondeRecordEncoder *encoder, const SondeRecord *record)
{
  encoder->message.tensor = sonde_encode_tensor (encoder, record->u.tensor);
  pack (encoder);
}

static void
encode_statistics (SondeRecordEncoder *encoder, const SondeRecord *record)
{
  Sonde__Records__Statistics message = SONDE__RECORDS__STATISTICS__INIT;
  const SondeStatistics *statistics = &record->u.statistics;

  SET (&message, count, statistics->count);
  SET (&message, min, statistics->min);
  SET (&message, max, statistics->max);
  SET (&message, mean, statistics->mean);
  SET (&message, std, statistics->std);
  SET (&message, abs_mean, statistics->abs_mean);
  SET (&message, zeros, statistics->zeros);
  SET (&message, negatives, statistics->negatives);
  SET (&message, nan, statistics->nan);
  SET (&message, pos_inf, statistics->pos_inf);
  SET (&message, neg_inf, statistics->neg_inf);
  encoder->message.statistics = &message;
  pack (encoder);
}

static void
encode_graph (SondeRecordEncoder *encoder, const SondeRecord *record)
{
  Sonde__Records__Graph graph = SONDE__RECORDS__GRAPH__INIT;
  SondeCompression compression = SONDE_COMPRESSION_NONE;
  gsize length = 0;
  const void *data
      = record->u.graph.model != NULL ? g_bytes_get_data (record->u.graph.model, &length) : NULL;

  if (record->u.graph.model == NULL)
    graph.graph = sonde_encode_plain_graph (encoder, record->u.graph.graph);
  if (graph.graph == NULL)
    SET (&graph, model, sonde_encode_compress (encoder, data, length, &compression));
  SET (&graph, executed, record->u.graph.executed != FALSE);
  if (compression != SONDE_COMPRESSION_NONE)
    {
      SET (&graph, compression, compression);
      SET (&graph, size, length);
    }
  encoder->message.graph = &graph;
  pack (encoder);
}

static void
encode_hparams (SondeRecordEncoder *encoder, const SondeRecord *record)
{
  Sonde__Records__Hparams hparams = SONDE__RECORDS__HPARAMS__INIT;

  hparams.n_items = record->u.hparams.n;
  hparams.items = sonde_encode_hparams (encoder, record->u.hparams.items, record->u.hparams.n);
  hparams.n_metrics = record->u.hparams.n_metrics;
  hparams.metrics
      = sonde_encode_hparams (encoder, record->u.hparams.metrics, record->u.hparams.n_metrics);
  if (record->u.hparams.part != SONDE_HPARAMS_VALUES)
    SET (&hparams, part, record->u.hparams.part);
  /* a zeroed struct knows none either */
  if (!isnan (record->u.hparams.time) && record->u.hparams.time != 0)
    SET (&hparams, time, record->u.hparams.time);
  SET_TEXT (&hparams, group, record->u.hparams.group);
  SET_TEXT (&hparams, status, record->u.hparams.status);
  encoder->message.hparams = &hparams;
  pack (encoder);
}

static void
encode_saliency (SondeRecordEncoder *encoder, const SondeRecord *record)
{
  Sonde__Records__Saliency message = SONDE__RECORDS__SALIENCY__INIT;
  Sonde__Records__SampleNote note;

  message.map = sonde_encode_tensor (encoder, record->u.saliency.map);
  message.mask = sonde_encode_tensor (encoder, record->u.saliency.mask);
  fill_note (&note, &record->u.saliency.note);
  message.note = &note;
  SET_BYTES (&message, image, record->u.saliency.image);
  SET_TEXT (&message, method, record->u.saliency.method);
  SET_TEXT (&message, target_is, record->u.saliency.target_is);
  SET_TEXT (&message, parameters, record->u.saliency.parameters);
  SET (&message, target, record->u.saliency.target);
  SET (&message, score, record->u.saliency.score);
  encoder->message.saliency = &message;
  pack (encoder);
}

static void
encode_counterfactual (SondeRecordEncoder *encoder, const SondeRecord *record)
{
  Sonde__Records__Counterfactual message = SONDE__RECORDS__COUNTERFACTUAL__INIT;
  Sonde__Records__SampleNote note;

  fill_note (&note, &record->u.counterfactual.note);
  message.note = &note;
  SET_BYTES (&message, image, record->u.counterfactual.image);
  SET_TEXT (&message, goal, record->u.counterfactual.goal);
  SET_TEXT (&message, result, record->u.counterfactual.result);
  SET_TEXT (&message, parameters, record->u.counterfactual.parameters);
  SET_TEXT (&message, mask, record->u.counterfactual.mask);
  SET_TEXT (&message, remark, record->u.counterfactual.remark);
  SET (&message, target, record->u.counterfactual.target);
  SET (&message, threshold, record->u.counterfactual.threshold);
  SET (&message, original, record->u.counterfactual.original);
  SET (&message, masked, record->u.counterfactual.masked);
  SET (&message, pruned_output, record->u.counterfactual.pruned_output);
  SET (&message, area, record->u.counterfactual.area);
  SET (&message, candidates, record->u.counterfactual.candidates);
  message.boxes = sonde_encode_tensor (encoder, record->u.counterfactual.boxes);
  message.outputs = sonde_encode_tensor (encoder, record->u.counterfactual.outputs);
  message.pruned = sonde_encode_tensor (encoder, record->u.counterfactual.pruned);
  message.steps = sonde_encode_tensor (encoder, record->u.counterfactual.steps);
  encoder->message.counterfactual = &message;
  pack (encoder);
}

static void
encode_gap (SondeRecordEncoder *encoder, const SondeRecord *record)
{
  Sonde__Records__Gap gap = SONDE__RECORDS__GAP__INIT;

  SET (&gap, records, record->u.gap.records);
  SET (&gap, bytes, record->u.gap.bytes);
  SET_TEXT (&gap, reason, record->u.gap.reason);
  SET (&gap, first_step, record->u.gap.first_step);
  SET (&gap, last_step, record->u.gap.last_step);
  encoder->message.gap = &gap;
  pack (encoder);
}

static const SondeRecordEncodeFunction encoders[SONDE_N_RECORD_KINDS] = {
  [SONDE_RECORD_SESSION] = encode_session,
  [SONDE_RECORD_SCALARS] = encode_scalars,
  [SONDE_RECORD_HISTOGRAM] = encode_histogram,
  [SONDE_RECORD_IMAGE] = encode_image,
  [SONDE_RECORD_TEXT] = encode_text,
  [SONDE_RECORD_TENSOR] = encode_tensor,
  [SONDE_RECORD_STATISTICS] = encode_statistics,
  [SONDE_RECORD_GRAPH] = encode_graph,
  [SONDE_RECORD_HPARAMS] = encode_hparams,
  [SONDE_RECORD_SALIENCY] = encode_saliency,
  [SONDE_RECORD_COUNTERFACTUAL] = encode_counterfactual,
  [SONDE_RECORD_GAP] = encode_gap,
};

gboolean
sonde_record_can_encode (SondeRecordKind kind)
{
  return (guint) kind < SONDE_N_RECORD_KINDS
         && (encoders[kind] != NULL || sonde_encode_find_kind (kind) != NULL);
}

void
sonde_record_encode (const SondeRecord *record, SondeTagTable *table, GByteArray *out)
{
  SondeRecordEncoder encoder = { .table = table, .out = out };

  g_return_if_fail (sonde_record_can_encode (record->kind));

  sonde__records__record__init (&encoder.message);
  SET (&encoder.message, kind, record->kind);
  SET (&encoder.message, step, record->step);
  SET (&encoder.message, wall_time_ns, record->wall_time_ns);
  SET (&encoder.message, session, record->session);
  if (record->tag != NULL)
    SET (&encoder.message, tag, tag_id (&encoder, record->tag));
  if (encoders[record->kind] != NULL)
    encoders[record->kind](&encoder, record);
  else
    {
      sonde_encode_find_kind (record->kind) (&encoder, record);
      pack (&encoder);
    }
  g_clear_pointer (&encoder.held, g_ptr_array_unref);
  g_clear_pointer (&encoder.tensors, g_ptr_array_unref);
}
