/* SPDX-License-Identifier: Apache-2.0
 * Records as MindSpore summary events, and as lineage events in their own file. Numbers of tensors
 * are float_data whatever their type, as MindSpore itself writes them and MindInsight reads them.
 * Source: mindspore/ccsrc/utils/{summary,anf_ir,lineage}.proto. */
#include <math.h>

#include "data/records/sonde-event-encoder-private.h"

/* ---- events and values --------------------------------------------------- */

typedef struct
{
  gsize frame, summary, value;
} Open;

static Open
begin_summary (GByteArray *out, const SondeRecord *record)
{
  Open open = { .frame = sonde_frame_begin (out) };

  sonde_emit_double (out, 1, sonde_event_seconds (record));
  sonde_emit_number (out, 2, record->step);
  open.summary = sonde_emit_begin (out, 5);
  return open;
}

static Open
begin_value (GByteArray *out, const SondeRecord *record, const char *tag)
{
  Open open = begin_summary (out, record);

  open.value = sonde_emit_begin (out, 1);
  sonde_emit_text (out, 1, tag);
  return open;
}

static void
end_value (GByteArray *out, const Open *open)
{
  sonde_emit_end (out, open->value);
  sonde_emit_end (out, open->summary);
  sonde_frame_end (out, open->frame);
}

static gboolean
write_session (SondeEventEncoder *encoder, const SondeRecord *record, GByteArray *out,
               SondeEventFile *file, const char **reason)
{
  gsize frame = sonde_frame_begin (out);

  sonde_emit_double (out, 1, sonde_event_seconds (record));
  sonde_emit_text (out, 3, "MindSpore.Event:1");
  sonde_frame_end (out, frame);
  return TRUE;
}

static gboolean
write_scalars (SondeEventEncoder *encoder, const SondeRecord *record, GByteArray *out,
               SondeEventFile *file, const char **reason)
{
  Open open = begin_summary (out, record);

  for (gsize i = 0; i < record->u.scalars.n; i++)
    {
      gsize value = sonde_emit_begin (out, 1);

      sonde_emit_text (out, 1, record->u.scalars.items[i].tag);
      sonde_emit_float (out, 3, record->u.scalars.items[i].value);
      sonde_emit_end (out, value);
    }
  sonde_emit_end (out, open.summary);
  sonde_frame_end (out, open.frame);
  return TRUE;
}

static gboolean
write_image (SondeEventEncoder *encoder, const SondeRecord *record, GByteArray *out,
             SondeEventFile *file, const char **reason)
{
  g_autofree char *tag = record->u.image.index > 0
                             ? g_strdup_printf ("%s/%d", record->tag, record->u.image.index)
                             : g_strdup (record->tag);
  gsize length;
  const void *data = g_bytes_get_data (record->u.image.encoded, &length);
  Open open = begin_value (out, record, tag);
  gsize image = sonde_emit_begin (out, 4);

  sonde_emit_number (out, 1, record->u.image.height);
  sonde_emit_number (out, 2, record->u.image.width);
  sonde_emit_number (out, 3, 3);
  sonde_emit_bytes (out, 4, data, length);
  sonde_emit_end (out, image);
  end_value (out, &open);
  if (record->u.image.note.label >= 0 || record->u.image.note.predicted >= 0
      || record->u.image.note.sample != NULL)
    *reason = N_ ("notes on images (sample, class, probability)");
  return TRUE;
}

/* ---- tensors ------------------------------------------------------------- */

static void
add_tensor (GByteArray *out, guint field, SondeTensor *tensor)
{
  g_autoptr (SondeTensor) numbers = sonde_tensor_cast (tensor, SONDE_DTYPE_F32);
  g_autoptr (SondeTensor) contiguous = sonde_tensor_contiguous (numbers);
  gsize start = sonde_emit_begin (out, field);

  for (int i = 0; i < tensor->shape.rank; i++)
    sonde_emit_number (out, 1, tensor->shape.dims[i]);
  sonde_emit_number (out, 2, sonde_event_mindspore_dtype (tensor->dtype));
  sonde_emit_bytes (out, 3, contiguous->data, sonde_tensor_n_bytes (contiguous));
  sonde_emit_end (out, start);
}

static gboolean
write_tensor (SondeEventEncoder *encoder, const SondeRecord *record, GByteArray *out,
              SondeEventFile *file, const char **reason)
{
  Open open;

  if (sonde_event_mindspore_dtype (record->u.tensor->dtype) == 0)
    {
      *reason = N_ ("tensors of this element type");
      return FALSE;
    }
  open = begin_value (out, record, record->tag);
  add_tensor (out, 8, record->u.tensor);
  end_value (out, &open);
  return TRUE;
}

