/* SPDX-License-Identifier: Apache-2.0
 * Records as TensorBoard events. Scalars, histograms, images and audio take the form of
 * torch.utils.tensorboard (simple_value, histo, image, audio), which every reader of event files
 * knows and which keeps more facts; the rest are tensors with the metadata of their plugin on the
 * first value of a tag.
 * Source: tensorflow/tensorboard compat/proto/{event,summary,histogram,tensor}.proto,
 * plugins/…/metadata.py. */
#include <inttypes.h>
#include <math.h>

#include "data/records/sonde-event-encoder-private.h"

/* Numbers of fields that are met more than once. */
enum
{
  VALUE_SIMPLE = 2,
  VALUE_IMAGE = 4,
  VALUE_HISTO = 5,
  VALUE_AUDIO = 6,
  VALUE_TENSOR = 8,
  VALUE_METADATA = 9,
};

typedef enum
{
  CLASS_SCALAR = 1,
  CLASS_TENSOR = 2,
  CLASS_BLOB = 3,
} DataClass;

/* ---- events, values, metadata -------------------------------------------- */

/* What the begin functions return, innermost last. */
typedef struct
{
  gsize frame, summary, value;
} Open;

static gsize
begin_event (GByteArray *out, const SondeRecord *record)
{
  gsize frame = sonde_frame_begin (out);

  sonde_emit_double (out, 1, sonde_event_seconds (record));
  if (record->step != 0)
    sonde_emit_number (out, 2, record->step);
  return frame;
}

static void
add_metadata (SondeEventEncoder *encoder, GByteArray *out, const char *tag, const char *plugin,
              const GByteArray *content, DataClass class)
{
  const SondeEventNote *note = g_hash_table_lookup (encoder->notes, g_intern_string (tag));
  gsize metadata, data;

  if (!sonde_event_encoder_is_first (encoder, tag))
    return;
  metadata = sonde_emit_begin (out, VALUE_METADATA);
  data = sonde_emit_begin (out, 1);
  sonde_emit_text (out, 1, plugin);
  if (content != NULL)
    sonde_emit_bytes (out, 2, content->data, content->len);
  sonde_emit_end (out, data);
  if (note != NULL)
    {
      sonde_emit_text (out, 2, note->display_name);
      sonde_emit_text (out, 3, note->description);
    }
  sonde_emit_number (out, 4, class);
  sonde_emit_end (out, metadata);
}

static Open
begin_value (SondeEventEncoder *encoder, const SondeRecord *record, GByteArray *out,
             const char *tag, const char *plugin, const GByteArray *content, DataClass class)
{
  Open open = { .frame = begin_event (out, record) };

  open.summary = sonde_emit_begin (out, 5);
  open.value = sonde_emit_begin (out, 1);
  sonde_emit_text (out, 1, tag);
  add_metadata (encoder, out, tag, plugin, content, class);
  return open;
}

static void
end_value (GByteArray *out, const Open *open)
{
  sonde_emit_end (out, open->value);
  sonde_emit_end (out, open->summary);
  sonde_frame_end (out, open->frame);
}

/* ---- tensors ------------------------------------------------------------- */

/* TensorFlow's numbers; what it has none for is missing. */
static const struct
{
  SondeDtype dtype;
  guint8 number;
} dtypes[] = {
  { SONDE_DTYPE_F32, 1 },       { SONDE_DTYPE_F64, 2 },         { SONDE_DTYPE_I32, 3 },
  { SONDE_DTYPE_U8, 4 },        { SONDE_DTYPE_I16, 5 },         { SONDE_DTYPE_I8, 6 },
  { SONDE_DTYPE_STRING, 7 },    { SONDE_DTYPE_I64, 9 },         { SONDE_DTYPE_BOOL, 10 },
  { SONDE_DTYPE_BF16, 14 },     { SONDE_DTYPE_U16, 17 },        { SONDE_DTYPE_F16, 19 },
  { SONDE_DTYPE_U32, 22 },      { SONDE_DTYPE_U64, 23 },        { SONDE_DTYPE_F8E5M2, 24 },
  { SONDE_DTYPE_F8E4M3FN, 25 }, { SONDE_DTYPE_F8E4M3FNUZ, 26 }, { SONDE_DTYPE_F8E5M2FNUZ, 28 },
};

