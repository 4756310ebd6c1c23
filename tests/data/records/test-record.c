/* SPDX-License-Identifier: Apache-2.0
 * Records to bytes and back, and bytes that are no record. */
#include "data/records/sonde-record.h"

#include <string.h>

#include "data/base/sonde-error.h"
#include "tests/data/records/rich-records.h"
#include "tests/data/records/sample-records.h"

static gboolean
decode (const GByteArray *bytes, SondeTagTable *table, SondeRecord *record, GError **error)
{
  return sonde_record_decode (bytes->data, bytes->len, table, record, error);
}

/* The samples of the first version and those of the later kinds. */
typedef struct
{
  guint n;
  void (*make) (guint i, SondeRecord *record);
  void (*assert_equal) (const SondeRecord *a, const SondeRecord *b);
} Samples;

static const Samples first_samples = { N_SAMPLE_RECORDS, make_sample_record, assert_records_equal };
static const Samples rich_samples = { N_RICH_RECORDS, make_rich_record, assert_rich_records_equal };

static void
test_round_trip (gconstpointer data)
{
  const Samples *samples = data;
  g_autoptr (SondeTagTable) written = sonde_tag_table_new ();
  g_autoptr (SondeTagTable) read = sonde_tag_table_new ();

  for (guint i = 0; i < samples->n; i++)
    {
      g_autoptr (GByteArray) bytes = g_byte_array_new ();
      g_autoptr (GByteArray) again = g_byte_array_new ();
      g_autoptr (GError) error = NULL;
      SondeRecord record, result;
      gsize length;

      samples->make (i, &record);
      sonde_record_encode (&record, written, bytes);
      g_assert_true (decode (bytes, read, &result, &error));
      g_assert_no_error (error);
      samples->assert_equal (&record, &result);

      /* Tags are interned, and declared once: the second time is never longer. */
      if (result.tag != NULL)
        g_assert_true (result.tag == g_intern_string (result.tag));
      sonde_record_encode (&result, written, again);
      length = bytes->len;
      g_assert_cmpuint (again->len, <=, length);
      sonde_record_clear (&result);
      g_assert_true (decode (again, read, &result, NULL));
      samples->assert_equal (&record, &result);
      sonde_record_clear (&result);
      sonde_record_clear (&record);
    }
}

static void
test_copy (gconstpointer data)
{
  const Samples *samples = data;

  for (guint i = 0; i < samples->n; i++)
    {
      SondeRecord record, copy, expected;

      samples->make (i, &record);
      samples->make (i, &expected);
      sonde_record_copy (&record, &copy);
      if (record.kind == SONDE_RECORD_TENSOR)
        g_assert_true (copy.u.tensor->buffer != record.u.tensor->buffer);
      sonde_record_clear (&record);
      samples->assert_equal (&copy, &expected);
      sonde_record_clear (&copy);
      sonde_record_clear (&expected);
    }
}

/* Every kind that has a structure can be written; a later one cannot. */
static void
test_can_encode (void)
{
  g_assert_false (sonde_record_can_encode (SONDE_RECORD_UNKNOWN));
  g_assert_false (sonde_record_can_encode (SONDE_RECORD_DEBUG_HIT));
  g_assert_false (sonde_record_can_encode ((SondeRecordKind) 1000));
  for (guint i = 0; i < N_RICH_RECORDS; i++)
    {
      SondeRecord record;

      make_rich_record (i, &record);
      g_assert_true (sonde_record_can_encode (record.kind));
      sonde_record_clear (&record);
    }
}

/* All six sizes of elements, views with strides, and the size above which zstd sets in. */
static SondeTensor *
make_table (gint64 n, gint64 width)
{
  SondeShape shape
      = width > 0 ? sonde_shape_make (2, (int) n, (int) width) : sonde_shape_make (1, (int) n);
  SondeTensor *table = sonde_tensor_new (SONDE_DTYPE_F64, &shape);

  for (gint64 i = 0; i < sonde_tensor_n_elements (table); i++)
    sonde_tensor_set_double (table, i, 0.1 * (double) (i + 1));
  return table;
}

