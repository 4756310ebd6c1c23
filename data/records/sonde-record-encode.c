/* SPDX-License-Identifier: Apache-2.0
 * Record -> payload bytes. The messages stand on the stack and borrow the record's memory. */
#include <math.h>
#include <string.h>
#include <zstd.h>

#include "data/records/sonde-record-wire-private.h"
#include "data/records/sonde-record.pb-c.h"
#include "data/records/sonde-tag-table-private.h"

/* @out: borrowed; @held: memory that must live until the message is packed */
typedef struct
{
  SondeTagTable *table;
  GByteArray *out;
  GPtrArray *held;
  Sonde__Records__Record message;
} Encoder;

/* Sets an optional field of a protobuf-c message. */
#define SET(message, field, value) ((message)->has_##field = TRUE, (message)->field = (value))

static ProtobufCBinaryData
binary (const void *data,
        gsize       length)
{
  return (ProtobufCBinaryData) { .len = length, .data = (guint8 *) data };
}

static void
set_text (protobuf_c_boolean  *has,
          ProtobufCBinaryData *field,
          const char          *text)
{
  *has = text != NULL;
  if (text != NULL)
    *field = binary (text, strlen (text));
}

static void
set_bytes (protobuf_c_boolean  *has,
           ProtobufCBinaryData *field,
           GBytes              *bytes)
{
  gsize length;

  *has = bytes != NULL;
  if (bytes != NULL)
    {
      const guint8 *data = g_bytes_get_data (bytes, &length);

      *field = binary (data, length);
    }
}

#define SET_TEXT(message, field, text) set_text (&(message)->has_##field, &(message)->field, (text))
#define SET_BYTES(message, field, bytes) set_bytes (&(message)->has_##field, &(message)->field, (bytes))

static void *
hold (Encoder *encoder,
      void    *memory)
{
  if (encoder->held == NULL)
    encoder->held = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (encoder->held, memory);
  return memory;
}

static void
pack (Encoder *encoder)
{
  gsize length = sonde__records__record__get_packed_size (&encoder->message);
  gsize start = encoder->out->len;

  g_byte_array_set_size (encoder->out, start + length);
  sonde__records__record__pack (&encoder->message, encoder->out->data + start);
}

/* The id of @tag; the first use of a tag declares it in this record. */
static guint32
tag_id (Encoder    *encoder,
        const char *tag)
{
  Sonde__Records__Record *message = &encoder->message;
  Sonde__Records__TagDeclaration *declaration;
  gboolean is_new;
  guint32 id = sonde_tag_table_add (encoder->table, tag, &is_new);
  gsize n = message->n_declarations;

  if (!is_new)
    return id;
  declaration = hold (encoder, g_new (Sonde__Records__TagDeclaration, 1));
  sonde__records__tag_declaration__init (declaration);
  SET (declaration, id, id);
  SET_TEXT (declaration, name, tag);
  if ((n & (n - 1)) == 0) /* grows at 0, 1, 2, 4, 8, … */
    {
      Sonde__Records__TagDeclaration **list = g_new (Sonde__Records__TagDeclaration *, MAX (2 * n, 1));

      if (n > 0)
        memcpy (list, message->declarations, n * sizeof *list);
      message->declarations = hold (encoder, list);
    }
  message->declarations[message->n_declarations++] = declaration;
  return id;
}

/* Compressed when that is smaller, else @data itself. */
static ProtobufCBinaryData
compress (Encoder          *encoder,
          const void       *data,
          gsize             length,
          SondeCompression *compression)
{
  gsize bound = ZSTD_compressBound (length), packed;
  guint8 *room;

  *compression = SONDE_COMPRESSION_NONE;
  if (length <= SONDE_COMPRESSION_MIN_BYTES || (room = g_try_malloc (bound)) == NULL)
    return binary (data, length);
  hold (encoder, room);
  packed = ZSTD_compress (room, bound, data, length, SONDE_COMPRESSION_LEVEL);
  if (ZSTD_isError (packed) || packed >= length)
    return binary (data, length);
  *compression = SONDE_COMPRESSION_ZSTD;
  return binary (room, packed);
}

/* ---- kinds ---------------------------------------------------------------------------------- */

static void
encode_session (Encoder           *encoder,
                const SondeRecord *record)
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
encode_scalars (Encoder           *encoder,
                const SondeRecord *record)
{
  Sonde__Records__Scalars scalars = SONDE__RECORDS__SCALARS__INIT;
  const SondeScalar *items = record->u.scalars.items;
  gsize n = record->u.scalars.n;
  guint32 few_tags[FEW_SCALARS];
  double few_values[FEW_SCALARS];

  scalars.n_tags = scalars.n_values = n;
  scalars.tags = n <= FEW_SCALARS ? few_tags : hold (encoder, g_new (guint32, n));
  scalars.values = n <= FEW_SCALARS ? few_values : hold (encoder, g_new (double, n));
  for (gsize i = 0; i < n; i++)
    {
      scalars.tags[i] = tag_id (encoder, items[i].tag);
      scalars.values[i] = items[i].value;
    }
  encoder->message.scalars = &scalars;
  pack (encoder);
}

/* Filled bins as pairs of distance and count; @pairs has room for all. Returns the numbers written. */
static gsize
list_bins (const guint64 *bins,
           guint64       *pairs)
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
encode_histogram (Encoder           *encoder,
                  const SondeRecord *record)
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
fill_note (Sonde__Records__SampleNote *message,
           const SondeSampleNote      *note)
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
encode_image (Encoder           *encoder,
              const SondeRecord *record)
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
encode_text (Encoder           *encoder,
             const SondeRecord *record)
{
  SET_TEXT (&encoder->message, text, record->u.text != NULL ? record->u.text : "");
  pack (encoder);
}