/* ---- histograms ---------------------------------------------------------- */

typedef struct
{
  double left, width, count;
} Bucket;

static void
add_bucket (GArray *rows, double left, double right, double count)
{
  const Bucket bucket = { left, right - left, count };

  g_array_append_val (rows, bucket);
}

static double
count_buckets (GByteArray *out, const GArray *rows)
{
  double count = 0;

  for (guint i = 0; i < rows->len; i++)
    {
      const Bucket *bucket = &g_array_index (rows, Bucket, i);
      gsize start = sonde_emit_begin (out, 1);

      sonde_emit_double (out, 1, bucket->left);
      sonde_emit_double (out, 2, bucket->width);
      sonde_emit_number (out, 3, (gint64) bucket->count);
      sonde_emit_end (out, start);
      count += bucket->count;
    }
  return count;
}

static gboolean
write_histogram (SondeEventEncoder *encoder, const SondeRecord *record, GByteArray *out,
                 SondeEventFile *file, const char **reason)
{
  const SondeHistogram *own = record->u.histogram;
  const SondeBins *bins = record->u.bins;
  const guint64 nan = own != NULL ? own->nan : bins->nan;
  const guint64 pos_inf = own != NULL ? own->pos_inf : bins->pos_inf;
  const guint64 neg_inf = own != NULL ? own->neg_inf : bins->neg_inf;
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (Bucket));
  Open open = begin_value (out, record, record->tag);
  gsize histogram = sonde_emit_begin (out, 9);
  double count;

  sonde_event_list_bins (record, add_bucket, rows);
  count = count_buckets (out, rows);
  sonde_emit_number (out, 2, (gint64) nan);
  sonde_emit_number (out, 3, (gint64) pos_inf);
  sonde_emit_number (out, 4, (gint64) neg_inf);
  sonde_emit_double (out, 5, own != NULL ? own->max : bins->max);
  sonde_emit_double (out, 6, own != NULL ? own->min : bins->min);
  sonde_emit_double (out, 7, own != NULL ? own->sum : bins->sum);
  sonde_emit_number (out, 8, (gint64) count + (gint64) (nan + pos_inf + neg_inf));
  sonde_emit_end (out, histogram);
  end_value (out, &open);
  return TRUE;
}

/* ---- landscapes ---------------------------------------------------------- */

static void
add_point (GByteArray *out, guint field, SondeTensor *x, SondeTensor *y, SondeTensor *z)
{
  SondeTensor *const parts[] = { x, y, z };
  gsize point = sonde_emit_begin (out, field);

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    if (parts[i] != NULL)
      add_tensor (out, i + 1, parts[i]);
  sonde_emit_end (out, point);
}

static void
add_path (GByteArray *out, const SondeRecord *record)
{
  SondeTensor *intervals = record->u.landscape.intervals;
  gsize path = sonde_emit_begin (out, 2);

  for (gint64 i = 0; intervals != NULL && i < sonde_tensor_n_elements (intervals); i++)
    sonde_emit_number (out, 1, (gint64) sonde_tensor_get_double (intervals, i));
  add_point (out, 2, record->u.landscape.path_x, record->u.landscape.path_y,
             record->u.landscape.path_z);
  sonde_emit_end (out, path);
}

static void
add_found (GByteArray *out, const SondeRecord *record)
{
  const SondeShape one = sonde_shape_make (1, 1);
  SondeTensor *parts[3];

  for (guint i = 0; i < 3; i++)
    parts[i] = sonde_tensor_new_from_data (SONDE_DTYPE_F64, &one, &record->u.landscape.found[i]);
  add_point (out, 4, parts[0], parts[1], parts[2]);
  for (guint i = 0; i < 3; i++)
    sonde_tensor_unref (parts[i]);
}

static gboolean
write_landscape (SondeEventEncoder *encoder, const SondeRecord *record, GByteArray *out,
                 SondeEventFile *file, const char **reason)
{
  Open open = begin_value (out, record, record->tag);
  gsize landscape = sonde_emit_begin (out, 10), metadata;

  add_point (out, 1, record->u.landscape.x, record->u.landscape.y, record->u.landscape.z);
  add_path (out, record);
  metadata = sonde_emit_begin (out, 3);
  sonde_emit_text (out, 1, record->u.landscape.decomposition);
  sonde_emit_text (out, 2, record->u.landscape.unit);
  sonde_emit_number (out, 3, record->u.landscape.steps_per_epoch);
  sonde_emit_end (out, metadata);
  if (!isnan (record->u.landscape.found[0]))
    add_found (out, record);
  sonde_emit_end (out, landscape);
  end_value (out, &open);
  return TRUE;
}