/* Boxes come back bit for bit, with and without what may be missing; a copy is one's own. */
static void
test_counterfactual (void)
{
  for (int bare = 0; bare < 2; bare++)
    {
      SondeRecord record = { .kind = SONDE_RECORD_COUNTERFACTUAL,
                             .step = 3,
                             .tag = g_intern_string ("counterfactual") },
                  copy, back;
      g_autoptr (SondeTagTable) to = sonde_tag_table_new (), from = sonde_tag_table_new ();
      g_autoptr (GByteArray) bytes = g_byte_array_new ();
      g_autoptr (GError) error = NULL;

      record.u.counterfactual.goal = g_strdup ("flip");
      record.u.counterfactual.result = g_strdup ("ok");
      record.u.counterfactual.parameters = g_strdup ("by=flip:prune=yes");
      record.u.counterfactual.mask = g_strdup ("gaussian:2");
      record.u.counterfactual.remark = bare ? NULL : g_strdup ("few windows");
      record.u.counterfactual.image = bare ? NULL : g_bytes_new_static ("PNG", 3);
      record.u.counterfactual.target = -7;
      record.u.counterfactual.threshold = 0.1;
      record.u.counterfactual.original = -1e-300;
      record.u.counterfactual.masked = 0.25;
      record.u.counterfactual.pruned_output = 3;
      record.u.counterfactual.area = 0.125;
      record.u.counterfactual.candidates = G_MAXUINT64;
      record.u.counterfactual.boxes = make_table (bare ? 0 : 3, 5);
      record.u.counterfactual.outputs = make_table (bare ? 0 : 2, 0);
      record.u.counterfactual.steps = make_table (bare ? 0 : 4, 7);
      record.u.counterfactual.pruned = bare ? NULL : make_table (1, 4);
      record.u.counterfactual.note.sample = g_strdup ("cats/1.png");
      record.u.counterfactual.note.label = 2;
      sonde_record_copy (&record, &copy);
      sonde_record_encode (&record, to, bytes);
      sonde_record_clear (&record);
      g_assert_true (sonde_record_decode (bytes->data, bytes->len, from, &back, &error));
      g_assert_no_error (error);
      g_assert_cmpstr (back.u.counterfactual.goal, ==, "flip");
      g_assert_cmpstr (back.u.counterfactual.result, ==, "ok");
      g_assert_cmpstr (back.u.counterfactual.parameters, ==, copy.u.counterfactual.parameters);
      g_assert_cmpstr (back.u.counterfactual.mask, ==, "gaussian:2");
      g_assert_cmpstr (back.u.counterfactual.remark, ==, bare ? NULL : "few windows");
      g_assert_true ((back.u.counterfactual.image == NULL) == bare);
      g_assert_cmpint (back.u.counterfactual.target, ==, -7);
      g_assert_cmpfloat (back.u.counterfactual.threshold, ==, 0.1);
      g_assert_cmpfloat (back.u.counterfactual.original, ==, -1e-300);
      g_assert_cmpfloat (back.u.counterfactual.masked, ==, 0.25);
      g_assert_cmpfloat (back.u.counterfactual.pruned_output, ==, 3);
      g_assert_cmpfloat (back.u.counterfactual.area, ==, 0.125);
      g_assert_cmpuint (back.u.counterfactual.candidates, ==, G_MAXUINT64);
      g_assert_true (sonde_tensor_equal (back.u.counterfactual.boxes, copy.u.counterfactual.boxes));
      g_assert_true (
          sonde_tensor_equal (back.u.counterfactual.outputs, copy.u.counterfactual.outputs));
      g_assert_true (sonde_tensor_equal (back.u.counterfactual.steps, copy.u.counterfactual.steps));
      g_assert_true (
          bare ? back.u.counterfactual.pruned == NULL
               : sonde_tensor_equal (back.u.counterfactual.pruned, copy.u.counterfactual.pruned));
      g_assert_cmpstr (back.u.counterfactual.note.sample, ==, "cats/1.png");
      g_assert_cmpint (back.u.counterfactual.note.label, ==, 2);
      sonde_record_clear (&copy);
      sonde_record_clear (&back);
    }
}