static int
number_of_dtype (SondeDtype dtype)
{
  for (gsize i = 0; i < G_N_ELEMENTS (dtypes); i++)
    if (dtypes[i].dtype == dtype)
      return dtypes[i].number;
  return 0;
}

static void
add_shape (GByteArray *out, guint field, const gint64 *dims, int rank)
{
  gsize shape = sonde_emit_begin (out, field);

  for (int i = 0; i < rank; i++)
    {
      gsize dim = sonde_emit_begin (out, 2);

      sonde_emit_number (out, 1, dims[i]);
      sonde_emit_end (out, dim);
    }
  sonde_emit_end (out, shape);
}

static void
add_tensor (GByteArray *out, guint field, SondeTensor *tensor)
{
  g_autoptr (SondeTensor) contiguous = sonde_tensor_contiguous (tensor);
  const char *const *strings = (const char *const *) (const void *) contiguous->data;
  gsize start = sonde_emit_begin (out, field);

  sonde_emit_number (out, 1, number_of_dtype (tensor->dtype));
  add_shape (out, 2, tensor->shape.dims, tensor->shape.rank);
  if (tensor->dtype != SONDE_DTYPE_STRING)
    sonde_emit_bytes (out, 4, contiguous->data, sonde_tensor_n_bytes (contiguous));
  else
    for (gint64 i = 0; i < sonde_tensor_n_elements (contiguous); i++)
      sonde_emit_text (out, 8, strings[i] != NULL ? strings[i] : "");
  sonde_emit_end (out, start);
}

/* A value of rank 0 with one string. */
static void
add_string (GByteArray *out, const void *data, gsize length)
{
  gsize start = sonde_emit_begin (out, VALUE_TENSOR);

  sonde_emit_number (out, 1, 7);
  add_shape (out, 2, NULL, 0);
  sonde_emit_bytes (out, 8, data, length);
  sonde_emit_end (out, start);
}

/* ---- kinds of a training ------------------------------------------------- */

static gboolean
write_session (SondeEventEncoder *encoder, const SondeRecord *record, GByteArray *out,
               SondeEventFile *file, const char **reason)
{
  gsize frame = begin_event (out, record), part;

  sonde_emit_text (out, 3, "brain.Event:2");
  part = sonde_emit_begin (out, 10);
  sonde_emit_text (out, 1, "sonde");
  sonde_emit_end (out, part);
  sonde_frame_end (out, frame);
  if (record->session <= 1)
    return TRUE;
  frame = begin_event (out, record);
  part = sonde_emit_begin (out, 7);
  sonde_emit_number (out, 1, 1); /* START: the run goes on */
  sonde_emit_end (out, part);
  sonde_frame_end (out, frame);
  return TRUE;
}

static gboolean
write_scalar_list (SondeEventEncoder *encoder, const SondeRecord *record, const SondeScalar *items,
                   gsize n, GByteArray *out)
{
  gsize frame = begin_event (out, record);
  gsize summary = sonde_emit_begin (out, 5);

  for (gsize i = 0; i < n; i++)
    {
      gsize value = sonde_emit_begin (out, 1);

      sonde_emit_text (out, 1, items[i].tag);
      sonde_emit_float (out, VALUE_SIMPLE, items[i].value);
      add_metadata (encoder, out, items[i].tag, "scalars", NULL, CLASS_SCALAR);
      sonde_emit_end (out, value);
    }
  sonde_emit_end (out, summary);
  sonde_frame_end (out, frame);
  return TRUE;
}

static gboolean
write_scalars (SondeEventEncoder *encoder, const SondeRecord *record, GByteArray *out,
               SondeEventFile *file, const char **reason)
{
  return write_scalar_list (encoder, record, record->u.scalars.items, record->u.scalars.n, out);
}

