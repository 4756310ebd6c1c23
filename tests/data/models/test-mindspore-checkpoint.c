/* SPDX-License-Identifier: Apache-2.0
 * MindSpore checkpoints: those of the samples against their weights as .npy, tensors in parts,
 * checksums, damage. */
#include "data/models/sonde-mindspore-checkpoint.h"

#include <string.h>

#include "data/base/sonde-error.h"
#include "tests/data/models/wire-builder.h"

static char *
dup_sample (const char *net)
{
  const char *shared = g_getenv ("SONDE_SHARED");
  char *path
      = g_strdup_printf ("%s/samples/mindspore/models/%s", shared != NULL ? shared : "", net);

  if (shared != NULL && g_file_test (path, G_FILE_TEST_IS_DIR))
    return path;
  g_test_skip ("the samples of SONDE_SHARED are not here");
  g_free (path);
  return NULL;
}

static void
test_sample (gconstpointer data)
{
  g_autofree char *folder = dup_sample (data);
  g_autofree char *path = g_strdup_printf ("%s/%s.ckpt", folder, (const char *) data);
  g_autoptr (SondeNamedTensors) tensors = NULL;
  g_autoptr (GError) error = NULL;

  if (folder == NULL)
    return;
  tensors = sonde_mindspore_checkpoint_read (NULL, path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (sonde_named_tensors_get_size (tensors), >=, 8);
  for (gsize i = 0; i < sonde_named_tensors_get_size (tensors); i++)
    {
      g_autofree char *file = g_strdup_printf ("%s/weights/%s.npy", folder,
                                               sonde_named_tensors_get_name (tensors, i));
      g_autoptr (SondeTensor) want = sonde_npy_read (NULL, file, &error);

      g_assert_no_error (error);
      g_assert_true (sonde_tensor_equal (sonde_named_tensors_get_tensor (tensors, i), want));
    }
}

/* Two values "a" of [2] float32 in two parts, a checksum behind them. */
static const guint8 small[] = {
  0x0a, 0x18, 0x0a, 1,    'a', 0x12, 0x13, 0x08, 2,   0x12, 7,    'F',  'l',  'o', 'a', 't',
  '3',  '2',  0x1a, 6,    0,   0,    0x80, 0x3f, 0,   0,    0x0a, 0x14, 0x0a, 1,   'a', 0x12,
  0x0f, 0x08, 2,    0x12, 7,   'F',  'l',  'o',  'a', 't',  '3',  '2',  0x1a, 2,   0,   0x40,
};

static void
test_parts (void)
{
  guint8 bytes[sizeof small + 17];
  g_autoptr (SondeNamedTensors) tensors = NULL;
  g_autoptr (GError) error = NULL;
  guint32 sum = 0xffffffff;

  tensors = sonde_mindspore_checkpoint_parse (small, sizeof small, "x.ckpt", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (sonde_named_tensors_get_size (tensors), ==, 1);
  g_assert_cmpfloat (sonde_tensor_get_double (sonde_named_tensors_lookup (tensors, "a"), 0), ==, 1);
  g_assert_cmpfloat (sonde_tensor_get_double (sonde_named_tensors_lookup (tensors, "a"), 1), ==, 2);
  g_clear_pointer (&tensors, sonde_named_tensors_free);

  memcpy (bytes, small, sizeof small);
  memset (bytes + sizeof small, 0, 17);
  memcpy (bytes + sizeof small, "crc_num", 7);
  for (gsize i = 0; i < sizeof small; i++)
    {
      sum ^= small[i];
      for (int k = 0; k < 8; k++)
        sum = sum >> 1 ^ (sum & 1 ? 0xedb88320 : 0);
    }
  for (int i = 0; i < 4; i++)
    bytes[sizeof bytes - 1 - (gsize) i] = (guint8) (~sum >> 8 * i);
  tensors = sonde_mindspore_checkpoint_parse (bytes, sizeof bytes, "x.ckpt", &error);
  g_assert_no_error (error);
  bytes[23] ^= 1; /* of a number */
  g_assert_null (sonde_mindspore_checkpoint_parse (bytes, sizeof bytes, "x.ckpt", &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED);
  g_assert_nonnull (strstr (error->message, "checksum"));
}

/* Rows CK3 and CK6. A part is a letter, its numbers and its first dimension: "a1 a2", of which each
 * number is a float32. */
static void
add_part (GByteArray *file, char name, guint8 n_numbers, guint8 dimension, const char *type)
{
  const guint8 n_type = (guint8) strlen (type), n_bytes = (guint8) (4 * n_numbers);
  const guint8 n_tensor = (guint8) (2 + 2 + n_type + 2 + n_bytes);
  const guint8 head[] = { 0x0a,          (guint8) (3 + 2 + n_tensor),
                          0x0a,          1,
                          (guint8) name, 0x12,
                          n_tensor,      0x08,
                          dimension,     0x12,
                          n_type };
  const guint8 content[] = { 0x1a, n_bytes }, zeros[256] = { 0 };

  g_byte_array_append (file, head, sizeof head);
  g_byte_array_append (file, (const guint8 *) type, n_type);
  g_byte_array_append (file, content, sizeof content);
  g_byte_array_append (file, zeros, n_bytes);
}

static void
test_part_order (void)
{
  static const struct
  {
    const char *names, *lengths;
    const char *problem; /* NULL: right */
  } rows[] = {
    { "aaa", "222", NULL },
    { "aaab", "2226", NULL },
    { "aa", "22", "part 3 is missing" },
    { "a", "2", "has 8 bytes, its shape needs 24" },
    { "aaaa", "2222", "part 4 of tensor “a” exceeds" },
    { "aaa", "242", "part 3 of tensor “a” exceeds" },
    { "aaba", "2262", "part 3 of tensor “a” follows other tensors" },
    { "aab", "226", "part 3 is missing" },
    { "aa", "66", "part 2 of tensor “a” exceeds" },
    { "aa", "06", "part 2 of tensor “a” exceeds" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GByteArray) file = g_byte_array_new ();
      g_autoptr (SondeNamedTensors) tensors = NULL;
      g_autoptr (GError) error = NULL;

      for (gsize k = 0; rows[i].names[k] != '\0'; k++)
        add_part (file, rows[i].names[k], (guint8) (rows[i].lengths[k] - '0'), 6, "Float32");
      tensors = sonde_mindspore_checkpoint_parse (file->data, file->len, "x.ckpt", &error);
      g_test_message ("%s: %s", rows[i].names, error != NULL ? error->message : "read");
      g_assert_cmpint (tensors == NULL, ==, rows[i].problem != NULL);
      if (rows[i].problem != NULL)
        {
          g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED);
          g_assert_nonnull (strstr (error->message, rows[i].problem));
        }
    }
}

static void
test_part_kinds (void)
{
  g_autoptr (GByteArray) other_shape = g_byte_array_new (), other_type = g_byte_array_new (),
                         unknown = g_byte_array_new ();
  g_autoptr (GError) error = NULL;

  add_part (other_shape, 'a', 2, 6, "Float32");
  add_part (other_shape, 'a', 4, 4, "Float32");
  g_assert_null (
      sonde_mindspore_checkpoint_parse (other_shape->data, other_shape->len, "x.ckpt", &error));
  g_assert_nonnull (strstr (error->message, "part 2 of tensor “a” has another shape or type"));
  g_clear_error (&error);
  add_part (other_type, 'a', 2, 6, "Float32");
  add_part (other_type, 'a', 4, 6, "Int32");
  g_assert_null (
      sonde_mindspore_checkpoint_parse (other_type->data, other_type->len, "x.ckpt", &error));
  g_assert_nonnull (strstr (error->message, "part 2 of tensor “a” has another shape or type"));
  g_clear_error (&error);
  add_part (unknown, 'a', 2, 6, "Float8");
  add_part (unknown, 'a', 4, 6, "Float8");
  g_assert_null (sonde_mindspore_checkpoint_parse (unknown->data, unknown->len, "x.ckpt", &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "“Float8”"));
}

static void
test_damage (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (9);

  for (gsize length = 0; length < sizeof small; length++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (sonde_mindspore_checkpoint_parse (small, length, "x.ckpt", &error));
      g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED);
      g_assert_nonnull (strstr (error->message, "x.ckpt"));
    }
  for (int i = 0; i < 20000; i++)
    {
      guint8 copy[sizeof small];
      g_autoptr (SondeNamedTensors) tensors = NULL;

      memcpy (copy, small, sizeof copy);
      for (int k = 0; k < 2; k++)
        copy[g_rand_int_range (random, 0, sizeof copy)] = (guint8) g_rand_int (random);
      tensors = sonde_mindspore_checkpoint_parse (copy, sizeof copy, "x", NULL);
    }
}

/* ---- bytes that no writer makes ------------------------------------------ */

/* The one tensor of a file: "a", four numbers of int8. */
static GByteArray *
make_tensor (void)
{
  GByteArray *tensor = wire_new ();

  wire_int (tensor, 1, 4);
  wire_text (tensor, 2, "Int8");
  wire_text (tensor, 3, "abcd");
  return tensor;
}

static GByteArray *
make_value (GByteArray *tensor)
{
  GByteArray *value = wire_new ();

  wire_text (value, 1, "a");
  wire_take (value, 2, tensor);
  return value;
}

/* (transfer full) @value */
static void
refuse (GByteArray *value, int code, const char *words)
{
  g_autoptr (GByteArray) file = wire_new ();
  g_autoptr (GError) error = NULL;

  wire_take (file, 1, value);
  g_assert_null (sonde_mindspore_checkpoint_parse (file->data, file->len, "x.ckpt", &error));
  g_assert_error (error, SONDE_DATA_ERROR, code);
  g_assert_nonnull (strstr (error->message, "x.ckpt"));
  if (strstr (error->message, words) == NULL)
    g_error ("“%s” says nothing of “%s”", error->message, words);
}

static void
test_hostile (void)
{
  GByteArray *value = make_value (make_tensor ()), *tensor = make_tensor ();

  wire_int (value, 1, 7);
  refuse (value, SONDE_DATA_ERROR_DAMAGED, "Checkpoint.value[0].tag at byte 21");
  wire_int (tensor, 3, 7);
  refuse (make_value (tensor), SONDE_DATA_ERROR_DAMAGED, "tensor_content");
  value = make_value (make_tensor ());
  wire_key (value, 2, 2);
  wire_varint (value, G_MAXUINT64);
  refuse (value, SONDE_DATA_ERROR_DAMAGED, "goes past its end");
  value = make_value (make_tensor ());
  wire_key (value, 9, 3);
  refuse (value, SONDE_DATA_ERROR_DAMAGED, "group");
  tensor = make_tensor ();
  wire_bytes (tensor, 1, "\xff", 1);
  refuse (make_value (tensor), SONDE_DATA_ERROR_DAMAGED, "dims");
  tensor = make_tensor ();
  wire_int (tensor, 1, -1);
  refuse (make_value (tensor), SONDE_DATA_ERROR_DAMAGED, "dimensions");
  tensor = make_tensor ();
  for (int i = 0; i < SONDE_MAX_RANK; i++)
    wire_int (tensor, 1, 1);
  refuse (make_value (tensor), SONDE_DATA_ERROR_DAMAGED, "dimensions");
  value = make_value (make_tensor ());
  wire_text (value, 3, "");
  refuse (value, SONDE_DATA_ERROR_UNSUPPORTED, "map tensor");
  refuse (wire_new (), SONDE_DATA_ERROR_DAMAGED, "no name");
  value = wire_new ();
  wire_text (value, 1, "a");
  refuse (value, SONDE_DATA_ERROR_UNSUPPORTED, "dtype");
  value = make_value (make_tensor ());
  for (int i = 0; i < 64; i++)
    wire_bytes (value, 2, "", 0);
  refuse (value, SONDE_DATA_ERROR_LIMIT, "repeated too often");
}

/* Fields of later versions are stepped over, how deep they may be; a packed list goes on. */
static void
test_unknown_fields (void)
{
  g_autoptr (GByteArray) file = wire_new ();
  g_autoptr (SondeNamedTensors) tensors = NULL;
  g_autoptr (GError) error = NULL;
  GByteArray *tensor = make_tensor (), *deep = wire_new (), *value;

  for (int i = 0; i < 1000; i++)
    {
      GByteArray *outer = wire_new ();

      wire_take (outer, 4, deep);
      deep = outer;
    }
  wire_bytes (tensor, 1, "\1\1", 2);
  wire_float (tensor, 15, 1);
  value = make_value (tensor);
  wire_bytes (file, 7, deep->data, deep->len);
  wire_take (value, 4, deep);
  wire_take (file, 1, value);
  tensors = sonde_mindspore_checkpoint_parse (file->data, file->len, "x.ckpt", &error);
  g_assert_no_error (error);
  g_assert_cmpint (sonde_named_tensors_lookup (tensors, "a")->shape.rank, ==, 3);
  g_assert_cmpfloat (sonde_tensor_get_double (sonde_named_tensors_lookup (tensors, "a"), 3), ==,
                     'd');
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/data/models/mindspore-checkpoint/lenet", "lenet", test_sample);
  g_test_add_data_func ("/data/models/mindspore-checkpoint/tinyresnet-bn", "tinyresnet_bn",
                        test_sample);
  g_test_add_func ("/data/models/mindspore-checkpoint/parts", test_parts);
  g_test_add_func ("/data/models/mindspore-checkpoint/CK6-part-order", test_part_order);
  g_test_add_func ("/data/models/mindspore-checkpoint/CK6-part-kinds", test_part_kinds);
  g_test_add_func ("/data/models/mindspore-checkpoint/damage", test_damage);
  g_test_add_func ("/data/models/mindspore-checkpoint/hostile", test_hostile);
  g_test_add_func ("/data/models/mindspore-checkpoint/unknown-fields", test_unknown_fields);
  return g_test_run ();
}
