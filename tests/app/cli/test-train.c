/* SPDX-License-Identifier: Apache-2.0
 * `sonde train`: what it prints, what it writes, what it refuses, and how well it learns. */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "tests/app/cli/training-fixture.h"
#include "tests/support/sonde-test-tensor.h"

#define JSON_MEMBERS                                                                               \
  "run steps epochs loss metrics seconds samples_per_second planned_bytes peak_bytes"

/* ---- a small run --------------------------------------------------------- */

static void
check_json (SondeTestProgram *program)
{
  g_autoptr (JsonNode) json = sonde_test_parse_json (program->out);
  JsonObject *object = json_node_get_object (json);
  JsonObject *metrics = json_object_get_object_member (object, "metrics");

  sonde_test_assert_members (object, JSON_MEMBERS);
  g_assert_true (g_str_has_suffix (json_object_get_string_member (object, "run"), "r"));
  g_assert_cmpint (json_object_get_int_member (object, "steps"), ==, 20);
  g_assert_cmpfloat (json_object_get_double_member (object, "epochs"), ==, 1);
  g_assert_cmpfloat (json_object_get_double_member (object, "loss"), >, 0);
  g_assert_cmpfloat (json_object_get_double_member (metrics, "accuracy"), >=, 0);
  g_assert_cmpfloat (json_object_get_double_member (metrics, "accuracy"), <=, 1);
  g_assert_cmpfloat (json_object_get_double_member (metrics, "loss"), >, 0);
  g_assert_cmpfloat (json_object_get_double_member (object, "seconds"), >, 0);
  g_assert_cmpfloat_with_epsilon (json_object_get_double_member (object, "samples_per_second")
                                      * json_object_get_double_member (object, "seconds"),
                                  320, 1e-3);
  g_assert_cmpfloat_with_epsilon (
      (double) json_object_get_int_member (object, "peak_bytes")
          / (double) json_object_get_int_member (object, "planned_bytes"),
      1, 0.01);
}

static void
check_tags (const char *folder)
{
  static const struct
  {
    const char *tag, *kind;
    gint64 count;
  } wanted[] = {
    { "loss", "scalar", 20 },
    { "accuracy", "scalar", 20 },
    { "learning-rate", "scalar", 20 },
    { "gradient-norm", "scalar", 20 },
    { "test/loss", "scalar", 1 },
    { "test/accuracy", "scalar", 1 },
    { "graph", "graph", 1 },
    { "hparams", "hparams", 1 },
    { "data", "text", 1 },
    { "samples", "image", -1 },
    { "weights/fc1.weight", "histogram", -1 },
    { "gradients/fc3.bias", "histogram", -1 },
  };
  g_autoptr (JsonNode) json = NULL;
  JsonArray *tags = json_object_get_array_member (training_inspect (folder, "r", &json), "tags");

  for (gsize i = 0; i < G_N_ELEMENTS (wanted); i++)
    {
      JsonObject *found = NULL;

      for (guint k = 0; k < json_array_get_length (tags); k++)
        if (g_str_equal (
                json_object_get_string_member (json_array_get_object_element (tags, k), "tag"),
                wanted[i].tag))
          found = json_array_get_object_element (tags, k);
      if (found == NULL)
        g_error ("no tag “%s”", wanted[i].tag);
      g_assert_cmpstr (json_object_get_string_member (found, "kind"), ==, wanted[i].kind);
      if (wanted[i].count > 0)
        g_assert_cmpint (json_object_get_int_member (found, "count"), ==, wanted[i].count);
      else
        g_assert_cmpint (json_object_get_int_member (found, "count"), >, 0);
    }
}

static void
check_checkpoint (const char *folder)
{
  static const char *const names[]
      = { "fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias", "fc3.weight", "fc3.bias" };
  g_autoptr (SondeNamedTensors) weights = training_weights (folder, "r", "final");

  g_assert_cmpuint (sonde_named_tensors_get_size (weights), ==, G_N_ELEMENTS (names));
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    g_assert_nonnull (sonde_named_tensors_lookup (weights, names[i]));
}