/* Statistics have no plugin: each number is a scalar below the tag. */
static gboolean
write_statistics (SondeEventEncoder *encoder, const SondeRecord *record, GByteArray *out,
                  SondeEventFile *file, const char **reason)
{
  const SondeStatistics *statistics = &record->u.statistics;
  const SondeScalar numbers[] = {
    { "min", statistics->min },
    { "max", statistics->max },
    { "mean", statistics->mean },
    { "std", statistics->std },
    { "abs_mean", statistics->abs_mean },
    { "zeros", (double) statistics->zeros },
    { "negatives", (double) statistics->negatives },
    { "nan", (double) statistics->nan },
    { "pos_inf", (double) statistics->pos_inf },
    { "neg_inf", (double) statistics->neg_inf },
  };
  SondeScalar items[G_N_ELEMENTS (numbers)];

  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      g_autofree char *tag = g_strconcat (record->tag, "/", numbers[i].tag, NULL);

      items[i] = (SondeScalar){ g_intern_string (tag), numbers[i].value };
    }
  return write_scalar_list (encoder, record, items, G_N_ELEMENTS (items), out);
}

/* A histo's buckets touch: right edges, the first bucket begins at min. */
typedef struct
{
  double limit, count;
} Bucket;

static void
add_bucket (GArray *rows, double left, double right, double count)
{
  const Bucket gap = { left, 0 }, bucket = { right, count };

  if (rows->len > 0 && g_array_index (rows, Bucket, rows->len - 1).limit < left)
    g_array_append_val (rows, gap);
  g_array_append_val (rows, bucket);
}

static void
emit_packed (GByteArray *out, guint field, const GArray *rows, gsize offset)
{
  gsize list = sonde_emit_begin (out, field);

  for (guint i = 0; i < rows->len; i++)
    sonde_emit_raw (out, rows->data + i * sizeof (Bucket) + offset, sizeof (double));
  sonde_emit_end (out, list);
}

static double
or_zero (double number)
{
  return isnan (number) ? 0 : number;
}

static gboolean
write_histogram (SondeEventEncoder *encoder, const SondeRecord *record, GByteArray *out,
                 SondeEventFile *file, const char **reason)
{
  const SondeHistogram *own = record->u.histogram;
  const SondeBins *bins = record->u.bins;
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (Bucket));
  Open open = begin_value (encoder, record, out, record->tag, "histograms", NULL, CLASS_TENSOR);
  gsize histo = sonde_emit_begin (out, VALUE_HISTO);
  double count = 0;

  sonde_event_list_bins (record, add_bucket, rows);
  if (rows->len == 0)
    add_bucket (rows, 0, 0, 0);
  for (guint i = 0; i < rows->len; i++)
    count += g_array_index (rows, Bucket, i).count;
  sonde_emit_double (out, 1, or_zero (own != NULL ? own->min : bins->min));
  sonde_emit_double (out, 2, or_zero (own != NULL ? own->max : bins->max));
  sonde_emit_double (out, 3, count);
  sonde_emit_double (out, 4, or_zero (own != NULL ? own->sum : bins->sum));
  sonde_emit_double (out, 5, or_zero (own != NULL ? own->sum_squares : bins->sum_squares));
  emit_packed (out, 6, rows, offsetof (Bucket, limit));
  emit_packed (out, 7, rows, offsetof (Bucket, count));
  sonde_emit_end (out, histo);
  end_value (out, &open);
  if (own != NULL ? own->nan + own->pos_inf + own->neg_inf > 0
                  : bins->nan + bins->pos_inf + bins->neg_inf > 0)
    *reason = N_ ("counts of NaN and ±Inf in histograms");
  return TRUE;
}

/* Several of a step have tags of their own behind the first. */
static const char *
tag_of_index (const SondeRecord *record, int index)
{
  g_autofree char *tag = index > 0 ? g_strdup_printf ("%s/%d", record->tag, index) : NULL;

  return tag != NULL ? g_intern_string (tag) : record->tag;
}

/* Of a PNG, from its header; else RGB. */
static int
colorspace_of (const guint8 *data, gsize length)
{
  static const guint8 of_type[] = { 1, 0, 3, 3, 2, 0, 4 };

  return length > 25 && memcmp (data, "\x89PNG", 4) == 0 && data[25] < G_N_ELEMENTS (of_type)
             ? of_type[data[25]]
             : 3;
}