/* ---- lineage ------------------------------------------------------------- */

typedef enum
{
  FIELD_TEXT,
  FIELD_INT,
  FIELD_FLOAT,
} FieldType;

/* Where a fact goes: the part's field, the message in it, the field there. */
typedef struct
{
  const char *part, *key;
  guint what, message, field;
  FieldType type;
} Fact;

static const Fact facts[] = {
  { "train", "optimizer", 6, 1, 1, FIELD_TEXT },
  { "train", "learning_rate", 6, 1, 2, FIELD_FLOAT },
  { "train", "loss_function", 6, 1, 3, FIELD_TEXT },
  { "train", "epoch", 6, 1, 4, FIELD_INT },
  { "train", "parallel_mode", 6, 1, 5, FIELD_TEXT },
  { "train", "device_num", 6, 1, 6, FIELD_INT },
  { "train", "batch_size", 6, 1, 8, FIELD_INT },
  { "train", "train_dataset_path", 6, 2, 1, FIELD_TEXT },
  { "train", "train_dataset_size", 6, 2, 2, FIELD_INT },
  { "train", "network", 6, 3, 1, FIELD_TEXT },
  { "train", "loss", 6, 3, 2, FIELD_FLOAT },
  { "train", "model_path", 6, 4, 3, FIELD_TEXT },
  { "train", "model_size", 6, 4, 4, FIELD_INT },
  { "evaluation", "valid_dataset_path", 7, 3, 1, FIELD_TEXT },
  { "evaluation", "valid_dataset_size", 7, 3, 2, FIELD_INT },
};

/* Keys may come with their message in front: "hyper_parameters.learning_rate". */
static const SondeHparam *
find_fact (const SondeRecord *record, const Fact *fact)
{
  for (gsize i = 0; i < record->u.lineage.n; i++)
    {
      const char *key = record->u.lineage.items[i].key;
      const char *last = strrchr (key, '.');

      if (g_str_equal (last != NULL ? last + 1 : key, fact->key))
        return &record->u.lineage.items[i];
    }
  return NULL;
}

static void
add_fact (GByteArray *out, const Fact *fact, const SondeHparam *item)
{
  if (fact->type == FIELD_TEXT)
    sonde_emit_text (out, fact->field, item->text);
  else if (fact->type == FIELD_INT)
    sonde_emit_number (out, fact->field, g_ascii_strtoll (item->text, NULL, 10));
  else
    sonde_emit_float (out, fact->field, g_ascii_strtod (item->text, NULL));
}

static gboolean
is_metric (const SondeHparam *item)
{
  for (gsize i = 0; i < G_N_ELEMENTS (facts); i++)
    if (g_str_equal (item->key, facts[i].key))
      return FALSE;
  return TRUE;
}

static void
append_json (GString *json, const char *text)
{
  g_string_append_c (json, '"');
  for (const char *p = text; *p != '\0'; p++)
    if (*p == '"' || *p == '\\')
      g_string_append_printf (json, "\\%c", *p);
    else if ((guchar) *p < ' ')
      g_string_append_printf (json, "\\u%04x", *p);
    else
      g_string_append_c (json, *p);
  g_string_append_c (json, '"');
}

/* What an evaluation found: all that is no fact with a field of its own, as a JSON object. Returns
 * how many. */
static guint
add_metrics (GByteArray *out, const SondeRecord *record)
{
  g_autoptr (GString) json = g_string_new ("{");
  guint n = 0;

  for (gsize i = 0; i < record->u.lineage.n; i++)
    {
      const SondeHparam *item = &record->u.lineage.items[i];

      if (!is_metric (item))
        continue;
      g_string_append (json, n++ > 0 ? ", " : "");
      append_json (json, item->key);
      g_string_append (json, ": ");
      if (item->type != SONDE_HPARAM_TEXT && isfinite (g_ascii_strtod (item->text, NULL)))
        g_string_append (json, item->text);
      else
        append_json (json, item->text);
    }
  g_string_append_c (json, '}');
  if (n > 0)
    sonde_emit_text (out, 2, json->str);
  return n;
}