static void
test_small_run (void)
{
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTestProgram) program
      = sonde_test_run (folder, NULL, "train", "mlp", TRAINING_SMALL, "--set", "train.epochs=1",
                        "--run", "r", "--json");
  g_autofree char *recipe_path = g_build_filename (folder, "r", "run.ini", NULL);
  g_autoptr (GKeyFile) recipe = g_key_file_new ();
  g_autofree char *momentum = NULL;

  sonde_test_assert_status (program, 0);
  g_assert_cmpstr (program->err, ==, "");
  check_json (program);
  g_assert_true (g_key_file_load_from_file (recipe, recipe_path, G_KEY_FILE_NONE, NULL));
  g_assert_cmpint (g_key_file_get_integer (recipe, "data", "batch", NULL), ==, 16);
  momentum = g_key_file_get_value (recipe, "train", "momentum", NULL); /* a default, written too */
  g_assert_nonnull (momentum);
  check_tags (folder);
  check_checkpoint (folder);
  sonde_test_folder_free (folder);
}

/* The recipe that a run writes trains the same run again. */
static void
test_run_ini_is_a_recipe (void)
{
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTestProgram) first = sonde_test_run (folder, NULL, "train", "mlp", TRAINING_SMALL,
                                                       "--set", "train.steps=7", "--run", "a");
  g_autoptr (SondeTestProgram) second
      = sonde_test_run (folder, NULL, "train", "a/run.ini", "--run", "b");
  g_autoptr (SondeNamedTensors) a = NULL, b = NULL;

  sonde_test_assert_status (first, 0);
  sonde_test_assert_status (second, 0);
  a = training_weights (folder, "a", "final");
  b = training_weights (folder, "b", "final");
  training_assert_equal_weights (b, a);
  sonde_test_folder_free (folder);
}

/* What a training would be is what it is, and nothing is written for it. */
static void
test_dry_run (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *runs = g_build_filename (folder, "runs", NULL);
  g_autoptr (SondeTestProgram) program
      = sonde_test_run (folder, NULL, "train", "mlp", TRAINING_SMALL, "--set", "train.epochs=1",
                        "--dry-run", "--json");
  g_autoptr (SondeTestProgram) real
      = sonde_test_run (folder, NULL, "train", "mlp", TRAINING_SMALL, "--set", "train.epochs=1",
                        "--run", "r", "--json");
  g_autoptr (SondeTestProgram) refused = sonde_test_run (
      folder, NULL, "train", "lenet", "--set", "data.source=tokens:task=sort", "--dry-run");
  g_autoptr (JsonNode) json = NULL, real_json = NULL;
  JsonObject *object, *data, *done;

  sonde_test_assert_status (program, 0);
  sonde_test_assert_status (real, 0);
  g_assert_false (g_file_test (runs, G_FILE_TEST_EXISTS));
  json = sonde_test_parse_json (program->out);
  real_json = sonde_test_parse_json (real->out);
  object = json_node_get_object (json);
  done = json_node_get_object (real_json);
  sonde_test_assert_members (
      object, "model parameters trainable flops data loss steps_per_epoch steps planned_bytes");
  data = json_object_get_object_member (object, "data");
  sonde_test_assert_members (data, "train test sample dtype classes");
  g_assert_cmpint (json_object_get_int_member (object, "steps"), ==,
                   json_object_get_int_member (done, "steps"));
  g_assert_cmpint (json_object_get_int_member (object, "planned_bytes"), ==,
                   json_object_get_int_member (done, "planned_bytes"));
  /* 784·64 + 64·32 + 32·10 weights and their biases */
  g_assert_cmpint (json_object_get_int_member (object, "parameters"), ==,
                   784 * 64 + 64 + 64 * 32 + 32 + 32 * 10 + 10);
  g_assert_cmpint (json_object_get_int_member (data, "train"), ==, 320);
  sonde_test_assert_status (refused, 1);
  g_assert_nonnull (strstr (refused->err, "does not take the tokens"));
  sonde_test_folder_free (folder);
}

static void
test_checkpoints (void)
{
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTestProgram) program
      = sonde_test_run (folder, NULL, "train", "mlp", TRAINING_SMALL, "--set", "train.steps=12",
                        "--set", "checkpoint.every=3", "--set", "checkpoint.keep=2", "--run", "r");
  g_autofree char *old = g_build_filename (folder, "r", "checkpoints", "step-00000006.npz", NULL);
  g_autoptr (SondeNamedTensors) last = NULL, final = NULL;

  sonde_test_assert_status (program, 0);
  g_assert_false (g_file_test (old, G_FILE_TEST_EXISTS));
  g_clear_pointer (&last, sonde_named_tensors_free);
  last = training_weights (folder, "r", "step-00000009");
  g_clear_pointer (&last, sonde_named_tensors_free);
  last = training_weights (folder, "r", "step-00000012");
  final = training_weights (folder, "r", "final");
  training_assert_equal_weights (last, final);
  sonde_test_folder_free (folder);
}