static void
test_tensors (void)
{
  for (int dtype = SONDE_DTYPE_F64; dtype < SONDE_DTYPE_STRING; dtype++)
    for (gint64 rows = 0; rows <= 3000; rows += rows == 0 ? 3 : 2997)
      {
        const SondeShape shape = sonde_shape_make (2, (int) rows, 7);
        const int swap[] = { 1, 0 };
        g_autoptr (SondeTagTable) table = sonde_tag_table_new ();
        g_autoptr (GByteArray) bytes = g_byte_array_new ();
        g_autoptr (SondeTensor) tensor = sonde_tensor_new ((SondeDtype) dtype, &shape);
        g_autoptr (SondeTensor) view = NULL;
        g_autoptr (SondeTensor) plain = NULL;
        SondeRecord record = { .kind = SONDE_RECORD_TENSOR, .tag = "t" }, result;

        for (gint64 i = 0; i < rows * 7; i++)
          sonde_tensor_set_double (tensor, i, (double) (i % 100));
        view = sonde_tensor_transpose (tensor, swap);
        plain = sonde_tensor_copy (view);
        record.u.tensor = view;
        sonde_record_encode (&record, table, bytes);
        if (rows == 3000)
          g_assert_cmpuint (bytes->len, <, sonde_tensor_n_bytes (tensor) / 2);
        g_assert_true (decode (bytes, table, &result, NULL));
        g_assert_true (sonde_tensor_equal (result.u.tensor, plain));
        sonde_record_clear (&result);
      }
}

static void
test_kind_names (void)
{
  g_assert_cmpstr (sonde_record_kind_name (SONDE_RECORD_SCALARS), ==, "scalar");
  g_assert_cmpstr (sonde_record_kind_name (SONDE_RECORD_STATISTICS), ==, "tensor_statistics");
  g_assert_cmpstr (sonde_record_kind_name (SONDE_RECORD_PR_CURVE), ==, "pr_curve");
  g_assert_cmpstr (sonde_record_kind_name (SONDE_RECORD_END), ==, "end");
  g_assert_cmpstr (sonde_record_kind_name (SONDE_RECORD_UNKNOWN), ==, "other");
  g_assert_cmpstr (sonde_record_kind_name ((SondeRecordKind) 1000), ==, "other");
  for (guint kind = 0; kind < SONDE_N_RECORD_KINDS; kind++)
    g_assert_nonnull (sonde_record_kind_name (kind));
}

/* Its kind is all that it says. */
static void
test_end (void)
{
  g_autoptr (SondeTagTable) table = sonde_tag_table_new ();
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  SondeRecord record = { .kind = SONDE_RECORD_END, .wall_time_ns = 77, .session = 3 }, result;

  sonde_record_encode (&record, table, bytes);
  g_assert_cmpuint (bytes->len, <, 20);
  g_assert_true (decode (bytes, table, &result, NULL));
  g_assert_cmpint (result.kind, ==, SONDE_RECORD_END);
  g_assert_cmpint (result.wall_time_ns, ==, 77);
  g_assert_cmpuint (result.session, ==, 3);
  g_assert_null (result.tag);
  sonde_record_clear (&result);
}

/* ---- tags ---------------------------------------------------------------- */

/* The record that declared a tag was damaged. */
static void
test_lost_declaration (void)
{
  g_autoptr (SondeTagTable) written = sonde_tag_table_new ();
  g_autoptr (SondeTagTable) read = sonde_tag_table_new ();
  SondeScalar items[] = { { "first", 1 }, { "second", 2 } };
  SondeScalar more[] = { { "second", 3 }, { "third", 4 }, { "first", 5 } };
  SondeRecord lost = { .kind = SONDE_RECORD_SCALARS, .u.scalars = { items, 2 } };
  SondeRecord kept = { .kind = SONDE_RECORD_SCALARS, .u.scalars = { more, 3 } };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  SondeRecord result;

  sonde_record_encode (&lost, written, bytes);
  g_byte_array_set_size (bytes, 0);
  sonde_record_encode (&kept, written, bytes);
  g_assert_true (decode (bytes, read, &result, NULL));
  g_assert_cmpstr (result.u.scalars.items[0].tag, ==, "tag#1");
  g_assert_cmpstr (result.u.scalars.items[1].tag, ==, "third");
  g_assert_cmpstr (result.u.scalars.items[2].tag, ==, "tag#0");
  sonde_record_clear (&result);
}

/* A record that could not be written takes its declarations with it. */
static void
test_truncate_tags (void)
{
  g_autoptr (SondeTagTable) written = sonde_tag_table_new ();
  g_autoptr (SondeTagTable) read = sonde_tag_table_new ();
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  SondeRecord record = { .kind = SONDE_RECORD_TEXT, .tag = "a", .u.text = (char *) "x" }, result;
  gsize length;

  sonde_record_encode (&record, written, bytes);
  g_assert_true (decode (bytes, read, &result, NULL));
  sonde_record_clear (&result);
  length = sonde_tag_table_get_length (written);
  g_assert_cmpuint (length, ==, 1);

  record.tag = "b";
  g_byte_array_set_size (bytes, 0);
  sonde_record_encode (&record, written, bytes);
  sonde_tag_table_truncate (written, length);
  g_byte_array_set_size (bytes, 0);
  sonde_record_encode (&record, written, bytes);
  g_assert_true (decode (bytes, read, &result, NULL));
  g_assert_cmpstr (result.tag, ==, "b");
  sonde_record_clear (&result);
}

