/* SPDX-License-Identifier: Apache-2.0
 * Payload bytes -> record: scan, unpack into the table's arena, check, copy out. */
#include <math.h>
#include <string.h>

#include "data/base/sonde-budget.h"
#include "data/base/sonde-wire.h"
#include "data/records/sonde-record-decode-private.h"

/* ---- kinds --------------------------------------------------------------- */

static gboolean
decode_session (const SondeRecordDecoding *decoder, SondeRecord *record, GError **error)
{
  const Sonde__Records__SessionStart *message = decoder->message->session_start;

  record->u.session_start.program = DUP_OPTIONAL (message, program);
  record->u.session_start.host = DUP_OPTIONAL (message, host);
  record->u.session_start.format_version = NUMBER_OR (message, format_version, 0);
  record->u.session_start.pid = NUMBER_OR (message, pid, 0);
  return sonde_decode_check_version (record->u.session_start.format_version, error);
}

static gboolean
decode_scalars (const SondeRecordDecoding *decoder, SondeRecord *record, GError **error)
{
  const Sonde__Records__Scalars *message = decoder->message->scalars;
  SondeScalar *items;

  if (message->n_tags != message->n_values)
    return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED,
                              "scalars has %zu tags and %zu values", message->n_tags,
                              message->n_values);
  items = g_new (SondeScalar, message->n_values);
  record->u.scalars.items = items;
  record->u.scalars.n = message->n_values;
  for (gsize i = 0; i < message->n_values; i++)
    {
      items[i].value = message->values[i];
      items[i].tag = sonde_tag_table_lookup (decoder->table, message->tags[i], error);
      if (items[i].tag == NULL)
        return FALSE;
    }
  return TRUE;
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
  bins->count = NUMBER_OR (message, count, NAN);
  bins->min = NUMBER_OR (message, min, NAN);
  bins->max = NUMBER_OR (message, max, NAN);
  bins->sum = NUMBER_OR (message, sum, NAN);
  bins->sum_squares = NUMBER_OR (message, sum_squares, NAN);
  bins->nan = NUMBER_OR (message, nan, 0);
  bins->pos_inf = NUMBER_OR (message, pos_inf, 0);
  bins->neg_inf = NUMBER_OR (message, neg_inf, 0);
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
  histogram->zero = NUMBER_OR (message, zero, 0);
  histogram->nan = NUMBER_OR (message, nan, 0);
  histogram->pos_inf = NUMBER_OR (message, pos_inf, 0);
  histogram->neg_inf = NUMBER_OR (message, neg_inf, 0);
  histogram->min = NUMBER_OR (message, min, NAN);
  histogram->max = NUMBER_OR (message, max, NAN);
  histogram->sum = NUMBER_OR (message, sum, 0);
  histogram->sum_squares = NUMBER_OR (message, sum_squares, 0);
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
  note->label = MAX (NUMBER_OR (message, label, -1), -1);
  note->predicted = MAX (NUMBER_OR (message, predicted, -1), -1);
  note->label_probability = NUMBER_OR (message, label_probability, NAN);
  note->predicted_probability = NUMBER_OR (message, predicted_probability, NAN);
}

static gboolean
decode_image (const SondeRecordDecoding *decoder, SondeRecord *record, GError **error)
{
  const Sonde__Records__Image *message = decoder->message->image;

  record->u.image.encoded = g_bytes_new (message->encoded.data, message->encoded.len);
  read_note (message->note, &record->u.image.note);
  return sonde_decode_int (NUMBER_OR (message, width, 0), "image.width", &record->u.image.width,
                           error)
         && sonde_decode_int (NUMBER_OR (message, height, 0), "image.height",
                              &record->u.image.height, error)
         && sonde_decode_int (NUMBER_OR (message, index, 0), "image.index", &record->u.image.index,
                              error);
}

static gboolean
decode_text (const SondeRecordDecoding *decoder, SondeRecord *record, GError **error)
{
  if (!decoder->message->has_text)
    return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED,
                              "Record of kind text has no content");
  record->u.text = sonde_decode_dup (decoder->message->text);
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
    .count = NUMBER_OR (message, count, 0),
    .min = NUMBER_OR (message, min, NAN),
    .max = NUMBER_OR (message, max, NAN),
    .mean = NUMBER_OR (message, mean, NAN),
    .std = NUMBER_OR (message, std, NAN),
    .abs_mean = NUMBER_OR (message, abs_mean, NAN),
    .zeros = NUMBER_OR (message, zeros, 0),
    .negatives = NUMBER_OR (message, negatives, 0),
    .nan = NUMBER_OR (message, nan, 0),
    .pos_inf = NUMBER_OR (message, pos_inf, 0),
    .neg_inf = NUMBER_OR (message, neg_inf, 0),
  };
  return TRUE;
}