/* Without --run: runs/NAME-DATE below the working folder. */
static void
test_default_folder (void)
{
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTestProgram) program = sonde_test_run (
      folder, NULL, "train", "mlp", TRAINING_SMALL, "--set", "train.steps=1", "--json");
  g_autoptr (JsonNode) json = NULL;
  g_autofree char *path = NULL;
  const char *run;

  sonde_test_assert_status (program, 0);
  json = sonde_test_parse_json (program->out);
  run = json_object_get_string_member (json_node_get_object (json), "run");
  g_assert_true (g_str_has_prefix (run, "runs/mlp-"));
  path = g_build_filename (folder, run, "run.ini", NULL);
  g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
  sonde_test_folder_free (folder);
}

/* ---- the loop's settings ------------------------------------------------- */

/* The JSON of a training with these settings. (transfer full) */
static JsonNode *
train_with (const char *folder, const char *run, const char *const *sets)
{
  g_autoptr (GPtrArray) arguments = g_ptr_array_new ();
  static const char *const first[] = { "train", "mlp", TRAINING_SMALL };
  g_autoptr (SondeTestProgram) program = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (first); i++)
    g_ptr_array_add (arguments, (char *) first[i]);
  for (gsize i = 0; sets[i] != NULL; i++)
    {
      g_ptr_array_add (arguments, (char *) "--set");
      g_ptr_array_add (arguments, (char *) sets[i]);
    }
  g_ptr_array_add (arguments, (char *) "--json");
  g_ptr_array_add (arguments, (char *) "--run");
  g_ptr_array_add (arguments, (char *) run);
  g_ptr_array_add (arguments, NULL);
  program = sonde_test_run_strv (folder, NULL, (const char *const *) arguments->pdata);
  sonde_test_assert_status (program, 0);
  return sonde_test_parse_json (program->out);
}

static void
test_everything (void)
{
  static const char *const sets[] = { "train.epochs=3",
                                      "train.optimiser=adamw:beta2=0.99",
                                      "train.learning-rate=0.005",
                                      "train.schedule=one-cycle",
                                      "train.loss=cross-entropy:label-smoothing=0.1",
                                      "train.class-weights=1;1;1;2;1;1;1;1;1;1",
                                      "train.freeze=fc1.*",
                                      "train.groups=*.bias weight-decay=0",
                                      "train.clip=global-norm:1",
                                      "train.average=0.9",
                                      "train.metrics=f1; top-k:k=3",
                                      "train.accumulate=2",
                                      "train.sink=3",
                                      "checkpoint.best=f1",
                                      "checkpoint.every=4",
                                      "checkpoint.format=safetensors",
                                      "checkpoint.prefix=cp",
                                      "checkpoint.directory=kept",
                                      "train.early-stop=loss:patience=50",
                                      NULL };
  char *folder = sonde_test_folder_new ();
  g_autoptr (JsonNode) json = train_with (folder, "r", sets);
  JsonObject *metrics = json_object_get_object_member (json_node_get_object (json), "metrics");
  g_autoptr (SondeTestProgram) inspect = NULL;
  static const char *const files[]
      = { "best.safetensors", "final.npz", "final.safetensors", "final.onnx", "final.state.npz" };

  g_assert_cmpint (json_object_get_int_member (json_node_get_object (json), "steps"), ==, 30);
  g_assert_cmpfloat (json_object_get_double_member (metrics, "f1"), >, 0);
  g_assert_cmpfloat (json_object_get_double_member (metrics, "top-3"), >=,
                     json_object_get_double_member (metrics, "accuracy"));
  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *path = g_build_filename (folder, "r", "kept", files[i], NULL);

      if (!g_file_test (path, G_FILE_TEST_EXISTS))
        g_error ("%s is missing", path);
    }
  inspect = sonde_test_run (folder, NULL, "inspect", "r/kept/final.safetensors");
  sonde_test_assert_status (inspect, 0);
  sonde_test_assert_contains (inspect->out, "safetensors");
  sonde_test_assert_contains (inspect->out, "fc3.weight");
  sonde_test_folder_free (folder);
}

