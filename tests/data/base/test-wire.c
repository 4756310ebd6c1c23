/* SPDX-License-Identifier: Apache-2.0
 * The protobuf pre-scan: what a decoder without limits must never see. Rows are the ids of a table
 * of bad inputs (PB1 …). */
#include "data/base/sonde-wire.h"

#include <string.h>

#include "data/base/sonde-budget.h"
#include "data/base/sonde-error.h"

/* A message that can hold itself: number, children, text, packed doubles, packed numbers, one
 * child. */
static const int tree;

static gboolean
find_field (const void *message, guint32 number, SondeWireField *field)
{
  static const SondeWireField fields[] = {
    { 0 },
    { .name = "number", .type = SONDE_WIRE_VARINT, .element_bytes = 8 },
    { .name = "children",
      .type = SONDE_WIRE_BYTES,
      .repeated = TRUE,
      .element_bytes = 8,
      .message = &tree,
      .message_bytes = 100 },
    { .name = "text", .type = SONDE_WIRE_BYTES, .text = TRUE, .element_bytes = 8 },
    { .name = "doubles", .type = SONDE_WIRE_FIXED64, .repeated = TRUE, .element_bytes = 8 },
    { .name = "numbers", .type = SONDE_WIRE_VARINT, .repeated = TRUE, .element_bytes = 4 },
    { .name = "only",
      .type = SONDE_WIRE_BYTES,
      .element_bytes = 8,
      .message = &tree,
      .message_bytes = 100 },
    { .name = "single", .type = SONDE_WIRE_FIXED32, .element_bytes = 4 },
  };

  g_assert_true (message == &tree);
  if (number == 0 || number >= G_N_ELEMENTS (fields))
    return FALSE;
  *field = fields[number];
  return TRUE;
}

static const SondeWireSchema schema = { find_field, &tree, "Tree", 100 };

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

/* @depth messages inside each other by field @field, built from the inside out. */
static GByteArray *
nest (guint depth, guint field)
{
  g_autofree guint64 *lengths = g_new0 (guint64, depth + 1);
  GByteArray *bytes = g_byte_array_new ();

  for (guint i = depth; i-- > 0;)
    {
      g_autoptr (GByteArray) head = g_byte_array_new ();

      put_varint (head, lengths[i + 1]);
      lengths[i] = lengths[i + 1] + 1 + head->len;
    }
  for (guint i = 0; i < depth; i++)
    {
      put_varint (bytes, field << 3 | 2);
      put_varint (bytes, lengths[i + 1]);
    }
  return bytes;
}

static void
check (const guint8 *data, gsize length, const SondeWireLimits *limits, int code, /* -1: accepted */
       const char *word)
{
  g_autoptr (GError) error = NULL;
  gboolean result = sonde_wire_scan (data, length, &schema, "test", limits, NULL, &error);

  if (code < 0)
    {
      g_assert_no_error (error);
      g_assert_true (result);
      return;
    }
  g_assert_false (result);
  g_assert_error (error, SONDE_DATA_ERROR, code);
  if (strstr (error->message, word) == NULL)
    g_error ("“%s” does not say “%s”", error->message, word);
}

static void
test_nesting (void)
{
  static const struct
  {
    guint depth;
    int code;
  } rows[] = { { 0, -1 },
               { 99, -1 },
               { 100, -1 },
               { 101, SONDE_DATA_ERROR_LIMIT },
               { 3000, SONDE_DATA_ERROR_LIMIT },
               { 9000, SONDE_DATA_ERROR_LIMIT },
               { 1000000, SONDE_DATA_ERROR_LIMIT } };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    for (guint field = 2; field <= 6; field += 4)
      {
        g_autoptr (GByteArray) bytes = nest (rows[i].depth, field);

        check (bytes->data, bytes->len, NULL, rows[i].code,
               field == 2 ? "Tree.children[0].children[0]" : "Tree.only.only");
      }
}

static void
test_counted_message (void)
{
  const SondeWireLimits limits = { .counted_message = &tree, .counted_limit = 5 };
  g_autoptr (GByteArray) five = nest (5, 2);
  g_autoptr (GByteArray) six = nest (6, 2);
  g_autoptr (GByteArray) beside = g_byte_array_new ();

  check (five->data, five->len, &limits, -1, NULL);
  check (six->data, six->len, &limits, SONDE_DATA_ERROR_LIMIT, "own kind");
  /* Beside each other they do not count. */
  for (guint i = 0; i < 20; i++)
    g_byte_array_append (beside, five->data, five->len);
  check (beside->data, beside->len, &limits, -1, NULL);
}

#define BYTES(text) (const guint8 *) (text), sizeof (text) - 1

typedef struct
{
  const char *name;
  const guint8 *data;
  gsize length;
  int code;
  const char *word;
} Row;