static gboolean
decode_graph (const SondeRecordDecoding *decoder, SondeRecord *record, GError **error)
{
  const Sonde__Records__Graph *message = decoder->message->graph;
  gsize length;

  record->u.graph.executed = NUMBER_OR (message, executed, FALSE);
  if (message->graph != NULL)
    return sonde_decode_plain_graph (message->graph, "graph.graph", &record->u.graph.graph, error);
  record->u.graph.model = sonde_decode_bytes (message->model, NUMBER_OR (message, compression, 0),
                                              "graph.model", error);
  if (record->u.graph.model == NULL)
    return FALSE;
  length = g_bytes_get_size (record->u.graph.model);
  if (length != NUMBER_OR (message, size, length))
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
  record->u.hparams.part = MIN (NUMBER_OR (message, part, 0), SONDE_HPARAMS_END);
  record->u.hparams.time = NUMBER_OR (message, time, NAN);
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
  record->u.saliency.target = NUMBER_OR (message, target, -1);
  record->u.saliency.score = NUMBER_OR (message, score, NAN);
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
  record->u.counterfactual.target = NUMBER_OR (message, target, -1);
  record->u.counterfactual.threshold = NUMBER_OR (message, threshold, NAN);
  record->u.counterfactual.original = NUMBER_OR (message, original, NAN);
  record->u.counterfactual.masked = NUMBER_OR (message, masked, NAN);
  record->u.counterfactual.pruned_output = NUMBER_OR (message, pruned_output, NAN);
  record->u.counterfactual.area = NUMBER_OR (message, area, NAN);
  record->u.counterfactual.candidates = NUMBER_OR (message, candidates, 0);
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

  record->u.gap.records = NUMBER_OR (message, records, 0);
  record->u.gap.bytes = NUMBER_OR (message, bytes, 0);
  record->u.gap.reason = DUP_OPTIONAL (message, reason);
  record->u.gap.first_step = NUMBER_OR (message, first_step, 0);
  record->u.gap.last_step = NUMBER_OR (message, last_step, 0);
  return TRUE;
}

/* ---- payload ------------------------------------------------------------- */