static SondeMessage *
make_message (void)
{
  SondeMessage *message = sonde_message_new ("step %u, before “%s”: %s", 7u, "conv1", "set w = 0");

  sonde_message_append_format (message, "%-s of %d%%", "loss", 50);
  return message;
}

/* A text that can be translated keeps ids and arguments; everybody else reads English. */
static void
test_message (void)
{
  g_autoptr (SondeTagTable) written = sonde_tag_table_new (), read = sonde_tag_table_new ();
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (SondeMessage) message = make_message ();
  SondeRecord record = { .kind = SONDE_RECORD_TEXT,
                         .tag = "a",
                         .u.text = (char *) sonde_message_get_english (message),
                         .u.message = message },
              result, copy;
  const char *const *arguments;

  sonde_record_encode (&record, written, bytes);
  g_assert_true (decode (bytes, read, &result, NULL));
  g_assert_cmpstr (result.u.text, ==, "step 7, before “conv1”: set w = 0loss of 50%");
  g_assert_cmpuint (sonde_message_get_n_parts (result.u.message), ==, 2);
  g_assert_cmpstr (sonde_message_get_part (result.u.message, 0, &arguments), ==,
                   "step %u, before “%s”: %s");
  g_assert_cmpuint (g_strv_length ((char **) arguments), ==, 3);
  g_assert_cmpstr (arguments[1], ==, "conv1");
  g_assert_cmpstr (sonde_message_get_part (result.u.message, 1, &arguments), ==, "%-s of %d%%");
  sonde_record_copy (&result, &copy);
  sonde_record_clear (&result);
  g_assert_cmpstr (sonde_message_get_english (copy.u.message), ==, copy.u.text);
  sonde_record_clear (&copy);
}

/* What says something else than the text, or could grow without end, is left out. */
static void
test_other_message (void)
{
  static const char *const ids[] = { "another text", "%1$s%1$s", "%n", "%s" };

  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      g_autoptr (SondeTagTable) written = sonde_tag_table_new (), read = sonde_tag_table_new ();
      g_autoptr (GByteArray) bytes = g_byte_array_new ();
      g_autoptr (SondeMessage) message = sonde_message_new_empty ();
      SondeRecord record = { .kind = SONDE_RECORD_TEXT,
                             .tag = "a",
                             .u.text = (char *) (i == 1 ? "xx" : "a text"),
                             .u.message = message },
                  result;

      sonde_message_add_part (message, ids[i], (const char *const[]){ "x", NULL });
      sonde_record_encode (&record, written, bytes);
      g_assert_true (decode (bytes, read, &result, NULL));
      g_assert_cmpstr (result.u.text, ==, record.u.text);
      g_assert_null (result.u.message);
      sonde_record_clear (&result);
    }
}

/* ---- bytes by hand ------------------------------------------------------- */

static void
put_varint (GByteArray *bytes, guint64 value)
{
  do
    {
      guint8 byte = (guint8) (value & 0x7f) | (value > 0x7f ? 0x80 : 0);

      g_byte_array_append (bytes, &byte, 1);
      value >>= 7;
    }
  while (value > 0);
}

static void
put_number (GByteArray *bytes, guint field, guint64 value)
{
  put_varint (bytes, field << 3);
  put_varint (bytes, value);
}

static void
put_bytes (GByteArray *bytes, guint field, const guint8 *data, gsize length)
{
  put_varint (bytes, field << 3 | 2);
  put_varint (bytes, length);
  if (length > 0)
    g_byte_array_append (bytes, data, (guint) length);
}