static const Row rows[] = {
  { "empty", BYTES (""), -1, NULL },
  { "all-fields",
    BYTES ("\x08\1\x12\0\x1a\3abc\x22\x08\0\0\0\0\0\0\0\0\x2a\3\1\x80\1\x32\2\x08\7\x3d\0\0\0\0"),
    -1, NULL },
  { "unpacked", BYTES ("\x21\0\0\0\0\0\0\0\0\x28\5"), -1, NULL },
  { "unknown-field", BYTES ("\x98\6\1\x9a\6\3abc"), -1, NULL },
  { "cut-key", BYTES ("\x08\1\x80"), SONDE_DATA_ERROR_DAMAGED, "at byte 2" },
  { "cut-number", BYTES ("\x08"), SONDE_DATA_ERROR_DAMAGED, "Tree.number at byte 0" },
  { "cut-fixed", BYTES ("\x3d\0\0\0"), SONDE_DATA_ERROR_DAMAGED, "Tree.single" },
  { "field-0", BYTES ("\0\1"), SONDE_DATA_ERROR_DAMAGED, "field number" },
  { "field-2-29", BYTES ("\x80\x80\x80\x80\x10\1"), SONDE_DATA_ERROR_DAMAGED, "field number" },
  { "varint-of-10-bytes", BYTES ("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\1"), -1, NULL },
  { "varint-overflow", BYTES ("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\2"),
    SONDE_DATA_ERROR_DAMAGED, "Tree.number" },
  { "varint-of-11-bytes", BYTES ("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\1"),
    SONDE_DATA_ERROR_DAMAGED, "Tree.number" },
  { "length-past-end", BYTES ("\x1a\4abc"), SONDE_DATA_ERROR_DAMAGED, "Tree.text at byte 0" },
  { "length-past-parent",
    BYTES ("\x12\3\x1a\2a"
           "bc"),
    SONDE_DATA_ERROR_DAMAGED, "Tree.children[0].text at byte 2" },
  { "length-int-max",
    BYTES ("\x1a\xff\xff\xff\xff\7"
           "a"),
    SONDE_DATA_ERROR_DAMAGED, "length" },
  { "length-2-35",
    BYTES ("\x1a\x80\x80\x80\x80\x80\1"
           "a"),
    SONDE_DATA_ERROR_DAMAGED, "length" },
  { "length-2-64",
    BYTES ("\x1a\xff\xff\xff\xff\xff\xff\xff\xff\xff\1"
           "a"),
    SONDE_DATA_ERROR_DAMAGED, "length" },
  { "group", BYTES ("\x0b\x0c"), SONDE_DATA_ERROR_DAMAGED, "group" },
  { "wire-type-6", BYTES ("\x0e"), SONDE_DATA_ERROR_DAMAGED, "wire type" },
  { "number-as-bytes", BYTES ("\x0a\1a"), SONDE_DATA_ERROR_DAMAGED, "Tree.number" },
  { "message-as-number", BYTES ("\x10\1"), SONDE_DATA_ERROR_DAMAGED, "Tree.children" },
  { "text-with-nul", BYTES ("\x1a\3a\0b"), SONDE_DATA_ERROR_DAMAGED, "Tree.text at byte 0" },
  { "text-as-fixed", BYTES ("\x1d\0\0\0\0"), SONDE_DATA_ERROR_DAMAGED, "Tree.text" },
  { "packed-doubles-of-7", BYTES ("\x22\7\0\0\0\0\0\0\0"), SONDE_DATA_ERROR_DAMAGED,
    "Tree.doubles" },
  { "packed-cut-varint", BYTES ("\x2a\2\1\x80"), SONDE_DATA_ERROR_DAMAGED, "Tree.numbers" },
};

static void
test_row (gconstpointer data)
{
  const Row *row = data;

  check (row->data, row->length, NULL, row->code, row->word);
}

/* Cut anywhere, a valid message is either shorter and valid or refused; never read past the end
 * (ASan). */
static void
test_cut_everywhere (void)
{
  for (gsize i = 0; i < rows[1].length; i++)
    {
      g_autofree guint8 *copy = g_memdup2 (rows[1].data, i);

      sonde_wire_scan (copy, i, &schema, "test", NULL, NULL, NULL);
    }
}

static void
test_repeated_singular (void)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();

  for (guint i = 0; i < 64; i++)
    g_byte_array_append (bytes, BYTES ("\x32\0"));
  check (bytes->data, bytes->len, NULL, -1, NULL);
  g_byte_array_append (bytes, BYTES ("\x32\0"));
  check (bytes->data, bytes->len, NULL, SONDE_DATA_ERROR_LIMIT, "Tree.only");
}

/* Little bytes, much memory. */
static void
test_heap (void)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  const SondeWireLimits tight = { .heap_bytes = 10000 };
  guint64 heap = 0;

  for (guint i = 0; i < 100; i++)
    g_byte_array_append (bytes, BYTES ("\x12\0"));
  g_assert_true (sonde_wire_scan (bytes->data, bytes->len, &schema, "test", NULL, &heap, NULL));
  g_assert_cmpuint (heap, >=, 100 * (100 + 8));
  g_assert_cmpuint (heap, <, 100 * 400);
  check (bytes->data, bytes->len, &tight, SONDE_DATA_ERROR_LIMIT, "10000 bytes");

  for (guint i = 0; i < 5000000; i++)
    g_byte_array_append (bytes, BYTES ("\x12\0"));
  check (bytes->data, bytes->len, NULL, SONDE_DATA_ERROR_LIMIT, "Tree");
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/base/wire/nesting", test_nesting);
  g_test_add_func ("/data/base/wire/counted-message", test_counted_message);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_strconcat ("/data/base/wire/rows/", rows[i].name, NULL);

      g_test_add_data_func (path, &rows[i], test_row);
    }
  g_test_add_func ("/data/base/wire/cut-everywhere", test_cut_everywhere);
  g_test_add_func ("/data/base/wire/repeated-singular", test_repeated_singular);
  g_test_add_func ("/data/base/wire/heap", test_heap);
  return g_test_run ();
}
