/* SPDX-License-Identifier: Apache-2.0
 * Recipes: defaults, loading, --set, what stands in errors, and that the text written loads
 * back. */
#include "data/base/sonde-error.h"
#include "data/recipes/sonde-recipe.h"

#include <glib/gstdio.h>
#include <string.h>

static SondeRecipe *
parse (const char *text, GError **error)
{
  return sonde_recipe_parse (text, strlen (text), "x.ini", error);
}

static void
test_defaults (void)
{
  g_autoptr (SondeRecipe) recipe = sonde_recipe_new_default ();

  g_assert_cmpstr (recipe->model_name, ==, "lenet");
  g_assert_null (recipe->model_weights);
  g_assert_cmpstr (recipe->data_source, ==, "glyphs");
  g_assert_false (recipe->data_train.is_set);
  g_assert_cmpuint (recipe->data_split_modulo, ==, 0);
  g_assert_null (recipe->data_order);
  g_assert_cmpuint (recipe->data_batch, ==, 64);
  g_assert_true (recipe->data_shuffle);
  g_assert_null (recipe->data_transforms[0]);
  g_assert_true (recipe->data_repeat == 1 && recipe->data_workers == 1
                 && recipe->data_prefetch == 2);
  g_assert_cmpuint (recipe->train_epochs, ==, 6);
  g_assert_cmpuint (recipe->train_steps, ==, 0);
  g_assert_cmpfloat (recipe->train_learning_rate, ==, 0.02);
  g_assert_cmpfloat (recipe->train_momentum, ==, 0.9);
  g_assert_cmpstr (recipe->train_optimiser, ==, "sgd");
  g_assert_cmpstr (recipe->train_loss, ==, "cross-entropy");
  g_assert_cmpstr (recipe->record_format, ==, "sonde");
  g_assert_cmpuint (recipe->record_every, ==, 10);
  g_assert_cmpuint (recipe->checkpoint_keep, ==, 3);
  g_assert_cmpstr (recipe->checkpoint_directory, ==, "checkpoints");
}

static void
test_load (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeRecipe) recipe
      = parse ("# comment\n"
               "[data]\nsource = mnist:/data/m n\ntrain=0.8\ntest = 20%\n"
               "split=modulo:5\ntransforms = flip; crop:2 ;\nshuffle=no\n"
               "[train]\nsteps = 200\nlearning-rate=1e-3\n"
               "[record]\nevery=0\n",
               &error);

  g_assert_no_error (error);
  g_assert_cmpstr (recipe->data_source, ==, "mnist:/data/m n");
  g_assert_cmpfloat (recipe->data_train.share, ==, 0.8);
  g_assert_cmpfloat (recipe->data_test.share, ==, 0.2);
  g_assert_cmpuint (recipe->data_split_modulo, ==, 5);
  g_assert_cmpuint (g_strv_length (recipe->data_transforms), ==, 2);
  g_assert_cmpstr (recipe->data_transforms[0], ==, "flip");
  g_assert_cmpstr (recipe->data_transforms[1], ==, "crop:2");
  g_assert_false (recipe->data_shuffle);
  g_assert_cmpuint (recipe->train_steps, ==, 200);
  g_assert_cmpuint (recipe->train_epochs, ==, 0);
  g_assert_cmpfloat (recipe->train_learning_rate, ==, 0.001);
  g_assert_cmpuint (recipe->record_every, ==, 0);
  g_assert_cmpstr (recipe->model_name, ==, "lenet");
}

