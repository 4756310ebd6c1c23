/* SPDX-License-Identifier: Apache-2.0
 * Files of torch.save(): those of the samples against what torch.load() read, a state dictionary, and
 * hostile pickles. */
#include "data/arrays/sonde-torch-file.h"
#include "data/base/sonde-error.h"
#include "tests/support/sonde-test-tensor.h"

#include <archive.h>
#include <archive_entry.h>
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <string.h>

#define PICKLE(text) text, sizeof text - 1

typedef struct
{
  const char *name;
  const char *pickle;
  gsize length;
  int code;
  const char *says;
} Hostile;

/* Each has the storage "0" of 6 float32. Written by Python's pickle, protocol 2, with classes called as
 * PyTorch's. */
static const Hostile hostile[] = {
  { "beyond",
    PICKLE ("\200\002ctorch._utils\012_rebuild_tensor_v2\012q\000(("
            "X\007\000\000\000storageq\001ctorch\012FloatStorage\012q\002X\001\000\000\0000q\003X"
            "\003\000\000\000cpuq\004K\006tq\005QK\001K\002K\003\206q\006K\003K\001\206q\007\211cco"
            "llections\012OrderedDict\012q\010)Rq\011tq\012Rq\013."),
    SONDE_DATA_ERROR_DAMAGED, "does not lie" },
  { "expand",
    PICKLE ("\200\002ctorch._utils\012_rebuild_tensor_v2\012q\000(("
            "X\007\000\000\000storageq\001ctorch\012FloatStorage\012q\002X\001\000\000\0000q\003X"
            "\003\000\000\000cpuq\004K\006tq\005QK\000J@B\017\000J@"
            "B\017\000\206q\006K\000K\000\206q\007\211ccollections\012OrderedDict\012q\010)"
            "Rq\011tq\012Rq\013."),
    SONDE_DATA_ERROR_LIMIT, "a tensor" },
  { "negative",
    PICKLE ("\200\002ctorch._utils\012_rebuild_tensor_v2\012q\000(("
            "X\007\000\000\000storageq\001ctorch\012FloatStorage\012q\002X\001\000\000\0000q\003X"
            "\003\000\000\000cpuq\004K\006tq\005QJ\377\377\377\377K\002\205q\006K\001\205q\007\211c"
            "collections\012OrderedDict\012q\010)Rq\011tq\012Rq\013."),
    SONDE_DATA_ERROR_DAMAGED, "does not lie" },
  { "evil",
    PICKLE ("\200\002}"
            "q\000X\001\000\000\000aq\001cposix\012system\012q\002X\004\000\000\000trueq\003\205q"
            "\004Rq\005s."),
    SONDE_DATA_ERROR_UNSUPPORTED, "posix.system" },
  { "complex",
    PICKLE ("\200\002ctorch._utils\012_rebuild_tensor_v2\012q\000(("
            "X\007\000\000\000storageq\001ctorch\012ComplexFloatStorage\012q\002X\001\000\000\0000q"
            "\003X\003\000\000\000cpuq\004K\006tq\005QK\000K\002\205q\006K\001\205q\007\211ccollect"
            "ions\012OrderedDict\012q\010)Rq\011tq\012Rq\013."),
    SONDE_DATA_ERROR_UNSUPPORTED, "ComplexFloatStorage" },
  { "missing",
    PICKLE ("\200\002ctorch._utils\012_rebuild_tensor_v2\012q\000(("
            "X\007\000\000\000storageq\001ctorch\012FloatStorage\012q\002X\001\000\000\0001q\003X"
            "\003\000\000\000cpuq\004K\006tq\005QK\000K\002\205q\006K\001\205q\007\211ccollections"
            "\012OrderedDict\012q\010)Rq\011tq\012Rq\013."),
    SONDE_DATA_ERROR_DAMAGED, "storage is missing" },
  { "long",
    PICKLE ("\200\002ctorch._utils\012_rebuild_tensor_v2\012q\000(("
            "X\007\000\000\000storageq\001ctorch\012FloatStorage\012q\002X\001\000\000\0000q\003X"
            "\003\000\000\000cpuq\004K\007tq\005QK\000K\002\205q\006K\001\205q\007\211ccollections"
            "\012OrderedDict\012q\010)Rq\011tq\012Rq\013."),
    SONDE_DATA_ERROR_DAMAGED, "shorter" },
  { "overflow",
    PICKLE ("\200\002ctorch._utils\012_rebuild_tensor_v2\012q\000(("
            "X\007\000\000\000storageq\001ctorch\012FloatStorage\012q\002X\001\000\000\0000q\003X"
            "\003\000\000\000cpuq\004K\006tq\005QK\000K\002K\002\206q\006\212\010\000\000\000\000"
            "\000\000\000@\212\010\000\000\000\000\000\000\000@"
            "\206q\007\211ccollections\012OrderedDict\012q\010)Rq\011tq\012Rq\013."),
    SONDE_DATA_ERROR_DAMAGED, "does not lie" },
  { "bomb",
    PICKLE ("\200\002]q\000(]q\001(]q\002(]q\003(]q\004(]q\005(]q\006(]q\007(]q\010(]q\011(]q\012(]"
            "q\013(]q\014(]q\015(]q\016(]q\017(]q\020(]q\021(]q\022(]q\023(]q\024(]q\025(]q\026(]"
            "q\027(]q\030(]q\031(]q\032(]q\033(]q\034(]q\035(]q\036(]q\037(]q "
            "(]q!(]q\"(]q#(]q$(]q%(]q&(]q'(]q((]q)(]q*(]q+(]q,(]q-(]q.(]q/"
            "(]q0(]q1(]q2(]q3(]q4(]q5(]q6(]q7(]q8(]q9(]q:(]q;(]q<K\001ah<eh;eh:"
            "eh9eh8eh7eh6eh5eh4eh3eh2eh1eh0eh/eh.eh-eh,eh+eh*eh)eh(eh'eh&eh%eh$eh#eh\"eh!eh "
            "eh\037eh\036eh\035eh\034eh\033eh\032eh\031eh\030eh\027eh\026eh\025eh\024eh\023eh\022eh"
            "\021eh\020eh\017eh\016eh\015eh\014eh\013eh\012eh\011eh\010eh\007eh\006eh\005eh\004eh"
            "\003eh\002eh\001e."),
    SONDE_DATA_ERROR_DAMAGED, "too deep or too often" },
};

