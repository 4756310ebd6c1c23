/* SPDX-License-Identifier: Apache-2.0
 * Payload bytes -> record: decode into the table's arena, check, copy out. */
#include <math.h>
#include <string.h>

#include "data/base/sonde-message-nest.h"
#include "data/records/sonde-record-decode-private.h"
#include "data/records/sonde-record-head-private.h"

/* ---- kinds --------------------------------------------------------------- */

static gboolean
decode_session (const SondeRecordDecoding *decoder, SondeRecord *record, GError **error)
{
  const Sonde__Records__SessionStart *message = decoder->message->session_start;

  record->u.session_start.program = DUP_OPTIONAL (message, program);
  record->u.session_start.host = DUP_OPTIONAL (message, host);
  record->u.session_start.format_version = SONDE_WIRE_OR (message, format_version, 0);
  record->u.session_start.pid = SONDE_WIRE_OR (message, pid, 0);
  return sonde_decode_check_version (record->u.session_start.format_version, error);
}

static gboolean
read_bins (const guint64 *pairs, gsize n, guint64 *bins, const char *what, GError **error)
{
  guint64 bin = 0;

  if (n % 2 != 0)
    return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED, "%s ends inside a pair", what);
  for (gsize i = 0; i < n; i += 2)
    {
      if ((i > 0 && pairs[i] == 0) || pairs[i] >= SONDE_HISTOGRAM_N_BINS - bin)
        return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED,
                                  "%s: bin %" PRIu64 " does not exist", what, bin + pairs[i]);
      bin += pairs[i];
      bins[bin] = pairs[i + 1];
    }
  return TRUE;
}

static gboolean
decode_bins (const Sonde__Records__Bins *message, SondeRecord *record, GError **error)
{
  const gsize n = message->n_counts;
  SondeBins *bins;

  if (message->n_lefts != n || message->n_rights != n)
    return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED,
                              "histogram.bins has different numbers of edges and counts");
  record->u.bins = bins = sonde_bins_new (n);
  if (bins == NULL)
    return sonde_decode_fail (error, SONDE_DATA_ERROR_LIMIT,
                              "not enough memory for the %zu bins of histogram.bins", n);
  if (n > 0)
    {
      memcpy (bins->lefts, message->lefts, n * sizeof (double));
      memcpy (bins->rights, message->rights, n * sizeof (double));
      memcpy (bins->counts, message->counts, n * sizeof (double));
    }
  bins->count = SONDE_WIRE_OR (message, count, NAN);
  bins->min = SONDE_WIRE_OR (message, min, NAN);
  bins->max = SONDE_WIRE_OR (message, max, NAN);
  bins->sum = SONDE_WIRE_OR (message, sum, NAN);
  bins->sum_squares = SONDE_WIRE_OR (message, sum_squares, NAN);
  bins->nan = SONDE_WIRE_OR (message, nan, 0);
  bins->pos_inf = SONDE_WIRE_OR (message, pos_inf, 0);
  bins->neg_inf = SONDE_WIRE_OR (message, neg_inf, 0);
  return TRUE;
}

static gboolean
decode_histogram (const SondeRecordDecoding *decoder, SondeRecord *record, GError **error)
{
  const Sonde__Records__Histogram *message = decoder->message->histogram;
  SondeHistogram *histogram;

  if (message->bins != NULL)
    return decode_bins (message->bins, record, error);
  record->u.histogram = histogram = g_new (SondeHistogram, 1);
  sonde_histogram_init (histogram);
  histogram->zero = SONDE_WIRE_OR (message, zero, 0);
  histogram->nan = SONDE_WIRE_OR (message, nan, 0);
  histogram->pos_inf = SONDE_WIRE_OR (message, pos_inf, 0);
  histogram->neg_inf = SONDE_WIRE_OR (message, neg_inf, 0);
  histogram->min = SONDE_WIRE_OR (message, min, NAN);
  histogram->max = SONDE_WIRE_OR (message, max, NAN);
  histogram->sum = SONDE_WIRE_OR (message, sum, 0);
  histogram->sum_squares = SONDE_WIRE_OR (message, sum_squares, 0);
  return read_bins (message->negative, message->n_negative, histogram->negative,
                    "histogram.negative", error)
         && read_bins (message->positive, message->n_positive, histogram->positive,
                       "histogram.positive", error);
}

