/* SPDX-License-Identifier: Apache-2.0
 * Decoding protobuf: hostile bytes, and that what is accepted is what protobuf-c makes of it. Rows
 * are the ids of a table of bad inputs (PB1 …). */
#include "data/wire/sonde-wire-decode.h"

#include <string.h>

#include "data/base/sonde-budget.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-random.h"
#include "tests/data/wire/tree.pb-c.h"

#define DESCRIPTOR (&test__tree__descriptor)

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

/* ---- against protobuf-c -------------------------------------------------- */

/* What is not in the .proto, which protobuf-c keeps. */
static void
strip (ProtobufCMessage *message)
{
  for (guint i = 0; i < message->n_unknown_fields; i++)
    free (message->unknown_fields[i].data);
  free (message->unknown_fields);
  message->unknown_fields = NULL;
  message->n_unknown_fields = 0;
  for (guint i = 0; i < message->descriptor->n_fields; i++)
    {
      const ProtobufCFieldDescriptor *field = &message->descriptor->fields[i];
      guint8 *at = (guint8 *) message;
      ProtobufCMessage ***list = (gpointer) (at + field->offset), **one = (gpointer) *list;
      const gboolean is_chosen
          = (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) == 0
            || *(guint32 *) (gpointer) (at + field->quantifier_offset) == field->id;

      if (field->type != PROTOBUF_C_TYPE_MESSAGE || !is_chosen)
        continue;
      if (field->label != PROTOBUF_C_LABEL_REPEATED && one != NULL)
        strip ((ProtobufCMessage *) one);
      else if (field->label == PROTOBUF_C_LABEL_REPEATED)
        for (gsize k = 0; k < *(gsize *) (gpointer) (at + field->quantifier_offset); k++)
          strip ((*list)[k]);
    }
}

static GBytes *
pack (const ProtobufCMessage *message)
{
  gsize length = protobuf_c_message_get_packed_size (message);
  guint8 *bytes = g_malloc (length + 1);

  g_assert_cmpuint (protobuf_c_message_pack (message, bytes), ==, length);
  return g_bytes_new_take (bytes, length);
}

static void
compare (const Test__Tree *tree, const guint8 *data, gsize length)
{
  Test__Tree *theirs = test__tree__unpack (NULL, length, data);
  g_autoptr (GBytes) ours = pack (&tree->base), other = NULL;

  g_assert_nonnull (theirs);
  strip (&theirs->base);
  other = pack (&theirs->base);
  g_assert_true (g_bytes_equal (ours, other));
  test__tree__free_unpacked (theirs, NULL);
}

/* All three ways agree. (nullable): @limits. Returns: accepted */
static gboolean
decode (const guint8 *data, gsize length, const SondeWireLimits *limits, GError **error)
{
  g_auto (SondeWireArena) arena = { 0 };
  g_autoptr (GError) again = NULL, looking = NULL;
  Test__Tree *tree = sonde_wire_decode (DESCRIPTOR, data, length, "test", limits, &arena, error);
  Test__Tree *copy = sonde_wire_decode_copy (DESCRIPTOR, data, length, "test", limits, &again);
  gboolean right = sonde_wire_check (DESCRIPTOR, data, length, "test", limits, &looking);

  g_assert_true ((copy != NULL) == (tree != NULL));
  if (error != NULL && *error != NULL)
    g_assert_cmpstr (again->message, ==, (*error)->message);
  /* Numbers in packed lists and memory are not looked at by a check. */
  g_assert_true (right || tree == NULL);
  if (!right && error != NULL)
    g_assert_cmpstr (looking->message, ==, (*error)->message);
  if (tree != NULL)
    {
      compare (tree, data, length);
      compare (copy, data, length);
    }
  sonde_wire_free (copy);
  return tree != NULL;
}

