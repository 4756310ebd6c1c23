/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/data/records/sample-records.h"

#include <math.h>
#include <string.h>

/* ---- content ------------------------------------------------------------- */

static void
fill_session (SondeRecord *record, int variant)
{
  record->tag = NULL;
  record->u.session_start.program = g_strdup ("sonde 0.1.0");
  record->u.session_start.host = g_strdup ("host.example");
  record->u.session_start.format_version = 1;
  record->u.session_start.pid = 4711;
}

static const double special_values[]
    = { 0.0, -0.0, 1.0 / 3.0, -1e300, 5e-324, NAN, INFINITY, -INFINITY };

static void
fill_scalars (SondeRecord *record, int variant)
{
  static const char *const tags[]
      = { "loss", "accuracy", "learning-rate", "größe/ü", "", "a\tb", "x/y/z", "loss" };
  gsize n = variant == 0 ? G_N_ELEMENTS (tags) : 200;

  record->tag = NULL;
  if (variant == 2)
    return;
  record->u.scalars.n = n;
  record->u.scalars.items = g_new (SondeScalar, n);
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *name = g_strdup_printf ("layer%" G_GSIZE_FORMAT "/norm", i);

      record->u.scalars.items[i].tag = variant == 0 ? tags[i] : g_intern_string (name);
      record->u.scalars.items[i].value = variant == 0 ? special_values[i] : 1.0 / (double) (i + 1);
    }
}

static void
fill_histogram (SondeRecord *record, int variant)
{
  SondeHistogram *histogram = g_new (SondeHistogram, 1);

  sonde_histogram_init (histogram);
  record->u.histogram = histogram;
  if (variant == 1)
    return;
  histogram->negative[0] = 1;
  histogram->negative[1] = G_MAXUINT64;
  histogram->positive[SONDE_HISTOGRAM_N_BINS - 1] = 77;
  for (int i = 100; i < 200; i += 3)
    histogram->positive[i] = (guint64) i * i;
  histogram->zero = 5;
  histogram->nan = 6;
  histogram->pos_inf = 7;
  histogram->neg_inf = 1ull << 40;
  histogram->min = -0.0;
  histogram->max = 1e30;
  histogram->sum = -3.25;
  histogram->sum_squares = 1e-300;
}

static void
fill_note (SondeSampleNote *note, int variant)
{
  *note = (SondeSampleNote){
    .label = -1, .predicted = -1, .label_probability = NAN, .predicted_probability = NAN
  };
  if (variant == 1)
    return;
  *note = (SondeSampleNote){
    .sample = g_strdup ("test/cat/0001.jpg"),
    .label = 0,
    .predicted = 7,
    .label_probability = 0.25,
    .predicted_probability = 0.5,
    .label_name = g_strdup ("cat"),
    .predicted_name = g_strdup ("dog"),
  };
}

static void
fill_image (SondeRecord *record, int variant)
{
  record->u.image.encoded = g_bytes_new_static ("\x89PNG\0not really", variant == 1 ? 0 : 15);
  record->u.image.width = 640;
  record->u.image.height = 480;
  record->u.image.index = variant;
  fill_note (&record->u.image.note, variant);
}

static void
fill_text (SondeRecord *record, int variant)
{
  record->u.text
      = g_strdup (variant == 1 ? "" : "# Heading\n\n*text* with ünïcode and \xff\xfe bytes");
}

/* All sizes of elements, special values of the small floats, nothing, one element, many equal
 * ones. */