static void
read_note (const Sonde__Records__SampleNote *message, SondeSampleNote *note)
{
  *note = (SondeSampleNote){
    .label = -1, .predicted = -1, .label_probability = NAN, .predicted_probability = NAN
  };
  if (message == NULL)
    return;
  note->sample = DUP_OPTIONAL (message, sample);
  note->label_name = DUP_OPTIONAL (message, label_name);
  note->predicted_name = DUP_OPTIONAL (message, predicted_name);
  note->label = MAX (SONDE_WIRE_OR (message, label, -1), -1);
  note->predicted = MAX (SONDE_WIRE_OR (message, predicted, -1), -1);
  note->label_probability = SONDE_WIRE_OR (message, label_probability, NAN);
  note->predicted_probability = SONDE_WIRE_OR (message, predicted_probability, NAN);
}

static gboolean
decode_image (const SondeRecordDecoding *decoder, SondeRecord *record, GError **error)
{
  const Sonde__Records__Image *message = decoder->message->image;

  record->u.image.encoded = g_bytes_new (message->encoded.data, message->encoded.len);
  read_note (message->note, &record->u.image.note);
  return sonde_decode_int (SONDE_WIRE_OR (message, width, 0), "image.width", &record->u.image.width,
                           error)
         && sonde_decode_int (SONDE_WIRE_OR (message, height, 0), "image.height",
                              &record->u.image.height, error)
         && sonde_decode_int (SONDE_WIRE_OR (message, index, 0), "image.index",
                              &record->u.image.index, error);
}

/* A reader may be made to allocate a message for two bytes. */
#define MAX_TEXT_PARTS 8192

/* The parts make the text or are left out, so that everybody reads the same statement in one language
 * or another. (transfer full) (nullable) */
static SondeMessage *
read_text_parts (const Sonde__Records__Record *record, const char *text)
{
  g_autoptr (SondeMessage) message = sonde_message_new_empty ();

  if (record->n_text_parts == 0 || record->n_text_parts > MAX_TEXT_PARTS)
    return NULL;
  for (gsize i = 0; i < record->n_text_parts; i++)
    {
      const Sonde__Records__MessagePart *part = record->text_parts[i];
      g_autofree char *id = sonde_record_dup_bytes (part->id);
      g_auto (GStrv) arguments = g_new0 (char *, part->n_arguments + 1);

      if (sonde_message_id_names_positions (id))
        return NULL;
      for (gsize k = 0; k < part->n_arguments; k++)
        arguments[k] = sonde_record_dup_bytes (part->arguments[k]);
      sonde_message_add_part (message, id, (const char *const *) arguments);
    }
  return g_str_equal (sonde_message_get_english (message), text) ? g_steal_pointer (&message)
                                                                 : NULL;
}

static gboolean
decode_text (const SondeRecordDecoding *decoder, SondeRecord *record, GError **error)
{
  if (!decoder->message->has_text)
    return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED,
                              "Record of kind text has no content");
  record->u.text = sonde_record_dup_bytes (decoder->message->text);
  record->u.message = read_text_parts (decoder->message, record->u.text);
  if (!sonde_decode_optional_tensor (decoder->message->text_cells, "text_cells", &record->u.cells,
                                     error))
    return FALSE;
  if (record->u.cells != NULL
      && (record->u.cells->dtype != SONDE_DTYPE_STRING || record->u.cells->shape.rank != 2))
    return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED,
                              "text_cells is not a table of strings");
  return TRUE;
}

static gboolean
decode_tensor (const SondeRecordDecoding *decoder, SondeRecord *record, GError **error)
{
  record->u.tensor = sonde_decode_tensor (decoder->message->tensor, "tensor", error);
  return record->u.tensor != NULL;
}

static gboolean
decode_statistics (const SondeRecordDecoding *decoder, SondeRecord *record, GError **error)
{
  const Sonde__Records__Statistics *message = decoder->message->statistics;

  record->u.statistics = (SondeStatistics){
    .count = SONDE_WIRE_OR (message, count, 0),
    .min = SONDE_WIRE_OR (message, min, NAN),
    .max = SONDE_WIRE_OR (message, max, NAN),
    .mean = SONDE_WIRE_OR (message, mean, NAN),
    .std = SONDE_WIRE_OR (message, std, NAN),
    .abs_mean = SONDE_WIRE_OR (message, abs_mean, NAN),
    .zeros = SONDE_WIRE_OR (message, zeros, 0),
    .negatives = SONDE_WIRE_OR (message, negatives, 0),
    .nan = SONDE_WIRE_OR (message, nan, 0),
    .pos_inf = SONDE_WIRE_OR (message, pos_inf, 0),
    .neg_inf = SONDE_WIRE_OR (message, neg_inf, 0),
  };
  return TRUE;
}