static gboolean
write_image (SondeEventEncoder *encoder, const SondeRecord *record, GByteArray *out,
             SondeEventFile *file, const char **reason)
{
  gsize length;
  const guint8 *data = g_bytes_get_data (record->u.image.encoded, &length);
  Open open = begin_value (encoder, record, out, tag_of_index (record, record->u.image.index),
                           "images", NULL, CLASS_BLOB);
  gsize image = sonde_emit_begin (out, VALUE_IMAGE);

  sonde_emit_number (out, 1, record->u.image.height);
  sonde_emit_number (out, 2, record->u.image.width);
  sonde_emit_number (out, 3, colorspace_of (data, length));
  sonde_emit_bytes (out, 4, data, length);
  sonde_emit_end (out, image);
  end_value (out, &open);
  if (record->u.image.note.label >= 0 || record->u.image.note.predicted >= 0
      || record->u.image.note.sample != NULL)
    *reason = N_ ("notes on images (sample, class, probability)");
  return TRUE;
}

static gboolean
write_audio (SondeEventEncoder *encoder, const SondeRecord *record, GByteArray *out,
             SondeEventFile *file, const char **reason)
{
  gsize length;
  const void *data = g_bytes_get_data (record->u.audio.encoded, &length);
  Open open = begin_value (encoder, record, out, tag_of_index (record, record->u.audio.index),
                           "audio", NULL, CLASS_BLOB);
  gsize audio = sonde_emit_begin (out, VALUE_AUDIO);

  sonde_emit_float (out, 1, record->u.audio.sample_rate);
  sonde_emit_number (out, 2, record->u.audio.n_channels);
  sonde_emit_number (out, 3, record->u.audio.n_frames);
  sonde_emit_bytes (out, 4, data, length);
  sonde_emit_text (out, 5, record->u.audio.content_type);
  sonde_emit_end (out, audio);
  end_value (out, &open);
  if (record->u.audio.label != NULL)
    *reason = N_ ("labels of audio clips");
  return TRUE;
}

static gboolean
write_text (SondeEventEncoder *encoder, const SondeRecord *record, GByteArray *out,
            SondeEventFile *file, const char **reason)
{
  Open open = begin_value (encoder, record, out, record->tag, "text", NULL, CLASS_TENSOR);

  if (record->u.cells != NULL)
    add_tensor (out, VALUE_TENSOR, record->u.cells);
  else
    add_string (out, record->u.text, strlen (record->u.text));
  end_value (out, &open);
  return TRUE;
}

static gboolean
write_tensor (SondeEventEncoder *encoder, const SondeRecord *record, GByteArray *out,
              SondeEventFile *file, const char **reason)
{
  Open open;

  if (number_of_dtype (record->u.tensor->dtype) == 0)
    {
      *reason = N_ ("tensors of this element type");
      return FALSE;
    }
  open = begin_value (encoder, record, out, record->tag, "tensor", NULL, CLASS_TENSOR);
  add_tensor (out, VALUE_TENSOR, record->u.tensor);
  end_value (out, &open);
  return TRUE;
}

static gboolean
write_pr_curve (SondeEventEncoder *encoder, const SondeRecord *record, GByteArray *out,
                SondeEventFile *file, const char **reason)
{
  g_autoptr (SondeTensor) rows = sonde_tensor_cast (record->u.pr_curve.rows, SONDE_DTYPE_F32);
  g_autoptr (GByteArray) content = g_byte_array_new ();
  Open open;

  sonde_emit_number (content, 2, record->u.pr_curve.rows->shape.dims[1]);
  open = begin_value (encoder, record, out, record->tag, "pr_curves", content, CLASS_TENSOR);
  add_tensor (out, VALUE_TENSOR, rows);
  end_value (out, &open);
  return TRUE;
}