/* Frozen parameters stay; those of a pattern that is not frozen move. */
static void
test_freeze (void)
{
  static const char *const none[] = { "train.steps=1", "train.learning-rate=0", NULL };
  static const char *const frozen[] = { "train.steps=10", "train.freeze=fc1.*; *.bias", NULL };
  char *folder = sonde_test_folder_new ();
  g_autoptr (JsonNode) first = train_with (folder, "none", none),
                       second = train_with (folder, "frozen", frozen);
  g_autoptr (SondeNamedTensors) before = training_weights (folder, "none", "final");
  g_autoptr (SondeNamedTensors) after = training_weights (folder, "frozen", "final");

  g_assert_cmpuint (sonde_named_tensors_get_size (after), ==, 6);
  for (gsize i = 0; i < 6; i++)
    {
      const char *name = sonde_named_tensors_get_name (after, i);
      gboolean same = sonde_tensor_equal (sonde_named_tensors_get_tensor (after, i),
                                          sonde_named_tensors_lookup (before, name));

      g_assert_cmpint (same, ==,
                       g_str_has_prefix (name, "fc1.") || g_str_has_suffix (name, ".bias"));
    }
  sonde_test_folder_free (folder);
}

/* A learning rate that no float32 survives: each policy does what it says. */
static void
test_not_finite (void)
{
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTestProgram) stop = NULL, warn = NULL, back = NULL;

  stop = sonde_test_run (folder, NULL, "train", "lenet", TRAINING_SMALL, "--set", "train.steps=30",
                         "--set", "train.learning-rate=1000", "--set", "train.on-nan=stop", "--run",
                         "stop");
  sonde_test_assert_status (stop, 1);
  sonde_test_assert_contains (stop->err, "not finite");
  warn = sonde_test_run (folder, NULL, "train", "lenet", TRAINING_SMALL, "--set", "train.steps=30",
                         "--set", "train.learning-rate=1000", "--set", "train.on-nan=warn", "--run",
                         "warn");
  sonde_test_assert_status (warn, 0);
  sonde_test_assert_contains (warn->out, "steps with non-finite values: ");
  back = sonde_test_run (folder, NULL, "train", "lenet", TRAINING_SMALL, "--set", "train.steps=30",
                         "--set", "train.learning-rate=100", "--set", "train.on-nan=roll-back",
                         "--set", "checkpoint.every=5", "--run", "back");
  sonde_test_assert_status (back, 0);
  sonde_test_assert_contains (back->out, "rollbacks: ");
  sonde_test_folder_free (folder);
}

/* The exported model gives what the training measured. */
static void
test_exported_model (void)
{
  static const char *const sets[] = { "train.epochs=2", NULL };
  char *folder = sonde_test_folder_new ();
  g_autoptr (JsonNode) json = train_with (folder, "r", sets);
  g_autofree char *weights = g_build_filename (folder, "r", "checkpoints", "final.onnx", NULL);
  g_autofree char *set = g_strconcat ("model.weights=", weights, NULL);
  const char *again[] = { set, "train.steps=1", "train.learning-rate=0", NULL };
  g_autoptr (JsonNode) second = train_with (folder, "again", again);
  JsonObject *a = json_object_get_object_member (json_node_get_object (json), "metrics");
  JsonObject *b = json_object_get_object_member (json_node_get_object (second), "metrics");
  g_autoptr (SondeTestProgram) infer = NULL;

  g_assert_cmpfloat (json_object_get_double_member (a, "loss"), ==,
                     json_object_get_double_member (b, "loss"));
  infer = sonde_test_run (folder, NULL, "infer", weights, "--json");
  sonde_test_assert_status (infer, 0);
  sonde_test_folder_free (folder);
}

/* ---- what is refused ----------------------------------------------------- */