static void
assert_refused (const GByteArray *bytes, SondeDataError code, const char *word)
{
  g_autoptr (SondeTagTable) table = sonde_tag_table_new ();
  g_autoptr (GError) error = NULL;
  gint64 start = g_get_monotonic_time ();
  SondeRecord record;

  g_assert_false (decode (bytes, table, &record, &error));
  g_assert_error (error, SONDE_DATA_ERROR, (int) code);
  if (strstr (error->message, word) == NULL)
    g_error ("“%s” does not mention “%s”", error->message, word);
  g_assert_cmpint (g_get_monotonic_time () - start, <, 2 * G_USEC_PER_SEC);
  g_assert_cmpint (record.kind, ==, SONDE_RECORD_UNKNOWN);
}

/* Record { kind, tag 0 declared as "t", member 20 + kind with @content } */
static GByteArray *
make_payload (guint kind, const guint8 *content, gsize length)
{
  GByteArray *bytes = g_byte_array_new ();

  put_number (bytes, 1, kind);
  put_number (bytes, 5, 0);
  put_bytes (bytes, 6, (const guint8 *) "\x08\0\x12\1t", 5);
  put_bytes (bytes, 20 + kind, content, length);
  return bytes;
}

static void
test_later_kind (void)
{
  g_autoptr (GByteArray) bytes = make_payload (99, (const guint8 *) "\x0a\3abc", 5);
  g_autoptr (SondeTagTable) table = sonde_tag_table_new ();
  SondeRecord record;

  put_number (bytes, 2, 14); /* step 7 */
  g_assert_true (decode (bytes, table, &record, NULL));
  g_assert_cmpint (record.kind, ==, SONDE_RECORD_UNKNOWN);
  g_assert_cmpuint (record.u.unknown.wire_kind, ==, 99);
  g_assert_cmpuint (record.u.unknown.bytes, ==, bytes->len);
  g_assert_cmpint (record.step, ==, 7);
  g_assert_cmpstr (record.tag, ==, "t");
  sonde_record_clear (&record);
}

/* A field of a later version in a known kind. */
static void
test_later_field (void)
{
  g_autoptr (GByteArray) bytes = make_payload (SONDE_RECORD_TEXT, (const guint8 *) "hello", 5);
  g_autoptr (SondeTagTable) table = sonde_tag_table_new ();
  SondeRecord record;

  put_bytes (bytes, 1000, (const guint8 *) "new", 3);
  g_assert_true (decode (bytes, table, &record, NULL));
  g_assert_cmpstr (record.u.text, ==, "hello");
  sonde_record_clear (&record);
}

static void
test_nul_in_names (void)
{
  g_autoptr (GByteArray) bytes = make_payload (SONDE_RECORD_TEXT, (const guint8 *) "a\0b", 3);
  g_autoptr (SondeTagTable) table = sonde_tag_table_new ();
  SondeRecord record;

  put_bytes (bytes, 6, (const guint8 *) "\x08\0\x12\3x\0y", 7);
  g_assert_true (decode (bytes, table, &record, NULL));
  g_assert_cmpstr (record.tag, ==, "x\\0y");
  g_assert_cmpstr (record.u.text, ==, "a\\0b");
  sonde_record_clear (&record);
}

typedef struct
{
  const char *name;
  guint kind;
  const char *content;
  gsize length;
  SondeDataError code;
  const char *word;
} BadContent;

#define CONTENT(text) (text), sizeof (text) - 1