static void
fill_tensor (SondeRecord *record, int variant)
{
  static const guint16 half_bits[]
      = { 0x0000, 0x8000, 0x3c00, 0x7c00, 0xfc00, 0x7e01, 0x0001, 0xbeef };
  static const char *const strings[] = { "one", "", "drei mit Länge", "\xff" };
  const SondeShape eight = sonde_shape_make (2, 2, 4);
  const SondeShape four = sonde_shape_make (1, 4);
  const SondeShape empty = sonde_shape_make (3, 4, 0, 2);
  const SondeShape large = sonde_shape_make (2, 100, 50);
  const gint64 number = G_MININT64;
  SondeShape scalar = sonde_shape_scalar ();

  switch (variant)
    {
    case 0:
      record->u.tensor = sonde_tensor_new_from_data (SONDE_DTYPE_F64, &eight, special_values);
      break;
    case 1:
      record->u.tensor = sonde_tensor_new_from_data (SONDE_DTYPE_F16, &eight, half_bits);
      break;
    case 2:
      record->u.tensor = sonde_tensor_new_from_data (SONDE_DTYPE_BF16, &eight, half_bits);
      break;
    case 3:
      record->u.tensor = sonde_tensor_new_from_data (SONDE_DTYPE_BOOL, &eight, "\0\1\1\0\0\0\1\1");
      break;
    case 4:
      record->u.tensor = sonde_tensor_new_from_data (SONDE_DTYPE_STRING, &four, strings);
      break;
    case 5:
      record->u.tensor = sonde_tensor_new (SONDE_DTYPE_F32, &empty);
      break;
    case 6:
      record->u.tensor = sonde_tensor_new_from_data (SONDE_DTYPE_I64, &scalar, &number);
      break;
    case 7:
      record->u.tensor = sonde_tensor_new (SONDE_DTYPE_F32, &large);
      break; /* compressed */
    default:
      record->u.tensor = sonde_tensor_new (SONDE_DTYPE_STRING, &empty);
      break;
    }
}

static void
fill_statistics (SondeRecord *record, int variant)
{
  record->u.statistics = (SondeStatistics){
    .count = 1000,
    .min = -2.5,
    .max = 3.75,
    .mean = -0.0,
    .std = 0.5,
    .abs_mean = 0.75,
    .zeros = 3,
    .negatives = 400,
    .nan = 1,
    .pos_inf = 2,
    .neg_inf = 0,
  };
}

static void
fill_graph (SondeRecord *record, int variant)
{
  gsize length = variant == 0 ? 9000 : 20;
  guint8 *model = g_malloc (length);

  for (gsize i = 0; i < length; i++)
    model[i] = (guint8) (i / 100);
  record->u.graph.model = g_bytes_new_take (model, length);
  record->u.graph.executed = variant == 1;
}

static void
fill_hparams (SondeRecord *record, int variant)
{
  record->u.hparams.n = 2;
  record->u.hparams.items = g_new0 (SondeHparam, 2);
  record->u.hparams.items[0] = (SondeHparam){ g_strdup ("train.learning-rate"), g_strdup ("0.1") };
  record->u.hparams.items[1] = (SondeHparam){ g_strdup ("data.source"), g_strdup ("") };
}

static void
fill_saliency (SondeRecord *record, int variant)
{
  static const float map[] = { 0.5f, -0.0f, -3e-30f, 1e30f, INFINITY, 2 };
  const SondeShape shape = sonde_shape_make (2, 2, 3);

  record->u.saliency.map = sonde_tensor_new_from_data (SONDE_DTYPE_F32, &shape, map);
  record->u.saliency.method = g_strdup ("saliency");
  record->u.saliency.target_is = g_strdup ("predicted");
  record->u.saliency.target = 7;
  record->u.saliency.score = -12.5;
  fill_note (&record->u.saliency.note, 0);
  if (variant == 1)
    return;
  record->u.saliency.parameters = g_strdup ("batch=64");
  record->u.saliency.image = g_bytes_new_static ("PNG", 3);
  record->u.saliency.mask = sonde_tensor_new_from_data (SONDE_DTYPE_U8, &shape, "\0\1\0\1\1\1");
}

static void
fill_gap (SondeRecord *record, int variant)
{
  record->tag = NULL;
  record->u.gap.records = 12;
  record->u.gap.bytes = 3456;
  record->u.gap.reason = g_strdup ("No space left on device");
  record->u.gap.first_step = -5;
  record->u.gap.last_step = G_MAXINT64;
}