static const struct
{
  const char *text;
  const char *hints[3]; /* parts of the message */
} bad_files[] = {
  { "[train]\n\nlearningrate=1\n",
    { "“x.ini”, line 3", "train.learningrate", "train.learning-rate" } },
  { "[trian]\nepochs=1\n", { "line 2", "trian.epochs", "“train.epochs”" } },
  { "[train]\nbatch=1\n", { "line 2", "train.batch", "“data.batch”" } },
  { "[data]\nBatch=1\n", { "data.Batch", "“data.batch”", "line 2" } },
  { "[extra]\n", { "line 1", "extra", "did you mean" } },
  { "[data]\nseed=1\nbatch=0\n", { "line 3", "data.batch = “0”", "from 1" } },
  { "[data]\nbatch=many\n", { "data.batch = “many”", "an integer", "line 2" } },
  { "[data]\nbatch=99999999999999999999\n", { "data.batch", "16777216", "line 2" } },
  { "[data]\nbatch=-1\n", { "data.batch = “-1”", "integer", "" } },
  { "[train]\nmemory=20 parsecs\n", { "train.memory = “20 parsecs”", "200MB", "line 2" } },
  { "[train]\nmemory=-1MB\n", { "train.memory", "1.5GiB", "" } },
  { "[data]\nsplit=tail\n", { "data.split = “tail”", "head", "modulo:N" } },
  { "[data]\nsplit=modulo:1\n", { "data.split", "2 or more", "" } },
  { "[data]\ntrain=1.5\n", { "data.train = “1.5”", "fraction", "" } },
  { "[data]\ntrain=120%\n", { "data.train", "fraction", "" } },
  { "[data]\nrepeat=0\n", { "data.repeat = “0”", "from 1", "" } },
  { "[data]\nworkers=257\n", { "data.workers", "0 to 256", "" } },
  { "[data]\nprefetch=0\n", { "data.prefetch", "1 to 1024", "" } },
  { "[data]\nshuffle=perhaps\n", { "data.shuffle", "true or false", "" } },
  { "[data]\nsource=\n", { "data.source = “”", "glyphs", "mnist:DIR" } },
  { "[train]\noptimiser=sdg\n",
    { "train.optimiser = “sdg”", "sgd, adam, adamw, rmsprop", "lion" } },
  { "[train]\noptimiser=adamw2:beta1=0.8\n",
    { "train.optimiser = “adamw2:beta1=0.8”", "adagrad", "" } },
  { "[train]\nloss=hinge\n", { "train.loss = “hinge”", "cross-entropy, nll", "output:NAME" } },
  { "[train]\nloss=output:\n", { "train.loss = “output:”", "output:NAME", "" } },
  { "[train]\nschedule=cosin\n", { "train.schedule = “cosin”", "cosine", "one-cycle" } },
  { "[train]\nmetrics=f1;ap\n", { "train.metrics = “f1;ap”", "confusion-matrix", "" } },
  { "[train]\nclass-weights=1;-2\n", { "train.class-weights", "non-negative", ".npy" } },
  { "[train]\nclass-weights=1;a.npy\n", { "train.class-weights", "non-negative", "" } },
  { "[train]\nclip=norm\n", { "train.clip = “norm”", "norm:LIMIT", "" } },
  { "[train]\non-nan=ignore\n", { "train.on-nan", "stop, warn, roll-back", "" } },
  { "[train]\nprecision=f64\n", { "train.precision", "f32, bf16", "" } },
  { "[train]\naverage=1\n", { "train.average", "below 1", "" } },
  { "[train]\nearly-stop=speed\n", { "train.early-stop", "loss, accuracy", "" } },
  { "[train]\nsink=0\n", { "train.sink", "from 1", "" } },
  { "[checkpoint]\nbest=accurracy\n", { "checkpoint.best", "loss, accuracy", "" } },
  { "[checkpoint]\nminutes=-1\n", { "checkpoint.minutes", "0 to 1e6", "" } },
  { "[train]\nmomentum=1\n", { "train.momentum", "below 1", "" } },
  { "[train]\nlearning-rate=nan\n", { "train.learning-rate", "0 to 1e6", "" } },
  { "[train]\nlearning-rate=0,1\n", { "train.learning-rate = “0,1”", "", "" } },
  { "[train]\nepochs=0\n", { "train.epochs", "1 or more", "line 2" } },
  { "[train]\nepochs=2\nsteps=5\n", { "train.epochs", "train.steps", "both" } },
  { "[record]\nformat=json\n", { "record.format", "sonde, tensorboard, mindspore", "" } },
  { "epochs=3\n", { "x.ini", "not a recipe", "" } },
  { "[train\n", { "x.ini", "not a recipe", "" } },
  { "[train]\nnonsense\n", { "x.ini", "not a recipe", "nonsense" } },
  { "[train]\nloss=\\q\n", { "train.loss", "line 2", "" } },
};