/* {"model": OrderedDict ("fc.weight" a parameter 2×3, "fc.t" its transpose, "n" 3),
 *  "opt": [a scalar, 7], "epoch": 2} */
static const char state[]
    = "\200\002}q\000(X\005\000\000\000modelq\001ccollections\012OrderedDict\012q\002)Rq\003("
      "X\011\000\000\000fc.weightq\004ctorch._utils\012_rebuild_parameter\012q\005ctorch._"
      "utils\012_rebuild_tensor_v2\012q\006(("
      "X\007\000\000\000storageq\007ctorch\012FloatStorage\012q\010X\001\000\000\0000q\011X\003\000"
      "\000\000cpuq\012K\006tq\013QK\000K\002K\003\206q\014K\003K\001\206q\015\211h\002)"
      "Rq\016tq\017Rq\020\210h\002)Rq\021\207q\022Rq\023X\004\000\000\000fc.tq\024h\006("
      "h\013QK\000K\003K\002\206q\025K\001K\003\206q\026\211h\002)"
      "Rq\027tq\030Rq\031X\001\000\000\000nq\032K\003uX\003\000\000\000optq\033]q\034(h\006("
      "h\013QK\005))\211h\002)Rq\035tq\036Rq\037K\007eX\005\000\000\000epochq K\002u.";

typedef struct
{
  char *folder, *path;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->folder = g_dir_make_tmp ("sonde-torch-XXXXXX", NULL);
  fixture->path = g_build_filename (fixture->folder, "x.pt", NULL);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_unlink (fixture->path);
  g_assert_cmpint (g_rmdir (fixture->folder), ==, 0);
  g_free (fixture->path);
  g_free (fixture->folder);
}