/* The facts of one message of the part, which is left out when it has none. Returns how many. */
static guint
add_facts (GByteArray *out, const SondeRecord *record, guint message)
{
  g_autoptr (GByteArray) content = g_byte_array_new ();
  guint n = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (facts); i++)
    if (facts[i].message == message && g_str_equal (facts[i].part, record->u.lineage.part))
      {
        const SondeHparam *item = find_fact (record, &facts[i]);

        if (item != NULL)
          {
            add_fact (content, &facts[i], item);
            n++;
          }
      }
  if (n > 0)
    sonde_emit_bytes (out, message, content->data, content->len);
  return n;
}

/* UserDefinedInfo: an entry a key, text or number. */
static void
add_custom (GByteArray *out, const SondeHparam *items, gsize n)
{
  gsize info = sonde_emit_begin (out, 10);

  for (gsize i = 0; i < n; i++)
    {
      gsize one = sonde_emit_begin (out, 1);
      gsize entry = sonde_emit_begin (out, items[i].type == SONDE_HPARAM_NUMBER ? 5 : 4);

      sonde_emit_text (out, 1, items[i].key);
      if (items[i].type == SONDE_HPARAM_NUMBER)
        sonde_emit_double (out, 2, g_ascii_strtod (items[i].text, NULL));
      else
        sonde_emit_text (out, 2, items[i].text);
      sonde_emit_end (out, entry);
      sonde_emit_end (out, one);
    }
  sonde_emit_end (out, info);
}

static gsize
begin_lineage (GByteArray *out, const SondeRecord *record, SondeEventFile *file)
{
  gsize frame = sonde_frame_begin (out);

  *file = SONDE_EVENT_FILE_LINEAGE;
  sonde_emit_double (out, 1, sonde_event_seconds (record));
  return frame;
}

static gboolean
write_hparams (SondeEventEncoder *encoder, const SondeRecord *record, GByteArray *out,
               SondeEventFile *file, const char **reason)
{
  gsize frame;

  if (record->u.hparams.part != SONDE_HPARAMS_VALUES)
    {
      *reason = N_ ("experiments and ends of sessions");
      return FALSE;
    }
  frame = begin_lineage (out, record, file);
  add_custom (out, record->u.hparams.items, record->u.hparams.n);
  sonde_frame_end (out, frame);
  return TRUE;
}

static gboolean
write_lineage (SondeEventEncoder *encoder, const SondeRecord *record, GByteArray *out,
               SondeEventFile *file, const char **reason)
{
  gboolean train = g_strcmp0 (record->u.lineage.part, "train") == 0;
  gboolean evaluation = g_strcmp0 (record->u.lineage.part, "evaluation") == 0;
  gsize frame, part;
  guint n = 0;

  if (record->u.lineage.pipeline != NULL)
    {
      *reason = N_ ("the graph of a data pipeline that was not made by MindSpore");
      return FALSE;
    }
  frame = begin_lineage (out, record, file);
  if (!train && !evaluation)
    add_custom (out, record->u.lineage.items, record->u.lineage.n);
  else
    {
      part = sonde_emit_begin (out, train ? 6 : 7);
      n += evaluation ? add_metrics (out, record) : 0;
      for (guint message = 1; message <= 4; message++)
        n += add_facts (out, record, message);
      sonde_emit_end (out, part);
      if (n < record->u.lineage.n)
        *reason = N_ ("facts of lineage that MindSpore has no field for");
    }
  sonde_frame_end (out, frame);
  return TRUE;
}

SondeEventFunction
sonde_event_mindspore_find (SondeRecordKind kind)
{
  static const SondeEventFunction rows[SONDE_N_RECORD_KINDS] = {
    [SONDE_RECORD_SESSION] = write_session,     [SONDE_RECORD_SCALARS] = write_scalars,
    [SONDE_RECORD_HISTOGRAM] = write_histogram, [SONDE_RECORD_IMAGE] = write_image,
    [SONDE_RECORD_TENSOR] = write_tensor,       [SONDE_RECORD_GRAPH] = sonde_event_mindspore_graph,
    [SONDE_RECORD_HPARAMS] = write_hparams,     [SONDE_RECORD_LINEAGE] = write_lineage,
    [SONDE_RECORD_LANDSCAPE] = write_landscape,
  };

  return (guint) kind < SONDE_N_RECORD_KINDS ? rows[kind] : NULL;
}