static void
test_wrong_keys (void)
{
  static const struct
  {
    const char *set, *part;
  } cases[] = {
    { "train.epoch=3", "train.epochs" },
    { "data.bacth=3", "data.batch" },
    { "train.lerning-rate=1", "train.learning-rate" },
    { "train.epochs=many", "train.epochs" },
    { "nonsense", "nonsense" },
    { "train.precision=f16", "bf16" }, /* known, but no device here has it */
    { "train.clip=norm:-1", "train.clip: " },
    { "train.groups=conv* slowly", "train.groups: " },
    { "train.metrics=top-k:n=3", "train.metrics: " },
    { "train.early-stop=loss:patience=none", "patience" },
    { "train.class-weights=1;2;3", "class" },
    { "train.class-weights=missing.npy", "train.class-weights: " },
    { "model.weights=weights.pickle", "model.weights: " },
    { "train.optimiser=adamw:beta3=1", "train.optimiser: " },
    { "train.optimiser=adamw:beta1=2", "beta1" },
    { "train.loss=huber:epsilon=1", "train.loss: " },
    { "train.schedule=cosine:half=1", "train.schedule: " },
    { "record.format=json", "tensorboard" },
  };
  char *folder = sonde_test_folder_new ();
  g_autofree char *recipe = g_build_filename (folder, "typo.recipe", NULL),
                  *run = g_build_filename (folder, "r", NULL);
  g_autoptr (SondeTestProgram) file = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (SondeTestProgram) program = sonde_test_run (folder, NULL, "train", "mlp", "--set",
                                                             cases[i].set, "--run", "r", "--json");

      sonde_test_assert_status (program, 1);
      sonde_test_assert_contains (program->err, cases[i].part);
      g_assert_cmpstr (program->out, ==, "");
      g_assert_false (g_file_test (run, G_FILE_TEST_EXISTS)); /* nothing was written */
    }
  g_assert_true (
      g_file_set_contents (recipe, "[model]\nname=mlp\n[train]\nmomentun=0.5\n", -1, NULL));
  file = sonde_test_run (folder, NULL, "train", "typo.recipe");
  sonde_test_assert_status (file, 1);
  sonde_test_assert_contains (file->err, "typo.recipe");
  sonde_test_assert_contains (file->err, "train.momentum");
  sonde_test_folder_free (folder);
}

/* Whether @folder has a file whose name has both words. */
static gboolean
has_file (const char *folder, const char *first, const char *second)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (strstr (name, first) != NULL && strstr (name, second) != NULL)
      return TRUE;
  return FALSE;
}

/* The run is made of the files of the tool that is asked for, what has no place there is said. */
static void
test_record_formats (void)
{
  static const struct
  {
    const char *format, *first, *second;
  } cases[] = {
    { "tensorboard", "events.out.tfevents.", "" },
    { "mindspore", "events.out.events.summary.", "_MS" },
    { "mindspore", "events.out.events.summary.", "_lineage" },
  };
  char *folder = sonde_test_folder_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *name = g_strdup_printf ("r%" G_GSIZE_FORMAT, i),
                      *set = g_strconcat ("record.format=", cases[i].format, NULL);
      g_autofree char *run = g_build_filename (folder, name, NULL),
                      *records = g_build_filename (run, "records", NULL);
      g_autoptr (SondeTestProgram) program = sonde_test_run (
          folder, NULL, "train", "mlp", "--set", "data.source=glyphs", "--set", "data.train=64",
          "--set", "data.test=32", "--set", "train.steps=3", "--set", set, "--run", name, "--json");

      sonde_test_assert_status (program, 0);
      sonde_test_assert_contains (program->err, "no place for");
      g_assert_true (has_file (run, cases[i].first, cases[i].second));
      g_assert_false (g_file_test (records, G_FILE_TEST_EXISTS));
    }
  sonde_test_folder_free (folder);
}

static void
test_wrong_subjects (void)
{
  static const struct
  {
    const char *subject, *part;
  } cases[] = {
    { "lenett", "lenet" }, /* the built-in ones are listed */
    { "missing.onnx", "missing.onnx" },
    { "missing/recipe", "missing/recipe" },
  };
  char *folder = sonde_test_folder_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (SondeTestProgram) program
          = sonde_test_run (folder, NULL, "train", cases[i].subject);

      sonde_test_assert_status (program, 1);
      sonde_test_assert_contains (program->err, cases[i].part);
    }
  sonde_test_folder_free (folder);
}