static void
write_member (struct archive *archive, const char *name, const void *bytes, gsize length)
{
  struct archive_entry *entry = archive_entry_new ();

  archive_entry_set_pathname (entry, name);
  archive_entry_set_filetype (entry, AE_IFREG);
  archive_entry_set_size (entry, (la_int64_t) length);
  g_assert_cmpint (archive_write_header (archive, entry), ==, ARCHIVE_OK);
  g_assert_cmpint (archive_write_data (archive, bytes, length), ==, (la_ssize_t) length);
  archive_entry_free (entry);
}

static void
write_file (const char *path, const char *pickle, gsize length, const char *order)
{
  const float numbers[] = { 0, 1, 2, 3, 4, 5 };
  struct archive *archive = archive_write_new ();

  archive_write_set_format_zip (archive);
  archive_write_zip_set_compression_store (archive);
  g_assert_cmpint (archive_write_open_filename (archive, path), ==, ARCHIVE_OK);
  write_member (archive, "x/data.pkl", pickle, length);
  write_member (archive, "x/byteorder", order, strlen (order));
  write_member (archive, "x/data/0", numbers, sizeof numbers);
  g_assert_cmpint (archive_write_free (archive), ==, ARCHIVE_OK);
}

static void
assert_tensor (SondeNamedTensors *tensors, const char *name, const SondeShape *shape,
               const float *numbers)
{
  SondeTensor *tensor = sonde_named_tensors_lookup (tensors, name);
  g_autoptr (SondeTensor) wanted = sonde_tensor_new_from_data (SONDE_DTYPE_F32, shape, numbers);

  g_assert_nonnull (tensor);
  g_assert_true (sonde_tensor_equal (tensor, wanted));
}