static void
check (const guint8 *data, gsize length, const SondeWireLimits *limits, int code, /* -1: accepted */
       const char *word)
{
  g_autoptr (GError) error = NULL;
  gboolean result = decode (data, length, limits, &error);

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

/* ---- bad inputs ---------------------------------------------------------- */

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
  const SondeWireLimits limits = { .counted = DESCRIPTOR, .counted_limit = 5 };
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
  { "length-past-parent", BYTES ("\x12\3\x1a\2a\x08\1"), SONDE_DATA_ERROR_DAMAGED,
    "Tree.children[0].text at byte 2" },
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

      decode (copy, i, NULL, NULL);
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
test_memory (void)
{
  const gsize each = sizeof (Test__Tree) + sizeof (Test__Tree *);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  const SondeWireLimits tight = { .memory = 10000 };
  g_auto (SondeWireArena) arena = { 0 };

  for (guint i = 0; i < 100; i++)
    g_byte_array_append (bytes, BYTES ("\x12\0"));
  g_assert_nonnull (
      sonde_wire_decode (DESCRIPTOR, bytes->data, bytes->len, "test", NULL, &arena, NULL));
  g_assert_cmpuint (arena.taken, >=, 100 * each);
  g_assert_cmpuint (arena.taken, <, 102 * each);
  check (bytes->data, bytes->len, &tight, SONDE_DATA_ERROR_LIMIT, "10000 bytes");

  for (guint i = 0; i < 5000000; i++)
    g_byte_array_append (bytes, BYTES ("\x12\0"));
  check (bytes->data, bytes->len, NULL, SONDE_DATA_ERROR_LIMIT, "Tree");
}

/* ---- values -------------------------------------------------------------- */

/* Numbers of all types, at their ends; texts end with a NUL, bytes lie where they were. */
static void
test_values (void)
{
  static const guint8 data[]
      = "\x40\x03\x48\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x50\xff\xff\xff\xff\x0f"
        "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x7d\0\0\xc0\x3f\x88\x01\x80\x02"
        "\x1a\2hi\x9a\x01\3a\0b\xba\x01\3\1\2\3";
  g_auto (SondeWireArena) arena = { 0 };
  const Test__Tree *tree
      = sonde_wire_decode (DESCRIPTOR, data, sizeof data - 1, "test", NULL, &arena, NULL);

  g_assert_nonnull (tree);
  g_assert_cmpint (tree->s32, ==, -2);
  g_assert_cmpint (tree->s64, ==, G_MININT64);
  g_assert_cmpuint (tree->u32, ==, G_MAXUINT32);
  g_assert_true (tree->has_number && tree->number == -1 && !tree->has_u64);
  g_assert_true (tree->real >= 1.5f && tree->real <= 1.5f);
  g_assert_cmpint (tree->flag, ==, TRUE);
  g_assert_cmpstr (tree->text, ==, "hi");
  g_assert_cmpuint (tree->blob.len, ==, 3);
  g_assert_true (tree->blob.data > data && tree->blob.data + 3 < data + sizeof data);
  g_assert_cmpuint (tree->n_deltas, ==, 3);
  g_assert_cmpint (tree->deltas[0], ==, -1);
  g_assert_cmpint (tree->deltas[2], ==, -2);
  g_assert_cmpint (tree->preset, ==, 42);
  g_assert_cmpstr (tree->preset_text, ==, "none");
}

/* Of a choice the last one holds; of two messages of one field all that is in them, also where a
 * choice holds it (there protobuf-c 1.4 drops the first). */
static void
test_last_one_and_merged (void)
{
  static const guint8 choice[] = "\xd2\x01\x0a\x08\7\xc2\x02\2\x08\1\x12\1x",
                      merged[] = "\xd2\x01\x0a\xc2\x02\2\x08\1\xc2\x02\2\x50\2",
                      pieces[] = "\x32\4\x28\1\x28\2\x32\6\x28\3\x1a\2hi\x32\2\x12\0\x32\2\x12\0";
  g_auto (SondeWireArena) arena = { 0 };
  const Test__Tree *tree
      = sonde_wire_decode (DESCRIPTOR, choice, sizeof choice - 1, "test", NULL, &arena, NULL);

  g_assert_cmpuint (tree->n_choices, ==, 1);
  g_assert_cmpint (tree->choices[0]->choice_case, ==, TEST__CHOICE__CHOICE_TEXT);
  g_assert_cmpstr (tree->choices[0]->text, ==, "x");
  tree = sonde_wire_decode (DESCRIPTOR, merged, sizeof merged - 1, "test", NULL, &arena, NULL);
  g_assert_cmpint (tree->choices[0]->tree->number, ==, 1);
  g_assert_cmpuint (tree->choices[0]->tree->u32, ==, 2);
  tree = sonde_wire_decode (DESCRIPTOR, pieces, sizeof pieces - 1, "test", NULL, &arena, NULL);
  g_assert_cmpuint (tree->only->n_numbers, ==, 3);
  g_assert_cmpint (tree->only->numbers[2], ==, 3);
  g_assert_cmpstr (tree->only->text, ==, "hi");
  g_assert_cmpuint (tree->only->n_children, ==, 2);
  check (choice, sizeof choice - 1, NULL, -1, NULL);
  check (pieces, sizeof pieces - 1, NULL, -1, NULL);
}

/* ---- random messages ----------------------------------------------------- */

static guint64
draw_bits (guint64 *dice)
{
  return sonde_random_bits (11, 0, (*dice)++);
}

static guint
draw (guint64 *dice, guint n)
{
  return (guint) (draw_bits (dice) % n);
}

/* Any bytes with the look of fields: mostly of the .proto and of the right type. */
static void
put_random (guint64 *dice, GByteArray *out, guint depth)
{
  static const guint8 wire[] = { 0, 0, 2, 2, 1, 0, 2, 5, 0, 0, 0, 0, 5, 1, 1, 5,
                                 1, 0, 0, 2, 2, 2, 2, 2, 5, 0, 2, 0, 2, 2, 0 };

  for (guint n = draw (dice, 6); n > 0; n--)
    {
      guint field = 1 + draw (dice, G_N_ELEMENTS (wire) - 1);
      guint type = draw (dice, 40) == 0 ? draw (dice, 6) : wire[field];

      put_varint (out, field << 3 | type);
      if (type == 0)
        put_varint (out, draw_bits (dice) >> draw (dice, 64));
      else if (type != 2)
        for (guint k = type == 1 ? 8 : 4; k > 0; k--)
          g_byte_array_append (out, &(guint8){ (guint8) draw (dice, 256) }, 1);
      else
        {
          g_autoptr (GByteArray) inner = g_byte_array_new ();

          if (depth < 5 && draw (dice, 2) == 0)
            put_random (dice, inner, depth + 1);
          else
            for (guint k = draw (dice, 17); k > 0; k--)
              g_byte_array_append (inner, &(guint8){ (guint8) (1 + draw (dice, 120)) }, 1);
          if (field == 19 && inner->len == 0) /* which protobuf-c 1.4 loses when it merges */
            g_byte_array_append (inner, &(guint8){ 1 }, 1);
          put_varint (out, inner->len);
          g_byte_array_append (out, inner->data, inner->len);
        }
    }
}

/* decode() compares each that is accepted. */
static void
test_random (void)
{
  guint64 dice = 0;
  guint n_accepted = 0;

  for (guint i = 0; i < 20000; i++)
    {
      g_autoptr (GByteArray) bytes = g_byte_array_new ();
      g_autoptr (GError) error = NULL;
      g_autofree guint8 *exact = NULL;

      put_random (&dice, bytes, 0);
      if (bytes->len > 0 && draw (&dice, 8) == 0)
        bytes->data[draw (&dice, bytes->len)] ^= (guint8) (1 << draw (&dice, 8));
      exact = g_memdup2 (bytes->data, bytes->len);
      n_accepted += decode (exact, bytes->len, NULL, &error);
    }
  g_assert_cmpuint (n_accepted, >, 5000);
  g_assert_cmpuint (n_accepted, <, 19000);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/wire/nesting", test_nesting);
  g_test_add_func ("/data/wire/counted-message", test_counted_message);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_strconcat ("/data/wire/rows/", rows[i].name, NULL);

      g_test_add_data_func (path, &rows[i], test_row);
    }
  g_test_add_func ("/data/wire/cut-everywhere", test_cut_everywhere);
  g_test_add_func ("/data/wire/repeated-singular", test_repeated_singular);
  g_test_add_func ("/data/wire/memory", test_memory);
  g_test_add_func ("/data/wire/values", test_values);
  g_test_add_func ("/data/wire/last-one-and-merged", test_last_one_and_merged);
  g_test_add_func ("/data/wire/random", test_random);
  return g_test_run ();
}
