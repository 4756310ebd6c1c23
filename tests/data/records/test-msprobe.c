/* SPDX-License-Identifier: Apache-2.0
 * Dumps of msprobe: those of shared/samples/msprobe against what torch.load and Python's JSON read
 * of them; small ones written here, as MindSpore writes them, saved by hand, damaged. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>
#include <json-glib/json-glib.h>

#include "data/arrays/sonde-npy.h"
#include "data/base/sonde-error.h"
#include "data/records/msprobe/sonde-msprobe-folder.h"
#include "data/values/sonde-statistics.h"
#include "tests/support/sonde-test-program.h"
#include "tests/support/sonde-test-tensor.h"

/* ---- names --------------------------------------------------------------- */

static void
test_names (void)
{
  static const struct
  {
    const char *entry;
    SondeMsprobeKind kind;
    SondeMsprobeDirection direction;
    const char *path, *op;
    guint64 call;
    const char *forward;
  } cases[] = {
    { "Module.layers.0.conv.Conv2d.forward.0", SONDE_MSPROBE_MODULE, SONDE_MSPROBE_FORWARD,
      "layers.0.conv", "Conv2d", 0, NULL },
    { "Module.layers.0.Block.backward.12", SONDE_MSPROBE_MODULE, SONDE_MSPROBE_BACKWARD, "layers.0",
      "Block", 12, "Module.layers.0.Block.forward.12" },
    { "Module.forward.1.Linear.parameters_grad.0", SONDE_MSPROBE_MODULE,
      SONDE_MSPROBE_PARAMETERS_GRAD, "forward.1", "Linear", 0,
      "Module.forward.1.Linear.forward.0" },
    { "Cell.net.fc.Dense.forward.3", SONDE_MSPROBE_MODULE, SONDE_MSPROBE_FORWARD, "net.fc", "Dense",
      3, NULL },
    { "Functional.conv2d.2.forward", SONDE_MSPROBE_FUNCTION, SONDE_MSPROBE_FORWARD, NULL, "conv2d",
      2, NULL },
    { "Tensor.__add__.0.backward", SONDE_MSPROBE_FUNCTION, SONDE_MSPROBE_BACKWARD, NULL, "__add__",
      0, "Tensor.__add__.0.forward" },
    { "Torch.linalg.norm.1.forward", SONDE_MSPROBE_FUNCTION, SONDE_MSPROBE_FORWARD, NULL,
      "linalg.norm", 1, NULL },
    { "y.0.debug", SONDE_MSPROBE_SAVED, SONDE_MSPROBE_FORWARD, NULL, "y", 0, NULL },
    { "y_grad.1.debug", SONDE_MSPROBE_SAVED, SONDE_MSPROBE_BACKWARD, NULL, "y_grad", 1, NULL },
    { "", SONDE_MSPROBE_OTHER, SONDE_MSPROBE_FORWARD, NULL, "", 0, NULL },
    { "Module.forward.0", SONDE_MSPROBE_OTHER, SONDE_MSPROBE_FORWARD, NULL, "Module.forward.0", 0,
      NULL },
    { "Functional.relu.x.forward", SONDE_MSPROBE_OTHER, SONDE_MSPROBE_FORWARD, NULL,
      "Functional.relu.x.forward", 0, NULL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (SondeMsprobeName) name = { 0 };
      g_autofree char *forward = sonde_msprobe_name_dup_forward (cases[i].entry);

      sonde_msprobe_name_parse (cases[i].entry, &name);
      g_assert_cmpint (name.kind, ==, cases[i].kind);
      g_assert_cmpint (name.direction, ==, cases[i].direction);
      g_assert_cmpstr (name.path, ==, cases[i].path);
      g_assert_cmpstr (name.op, ==, cases[i].op);
      g_assert_cmpuint (name.call, ==, cases[i].call);
      g_assert_cmpstr (forward, ==, cases[i].forward);
    }
}

/* ---- the samples --------------------------------------------------------- */

static SondeMsprobeDump *
open_dump (const char *path)
{
  g_autoptr (GError) error = NULL;
  SondeMsprobeDump *dump = sonde_msprobe_dump_open (NULL, path, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (dump->problems->len, ==, 0);
  return dump;
}

static void
check_entries (const SondeMsprobeDump *dump, JsonObject *wanted)
{
  JsonArray *entries = json_object_get_array_member (wanted, "entries");
  JsonObject *construct = json_object_get_object_member (wanted, "construct");

  g_assert_cmpstr (dump->task, ==, json_object_get_string_member (wanted, "task"));
  g_assert_cmpstr (dump->level, ==, json_object_get_string_member (wanted, "level"));
  g_assert_cmpstr (dump->framework, ==, "pytorch");
  g_assert_cmpuint (dump->entries->len, ==, json_array_get_length (entries));
  for (guint i = 0; i < dump->entries->len; i++)
    {
      const SondeMsprobeEntry *entry = &g_array_index (dump->entries, SondeMsprobeEntry, i);
      const char *parent
          = json_object_get_string_member_with_default (construct, entry->name, NULL);

      g_assert_cmpstr (entry->name, ==, json_array_get_string_element (entries, i));
      g_assert_cmpstr (entry->parent, ==, parent);
    }
}

static void
assert_near (const SondeMsprobeNumber *number, double computed, const char *name)
{
  if (!number->known)
    return;
  if (!(fabs (number->number - computed) <= 1e-5 * MAX (1, fabs (computed))))
    g_error ("%s: %.17g, not %.17g", name, number->number, computed);
}

/* What dump.json says of a tensor, as its file has it. */
static void
check_numbers (const SondeMsprobeTensor *tensor, SondeTensor *read)
{
  SondeStatistics statistics;
  double squares;

  sonde_statistics_compute (read, &statistics);
  squares = statistics.std * statistics.std + statistics.mean * statistics.mean;
  assert_near (&tensor->min, statistics.min, tensor->name);
  assert_near (&tensor->max, statistics.max, tensor->name);
  assert_near (&tensor->mean, statistics.mean, tensor->name);
  assert_near (&tensor->norm, sqrt (squares * (double) statistics.count), tensor->name);
}

static void
check_tensor (SondeMsprobeDump *dump, const char *file, JsonObject *wanted)
{
  g_autofree char *name = g_strndup (file, strlen (file) - strlen (".pt")), *sum = NULL;
  const SondeMsprobeTensor *tensor = sonde_msprobe_dump_find (dump, name);
  JsonArray *shape = json_object_get_array_member (wanted, "shape");
  g_autoptr (SondeTensor) read = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_nonnull (tensor);
  g_assert_cmpstr (tensor->file, ==, file);
  g_assert_true (tensor->min.known && tensor->max.known);
  read = sonde_msprobe_dump_read (dump, tensor, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (sonde_dtype_name (read->dtype), ==,
                   json_object_get_string_member (wanted, "dtype"));
  g_assert_cmpint (read->shape.rank, ==, json_array_get_length (shape));
  for (int i = 0; i < read->shape.rank; i++)
    g_assert_cmpint (read->shape.dims[i], ==, json_array_get_int_element (shape, (guint) i));
  sum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, read->data, sonde_tensor_n_bytes (read));
  g_assert_cmpstr (sum, ==, json_object_get_string_member (wanted, "sha256_of_bytes"));
  check_numbers (tensor, read);
}

static guint
check_rank (const char *path, JsonObject *wanted)
{
  g_autoptr (SondeMsprobeDump) dump = open_dump (path);
  JsonObject *tensors = json_object_get_object_member (wanted, "tensors");
  g_autoptr (GList) files = json_object_get_members (tensors);
  guint n_files = 0;

  check_entries (dump, wanted);
  for (GList *file = files; file != NULL; file = file->next)
    check_tensor (dump, file->data, json_object_get_object_member (tensors, file->data));
  for (guint i = 0; i < dump->tensors->len; i++)
    n_files += g_array_index (dump->tensors, SondeMsprobeTensor, i).file != NULL;
  g_assert_cmpuint (n_files, ==, json_object_get_size (tensors));
  return dump->tensors->len;
}

static void
test_samples (void)
{
  g_autofree char *expected = sonde_test_shared_path ("samples/msprobe/expected.json"),
                  *folder = expected != NULL ? g_path_get_dirname (expected) : NULL;
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GList) ranks = NULL;
  JsonObject *root;
  guint n = 0;

  if (expected == NULL)
    return;
  g_assert_true (json_parser_load_from_file (parser, expected, NULL));
  root = json_node_get_object (json_parser_get_root (parser));
  ranks = json_object_get_members (root);
  g_assert_cmpuint (g_list_length (ranks), ==, 7);
  for (GList *rank = ranks; rank != NULL; rank = rank->next)
    {
      g_autofree char *path = g_build_filename (folder, rank->data, NULL);

      n += check_rank (path, json_object_get_object_member (root, rank->data));
    }
  g_assert_cmpuint (n, >, 700);
}

/* (transfer full) */
static SondeMsprobeDump *
open_sample (const char *rank)
{
  g_autofree char *name = g_strconcat ("samples/msprobe/", rank, NULL),
                  *path = sonde_test_shared_path (name);

  return path != NULL ? open_dump (path) : NULL;
}

static void
assert_same (const SondeMsprobeNumber *a, const SondeMsprobeNumber *b)
{
  g_assert_cmpint (a->known, ==, b->known);
  g_assert_cmpfloat (a->number, ==, b->number);
}

/* The same run was dumped three times: with tensors, with numbers, with checksums. */
static void
test_statistics (void)
{
  g_autoptr (SondeMsprobeDump) tensors = open_sample ("train-mix-tensor/step0/proc12465"),
                               numbers = open_sample ("train-L1-statistics/step0/proc16874"),
                               sums = open_sample ("train-L1-md5/step0/proc17490");
  guint n = 0;

  for (guint i = 0; tensors != NULL && i < numbers->tensors->len; i++)
    {
      SondeMsprobeTensor *tensor = &g_array_index (numbers->tensors, SondeMsprobeTensor, i), whole;
      const SondeMsprobeTensor *sum = sonde_msprobe_dump_find (sums, tensor->name),
                               *other = sonde_msprobe_dump_find (tensors, tensor->name);
      g_autoptr (SondeTensor) read = NULL, none = NULL;
      g_autoptr (GError) error = NULL, refused = NULL;

      g_assert_true (sum != NULL && other != NULL);
      assert_same (&tensor->min, &other->min);
      assert_same (&tensor->max, &other->max);
      assert_same (&tensor->mean, &sum->mean);
      assert_same (&tensor->norm, &sum->norm);
      none = sonde_msprobe_dump_read (numbers, tensor, &refused);
      g_assert_error (refused, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND);
      g_assert_nonnull (strstr (refused->message, "only statistics were kept: min "));
      whole = *other;
      whole.checksum = sum->checksum;
      read = sonde_msprobe_dump_read (tensors, &whole, &error);
      g_assert_no_error (error);
      n++;
    }
  g_assert_true (tensors == NULL || n > 100);
}

static void
test_stacks (void)
{
  g_autoptr (SondeMsprobeDump) dump = open_sample ("infer-L0-tensor/step0/proc5704");
  const SondeMsprobeEntry *entry;
  const SondeMsprobeFrame *frame;
  GArray *frames;

  if (dump == NULL)
    return;
  entry = sonde_msprobe_dump_find_entry (dump, "Module.stem.conv.Conv2d.forward.0");
  g_assert_nonnull (entry);
  g_assert_cmpint (entry->stack, >=, 0);
  frames = g_ptr_array_index (dump->stacks, entry->stack);
  frame = &g_array_index (frames, SondeMsprobeFrame, 3);
  g_assert_cmpstr (frame->file, ==, "train.py");
  g_assert_cmpuint (frame->line, ==, 30);
  g_assert_cmpstr (frame->function, ==, "forward");
  g_assert_cmpstr (frame->source, ==, "def forward(s, x): return s.act(s.bn(s.conv(x)))");
}

static void
test_levels (void)
{
  g_autofree char *shared = sonde_test_shared_path ("samples/msprobe/train-mix-tensor"),
                  *dump = shared != NULL ? g_canonicalize_filename (shared, NULL) : NULL,
                  *step = dump != NULL ? g_build_filename (dump, "step1", NULL) : NULL,
                  *rank = dump != NULL ? g_build_filename (step, "proc12465", NULL) : NULL,
                  *above = dump != NULL ? g_path_get_dirname (dump) : NULL;
  const char *const paths[] = { dump, step, rank };
  g_autoptr (GArray) none = NULL;

  if (dump == NULL)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      g_autoptr (GArray) places = sonde_msprobe_find (NULL, paths[i]);
      const SondeMsprobePlace *last;

      g_assert_cmpuint (places->len, ==, i == 0 ? 2 : 1);
      last = &g_array_index (places, SondeMsprobePlace, places->len - 1);
      g_assert_cmpint (last->step, ==, 1);
      g_assert_cmpstr (last->rank, ==, "proc12465");
      g_assert_cmpstr (last->path, ==, rank);
    }
  none = sonde_msprobe_find (NULL, above);
  g_assert_cmpuint (none->len, ==, 0);
}