static void
test_state (Fixture *fixture, gconstpointer data)
{
  const SondeShape wide = sonde_shape_make (2, 2, 3), tall = sonde_shape_make (2, 3, 2),
                   scalar = sonde_shape_scalar ();
  g_autoptr (SondeNamedTensors) tensors = NULL;
  g_autoptr (GError) error = NULL;

  write_file (fixture->path, PICKLE (state), "little");
  tensors = sonde_torch_file_read (NULL, fixture->path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (sonde_named_tensors_get_size (tensors), ==, 3);
  assert_tensor (tensors, "model.fc.weight", &wide, (const float[]){ 0, 1, 2, 3, 4, 5 });
  assert_tensor (tensors, "model.fc.t", &tall, (const float[]){ 0, 3, 1, 4, 2, 5 });
  assert_tensor (tensors, "opt.0", &scalar, (const float[]){ 5 });
  g_assert_null (sonde_torch_file_read_tensor (NULL, fixture->path, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID);
}

static void
test_hostile (Fixture *fixture, gconstpointer data)
{
  const Hostile *test = data;
  g_autoptr (GError) error = NULL;

  write_file (fixture->path, test->pickle, test->length, "little");
  g_assert_null (sonde_torch_file_read (NULL, fixture->path, &error));
  g_assert_error (error, SONDE_DATA_ERROR, test->code);
  g_assert_nonnull (strstr (error->message, test->says));
}

static void
assert_refused (Fixture *fixture, int code, const char *says)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (sonde_torch_file_read (NULL, fixture->path, &error));
  g_assert_error (error, SONDE_DATA_ERROR, code);
  g_assert_nonnull (strstr (error->message, says));
}

static void
test_no_file_of_torch (Fixture *fixture, gconstpointer data)
{
  struct archive *archive = archive_write_new ();

  write_file (fixture->path, PICKLE (state), "big");
  assert_refused (fixture, SONDE_DATA_ERROR_UNSUPPORTED, "big-endian");
  g_assert_true (g_file_set_contents (fixture->path, "\200\002\212\012l\374", 6, NULL));
  assert_refused (fixture, SONDE_DATA_ERROR_UNSUPPORTED, "PyTorch 1.6");
  g_assert_true (g_file_set_contents (fixture->path, "PK", 2, NULL));
  assert_refused (fixture, SONDE_DATA_ERROR_DAMAGED, "x.pt");
  archive_write_set_format_zip (archive);
  archive_write_open_filename (archive, fixture->path);
  write_member (archive, "x/other", "1", 1);
  archive_write_free (archive);
  assert_refused (fixture, SONDE_DATA_ERROR_INVALID, "data.pkl");
}

/* Cut anywhere, it is refused. */
static void
test_cut (Fixture *fixture, gconstpointer data)
{
  g_autofree char *bytes = NULL;
  gsize length;

  write_file (fixture->path, PICKLE (state), "little");
  g_assert_true (g_file_get_contents (fixture->path, &bytes, &length, NULL));
  for (gsize n = 0; n < length; n++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_true (g_file_set_contents (fixture->path, bytes, (gssize) n, NULL));
      g_assert_null (sonde_torch_file_read (NULL, fixture->path, &error));
      g_assert_nonnull (error);
    }
}

static void
check_sample (const char *folder, const char *name, JsonObject *wanted)
{
  g_autofree char *path = g_build_filename (folder, "dump_tensor_data", name, NULL);
  JsonArray *sizes = json_object_get_array_member (wanted, "shape");
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) tensor = sonde_torch_file_read_tensor (NULL, path, &error);
  g_autofree char *sum = NULL;

  g_assert_no_error (error);
  g_assert_cmpstr (sonde_dtype_name (tensor->dtype), ==,
                   json_object_get_string_member (wanted, "dtype"));
  g_assert_cmpint (tensor->shape.rank, ==, (int) json_array_get_length (sizes));
  for (int i = 0; i < tensor->shape.rank; i++)
    g_assert_cmpint (tensor->shape.dims[i], ==, json_array_get_int_element (sizes, (guint) i));
  g_assert_true (sonde_tensor_is_contiguous (tensor));
  sum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, tensor->data,
                                     sonde_tensor_n_bytes (tensor));
  g_assert_cmpstr (sum, ==, json_object_get_string_member (wanted, "sha256_of_bytes"));
}

static void
test_samples (void)
{
  g_autofree char *samples = sonde_test_shared_path ("samples/msprobe/expected.json");
  g_autofree char *folder = samples != NULL ? g_path_get_dirname (samples) : NULL;
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GList) ranks = NULL;
  JsonObject *root;
  guint n = 0;

  if (samples == NULL)
    return;
  json_parser_load_from_file (parser, samples, &error);
  g_assert_no_error (error);
  root = json_node_get_object (json_parser_get_root (parser));
  ranks = json_object_get_members (root);
  for (GList *rank = ranks; rank != NULL; rank = rank->next)
    {
      JsonObject *tensors = json_object_get_object_member (
          json_object_get_object_member (root, rank->data), "tensors");
      g_autofree char *place = g_build_filename (folder, rank->data, NULL);
      g_autoptr (GList) names = json_object_get_members (tensors);

      for (GList *name = names; name != NULL; name = name->next, n++)
        check_sample (place, name->data, json_object_get_object_member (tensors, name->data));
    }
  g_assert_cmpuint (n, >, 100);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/data/arrays/torch-file/state", Fixture, NULL, set_up, test_state, tear_down);
  for (gsize i = 0; i < G_N_ELEMENTS (hostile); i++)
    {
      g_autofree char *path = g_strconcat ("/data/arrays/torch-file/", hostile[i].name, NULL);

      g_test_add (path, Fixture, &hostile[i], set_up, test_hostile, tear_down);
    }
  g_test_add ("/data/arrays/torch-file/other-files", Fixture, NULL, set_up, test_no_file_of_torch,
              tear_down);
  g_test_add ("/data/arrays/torch-file/cut", Fixture, NULL, set_up, test_cut, tear_down);
  g_test_add_func ("/data/arrays/torch-file/samples", test_samples);
  return g_test_run ();
}