static void
test_bad_files (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (bad_files); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (parse (bad_files[i].text, &error));
      g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID);
      g_test_message ("%s", error->message);
      for (int k = 0; k < 3; k++)
        g_assert_nonnull (strstr (error->message, bad_files[i].hints[k]));
    }
}

/* Any bytes: refused or read, never worse; long names do not take long. */
static void
test_hostile (void)
{
  g_autofree char *name = g_strnfill (500000, 'a');
  g_autofree char *text = g_strdup_printf ("[train]\n%s=1\n", name);
  g_autoptr (GRand) random = g_rand_new_with_seed (3);

  g_assert_null (parse (text, NULL));
  g_assert_null (sonde_recipe_parse ("[train]\nepochs=1\0\xff", 18, "x.ini", NULL));
  g_assert_null (sonde_recipe_parse ("[train]\nloss=\xff\xfe\n", 16, "x.ini", NULL));
  for (int i = 0; i < 2000; i++)
    {
      char bytes[] = "[train]\nepochs=2\n[data]\nbatch=3\nsource=a:b\n";
      g_autoptr (SondeRecipe) recipe = NULL;

      bytes[g_rand_int_range (random, 0, sizeof bytes - 1)]
          = (char) g_rand_int_range (random, 0, 256);
      recipe = sonde_recipe_parse (bytes, sizeof bytes - 1, "x.ini", NULL);
    }
}