static gboolean
write_mesh (SondeEventEncoder *encoder, const SondeRecord *record, GByteArray *out,
            SondeEventFile *file, const char **reason)
{
  static const char *const endings[] = { "", "_VERTEX", "_FACE", "_COLOR" };
  const SondeTensor *values = record->u.mesh.values;
  g_autoptr (GByteArray) content = g_byte_array_new ();
  g_autofree char *tag = g_strconcat (record->u.mesh.name, endings[record->u.mesh.part], NULL);
  gsize shape;
  Open open;

  sonde_emit_text (content, 2, record->u.mesh.name);
  sonde_emit_number (content, 3, record->u.mesh.part);
  sonde_emit_text (content, 5, record->u.mesh.settings);
  shape = sonde_emit_begin (content, 6);
  for (int i = 0; i < values->shape.rank; i++)
    sonde_emit_varint (content, (guint64) values->shape.dims[i]);
  sonde_emit_end (content, shape);
  sonde_emit_number (content, 7, 0); /* which parts there are: not known before the last */
  open = begin_value (encoder, record, out, g_intern_string (tag), "mesh", content, CLASS_TENSOR);
  add_tensor (out, VALUE_TENSOR, record->u.mesh.values);
  end_value (out, &open);
  return TRUE;
}

/* ---- charts, logs, metadata ---------------------------------------------- */

static void
add_chart (GByteArray *out, const SondeChartPlan *plan)
{
  gsize chart = sonde_emit_begin (out, 2), content;

  sonde_emit_text (out, 1, plan->title);
  content = sonde_emit_begin (out, plan->is_margin ? 3 : 2);
  if (!plan->is_margin)
    for (char **tag = plan->tags; *tag != NULL; tag++)
      sonde_emit_text (out, 1, *tag);
  else
    for (char **tag = plan->tags; tag[0] != NULL && tag[1] != NULL && tag[2] != NULL; tag += 3)
      {
        gsize series = sonde_emit_begin (out, 1);

        for (guint i = 0; i < 3; i++)
          sonde_emit_text (out, i + 1, tag[i]);
        sonde_emit_end (out, series);
      }
  sonde_emit_end (out, content);
  sonde_emit_end (out, chart);
}

static gboolean
write_custom_scalars (SondeEventEncoder *encoder, const SondeRecord *record, GByteArray *out,
                      SondeEventFile *file, const char **reason)
{
  const SondeChartPlan *items = record->u.custom_scalars.items;
  g_autoptr (GByteArray) layout = g_byte_array_new ();
  Open open;

  /* charts of one category that stand together share it */
  for (gsize i = 0; i < record->u.custom_scalars.n;)
    {
      const char *category = items[i].category;
      gsize start = sonde_emit_begin (layout, 2);

      sonde_emit_text (layout, 1, category);
      for (; i < record->u.custom_scalars.n && g_strcmp0 (items[i].category, category) == 0; i++)
        add_chart (layout, &items[i]);
      sonde_emit_end (layout, start);
    }
  open = begin_value (encoder, record, out, "custom_scalars__config__", "custom_scalars", NULL,
                      CLASS_TENSOR);
  add_string (out, layout->data, layout->len);
  end_value (out, &open);
  return TRUE;
}

static gboolean
write_session_log (SondeEventEncoder *encoder, const SondeRecord *record, GByteArray *out,
                   SondeEventFile *file, const char **reason)
{
  gsize frame = begin_event (out, record);
  gsize log = sonde_emit_begin (out, 7);

  sonde_emit_number (out, 1, record->u.session_log.status);
  sonde_emit_text (out, 2, record->u.session_log.checkpoint);
  sonde_emit_text (out, 3, record->u.session_log.message);
  sonde_emit_end (out, log);
  sonde_frame_end (out, frame);
  return TRUE;
}

static gboolean
write_run_metadata (SondeEventEncoder *encoder, const SondeRecord *record, GByteArray *out,
                    SondeEventFile *file, const char **reason)
{
  gsize length;
  const void *data = g_bytes_get_data (record->u.run_metadata.message, &length);
  gsize frame = begin_event (out, record);
  gsize tagged = sonde_emit_begin (out, 8);

  sonde_emit_text (out, 1, record->tag);
  sonde_emit_bytes (out, 2, data, length);
  sonde_emit_end (out, tagged);
  sonde_frame_end (out, frame);
  return TRUE;
}

/* A gap is no value: it is told as a text. */
static gboolean
write_gap (SondeEventEncoder *encoder, const SondeRecord *record, GByteArray *out,
           SondeEventFile *file, const char **reason)
{
  g_autofree char *text = g_strdup_printf (
      "%" PRIu64 " records (%" PRIu64 " bytes, steps %" PRIi64 " to %" PRIi64 ") were lost: %s",
      record->u.gap.records, record->u.gap.bytes, record->u.gap.first_step, record->u.gap.last_step,
      record->u.gap.reason != NULL ? record->u.gap.reason : "");
  Open open = begin_value (encoder, record, out, "sonde/lost", "text", NULL, CLASS_TENSOR);

  add_string (out, text, strlen (text));
  end_value (out, &open);
  return TRUE;
}