static const BadContent bad_contents[] = {
  { "scalars-lengths", SONDE_RECORD_SCALARS, CONTENT ("\x0a\1\0"), SONDE_DATA_ERROR_DAMAGED,
    "1 tags and 0 values" },
  { "scalars-cut-double", SONDE_RECORD_SCALARS, CONTENT ("\x0a\1\0\x12\7\0\0\0\0\0\0\0"),
    SONDE_DATA_ERROR_DAMAGED, "values" },
  { "scalars-tag-number", SONDE_RECORD_SCALARS,
    CONTENT ("\x0a\5\xff\xff\xff\xff\x0f\x12\10\0\0\0\0\0\0\0\0"), SONDE_DATA_ERROR_LIMIT,
    "tag number" },
  { "histogram-bin", SONDE_RECORD_HISTOGRAM, CONTENT ("\x0a\3\xff\x7f\1"), SONDE_DATA_ERROR_DAMAGED,
    "histogram.negative" },
  { "histogram-half-pair", SONDE_RECORD_HISTOGRAM, CONTENT ("\x12\1\5"), SONDE_DATA_ERROR_DAMAGED,
    "histogram.positive" },
  { "histogram-same-bin", SONDE_RECORD_HISTOGRAM, CONTENT ("\x0a\4\1\1\0\1"),
    SONDE_DATA_ERROR_DAMAGED, "histogram.negative" },
  { "histogram-overflow", SONDE_RECORD_HISTOGRAM,
    CONTENT ("\x0a\15\1\1\xff\xff\xff\xff\xff\xff\xff\xff\xff\1\1"), SONDE_DATA_ERROR_DAMAGED,
    "histogram.negative" },
  { "image-width", SONDE_RECORD_IMAGE, CONTENT ("\x0a\0\x10\xff\xff\xff\xff\x0f"),
    SONDE_DATA_ERROR_DAMAGED, "image.width" },
  { "tensor-dtype", SONDE_RECORD_TENSOR, CONTENT ("\x08\x63"), SONDE_DATA_ERROR_UNSUPPORTED, "99" },
  { "tensor-no-dtype", SONDE_RECORD_TENSOR, CONTENT (""), SONDE_DATA_ERROR_UNSUPPORTED,
    "element type 0" },
  { "tensor-short", SONDE_RECORD_TENSOR, CONTENT ("\x08\2\x12\1\2\x22\4abcd"),
    SONDE_DATA_ERROR_DAMAGED, "4 bytes for 2 elements" },
  { "tensor-rank", SONDE_RECORD_TENSOR,
    CONTENT ("\x08\2\x12\x11\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1"), SONDE_DATA_ERROR_LIMIT,
    "17 dimensions" },
  { "tensor-negative", SONDE_RECORD_TENSOR,
    CONTENT ("\x08\2\x12\12\xff\xff\xff\xff\xff\xff\xff\xff\xff\1"), SONDE_DATA_ERROR_LIMIT,
    "number of elements" },
  { "tensor-overflow", SONDE_RECORD_TENSOR,
    CONTENT ("\x08\2\x12\12\x80\x80\x80\x80\x10\x80\x80\x80\x80\x10"), SONDE_DATA_ERROR_LIMIT,
    "number of elements" },
  { "tensor-large", SONDE_RECORD_TENSOR, CONTENT ("\x08\2\x12\5\x80\x80\x80\x80\1\x18\1\x22\4abcd"),
    SONDE_DATA_ERROR_LIMIT, "tensor" },
  { "tensor-zstd", SONDE_RECORD_TENSOR, CONTENT ("\x08\2\x12\1\2\x18\1\x22\4abcd"),
    SONDE_DATA_ERROR_DAMAGED, "unpack" },
  { "tensor-packing", SONDE_RECORD_TENSOR, CONTENT ("\x08\2\x12\1\1\x18\7\x22\4abcd"),
    SONDE_DATA_ERROR_UNSUPPORTED, "unknown compression 7" },
  { "strings-few", SONDE_RECORD_TENSOR, CONTENT ("\x08\x0e\x12\1\2\x22\4ab\0c"),
    SONDE_DATA_ERROR_DAMAGED, "2 strings" },
  { "strings-many", SONDE_RECORD_TENSOR, CONTENT ("\x08\x0e\x12\1\1\x22\4a\0b\0"),
    SONDE_DATA_ERROR_DAMAGED, "1 strings" },
  { "strings-none", SONDE_RECORD_TENSOR, CONTENT ("\x08\x0e\x12\1\0\x22\1\0"),
    SONDE_DATA_ERROR_DAMAGED, "0 strings" },
  { "graph-size", SONDE_RECORD_GRAPH, CONTENT ("\x0a\3abc\x20\4"), SONDE_DATA_ERROR_DAMAGED,
    "graph" },
  { "graph-zstd", SONDE_RECORD_GRAPH, CONTENT ("\x0a\3abc\x18\1"), SONDE_DATA_ERROR_DAMAGED,
    "zstd" },
  { "saliency-map", SONDE_RECORD_SALIENCY, CONTENT (""), SONDE_DATA_ERROR_DAMAGED, "saliency.map" },
  { "saliency-rank", SONDE_RECORD_SALIENCY, CONTENT ("\x0a\x08\x08\2\x22\4abcd"),
    SONDE_DATA_ERROR_DAMAGED, "saliency.map" },
  { "saliency-mask", SONDE_RECORD_SALIENCY,
    CONTENT ("\x0a\x0c\x08\2\x12\2\1\1\x22\4abcd\x42\x0a\x08\x09\x12\2\1\2\x22\2ab"),
    SONDE_DATA_ERROR_DAMAGED, "saliency.mask" },
  { "counterfactual-empty", SONDE_RECORD_COUNTERFACTUAL, CONTENT (""), SONDE_DATA_ERROR_DAMAGED,
    "counterfactual.boxes" },
  { "counterfactual-table", SONDE_RECORD_COUNTERFACTUAL,
    CONTENT ("\x72\x0c\x08\2\x12\2\1\1\x22\4abcd\x7a\x0c\x08\2\x12\2\1\1\x22\4abcd\x8a\1\x0c\x08\2"
             "\x12\2\1\1\x22\4abcd"),
    SONDE_DATA_ERROR_DAMAGED, "not a table" },
  { "bins-lengths", SONDE_RECORD_HISTOGRAM, CONTENT ("\x5a\x0a\x1a\x08\0\0\0\0\0\0\0\0"),
    SONDE_DATA_ERROR_DAMAGED, "different numbers" },
  { "pr-curve-rows", SONDE_RECORD_PR_CURVE, CONTENT (""), SONDE_DATA_ERROR_DAMAGED,
    "pr_curve.rows" },
  { "pr-curve-shape", SONDE_RECORD_PR_CURVE,
    CONTENT ("\x0a\x0f\x08\1\x12\1\1\x22\x08\0\0\0\0\0\0\0\0"), SONDE_DATA_ERROR_DAMAGED,
    "6 rows" },
  { "embedding-points", SONDE_RECORD_EMBEDDING, CONTENT (""), SONDE_DATA_ERROR_DAMAGED,
    "embedding.points" },
  { "embedding-labels", SONDE_RECORD_EMBEDDING,
    CONTENT ("\x0a\x0c\x08\2\x12\2\1\1\x22\4abcd\x12\x0c\x08\x0e\x12\2\2\1\x22\4a\0b\0"),
    SONDE_DATA_ERROR_DAMAGED, "per point" },
  { "landscape-axes", SONDE_RECORD_LANDSCAPE, CONTENT ("\x1a\x0c\x08\2\x12\2\1\1\x22\4abcd"),
    SONDE_DATA_ERROR_DAMAGED, "axes" },
  { "landscape-path", SONDE_RECORD_LANDSCAPE,
    CONTENT ("\x22\x0b\x08\2\x12\1\1\x22\4abcd\x2a\x0f\x08\2\x12\1\2\x22\x08"
             "abcdabcd"),
    SONDE_DATA_ERROR_DAMAGED, "differ in length" },
  { "mesh-part", SONDE_RECORD_MESH, CONTENT ("\x10\3\x1a\x0c\x08\2\x12\2\1\1\x22\4abcd"),
    SONDE_DATA_ERROR_DAMAGED, "mesh.values" },
  { "run-metadata-zstd", SONDE_RECORD_RUN_METADATA, CONTENT ("\x0a\3abc\x10\1"),
    SONDE_DATA_ERROR_DAMAGED, "zstd" },
  { "span-zstd", SONDE_RECORD_SPAN, CONTENT ("\x0a\3abc\x10\1"), SONDE_DATA_ERROR_DAMAGED,
    "span.message" },
  { "memory-zstd", SONDE_RECORD_MEMORY, CONTENT ("\x0a\3abc\x10\1"), SONDE_DATA_ERROR_DAMAGED,
    "zstd" },
  { "plain-graph-number", SONDE_RECORD_GRAPH, CONTENT ("\x2a\3\x22\1\5"), SONDE_DATA_ERROR_DAMAGED,
    "0 values" },
  { "plain-graph-producers", SONDE_RECORD_GRAPH,
    CONTENT ("\x2a\x0e\x12\0\x1a\4\x2a\2\1\0\x1a\4\x2a\2\1\0"), SONDE_DATA_ERROR_DAMAGED,
    "two nodes" },
  { "session-version", SONDE_RECORD_SESSION, CONTENT ("\x18\2"), SONDE_DATA_ERROR_UNSUPPORTED,
    "format version 2" },
  { "wire-type", SONDE_RECORD_SCALARS, CONTENT ("\x0d\1\2\3\4"), SONDE_DATA_ERROR_DAMAGED,
    "Record.scalars.tags" },
  { "group", SONDE_RECORD_SCALARS, CONTENT ("\x0b\x0c"), SONDE_DATA_ERROR_DAMAGED,
    "Record.scalars.tags" },
};