static const struct
{
  SondeRecordKind kind;
  void (*fill) (SondeRecord *record, int variant);
  int variant;
} samples[N_SAMPLE_RECORDS] = {
  { SONDE_RECORD_SESSION, fill_session, 0 },
  { SONDE_RECORD_SCALARS, fill_scalars, 0 },
  { SONDE_RECORD_SCALARS, fill_scalars, 1 },
  { SONDE_RECORD_SCALARS, fill_scalars, 2 },
  { SONDE_RECORD_HISTOGRAM, fill_histogram, 0 },
  { SONDE_RECORD_HISTOGRAM, fill_histogram, 1 },
  { SONDE_RECORD_IMAGE, fill_image, 0 },
  { SONDE_RECORD_IMAGE, fill_image, 1 },
  { SONDE_RECORD_TEXT, fill_text, 0 },
  { SONDE_RECORD_TEXT, fill_text, 1 },
  { SONDE_RECORD_TENSOR, fill_tensor, 0 },
  { SONDE_RECORD_TENSOR, fill_tensor, 1 },
  { SONDE_RECORD_TENSOR, fill_tensor, 2 },
  { SONDE_RECORD_TENSOR, fill_tensor, 3 },
  { SONDE_RECORD_TENSOR, fill_tensor, 4 },
  { SONDE_RECORD_TENSOR, fill_tensor, 5 },
  { SONDE_RECORD_TENSOR, fill_tensor, 6 },
  { SONDE_RECORD_TENSOR, fill_tensor, 7 },
  { SONDE_RECORD_TENSOR, fill_tensor, 8 },
  { SONDE_RECORD_STATISTICS, fill_statistics, 0 },
  { SONDE_RECORD_GRAPH, fill_graph, 0 },
  { SONDE_RECORD_GRAPH, fill_graph, 1 },
  { SONDE_RECORD_HPARAMS, fill_hparams, 0 },
  { SONDE_RECORD_SALIENCY, fill_saliency, 0 },
  { SONDE_RECORD_GAP, fill_gap, 0 },
};

void
make_sample_record (guint i, SondeRecord *record)
{
  static const gint64 steps[] = { 0, 1, -1, 1000000, G_MAXINT64, G_MININT64 };

  memset (record, 0, sizeof *record);
  record->kind = samples[i].kind;
  record->step = steps[i % G_N_ELEMENTS (steps)];
  record->wall_time_ns = 1795251396123456789 + (gint64) i;
  record->session = 1 + i % 3;
  record->tag = g_intern_string (i % 2 == 0 ? "weights/conv1" : "Ünïcode/tag");
  samples[i].fill (record, samples[i].variant);
}

/* ---- comparison ---------------------------------------------------------- */

static void
assert_bits (double a, double b)
{
  g_assert_cmpmem (&a, sizeof a, &b, sizeof b);
}

/* NaN of any bits: the text of a missing probability is not stored. */
static void
assert_probability (double a, double b)
{
  g_assert_true (isnan (a) == isnan (b));
  if (!isnan (a))
    assert_bits (a, b);
}

static void
assert_notes_equal (const SondeSampleNote *a, const SondeSampleNote *b)
{
  g_assert_cmpstr (a->sample, ==, b->sample);
  g_assert_cmpstr (a->label_name, ==, b->label_name);
  g_assert_cmpstr (a->predicted_name, ==, b->predicted_name);
  g_assert_cmpint (a->label, ==, b->label);
  g_assert_cmpint (a->predicted, ==, b->predicted);
  assert_probability (a->label_probability, b->label_probability);
  assert_probability (a->predicted_probability, b->predicted_probability);
}

static void
assert_bytes_equal (GBytes *a, GBytes *b)
{
  g_assert_true ((a == NULL) == (b == NULL));
  if (a != NULL)
    g_assert_true (g_bytes_equal (a, b));
}

static void
assert_tensors_equal (SondeTensor *a, SondeTensor *b)
{
  g_assert_true ((a == NULL) == (b == NULL));
  if (a != NULL)
    g_assert_true (sonde_tensor_equal (a, b));
}

static void
assert_scalars_equal (const SondeRecord *a, const SondeRecord *b)
{
  g_assert_cmpuint (a->u.scalars.n, ==, b->u.scalars.n);
  for (gsize i = 0; i < a->u.scalars.n; i++)
    {
      g_assert_cmpstr (a->u.scalars.items[i].tag, ==, b->u.scalars.items[i].tag);
      assert_bits (a->u.scalars.items[i].value, b->u.scalars.items[i].value);
    }
}