/* Facts have no plugin: a table of keys and values as text. */
static gboolean
write_lineage (SondeEventEncoder *encoder, const SondeRecord *record, GByteArray *out,
               SondeEventFile *file, const char **reason)
{
  g_autofree char *tag = g_strconcat (record->tag, "/", record->u.lineage.part, NULL);
  const SondeShape shape = { .rank = 2, .dims = { (gint64) record->u.lineage.n, 2 } };
  g_autofree const char **cells = g_new (const char *, MAX (2 * record->u.lineage.n, 1));
  g_autoptr (SondeTensor) table = NULL;
  Open open;

  for (gsize i = 0; i < record->u.lineage.n; i++)
    {
      cells[2 * i] = record->u.lineage.items[i].key;
      cells[2 * i + 1] = record->u.lineage.items[i].text;
    }
  table = sonde_tensor_new_from_data (SONDE_DTYPE_STRING, &shape, cells);
  open = begin_value (encoder, record, out, g_intern_string (tag), "text", NULL, CLASS_TENSOR);
  add_tensor (out, VALUE_TENSOR, table);
  end_value (out, &open);
  if (record->u.lineage.pipeline != NULL)
    *reason = N_ ("the graph of a data pipeline");
  return TRUE;
}

static gboolean
write_other (SondeEventEncoder *encoder, const SondeRecord *record, GByteArray *out,
             SondeEventFile *file, const char **reason)
{
  g_autoptr (GByteArray) content = g_byte_array_new ();
  Open open;

  if (record->u.other.tensor == NULL || number_of_dtype (record->u.other.tensor->dtype) == 0)
    {
      *reason = N_ ("records of other tools");
      return FALSE;
    }
  if (record->u.other.content != NULL)
    sonde_emit_raw (content, g_bytes_get_data (record->u.other.content, NULL),
                    g_bytes_get_size (record->u.other.content));
  open = begin_value (encoder, record, out, record->tag, record->u.other.plugin, content,
                      CLASS_TENSOR);
  add_tensor (out, VALUE_TENSOR, record->u.other.tensor);
  end_value (out, &open);
  return TRUE;
}

/* ---- hyper-parameters ---------------------------------------------------- */

/* google.protobuf.Value in field @field */
static void
add_hparam_value (GByteArray *out, guint field, const SondeHparam *item)
{
  gsize value = sonde_emit_begin (out, field);

  if (item->type == SONDE_HPARAM_NUMBER)
    sonde_emit_double (out, 2, g_ascii_strtod (item->text, NULL));
  else if (item->type == SONDE_HPARAM_BOOL)
    sonde_emit_number (out, 4, g_strcmp0 (item->text, "true") == 0);
  else
    sonde_emit_text (out, 3, item->text);
  sonde_emit_end (out, value);
}

static gsize
begin_hparams_part (GByteArray *out, const SondeRecord *record)
{
  static const guint fields[]
      = { [SONDE_HPARAMS_VALUES] = 3, [SONDE_HPARAMS_EXPERIMENT] = 2, [SONDE_HPARAMS_END] = 4 };

  return sonde_emit_begin (out, fields[record->u.hparams.part]);
}

static void
add_start (GByteArray *out, const SondeRecord *record)
{
  for (gsize i = 0; i < record->u.hparams.n; i++)
    {
      gsize entry = sonde_emit_begin (out, 1);

      sonde_emit_text (out, 1, record->u.hparams.items[i].key);
      add_hparam_value (out, 2, &record->u.hparams.items[i]);
      sonde_emit_end (out, entry);
    }
  sonde_emit_text (out, 4, record->u.hparams.group);
  sonde_emit_double (out, 5,
                     isnan (record->u.hparams.time) || record->u.hparams.time == 0
                         ? sonde_event_seconds (record)
                         : record->u.hparams.time);
}