/* ---- dumps written here -------------------------------------------------- */

typedef struct
{
  char *root, *rank;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->root = sonde_test_folder_new ();
  fixture->rank = g_build_filename (fixture->root, "step3", "rank0", NULL);
  g_assert_cmpint (g_mkdir_with_parents (fixture->rank, 0700), ==, 0);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  sonde_test_folder_free (fixture->root);
  g_free (fixture->rank);
}

/* Not synchronised to the disk: there are many. */
static void
write_file (const char *folder, const char *base, const char *text)
{
  g_autofree char *path = g_build_filename (folder, base, NULL);
  FILE *file = g_fopen (path, "w");

  g_assert_nonnull (file);
  g_assert_cmpint (fputs (text, file), >=, 0);
  g_assert_cmpint (fclose (file), ==, 0);
}

static void
write_array (const Fixture *fixture, const char *base, const float *numbers, gint64 n)
{
  SondeShape shape = sonde_shape_make (1, n);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new_from_data (SONDE_DTYPE_F32, &shape, numbers);
  g_autofree char *folder = g_build_filename (fixture->rank, "dump_tensor_data", NULL),
                  *path = g_build_filename (folder, base, NULL);

  g_mkdir_with_parents (folder, 0700);
  g_assert_true (sonde_npy_write (NULL, path, tensor, NULL));
}