static const SondeRecordKindRow decoders[SONDE_N_RECORD_KINDS] = {
  [SONDE_RECORD_SESSION] = { decode_session, CONTENT (session_start), FALSE },
  [SONDE_RECORD_SCALARS] = { decode_scalars, CONTENT (scalars), FALSE },
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

/* What the wire scan asks: protobuf-c's own description of a field. */
static gboolean
find_field (const void *message, guint32 number, SondeWireField *field)
{
  static const struct
  {
    SondeWireType type;
    gsize bytes;
  } kinds[] = {
    [PROTOBUF_C_TYPE_INT32] = { SONDE_WIRE_VARINT, 4 },
    [PROTOBUF_C_TYPE_SINT32] = { SONDE_WIRE_VARINT, 4 },
    [PROTOBUF_C_TYPE_SFIXED32] = { SONDE_WIRE_FIXED32, 4 },
    [PROTOBUF_C_TYPE_INT64] = { SONDE_WIRE_VARINT, 8 },
    [PROTOBUF_C_TYPE_SINT64] = { SONDE_WIRE_VARINT, 8 },
    [PROTOBUF_C_TYPE_SFIXED64] = { SONDE_WIRE_FIXED64, 8 },
    [PROTOBUF_C_TYPE_UINT32] = { SONDE_WIRE_VARINT, 4 },
    [PROTOBUF_C_TYPE_FIXED32] = { SONDE_WIRE_FIXED32, 4 },
    [PROTOBUF_C_TYPE_UINT64] = { SONDE_WIRE_VARINT, 8 },
    [PROTOBUF_C_TYPE_FIXED64] = { SONDE_WIRE_FIXED64, 8 },
    [PROTOBUF_C_TYPE_FLOAT] = { SONDE_WIRE_FIXED32, 4 },
    [PROTOBUF_C_TYPE_DOUBLE] = { SONDE_WIRE_FIXED64, 8 },
    [PROTOBUF_C_TYPE_BOOL] = { SONDE_WIRE_VARINT, sizeof (protobuf_c_boolean) },
    [PROTOBUF_C_TYPE_ENUM] = { SONDE_WIRE_VARINT, sizeof (int) },
    [PROTOBUF_C_TYPE_STRING] = { SONDE_WIRE_BYTES, sizeof (char *) },
    [PROTOBUF_C_TYPE_BYTES] = { SONDE_WIRE_BYTES, sizeof (ProtobufCBinaryData) },
    [PROTOBUF_C_TYPE_MESSAGE] = { SONDE_WIRE_BYTES, sizeof (void *) },
  };
  const ProtobufCFieldDescriptor *description
      = protobuf_c_message_descriptor_get_field (message, number);
  const ProtobufCMessageDescriptor *inner;

  if (description == NULL)
    return FALSE;
  inner = description->type == PROTOBUF_C_TYPE_MESSAGE ? description->descriptor : NULL;
  *field = (SondeWireField){
    .name = description->name,
    .type = kinds[description->type].type,
    .repeated = description->label == PROTOBUF_C_LABEL_REPEATED,
    .element_bytes = kinds[description->type].bytes,
    .message = inner,
    .message_bytes = inner != NULL ? inner->sizeof_message : 0,
  };
  return TRUE;
}

static const SondeWireSchema schema = {
  .find_field = find_field,
  .root = &sonde__records__record__descriptor,
  .root_name = "Record",
  .root_bytes = sizeof (Sonde__Records__Record),
};

static gboolean
read_declarations (const SondeRecordDecoding *decoder, GError **error)
{
  for (gsize i = 0; i < decoder->message->n_declarations; i++)
    {
      const Sonde__Records__TagDeclaration *declaration = decoder->message->declarations[i];
      g_autofree char *name = sonde_decode_dup (declaration->name);

      if (!sonde_tag_table_declare (decoder->table, NUMBER_OR (declaration, id, 0), name, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
has_content (const SondeRecordDecoding *decoder, gsize offset)
{
  void *content;

  memcpy (&content, (const guint8 *) decoder->message + offset, sizeof content);
  return content != NULL;
}

static gboolean
decode_message (const SondeRecordDecoding *decoder, SondeRecord *record, GError **error)
{
  const Sonde__Records__Record *message = decoder->message;
  guint32 kind = NUMBER_OR (message, kind, 0);
  const SondeRecordKindRow *known = find_kind (kind);

  if (kind == 0)
    return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED, "Record has no kind");
  record->step = NUMBER_OR (message, step, 0);
  record->wall_time_ns = NUMBER_OR (message, wall_time_ns, 0);
  record->session = NUMBER_OR (message, session, 0);
  if (!read_declarations (decoder, error))
    return FALSE;
  if (message->has_tag
      && (record->tag = sonde_tag_table_lookup (decoder->table, message->tag, error)) == NULL)
    return FALSE;
  if (known == NULL)
    {
      record->u.unknown.wire_kind = kind;
      record->u.unknown.bytes = decoder->length;
      return TRUE;
    }
  if (known->content != 0 && !has_content (decoder, known->content))
    return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED, "Record of kind %s has no content",
                              sonde_record_kind_name ((SondeRecordKind) kind));
  if (known->tagged && record->tag == NULL)
    return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED, "Record of kind %s has no tag",
                              sonde_record_kind_name ((SondeRecordKind) kind));
  record->kind = (SondeRecordKind) kind;
  return known->decode (decoder, record, error);
}

gboolean
sonde_record_check (const guint8 *payload, gsize length, GError **error)
{
  return sonde_wire_scan (payload, length, &schema, "record", NULL, NULL, error);
}

/* Memory for a message of @length bytes. */
static guint64
parse_budget (gsize length)
{
  return MIN (SONDE_BUDGET_PARSE_BYTES, ((guint64) 64 << 20) + 16 * (guint64) length);
}

gboolean
sonde_record_decode (const guint8 *payload, gsize length, SondeTagTable *table, SondeRecord *record,
                     GError **error)
{
  SondeRecordArena *arena = sonde_tag_table_get_arena (table);
  ProtobufCAllocator allocator;
  SondeRecordDecoding decoder = { .table = table, .length = length };
  gboolean right;

  memset (record, 0, sizeof *record);
  if (!sonde_wire_scan (payload, length, &schema, "record", NULL, NULL, error))
    return FALSE;

  allocator = sonde_record_arena_begin (arena, parse_budget (length));
  decoder.message = sonde__records__record__unpack (&allocator, length, payload);
  if (decoder.message != NULL)
    right = decode_message (&decoder, record, error);
  else if (arena->failed)
    right = sonde_decode_fail (error, SONDE_DATA_ERROR_NO_MEMORY, "not enough memory for a record");
  else
    right = sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED, "Record is not a valid message");
  sonde_record_arena_end (arena);
  if (!right)
    sonde_record_clear (record);
  return right;
}

SondeGraph *
sonde_record_parse_graph (const guint8 *message, gsize length, GError **error)
{
  static const SondeWireSchema graph_schema = {
    .find_field = find_field,
    .root = &sonde__records__plain_graph__descriptor,
    .root_name = "PlainGraph",
    .root_bytes = sizeof (Sonde__Records__PlainGraph),
  };
  g_autoptr (SondeTagTable) table = sonde_tag_table_new ();
  SondeRecordArena *arena = sonde_tag_table_get_arena (table);
  ProtobufCAllocator allocator;
  Sonde__Records__PlainGraph *plain;
  SondeGraph *graph = NULL;

  if (!sonde_wire_scan (message, length, &graph_schema, "graph", NULL, NULL, error))
    return NULL;
  allocator = sonde_record_arena_begin (arena, parse_budget (length));
  plain = sonde__records__plain_graph__unpack (&allocator, length, message);
  if (plain != NULL)
    sonde_decode_plain_graph (plain, "graph", &graph, error);
  else
    sonde_decode_fail (error, arena->failed ? SONDE_DATA_ERROR_NO_MEMORY : SONDE_DATA_ERROR_DAMAGED,
                       arena->failed ? "not enough memory for a graph"
                                     : "PlainGraph is not a valid message");
  sonde_record_arena_end (arena);
  return graph;
}