static void
test_wrong_run_folder (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *file = g_build_filename (folder, "file", NULL);
  g_autoptr (SondeTestProgram) beneath = NULL, first = NULL, again = NULL, missing = NULL;
  g_autoptr (SondeNamedTensors) before = NULL, after = NULL;

  /* Permissions do not stop root; a file in the place of a folder stops everybody. */
  g_assert_true (g_file_set_contents (file, "", 0, NULL));
  beneath = sonde_test_run (folder, NULL, "train", "mlp", TRAINING_SMALL, "--set", "train.steps=1",
                            "--run", "file/run");
  sonde_test_assert_status (beneath, 1);
  sonde_test_assert_contains (beneath->err, "file/run");
  first = sonde_test_run (folder, NULL, "train", "mlp", TRAINING_SMALL, "--set", "train.steps=1",
                          "--run", "r");
  sonde_test_assert_status (first, 0);
  before = training_weights (folder, "r", "final");
  again = sonde_test_run (folder, NULL, "train", "mlp", TRAINING_SMALL, "--set", "train.steps=2",
                          "--run", "r");
  sonde_test_assert_status (again, 1);
  sonde_test_assert_contains (again->err, "--resume");
  after = training_weights (folder, "r", "final");
  training_assert_equal_weights (after, before);
  missing = sonde_test_run (folder, NULL, "train", "mlp", "--resume", "--run", "nowhere");
  sonde_test_assert_status (missing, 1);
  sonde_test_assert_contains (missing->err, "nowhere");
  sonde_test_folder_free (folder);
}

/* A model that does not fit the pictures: the sentence, and no report of a run that was none. */
static void
test_wrong_model (void)
{
  g_autofree char *model = sonde_test_shared_path ("models/bn-resnet/bn-resnet.onnx");
  g_autoptr (SondeTestProgram) program = NULL;
  char *folder;

  if (model == NULL)
    return;
  folder = sonde_test_folder_new ();
  program = sonde_test_run (folder, NULL, "train", model, TRAINING_SMALL, "--set", "train.steps=2",
                            "--run", "r", "--json");
  sonde_test_assert_status (program, 1);
  sonde_test_assert_contains (program->err, "28");
  g_assert_cmpstr (program->out, ==, "");
  sonde_test_folder_free (folder);
}

/* ---- stored trainings ---------------------------------------------------- */

/* Weights, batches and losses of another engine; the model computes its loss. */
static void
test_stored_training (gconstpointer data)
{
  const char *net = data;
  g_autofree char *relative = g_strdup_printf ("models/training/%s", net);
  g_autofree char *path = sonde_test_shared_path (relative);
  g_autofree char *model = NULL, *weights = NULL, *source = NULL, *losses = NULL;
  g_autoptr (SondeTestProgram) program = NULL;
  g_autoptr (SondeNamedTensors) stored = NULL;
  g_autoptr (GPtrArray) points = NULL, curve = NULL;
  char *folder;

  if (path == NULL)
    return;
  folder = sonde_test_folder_new ();
  model = g_build_filename (path, "forward.onnx", NULL);
  weights = g_strdup_printf ("model.weights=%s/init.npz", path);
  source = g_strdup_printf ("data.source=npz:%s/batches.npz", path);
  losses = g_build_filename (path, "adam.npz", NULL);
  program
      = sonde_test_run (folder, NULL, "train", model, "--set", weights, "--set", source, "--set",
                        "train.loss=output:loss", "--set", "train.optimiser=adam", "--set",
                        "train.learning-rate=0.001", "--set", "train.steps=5", "--run", "r");
  sonde_test_assert_status (program, 0);
  stored = sonde_npz_read (NULL, losses, NULL);
  points = training_export (folder, "r");
  curve = training_points (points, "loss");
  g_assert_cmpuint (curve->len, ==, 5);
  for (guint i = 0; i < curve->len; i++)
    g_assert_cmpfloat_with_epsilon (
        ((TrainingPoint *) g_ptr_array_index (curve, i))->value,
        sonde_tensor_get_double (sonde_named_tensors_lookup (stored, "loss64"), i), 1e-5);
  sonde_test_folder_free (folder);
}

/* ---- MNIST --------------------------------------------------------------- */

static char *
dup_mnist_source (void)
{
  g_autofree char *path = sonde_test_shared_path ("datasets/mnist");

  return path != NULL ? g_strconcat ("data.source=mnist:", path, NULL) : NULL;
}