static void
test_bad_content (gconstpointer data)
{
  const BadContent *bad = data;
  g_autoptr (GByteArray) bytes
      = make_payload (bad->kind, (const guint8 *) bad->content, bad->length);

  assert_refused (bytes, bad->code, bad->word);
}

static void
test_no_kind (void)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();

  put_number (bytes, 2, 4);
  assert_refused (bytes, SONDE_DATA_ERROR_DAMAGED, "kind");
  g_byte_array_set_size (bytes, 0);
  assert_refused (bytes, SONDE_DATA_ERROR_DAMAGED, "kind");
  put_number (bytes, 1, SONDE_RECORD_HISTOGRAM);
  assert_refused (bytes, SONDE_DATA_ERROR_DAMAGED, "content");
  put_bytes (bytes, 23, NULL, 0);
  assert_refused (bytes, SONDE_DATA_ERROR_DAMAGED, "tag");
}

/* T6: bytes that protobuf-c would spend minutes or gigabytes on. */
static void
test_quadratic_merge (void)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();

  for (guint i = 0; i < 300000; i++)
    put_bytes (bytes, 23, (const guint8 *) "\x18\1", 2);
  assert_refused (bytes, SONDE_DATA_ERROR_LIMIT, "Record.histogram");
}

static void
test_empty_messages (void)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();

  for (guint i = 0; i < 10000000; i++)
    put_bytes (bytes, 6, NULL, 0);
  assert_refused (bytes, SONDE_DATA_ERROR_LIMIT, "Record");
}