#define HEAD                                                                                       \
  "{\"task\": \"tensor\", \"level\": \"mix\", \"framework\": \"mindspore\", \"dump_data_dir\": "   \
  "\"/elsewhere\", \"data\": {"
#define TENSOR "\"type\": \"mindspore.Tensor\", \"dtype\": \"Float32\", \"shape\": [2]"

static const char mindspore_dump[]
    = HEAD "\"Cell.net.fc.Dense.forward.0\": {\"input_args\": [{" TENSOR
           ", \"Max\": NaN, \"Min\": -Infinity, \"Mean\": null, \"Norm\": Infinity, \"data_name\": "
           "\"Cell.net.fc.Dense.forward.0.input.0.npy\", \"md5\": \"19c9c105\"}, {\"type\": "
           "\"int\", \"value\": 3}], \"input_kwargs\": {\"mask\": {" TENSOR
           "}, \"k\": [null, {\"s\": {\"type\": \"slice\", \"value\": [1, 3, null]}}]}, "
           "\"output\": [[{" TENSOR ", \"md5\": \"0x1234567890abcdef\"}], {\"type\": {\"type\": "
           "\"torch.Size\", \"value\": [2, 5]}}], \"parameters\": {\"weight\": {" TENSOR "}}}, "
           "\"Primitive.add.0.forward\": {}, \"Mint.relu.0.backward\": {\"input\": [{" TENSOR
           "}], \"output\": null}, \"Cell.net.fc.Dense.parameters_grad.0\": {\"weight\": [{" TENSOR
           "}]}}}";