static void
assert_hparams_equal (const SondeRecord *a, const SondeRecord *b)
{
  g_assert_cmpuint (a->u.hparams.n, ==, b->u.hparams.n);
  for (gsize i = 0; i < a->u.hparams.n; i++)
    {
      g_assert_cmpstr (a->u.hparams.items[i].key, ==, b->u.hparams.items[i].key);
      g_assert_cmpstr (a->u.hparams.items[i].text, ==, b->u.hparams.items[i].text);
    }
}

static void
assert_content_equal (const SondeRecord *a, const SondeRecord *b)
{
  switch (a->kind)
    {
    case SONDE_RECORD_SESSION:
      g_assert_cmpstr (a->u.session_start.program, ==, b->u.session_start.program);
      g_assert_cmpstr (a->u.session_start.host, ==, b->u.session_start.host);
      g_assert_cmpuint (a->u.session_start.format_version, ==, b->u.session_start.format_version);
      g_assert_cmpint (a->u.session_start.pid, ==, b->u.session_start.pid);
      break;
    case SONDE_RECORD_SCALARS:
      assert_scalars_equal (a, b);
      break;
    case SONDE_RECORD_HISTOGRAM:
      g_assert_cmpmem (a->u.histogram, sizeof (SondeHistogram), b->u.histogram,
                       sizeof (SondeHistogram));
      break;
    case SONDE_RECORD_IMAGE:
      assert_bytes_equal (a->u.image.encoded, b->u.image.encoded);
      g_assert_cmpint (a->u.image.width, ==, b->u.image.width);
      g_assert_cmpint (a->u.image.height, ==, b->u.image.height);
      g_assert_cmpint (a->u.image.index, ==, b->u.image.index);
      assert_notes_equal (&a->u.image.note, &b->u.image.note);
      break;
    case SONDE_RECORD_TEXT:
      g_assert_cmpstr (a->u.text, ==, b->u.text);
      break;
    case SONDE_RECORD_TENSOR:
      assert_tensors_equal (a->u.tensor, b->u.tensor);
      break;
    case SONDE_RECORD_STATISTICS:
      g_assert_cmpmem (&a->u.statistics, sizeof (SondeStatistics), &b->u.statistics,
                       sizeof (SondeStatistics));
      break;
    case SONDE_RECORD_GRAPH:
      assert_bytes_equal (a->u.graph.model, b->u.graph.model);
      g_assert_cmpint (a->u.graph.executed, ==, b->u.graph.executed);
      break;
    case SONDE_RECORD_HPARAMS:
      assert_hparams_equal (a, b);
      break;
    case SONDE_RECORD_SALIENCY:
      assert_tensors_equal (a->u.saliency.map, b->u.saliency.map);
      assert_tensors_equal (a->u.saliency.mask, b->u.saliency.mask);
      assert_bytes_equal (a->u.saliency.image, b->u.saliency.image);
      g_assert_cmpstr (a->u.saliency.method, ==, b->u.saliency.method);
      g_assert_cmpstr (a->u.saliency.target_is, ==, b->u.saliency.target_is);
      g_assert_cmpstr (a->u.saliency.parameters, ==, b->u.saliency.parameters);
      g_assert_cmpint (a->u.saliency.target, ==, b->u.saliency.target);
      assert_bits (a->u.saliency.score, b->u.saliency.score);
      assert_notes_equal (&a->u.saliency.note, &b->u.saliency.note);
      break;
    case SONDE_RECORD_GAP:
      g_assert_cmpuint (a->u.gap.records, ==, b->u.gap.records);
      g_assert_cmpuint (a->u.gap.bytes, ==, b->u.gap.bytes);
      g_assert_cmpstr (a->u.gap.reason, ==, b->u.gap.reason);
      g_assert_cmpint (a->u.gap.first_step, ==, b->u.gap.first_step);
      g_assert_cmpint (a->u.gap.last_step, ==, b->u.gap.last_step);
      break;
    default:
      g_assert_not_reached ();
    }
}

void
assert_records_equal (const SondeRecord *a, const SondeRecord *b)
{
  g_assert_cmpint (a->kind, ==, b->kind);
  g_assert_cmpint (a->step, ==, b->step);
  g_assert_cmpint (a->wall_time_ns, ==, b->wall_time_ns);
  g_assert_cmpuint (a->session, ==, b->session);
  g_assert_cmpstr (a->tag, ==, b->tag);
  assert_content_equal (a, b);
}