static void
test_set (void)
{
  g_autoptr (SondeRecipe) recipe = sonde_recipe_new_default ();
  g_autoptr (GError) error = NULL;

  g_assert_true (sonde_recipe_set (recipe, "data.batch", "32", &error));
  g_assert_cmpuint (recipe->data_batch, ==, 32);
  g_assert_true (sonde_recipe_set_assignment (recipe, "model.name = a=b.onnx", &error));
  g_assert_cmpstr (recipe->model_name, ==, "a=b.onnx");

  g_assert_false (sonde_recipe_set (recipe, "data.batch", "0", &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID);
  g_clear_error (&error);
  g_assert_cmpuint (recipe->data_batch, ==, 32); /* as before */

  g_assert_false (sonde_recipe_set_assignment (recipe, "train.lerning-rate=1", &error));
  g_assert_nonnull (strstr (error->message, "“train.learning-rate”"));
  g_clear_error (&error);
  g_assert_false (sonde_recipe_set_assignment (recipe, "data.batch", &error));
  g_assert_nonnull (strstr (error->message, "section.key=value"));
}

static void
test_length (void)
{
  g_autoptr (SondeRecipe) recipe = sonde_recipe_new_default ();

  g_assert_true (sonde_recipe_set (recipe, "train.steps", "20", NULL));
  g_assert_true (recipe->train_steps == 20 && recipe->train_epochs == 0);
  g_assert_true (sonde_recipe_set (recipe, "train.epochs", "2", NULL));
  g_assert_true (recipe->train_steps == 0 && recipe->train_epochs == 2);
  g_assert_false (sonde_recipe_set (recipe, "train.epochs", "0", NULL));
  g_assert_true (recipe->train_steps == 0 && recipe->train_epochs == 2);
}

static void
test_nearest (void)
{
  static const char *const cases[][2] = {
    { "train.epoch", "train.epochs" },
    { "lr", "train.seed" },
    { "checkpoints.every", "checkpoint.every" },
    { "record.evrey", "record.every" },
    { "learning-rate", "train.learning-rate" },
    { "train.learning_rate", "train.learning-rate" },
    { "model.nane", "model.name" },
    { "momentum", "train.momentum" },
    { "data.batchsize", "data.batch" },
    { "train.optimizer", "train.optimiser" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      if (strcmp (cases[i][0], "lr") == 0)
        g_assert_nonnull (
            sonde_recipe_nearest_key (cases[i][0])); /* far from everything, yet an answer */
      else
        g_assert_cmpstr (sonde_recipe_nearest_key (cases[i][0]), ==, cases[i][1]);
    }
}

static void
test_text (void)
{
  static const char *const settings[] = { "data.train=1",
                                          "data.test=100%",
                                          "train.learning-rate=0.1",
                                          "train.steps=7",
                                          "data.transforms=a; b:1",
                                          "data.split=modulo:3",
                                          "data.source= mnist:/a b;c",
                                          "train.seed=9223372036854775807",
                                          "record.images=false",
                                          "model.weights=ü.npz",
                                          "train.optimiser=adamw: beta1=0.8; beta2=0.9",
                                          "train.metrics=f1; top-k:k=3",
                                          "train.class-weights=1; 0.5;2",
                                          "train.freeze=conv*; *.bias",
                                          "train.clip=global-norm:1",
                                          "train.early-stop=loss:patience=3",
                                          "train.groups=*.bias weight-decay=0; stem.* frozen" };
  g_autoptr (SondeRecipe) recipe = sonde_recipe_new_default ();
  g_autoptr (SondeRecipe) back = NULL, copy = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL, *text_again = NULL, *copy_text = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (settings); i++)
    {
      g_assert_true (sonde_recipe_set_assignment (recipe, settings[i], &error));
      g_assert_no_error (error);
    }
  text = sonde_recipe_to_text (recipe);
  back = parse (text, &error);
  g_assert_no_error (error);
  text_again = sonde_recipe_to_text (back);
  g_assert_cmpstr (text, ==, text_again);
  copy = sonde_recipe_copy (recipe);
  copy_text = sonde_recipe_to_text (copy);
  g_assert_cmpstr (text, ==, copy_text);

  g_assert_cmpuint (back->data_train.count, ==, 1);
  g_assert_cmpfloat (back->data_test.share, ==, 1);
  g_assert_cmpuint (back->train_seed, ==, G_MAXINT64);
  for (gsize i = 0; i < sonde_recipe_get_n_keys (); i++)
    {
      SondeRecipeKey key = sonde_recipe_get_key (i);
      g_autofree char *value = sonde_recipe_dup_value (back, key.name);
      const char *short_name = strchr (key.name, '.') + 1;
      g_autofree char *line = g_strdup_printf ("\n%s=", short_name);

      g_assert_nonnull (value);
      g_assert_nonnull (strstr (text, line)); /* defaults included */
      g_assert_true (key.allowed != NULL && key.summary != NULL);
    }
  g_assert_null (sonde_recipe_dup_value (back, "no.key"));
}

/* Only what differs is written, and it loads back to the same. */
static void
test_brief (void)
{
  static const char *const settings[]
      = { "data.batch=32", "train.steps=9", "train.optimiser=adamw:beta1=0.8", "record.images=no" };
  static const char *const names[]
      = { "data.batch", "train.steps", "train.optimiser", "record.images" };
  g_autoptr (SondeRecipe) recipe = sonde_recipe_new_default ();
  g_autoptr (SondeRecipe) back = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *usual = sonde_recipe_to_brief_text (recipe), *text = NULL, *whole = NULL,
                  *whole_back = NULL;
  g_autofree const char **none = sonde_recipe_list_changes (recipe), **changes = NULL;

  g_assert_null (none[0]);
  g_assert_cmpstr (usual, ==, "[model]\nname=lenet\n\n[data]\nsource=glyphs\n");
  for (gsize i = 0; i < G_N_ELEMENTS (settings); i++)
    g_assert_true (sonde_recipe_set_assignment (recipe, settings[i], NULL));
  changes = sonde_recipe_list_changes (recipe);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    g_assert_true (g_strv_contains (changes, names[i]));
  g_assert_cmpuint (g_strv_length ((char **) changes), ==, G_N_ELEMENTS (names));
  text = sonde_recipe_to_brief_text (recipe);
  g_assert_null (strstr (text, "epochs"));
  back = parse (text, &error);
  g_assert_no_error (error);
  whole = sonde_recipe_to_text (recipe);
  whole_back = sonde_recipe_to_text (back);
  g_assert_cmpstr (whole, ==, whole_back);
}

/* Each form's default is a value of that form. */
static void
test_forms (void)
{
  gsize n[SONDE_RECIPE_NAMED + 1] = { 0 };

  for (gsize i = 0; i < sonde_recipe_get_n_keys (); i++)
    {
      SondeRecipeKey key = sonde_recipe_get_key (i);

      n[key.form]++;
      if (key.form == SONDE_RECIPE_BOOLEAN)
        g_assert_true (g_str_equal (key.default_text, "true")
                       || g_str_equal (key.default_text, "false"));
      else if (key.form != SONDE_RECIPE_TEXT)
        g_assert_nonnull (strstr (key.choices, key.default_text));
    }
  for (gsize i = 0; i < G_N_ELEMENTS (n); i++)
    g_assert_cmpuint (n[i], >, 0);
}

static void
test_file (void)
{
  g_autofree char *folder = g_dir_make_tmp ("sonde-recipe-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "r.ini", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeRecipe) recipe = NULL, empty = NULL;

  g_assert_null (sonde_recipe_load (NULL, path, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND);
  g_clear_error (&error);
  g_assert_true (g_file_set_contents (path, "", 0, NULL));
  empty = sonde_recipe_load (NULL, path, &error);
  g_assert_no_error (error);
  g_assert_true (g_file_set_contents (path, "[data]\nbatch=5\n", -1, NULL));
  recipe = sonde_recipe_load (NULL, path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (recipe->data_batch, ==, 5);
  g_unlink (path);
  g_rmdir (folder);
}

static void
test_bytes (void)
{
  static const struct
  {
    const char *text, *back;
    guint64 bytes;
  } rows[] = {
    { "0", "0", 0 },
    { "200MB", "200MB", 200000000 },
    { "1.5 GiB", "1536MiB", G_GUINT64_CONSTANT (1610612736) },
    { "4kib", "4KiB", 4096 },
    { "123", "123B", 123 },
  };
  g_autoptr (SondeRecipe) recipe = sonde_recipe_new_default ();

  g_assert_cmpuint (recipe->train_memory, ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *back = NULL;

      g_assert_true (sonde_recipe_set (recipe, "train.memory", rows[i].text, &error));
      g_assert_no_error (error);
      g_assert_cmpuint (recipe->train_memory, ==, rows[i].bytes);
      back = sonde_recipe_dup_value (recipe, "train.memory");
      g_assert_cmpstr (back, ==, rows[i].back);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/recipes/recipe/defaults", test_defaults);
  g_test_add_func ("/data/recipes/recipe/load", test_load);
  g_test_add_func ("/data/recipes/recipe/bad-files", test_bad_files);
  g_test_add_func ("/data/recipes/recipe/hostile", test_hostile);
  g_test_add_func ("/data/recipes/recipe/set", test_set);
  g_test_add_func ("/data/recipes/recipe/length", test_length);
  g_test_add_func ("/data/recipes/recipe/nearest", test_nearest);
  g_test_add_func ("/data/recipes/recipe/text", test_text);
  g_test_add_func ("/data/recipes/recipe/brief", test_brief);
  g_test_add_func ("/data/recipes/recipe/forms", test_forms);
  g_test_add_func ("/data/recipes/recipe/file", test_file);
  g_test_add_func ("/data/recipes/recipe/bytes", test_bytes);
  return g_test_run ();
}