static void
test_mindspore (Fixture *fixture, gconstpointer data)
{
  static const char *const names[] = {
    "Cell.net.fc.Dense.forward.0.input.0",    "Cell.net.fc.Dense.forward.0.kwargs.mask",
    "Cell.net.fc.Dense.forward.0.output.0.0", "Cell.net.fc.Dense.forward.0.parameters.weight",
    "Mint.relu.0.backward.input.0",           "Cell.net.fc.Dense.parameters_grad.0.weight",
  };
  static const SondeMsprobeRole roles[]
      = { SONDE_MSPROBE_INPUT,     SONDE_MSPROBE_INPUT, SONDE_MSPROBE_OUTPUT,
          SONDE_MSPROBE_PARAMETER, SONDE_MSPROBE_INPUT, SONDE_MSPROBE_GRADIENT };
  const float numbers[] = { NAN, -INFINITY };
  g_autoptr (SondeMsprobeDump) dump = NULL;
  g_autoptr (SondeTensor) tensor = NULL;
  g_autoptr (GError) error = NULL;
  const SondeMsprobeTensor *first;

  write_file (fixture->rank, "dump.json", mindspore_dump);
  write_array (fixture, "Cell.net.fc.Dense.forward.0.input.0.npy", numbers, 2);
  dump = open_dump (fixture->rank);
  g_assert_cmpuint (dump->entries->len, ==, 4);
  g_assert_cmpuint (dump->tensors->len, ==, G_N_ELEMENTS (names));
  for (guint i = 0; i < dump->tensors->len; i++)
    {
      const SondeMsprobeTensor *found = &g_array_index (dump->tensors, SondeMsprobeTensor, i);

      g_assert_cmpstr (found->name, ==, names[i]);
      g_assert_cmpint (found->role, ==, roles[i]);
      g_assert_cmpint (found->dtype, ==, SONDE_DTYPE_F32);
    }
  first = &g_array_index (dump->tensors, SondeMsprobeTensor, 0);
  g_assert_true (isnan (first->max.number) && first->max.known);
  g_assert_true (isinf (first->min.number) && first->min.number < 0);
  g_assert_false (first->mean.known);
  tensor = sonde_msprobe_dump_read (dump, first, &error);
  g_assert_no_error (error);
  g_assert_true (isnan (sonde_tensor_get_double (tensor, 0)));
  g_assert_cmpuint (dump->arguments->len, ==, 3);
  g_assert_cmpstr (g_array_index (dump->arguments, SondeMsprobeArgument, 1).name, ==,
                   "Cell.net.fc.Dense.forward.0.kwargs.k.1.s");
  g_assert_cmpstr (g_array_index (dump->arguments, SondeMsprobeArgument, 1).text, ==,
                   "slice [1, 3, null]");
  g_assert_cmpstr (g_array_index (dump->arguments, SondeMsprobeArgument, 2).name, ==,
                   "Cell.net.fc.Dense.forward.0.output.1.type");
}