static gboolean
decode_graph (const SondeRecordDecoding *decoder, SondeRecord *record, GError **error)
{
  const Sonde__Records__Graph *message = decoder->message->graph;
  gsize length;

  record->u.graph.executed = SONDE_WIRE_OR (message, executed, FALSE);
  if (message->graph != NULL)
    return sonde_decode_plain_graph (message->graph, "graph.graph", &record->u.graph.graph, error);
  record->u.graph.model = sonde_decode_bytes (
      message->model, SONDE_WIRE_OR (message, compression, 0), "graph.model", error);
  if (record->u.graph.model == NULL)
    return FALSE;
  length = g_bytes_get_size (record->u.graph.model);
  if (length != SONDE_WIRE_OR (message, size, length))
    return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED,
                              "graph.model does not have the size given by graph.size");
  return TRUE;
}

static gboolean
decode_hparams (const SondeRecordDecoding *decoder, SondeRecord *record, GError **error)
{
  const Sonde__Records__Hparams *message = decoder->message->hparams;

  record->u.hparams.items = sonde_decode_hparams (message->items, message->n_items);
  record->u.hparams.n = message->n_items;
  record->u.hparams.metrics = sonde_decode_hparams (message->metrics, message->n_metrics);
  record->u.hparams.n_metrics = message->n_metrics;
  record->u.hparams.part = MIN (SONDE_WIRE_OR (message, part, 0), SONDE_HPARAMS_END);
  record->u.hparams.time = SONDE_WIRE_OR (message, time, NAN);
  record->u.hparams.group = DUP_OPTIONAL (message, group);
  record->u.hparams.status = DUP_OPTIONAL (message, status);
  return TRUE;
}

static gboolean
decode_saliency (const SondeRecordDecoding *decoder, SondeRecord *record, GError **error)
{
  const Sonde__Records__Saliency *message = decoder->message->saliency;
  SondeTensor *map, *mask;

  read_note (message->note, &record->u.saliency.note);
  record->u.saliency.method = DUP_OPTIONAL (message, method);
  record->u.saliency.target_is = DUP_OPTIONAL (message, target_is);
  record->u.saliency.parameters = DUP_OPTIONAL (message, parameters);
  record->u.saliency.target = SONDE_WIRE_OR (message, target, -1);
  record->u.saliency.score = SONDE_WIRE_OR (message, score, NAN);
  if (message->has_image)
    record->u.saliency.image = g_bytes_new (message->image.data, message->image.len);
  record->u.saliency.map = map = sonde_decode_tensor (message->map, "saliency.map", error);
  if (map == NULL)
    return FALSE;
  if (message->mask != NULL
      && (record->u.saliency.mask = sonde_decode_tensor (message->mask, "saliency.mask", error))
             == NULL)
    return FALSE;
  mask = record->u.saliency.mask;
  if (map->dtype != SONDE_DTYPE_F32 || map->shape.rank != 2)
    return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED,
                              "saliency.map is not a float32 image");
  if (mask != NULL
      && (mask->dtype != SONDE_DTYPE_U8 || !sonde_shape_equal (&mask->shape, &map->shape)))
    return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED,
                              "saliency.mask does not match the shape of saliency.map");
  return TRUE;
}

/* [n, @width] float64, or [n] where @width is 0. */
static gboolean
decode_table (const Sonde__Records__Tensor *message, const char *name, gint64 width,
              SondeTensor **tensor, GError **error)
{
  if (message == NULL)
    return TRUE;
  *tensor = sonde_decode_tensor (message, name, error);
  if (*tensor == NULL)
    return FALSE;
  if ((*tensor)->dtype != SONDE_DTYPE_F64 || (*tensor)->shape.rank != (width > 0 ? 2 : 1)
      || (width > 0 && (*tensor)->shape.dims[1] != width))
    return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED, "%s is not a table of float64",
                              name);
  return TRUE;
}