static void
test_noise (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (11);
  g_autoptr (SondeTagTable) written = sonde_tag_table_new ();

  for (guint round = 0; round < 40000; round++)
    {
      g_autoptr (SondeTagTable) read = sonde_tag_table_new ();
      g_autoptr (GByteArray) bytes = g_byte_array_new ();
      SondeRecord record;

      if (round % 2 == 0)
        make_sample_record (round / 2 % N_SAMPLE_RECORDS, &record);
      else
        make_rich_record (round / 2 % N_RICH_RECORDS, &record);
      sonde_record_encode (&record, written, bytes);
      sonde_record_clear (&record);
      for (int hits = g_rand_int_range (random, 0, 4); hits > 0; hits--)
        bytes->data[g_rand_int_range (random, 0, (gint32) bytes->len)]
            = (guint8) g_rand_int (random);
      if (g_rand_boolean (random))
        g_byte_array_set_size (bytes, (guint) g_rand_int_range (random, 0, (gint32) bytes->len));
      if (decode (bytes, read, &record, NULL))
        sonde_record_clear (&record);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/data/records/record/round-trip", &first_samples, test_round_trip);
  g_test_add_data_func ("/data/records/record/round-trip-rich", &rich_samples, test_round_trip);
  g_test_add_data_func ("/data/records/record/copy", &first_samples, test_copy);
  g_test_add_data_func ("/data/records/record/copy-rich", &rich_samples, test_copy);
  g_test_add_func ("/data/records/record/can-encode", test_can_encode);
  g_test_add_func ("/data/records/record/counterfactual", test_counterfactual);
  g_test_add_func ("/data/records/record/tensors", test_tensors);
  g_test_add_func ("/data/records/record/kind-names", test_kind_names);
  g_test_add_func ("/data/records/record/end", test_end);
  g_test_add_func ("/data/records/record/lost-declaration", test_lost_declaration);
  g_test_add_func ("/data/records/record/truncate-tags", test_truncate_tags);
  g_test_add_func ("/data/records/record/message", test_message);
  g_test_add_func ("/data/records/record/other-message", test_other_message);
  g_test_add_func ("/data/records/record/later-kind", test_later_kind);
  g_test_add_func ("/data/records/record/later-field", test_later_field);
  g_test_add_func ("/data/records/record/nul-in-names", test_nul_in_names);
  for (gsize i = 0; i < G_N_ELEMENTS (bad_contents); i++)
    {
      g_autofree char *path = g_strconcat ("/data/records/record/bad/", bad_contents[i].name, NULL);

      g_test_add_data_func (path, &bad_contents[i], test_bad_content);
    }
  g_test_add_func ("/data/records/record/no-kind", test_no_kind);
  g_test_add_func ("/data/records/record/quadratic-merge", test_quadratic_merge);
  g_test_add_func ("/data/records/record/empty-messages", test_empty_messages);
  g_test_add_func ("/data/records/record/noise", test_noise);
  return g_test_run ();
}