static void
add_experiment (GByteArray *out, const SondeRecord *record)
{
  static const guint8 types[]
      = { [SONDE_HPARAM_TEXT] = 1, [SONDE_HPARAM_BOOL] = 2, [SONDE_HPARAM_NUMBER] = 3 };

  for (gsize i = 0; i < record->u.hparams.n; i++)
    {
      gsize info = sonde_emit_begin (out, 4);

      sonde_emit_text (out, 1, record->u.hparams.items[i].key);
      sonde_emit_number (out, 4, types[record->u.hparams.items[i].type]);
      sonde_emit_end (out, info);
    }
  for (gsize i = 0; i < record->u.hparams.n_metrics; i++)
    {
      gsize info = sonde_emit_begin (out, 5), name = sonde_emit_begin (out, 1);

      sonde_emit_text (out, 2, record->u.hparams.metrics[i].key);
      sonde_emit_end (out, name);
      sonde_emit_text (out, 3, record->u.hparams.metrics[i].text);
      sonde_emit_end (out, info);
    }
}

static void
add_end (GByteArray *out, const SondeRecord *record)
{
  static const char *const names[] = { "", "success", "failure", "running" };

  for (guint i = 1; i < G_N_ELEMENTS (names); i++)
    if (g_strcmp0 (record->u.hparams.status, names[i]) == 0)
      sonde_emit_number (out, 1, i);
  if (!isnan (record->u.hparams.time))
    sonde_emit_double (out, 2, record->u.hparams.time);
}

static gboolean
write_hparams (SondeEventEncoder *encoder, const SondeRecord *record, GByteArray *out,
               SondeEventFile *file, const char **reason)
{
  static const struct
  {
    const char *tag;
    void (*add) (GByteArray *out, const SondeRecord *record);
  } parts[] = {
    [SONDE_HPARAMS_VALUES] = { "_hparams_/session_start_info", add_start },
    [SONDE_HPARAMS_EXPERIMENT] = { "_hparams_/experiment", add_experiment },
    [SONDE_HPARAMS_END] = { "_hparams_/session_end_info", add_end },
  };
  const SondeShape none = sonde_shape_make (1, 0);
  g_autoptr (SondeTensor) empty = sonde_tensor_new (SONDE_DTYPE_F32, &none);
  g_autoptr (GByteArray) content = g_byte_array_new ();
  gsize part = begin_hparams_part (content, record);
  Open open;

  parts[record->u.hparams.part].add (content, record);
  sonde_emit_end (content, part);
  open = begin_value (encoder, record, out, parts[record->u.hparams.part].tag, "hparams", content,
                      CLASS_TENSOR);
  add_tensor (out, VALUE_TENSOR, empty);
  end_value (out, &open);
  return TRUE;
}

SondeEventFunction
sonde_event_tensorboard_find (SondeRecordKind kind)
{
  static const SondeEventFunction rows[SONDE_N_RECORD_KINDS] = {
    [SONDE_RECORD_SESSION] = write_session,
    [SONDE_RECORD_SCALARS] = write_scalars,
    [SONDE_RECORD_HISTOGRAM] = write_histogram,
    [SONDE_RECORD_IMAGE] = write_image,
    [SONDE_RECORD_AUDIO] = write_audio,
    [SONDE_RECORD_TEXT] = write_text,
    [SONDE_RECORD_TENSOR] = write_tensor,
    [SONDE_RECORD_STATISTICS] = write_statistics,
    [SONDE_RECORD_GRAPH] = sonde_event_tensorboard_graph,
    [SONDE_RECORD_HPARAMS] = write_hparams,
    [SONDE_RECORD_LINEAGE] = write_lineage,
    [SONDE_RECORD_PR_CURVE] = write_pr_curve,
    [SONDE_RECORD_GAP] = write_gap,
    [SONDE_RECORD_MESH] = write_mesh,
    [SONDE_RECORD_CUSTOM_SCALARS] = write_custom_scalars,
    [SONDE_RECORD_RUN_METADATA] = write_run_metadata,
    [SONDE_RECORD_SESSION_LOG] = write_session_log,
    [SONDE_RECORD_OTHER] = write_other,
  };

  return (guint) kind < SONDE_N_RECORD_KINDS ? rows[kind] : NULL;
}