/* Strings one behind the other, each with its NUL. */
static void *
join_strings (const SondeTensor *tensor,
              gsize             *length)
{
  GByteArray *joined = g_byte_array_new ();
  const char *const *strings = (const char *const *) (const void *) tensor->data;
  gint64 n = sonde_tensor_n_elements (tensor);

  for (gint64 i = 0; i < n; i++)
    {
      const char *text = strings[i] != NULL ? strings[i] : "";

      g_byte_array_append (joined, (const guint8 *) text, strlen (text) + 1);
    }
  *length = joined->len;
  return g_byte_array_free (joined, FALSE);
}

/* Returns: (transfer full): the tensor whose memory @message borrows. */
static SondeTensor *
fill_tensor (Encoder                 *encoder,
             Sonde__Records__Tensor  *message,
             SondeTensor             *tensor)
{
  SondeTensor *contiguous = sonde_tensor_contiguous (tensor);
  gsize length = sonde_tensor_n_bytes (contiguous);
  const void *data = contiguous->data;
  SondeCompression compression;

  sonde__records__tensor__init (message);
  for (gsize i = 0; i < G_N_ELEMENTS (sonde_record_dtypes); i++)
    if (sonde_record_dtypes[i].dtype == tensor->dtype)
      SET (message, dtype, sonde_record_dtypes[i].number);
  if (tensor->shape.rank > 0)
    {
      message->n_dims = (gsize) tensor->shape.rank;
      message->dims = hold (encoder, g_memdup2 (tensor->shape.dims, message->n_dims * sizeof (guint64)));
    }
  if (tensor->dtype == SONDE_DTYPE_STRING)
    data = hold (encoder, join_strings (contiguous, &length));
  SET (message, data, compress (encoder, data, length, &compression));
  if (compression != SONDE_COMPRESSION_NONE)
    SET (message, compression, compression);
  return contiguous;
}

static void
encode_tensor (Encoder           *encoder,
               const SondeRecord *record)
{
  Sonde__Records__Tensor message;
  g_autoptr (SondeTensor) tensor = fill_tensor (encoder, &message, record->u.tensor);

  encoder->message.tensor = &message;
  pack (encoder);
}

static void
encode_statistics (Encoder           *encoder,
                   const SondeRecord *record)
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
encode_graph (Encoder           *encoder,
              const SondeRecord *record)
{
  Sonde__Records__Graph graph = SONDE__RECORDS__GRAPH__INIT;
  SondeCompression compression = SONDE_COMPRESSION_NONE;
  gsize length = 0;
  const void *data = record->u.graph.model != NULL ? g_bytes_get_data (record->u.graph.model, &length) : NULL;

  SET (&graph, model, compress (encoder, data, length, &compression));
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
encode_hparams (Encoder           *encoder,
                const SondeRecord *record)
{
  Sonde__Records__Hparams hparams = SONDE__RECORDS__HPARAMS__INIT;
  gsize n = record->u.hparams.n;
  Sonde__Records__Hparam *items = hold (encoder, g_new (Sonde__Records__Hparam, n));

  hparams.n_items = n;
  hparams.items = hold (encoder, g_new (Sonde__Records__Hparam *, n));
  for (gsize i = 0; i < n; i++)
    {
      sonde__records__hparam__init (&items[i]);
      SET_TEXT (&items[i], key, record->u.hparams.items[i].key);
      SET_TEXT (&items[i], text, record->u.hparams.items[i].text);
      hparams.items[i] = &items[i];
    }
  encoder->message.hparams = &hparams;
  pack (encoder);
}

static void
encode_saliency (Encoder           *encoder,
                 const SondeRecord *record)
{
  Sonde__Records__Saliency message = SONDE__RECORDS__SALIENCY__INIT;
  Sonde__Records__SampleNote note;
  Sonde__Records__Tensor map, mask;
  g_autoptr (SondeTensor) map_data = fill_tensor (encoder, &map, record->u.saliency.map);
  g_autoptr (SondeTensor) mask_data = NULL;

  if (record->u.saliency.mask != NULL)
    {
      mask_data = fill_tensor (encoder, &mask, record->u.saliency.mask);
      message.mask = &mask;
    }
  fill_note (&note, &record->u.saliency.note);
  message.map = &map;
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
encode_gap (Encoder           *encoder,
            const SondeRecord *record)
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

static void (*const encoders[SONDE_N_RECORD_KINDS]) (Encoder           *encoder,
                                                     const SondeRecord *record) = {
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
  [SONDE_RECORD_GAP] = encode_gap,
};

void
sonde_record_encode (const SondeRecord *record,
                     SondeTagTable     *table,
                     GByteArray        *out)
{
  Encoder encoder = { .table = table, .out = out };

  g_return_if_fail ((guint) record->kind < SONDE_N_RECORD_KINDS && encoders[record->kind] != NULL);

  sonde__records__record__init (&encoder.message);
  SET (&encoder.message, kind, record->kind);
  SET (&encoder.message, step, record->step);
  SET (&encoder.message, wall_time_ns, record->wall_time_ns);
  SET (&encoder.message, session, record->session);
  if (record->tag != NULL)
    SET (&encoder.message, tag, tag_id (&encoder, record->tag));
  encoders[record->kind] (&encoder, record);
  g_clear_pointer (&encoder.held, g_ptr_array_unref);
}