static void
test_saved (Fixture *fixture, gconstpointer data)
{
  g_autoptr (SondeMsprobeDump) dump = NULL;

  write_file (fixture->rank, "debug.json",
              "{\"task\": \"tensor\", \"level\": \"debug\", \"data\": {\"y.0.debug\": {" TENSOR
              "}, \"y_grad.0.debug\": null, \"pack.0.debug\": {\"a\": [{" TENSOR "}]}}}");
  dump = open_dump (fixture->rank);
  g_assert_cmpuint (dump->entries->len, ==, 3);
  g_assert_nonnull (sonde_msprobe_dump_find (dump, "y.0.debug"));
  g_assert_nonnull (sonde_msprobe_dump_find (dump, "pack.0.debug.a.0"));
}

static void
test_structure (Fixture *fixture, gconstpointer data)
{
  g_autoptr (SondeMsprobeDump) dump = NULL;

  write_file (fixture->rank, "dump.json",
              "{\"task\": \"structure\", \"level\": \"mix\", \"data\": {}}");
  write_file (fixture->rank, "construct.json",
              "{\"Functional.relu.0.forward\": [\"Module.a.ReLU.forward.0\", 1], "
              "\"Module.a.ReLU.forward.0\": null}");
  write_file (fixture->rank, "stack.json", "{\"0\": [[\"Module.a.ReLU.forward.0\"], \"gone\"]}");
  dump = open_dump (fixture->rank);
  g_assert_cmpuint (dump->entries->len, ==, 2);
  g_assert_cmpstr (g_array_index (dump->entries, SondeMsprobeEntry, 0).parent, ==,
                   "Module.a.ReLU.forward.0");
  g_assert_cmpint (g_array_index (dump->entries, SondeMsprobeEntry, 1).stack, ==, 0);
}