static gboolean
decode_counterfactual (const SondeRecordDecoding *decoder, SondeRecord *record, GError **error)
{
  const Sonde__Records__Counterfactual *message = decoder->message->counterfactual;

  read_note (message->note, &record->u.counterfactual.note);
  if (message->has_image)
    record->u.counterfactual.image = g_bytes_new (message->image.data, message->image.len);
  record->u.counterfactual.goal = DUP_OPTIONAL (message, goal);
  record->u.counterfactual.result = DUP_OPTIONAL (message, result);
  record->u.counterfactual.parameters = DUP_OPTIONAL (message, parameters);
  record->u.counterfactual.mask = DUP_OPTIONAL (message, mask);
  record->u.counterfactual.remark = DUP_OPTIONAL (message, remark);
  record->u.counterfactual.target = SONDE_WIRE_OR (message, target, -1);
  record->u.counterfactual.threshold = SONDE_WIRE_OR (message, threshold, NAN);
  record->u.counterfactual.original = SONDE_WIRE_OR (message, original, NAN);
  record->u.counterfactual.masked = SONDE_WIRE_OR (message, masked, NAN);
  record->u.counterfactual.pruned_output = SONDE_WIRE_OR (message, pruned_output, NAN);
  record->u.counterfactual.area = SONDE_WIRE_OR (message, area, NAN);
  record->u.counterfactual.candidates = SONDE_WIRE_OR (message, candidates, 0);
  if (message->boxes == NULL || message->outputs == NULL || message->steps == NULL)
    return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED,
                              "counterfactual.boxes, outputs or steps are missing");
  return decode_table (message->boxes, "counterfactual.boxes", 5, &record->u.counterfactual.boxes,
                       error)
         && decode_table (message->outputs, "counterfactual.outputs", 0,
                          &record->u.counterfactual.outputs, error)
         && decode_table (message->pruned, "counterfactual.pruned", 4,
                          &record->u.counterfactual.pruned, error)
         && decode_table (message->steps, "counterfactual.steps", 7,
                          &record->u.counterfactual.steps, error);
}

static gboolean
decode_gap (const SondeRecordDecoding *decoder, SondeRecord *record, GError **error)
{
  const Sonde__Records__Gap *message = decoder->message->gap;

  record->u.gap.records = SONDE_WIRE_OR (message, records, 0);
  record->u.gap.bytes = SONDE_WIRE_OR (message, bytes, 0);
  record->u.gap.reason = DUP_OPTIONAL (message, reason);
  record->u.gap.first_step = SONDE_WIRE_OR (message, first_step, 0);
  record->u.gap.last_step = SONDE_WIRE_OR (message, last_step, 0);
  return TRUE;
}

/* ---- payload ------------------------------------------------------------- */

static const SondeRecordKindRow decoders[SONDE_N_RECORD_KINDS] = {
  [SONDE_RECORD_SESSION] = { decode_session, CONTENT (session_start), FALSE },
  [SONDE_RECORD_HISTOGRAM] = { decode_histogram, CONTENT (histogram), TRUE },
  [SONDE_RECORD_IMAGE] = { decode_image, CONTENT (image), TRUE },
  [SONDE_RECORD_TEXT] = { decode_text, 0, TRUE },
  [SONDE_RECORD_TENSOR] = { decode_tensor, CONTENT (tensor), TRUE },
  [SONDE_RECORD_STATISTICS] = { decode_statistics, CONTENT (statistics), TRUE },
  [SONDE_RECORD_GRAPH] = { decode_graph, CONTENT (graph), FALSE },
  [SONDE_RECORD_HPARAMS] = { decode_hparams, CONTENT (hparams), FALSE },
  [SONDE_RECORD_SALIENCY] = { decode_saliency, CONTENT (saliency), TRUE },
  [SONDE_RECORD_COUNTERFACTUAL] = { decode_counterfactual, CONTENT (counterfactual), TRUE },
  [SONDE_RECORD_GAP] = { decode_gap, CONTENT (gap), FALSE },
};

static const SondeRecordKindRow *
find_kind (guint32 kind)
{
  if (kind >= SONDE_N_RECORD_KINDS)
    return NULL;
  return decoders[kind].decode != NULL ? &decoders[kind]
                                       : sonde_decode_find_kind ((SondeRecordKind) kind);
}

static gboolean
has_content (const SondeRecordDecoding *decoder, gsize offset)
{
  void *content;

  memcpy (&content, (const guint8 *) decoder->message + offset, sizeof content);
  return content != NULL;
}