static void
test_mnist_accuracy (void)
{
  g_autofree char *source = dup_mnist_source ();
  g_autoptr (SondeTestProgram) program = NULL;
  g_autoptr (JsonNode) json = NULL;
  JsonObject *metrics;
  char *folder;

  if (source == NULL)
    return;
  folder = sonde_test_folder_new ();
  program = sonde_test_run (folder, NULL, "train", "lenet", "--set", source, "--set",
                            "data.split=modulo:5", "--set", "data.train=8000", "--set",
                            "data.test=2000", "--set", "data.batch=64", "--set", "train.epochs=3",
                            "--set", "train.learning-rate=0.03", "--set", "train.momentum=0.9",
                            "--run", "r", "--json");
  sonde_test_assert_status (program, 0);
  json = sonde_test_parse_json (program->out);
  metrics = json_object_get_object_member (json_node_get_object (json), "metrics");
  g_test_message ("accuracy %.4f", json_object_get_double_member (metrics, "accuracy"));
  g_assert_cmpint (json_object_get_int_member (json_node_get_object (json), "steps"), ==, 375);
  g_assert_cmpfloat (json_object_get_double_member (metrics, "accuracy"), >=, 0.96);
  sonde_test_folder_free (folder);
}

/* Weights and order of another engine's run: the losses are its losses. */
static void
test_curve (void)
{
  g_autofree char *source = dup_mnist_source ();
  g_autofree char *init = sonde_test_shared_path ("models/curve/init.npz");
  g_autofree char *order = sonde_test_shared_path ("models/curve/order.npy");
  g_autofree char *losses = sonde_test_shared_path ("models/curve/losses.npz");
  g_autofree char *weights_set = NULL, *order_set = NULL;
  g_autoptr (SondeTestProgram) program = NULL;
  g_autoptr (SondeNamedTensors) stored = NULL;
  g_autoptr (GPtrArray) points = NULL, curve = NULL;
  char *folder;

  if (source == NULL || init == NULL)
    return;
  folder = sonde_test_folder_new ();
  weights_set = g_strconcat ("model.weights=", init, NULL);
  order_set = g_strconcat ("data.order=", order, NULL);
  program = sonde_test_run (folder, NULL, "train", "lenet", "--set", source, "--set",
                            "data.split=modulo:5", "--set", "data.train=8000", "--set",
                            "data.test=2000", "--set", "data.batch=64", "--set", weights_set,
                            "--set", order_set, "--set", "train.learning-rate=0.01", "--set",
                            "train.momentum=0.9", "--set", "train.steps=50", "--run", "r");
  sonde_test_assert_status (program, 0);
  stored = sonde_npz_read (NULL, losses, NULL);
  points = training_export (folder, "r");
  curve = training_points (points, "loss");
  g_assert_cmpuint (curve->len, ==, 50);
  for (guint i = 0; i < curve->len; i++)
    {
      const TrainingPoint *point = g_ptr_array_index (curve, i);
      double want = sonde_tensor_get_double (sonde_named_tensors_lookup (stored, "f64"), i);

      g_assert_cmpint (point->step, ==, i + 1);
      g_assert_cmpfloat_with_epsilon (point->value, want, i < 10 ? 1e-4 : 1e-3);
    }
  sonde_test_folder_free (folder);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/cli/train/small-run", test_small_run);
  g_test_add_func ("/app/cli/train/run-ini", test_run_ini_is_a_recipe);
  g_test_add_func ("/app/cli/train/dry-run", test_dry_run);
  g_test_add_func ("/app/cli/train/checkpoints", test_checkpoints);
  g_test_add_func ("/app/cli/train/default-folder", test_default_folder);
  g_test_add_func ("/app/cli/train/everything", test_everything);
  g_test_add_func ("/app/cli/train/freeze", test_freeze);
  g_test_add_func ("/app/cli/train/not-finite", test_not_finite);
  g_test_add_func ("/app/cli/train/exported-model", test_exported_model);
  g_test_add_func ("/app/cli/train/wrong-keys", test_wrong_keys);
  g_test_add_func ("/app/cli/train/record-formats", test_record_formats);
  g_test_add_func ("/app/cli/train/wrong-subjects", test_wrong_subjects);
  g_test_add_func ("/app/cli/train/wrong-run-folder", test_wrong_run_folder);
  g_test_add_func ("/app/cli/train/wrong-model", test_wrong_model);
  g_test_add_data_func ("/app/cli/train/stored/mlp", "mlp", test_stored_training);
  g_test_add_data_func ("/app/cli/train/stored/lenet", "lenet", test_stored_training);
  g_test_add_data_func ("/app/cli/train/stored/bn-resnet", "bn-resnet", test_stored_training);
  g_test_add_func ("/app/cli/train/mnist", test_mnist_accuracy);
  g_test_add_func ("/app/cli/train/curve", test_curve);
  return g_test_run ();
}