/* Ranks and steps as numbers; of several one is chosen. */
static void
test_ranks (Fixture *fixture, gconstpointer data)
{
  static const char *const folders[] = { "step3/rank10", "step10/rank9", "pynative/step3/rank9" };
  g_autoptr (GArray) places = NULL, chosen = NULL, none = NULL;
  g_auto (GStrv) ranks = NULL;
  g_autofree char *list = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (folders); i++)
    {
      g_autofree char *folder = g_build_filename (fixture->root, folders[i], NULL);

      g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
      write_file (folder, "dump.json", HEAD "}}");
    }
  write_file (fixture->rank, "dump.json", "{\"nodes\": [], \"data\": {}}");
  places = sonde_msprobe_find (NULL, fixture->root);
  ranks = sonde_msprobe_list_ranks (places);
  list = g_strjoinv (",", ranks);
  g_assert_cmpstr (list, ==, "rank9,rank10");
  chosen = sonde_msprobe_choose_rank (places, "9", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (chosen->len, ==, 2);
  g_assert_cmpint (g_array_index (chosen, SondeMsprobePlace, 1).step, ==, 10);
  none = sonde_msprobe_choose_rank (places, "rank1", &error);
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "rank9, rank10"));
}

/* ---- hostile ------------------------------------------------------------- */

static void
assert_refused (Fixture *fixture, const char *listing, int code, const char *said)
{
  g_autoptr (SondeMsprobeDump) dump = NULL;
  g_autoptr (GError) error = NULL;

  write_file (fixture->rank, "dump.json", listing);
  dump = sonde_msprobe_dump_open (NULL, fixture->rank, &error);
  g_assert_null (dump);
  g_assert_error (error, SONDE_DATA_ERROR, code);
  if (strstr (error->message, said) == NULL)
    g_error ("“%s” does not say “%s”", error->message, said);
}

static void
test_listings (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GString) deep = g_string_new (HEAD "\"e\": {\"output\": ");
  g_autofree char *wide = g_strnfill (5000, 'x'),
                  *name = g_strconcat (HEAD "\"", wide, "\": {}}}", NULL);

  for (guint i = 0; i < 10000; i++)
    g_string_append_c (deep, '[');
  assert_refused (fixture, deep->str, SONDE_DATA_ERROR_LIMIT, "too deep");
  assert_refused (fixture, name, SONDE_DATA_ERROR_LIMIT, "longer than 4096");
  assert_refused (fixture, HEAD "\"e\": {}, \"e\": {}}}", SONDE_DATA_ERROR_DAMAGED, "twice");
  assert_refused (fixture, "[]", SONDE_DATA_ERROR_DAMAGED, "byte 0");
  assert_refused (fixture, "", SONDE_DATA_ERROR_DAMAGED, "ends too early");
  assert_refused (fixture, HEAD "}} {}", SONDE_DATA_ERROR_DAMAGED, "damaged");
  assert_refused (fixture,
                  HEAD "\"e\": {\"output\": [{\"type\": \"torch.Tensor\", \"dtype\": "
                       "\"torch.float32\", \"shape\": [2, -1]}]}}}",
                  SONDE_DATA_ERROR_UNSUPPORTED, "shape");
}

/* Every place where the file can end. */
static void
test_cut (Fixture *fixture, gconstpointer data)
{
  for (gsize n = 0; n < strlen (mindspore_dump); n++)
    {
      g_autofree char *part = g_strndup (mindspore_dump, n);

      assert_refused (fixture, part, SONDE_DATA_ERROR_DAMAGED, "byte");
    }
}