static gboolean
take_scalars (SondeRecordScalars scalars, SondeTagTable *table, SondeRecord *record, GError **error)
{
  SondeScalar *items;
  guint32 tag;

  record->kind = SONDE_RECORD_SCALARS;
  record->u.scalars.items = items = g_new (SondeScalar, scalars.n);
  while (sonde_record_scalars_next (&scalars, &tag, &items->value))
    {
      items->tag = sonde_tag_table_lookup (table, tag, error);
      if (items->tag == NULL)
        return FALSE;
      record->u.scalars.n++;
      items++;
    }
  return TRUE;
}

static gboolean
decode_content (const SondeRecordHead *head, const SondeRecordDecoding *decoder,
                SondeRecord *record, GError **error)
{
  const SondeRecordKindRow *known = find_kind (head->kind);

  if (head->kind == 0)
    return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED, "Record has no kind");
  if (known == NULL)
    {
      record->u.unknown.wire_kind = head->kind;
      record->u.unknown.bytes = decoder->length;
      return TRUE;
    }
  if (known->content != 0 && !has_content (decoder, known->content))
    return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED, "Record of kind %s has no content",
                              sonde_record_kind_name ((SondeRecordKind) head->kind));
  if (known->tagged && record->tag == NULL)
    return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED, "Record of kind %s has no tag",
                              sonde_record_kind_name ((SondeRecordKind) head->kind));
  record->kind = (SondeRecordKind) head->kind;
  return known->decode (decoder, record, error);
}

const Sonde__Records__Record *
sonde_decode_message (const guint8 *payload, gsize length, SondeTagTable *table, GError **error)
{
  return sonde_wire_decode (&sonde__records__record__descriptor, payload, length, NULL, NULL,
                            sonde_tag_table_get_arena (table), error);
}

gboolean
sonde_decode_check (const guint8 *payload, gsize length, GError **error)
{
  return sonde_wire_check (&sonde__records__record__descriptor, payload, length, NULL, NULL, error);
}

gboolean
sonde_decode_scalars (const SondeRecordHead *head, const guint8 *payload, gsize length,
                      SondeTagTable *table, SondeRecordScalars *scalars, GError **error)
{
  g_autoptr (GError) problem = NULL;

  if (head->scalars.number == 0)
    return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED,
                              "Record of kind scalar has no content");
  if (sonde_record_scalars_init (scalars, head, &problem))
    return TRUE;
  /* which says more of what is wrong */
  if (sonde_decode_message (payload, length, table, error) != NULL)
    g_propagate_error (error, g_steal_pointer (&problem));
  sonde_wire_arena_empty (sonde_tag_table_get_arena (table));
  return FALSE;
}

static gboolean
decode_record (const guint8 *payload, gsize length, SondeTagTable *table, SondeRecord *record,
               GError **error)
{
  SondeRecordDecoding decoder = { .length = length };
  SondeRecordScalars scalars;
  SondeRecordHead head;

  if (!sonde_record_head_read (&head, payload, length, table, NULL, NULL, error))
    return FALSE;
  record->step = head.step;
  record->wall_time_ns = head.wall_time_ns;
  record->session = head.session;
  if (head.tag != SONDE_RECORD_NO_TAG
      && (record->tag = sonde_tag_table_lookup (table, head.tag, error)) == NULL)
    return FALSE;
  if (head.kind == SONDE_RECORD_SCALARS)
    return sonde_decode_scalars (&head, payload, length, table, &scalars, error)
           && take_scalars (scalars, table, record, error);
  decoder.message = sonde_decode_message (payload, length, table, error);
  return decoder.message != NULL && decode_content (&head, &decoder, record, error);
}

gboolean
sonde_record_decode (const guint8 *payload, gsize length, SondeTagTable *table, SondeRecord *record,
                     GError **error)
{
  gboolean right;

  memset (record, 0, sizeof *record);
  right = decode_record (payload, length, table, record, error);
  sonde_wire_arena_empty (sonde_tag_table_get_arena (table));
  if (!right)
    sonde_record_clear (record);
  return right;
}

SondeGraph *
sonde_record_parse_graph (const guint8 *message, gsize length, GError **error)
{
  g_auto (SondeWireArena) arena = { 0 };
  const Sonde__Records__PlainGraph *plain = sonde_wire_decode (
      &sonde__records__plain_graph__descriptor, message, length, NULL, NULL, &arena, error);
  SondeGraph *graph = NULL;

  if (plain == NULL)
    sonde_prefix_error (error, "The bytes are not a recorded graph: ");
  else
    sonde_decode_plain_graph (plain, "graph", &graph, error);
  return graph;
}