static void
test_files (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *members;
    int code;
    const char *said;
  } cases[] = {
    { "\"shape\": [2], \"data_name\": \"../../secret.npy\"", SONDE_DATA_ERROR_FORBIDDEN,
      "does not lie in the dump" },
    { "\"shape\": [2], \"data_name\": \"..\"", SONDE_DATA_ERROR_FORBIDDEN, "does not lie" },
    { "\"shape\": [2], \"data_name\": \"link.npy\"", SONDE_DATA_ERROR_FORBIDDEN, "does not lie" },
    { "\"shape\": [2], \"data_name\": \"gone.npy\"", SONDE_DATA_ERROR_NOT_FOUND, "gone.npy" },
    { "\"shape\": [2], \"data_name\": \"x.txt\"", SONDE_DATA_ERROR_UNSUPPORTED, "neither" },
    { "\"shape\": [2], \"data_name\": \"x.npy\", \"md5\": \"00000000\"", SONDE_DATA_ERROR_DAMAGED,
      "checksum 00000000" },
    { "\"shape\": [2], \"data_name\": \"x.npy\", \"md5\": \"0x0000000000000001\"",
      SONDE_DATA_ERROR_DAMAGED, "checksum 0x" },
    { "\"shape\": [1000000000, 1000000000, 1000000000], \"data_name\": \"x.npy\"", 0, NULL },
    { "\"shape\": [3], \"data_name\": \"x.npy\"", SONDE_DATA_ERROR_DAMAGED, "listing says" },
    { "\"shape\": [2], \"md5\": \"12345678\"", SONDE_DATA_ERROR_NOT_FOUND, "only a checksum" },
    { "\"shape\": [2]", SONDE_DATA_ERROR_NOT_FOUND, "only type and shape" },
    { "\"shape\": [2], \"data_name\": \"x.npy\", \"md5\": \"2e3fa576\"", 0, NULL },
  };
  const float numbers[] = { 1, 2 };
  g_autofree char *link = g_build_filename (fixture->rank, "dump_tensor_data", "link.npy", NULL);

  write_array (fixture, "x.npy", numbers, 2);
  g_assert_cmpint (symlink ("x.npy", link), ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = g_strdup_printf (
          HEAD "\"e\": {\"output\": [{\"type\": \"torch.Tensor\", \"dtype\": \"torch.float32\", "
               "%s}]}}}",
          cases[i].members);
      g_autoptr (SondeMsprobeDump) dump = NULL;
      g_autoptr (SondeTensor) tensor = NULL;
      g_autoptr (GError) error = NULL;

      write_file (fixture->rank, "dump.json", text);
      dump = open_dump (fixture->rank);
      tensor = sonde_msprobe_dump_read (dump, &g_array_index (dump->tensors, SondeMsprobeTensor, 0),
                                        &error);
      if (cases[i].said == NULL)
        g_assert_no_error (error);
      else
        {
          g_assert_error (error, SONDE_DATA_ERROR, cases[i].code);
          g_assert_nonnull (strstr (error->message, cases[i].said));
        }
    }
}

/* Stacks and parents that cannot be read leave the values as they are. */
static void
test_problems (Fixture *fixture, gconstpointer data)
{
  g_autoptr (SondeMsprobeDump) dump = NULL;
  g_autoptr (GError) error = NULL;

  write_file (fixture->rank, "dump.json", mindspore_dump);
  write_file (fixture->rank, "stack.json", "{\"0\": [[\"Cell");
  write_file (fixture->rank, "construct.json", "nothing");
  dump = sonde_msprobe_dump_open (NULL, fixture->rank, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (dump->problems->len, ==, 2);
  g_assert_cmpuint (dump->tensors->len, ==, 6);
}

#define ADD(path, function)                                                                        \
  g_test_add ("/data/records/msprobe/" path, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/records/msprobe/names", test_names);
  g_test_add_func ("/data/records/msprobe/samples", test_samples);
  g_test_add_func ("/data/records/msprobe/statistics", test_statistics);
  g_test_add_func ("/data/records/msprobe/stacks", test_stacks);
  g_test_add_func ("/data/records/msprobe/levels", test_levels);
  ADD ("mindspore", test_mindspore);
  ADD ("saved", test_saved);
  ADD ("structure", test_structure);
  ADD ("ranks", test_ranks);
  ADD ("listings", test_listings);
  ADD ("cut", test_cut);
  ADD ("files", test_files);
  ADD ("problems", test_problems);
  return g_test_run ();
}
