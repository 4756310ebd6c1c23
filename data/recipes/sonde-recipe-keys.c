/* SPDX-License-Identifier: Apache-2.0
 * The keys of a recipe. A new key is one row here and one field in the struct. */
#include "data/recipes/sonde-recipe-keys-private.h"

#include <string.h>

#include "data/base/sonde-text.h"

#define ANY 0x1p63 /* no upper limit */

#define ROW(section, key, field, kind, default_text, min, max, choices, allowed, summary)          \
  {                                                                                                \
    section, key, offsetof (SondeRecipe, field), &sonde_recipe_##kind, default_text, min, max,     \
        choices, allowed, summary, section "." key                                                 \
  }

#define WHOLE N_ ("an integer, 0 or more")
#define POSITIVE N_ ("an integer, 1 or more")
/* Those of engine/nn; NUMBERS: those that are better or worse. */
#define METRICS "accuracy, top-k, precision, recall, f1, confusion-matrix, auc, mae, rmse"
#define NUMBERS "loss, accuracy, top-k, precision, recall, f1, auc, mae, rmse"

const SondeRecipeRow sonde_recipe_rows[] = {
  ROW ("model", "name", model_name, text, "lenet", 0, 0, NULL,
       N_ ("a built-in model such as lenet or mlp, or a model file"), N_ ("model to train")),
  ROW ("model", "weights", model_weights, optional, "", 0, 0, NULL,
       N_ ("an .npz, .safetensors, .onnx, PyTorch .pt or MindSpore .ckpt file, or nothing"),
       N_ ("initial parameters, matched by name")),
  ROW ("model", "signature", model_signature, optional, "", 0, 0, NULL, NULL,
       N_ ("signature of a model file that has several")),
  ROW ("model", "shapes", model_shapes, list, "", 0, 0, NULL, NULL,
       N_ ("sizes of inputs that a model file leaves open, as INPUT=D,D,…")),
  ROW ("model", "partial", model_partial, boolean, "false", 0, 0, NULL, NULL,
       N_ ("skip and report weights whose name or shape does not match")),

  ROW ("data", "source", data_source, text, "glyphs", 0, 0, NULL,
       N_ ("glyphs, mnist:DIR, fashion-mnist:DIR, cifar10:DIR, cifar100:DIR, images:DIR, "
           "masks:DIR, csv:FILE, npz:FILE, npy:FILE or tokens:task=NAME"),
       N_ ("source of the samples")),
  ROW ("data", "train", data_train, samples, "", 0, 0, NULL, NULL,
       N_ ("number of training samples")),
  ROW ("data", "test", data_test, samples, "", 0, 0, NULL, NULL, N_ ("number of test samples")),
  ROW ("data", "split", data_split_modulo, split, "head", 0, 0, NULL, NULL,
       N_ ("split into training and test samples")),
  ROW ("data", "order", data_order, optional, "", 0, 0, NULL,
       N_ ("an .npy file of integers [epochs, n], or nothing"),
       N_ ("order of the training samples, one row per epoch")),
  ROW ("data", "batch", data_batch, small, "64", 1, 1 << 24, NULL,
       N_ ("an integer from 1 to 16777216"), N_ ("batch size")),
  ROW ("data", "seed", data_seed, count, "1", 0, ANY, NULL, WHOLE,
       N_ ("random seed of generated samples and shuffling")),
  ROW ("data", "shuffle", data_shuffle, boolean, "true", 0, 0, NULL, NULL,
       N_ ("shuffle the training samples every epoch")),
  ROW ("data", "transforms", data_transforms, list, "", 0, 0, NULL, NULL,
       N_ ("transforms of each sample, in this order")),
  ROW ("data", "repeat", data_repeat, small, "1", 1, 1 << 20, NULL,
       N_ ("an integer from 1 to 1048576"), N_ ("repetitions of the training samples per epoch")),
  ROW ("data", "workers", data_workers, small, "1", 0, 256, NULL, N_ ("an integer from 0 to 256"),
       N_ ("loader threads; 0: load on demand")),
  ROW ("data", "prefetch", data_prefetch, small, "2", 1, 1024, NULL,
       N_ ("an integer from 1 to 1024"), N_ ("batches to prefetch")),

  ROW ("train", "epochs", train_epochs, count, "6", 0, ANY, NULL, POSITIVE,
       N_ ("number of epochs")),
  ROW ("train", "steps", train_steps, count, "0", 0, ANY, NULL, WHOLE,
       N_ ("number of steps, instead of epochs")),
  ROW ("train", "loss", train_loss, named, "cross-entropy", 0, 0,
       "cross-entropy, nll, mse, l1, smooth-l1, huber, bce, kl, cosine, ctc, output:NAME", NULL,
       N_ ("loss function; output:NAME: an output of the model")),
  ROW ("train", "class-weights", train_class_weights, weights, "", 0, 0, NULL, NULL,
       N_ ("class weights of the loss")),
  ROW ("train", "optimiser", train_optimiser, named, "sgd", 0, 0,
       "sgd, adam, adamw, rmsprop, adagrad, adadelta, lamb, lars, lion", NULL, N_ ("optimiser")),
  ROW ("train", "learning-rate", train_learning_rate, number, "0.02", 0, 1e6, NULL,
       N_ ("a number from 0 to 1e6"), N_ ("learning rate")),
  ROW ("train", "momentum", train_momentum, number, "0.9", 0, 0.9999999999999999, NULL,
       N_ ("a number from 0 to below 1"), N_ ("momentum (sgd)")),
  ROW ("train", "weight-decay", train_weight_decay, number, "0", 0, 1e6, NULL,
       N_ ("a number from 0 to 1e6"), N_ ("weight decay")),
  ROW ("train", "schedule", train_schedule, named, "constant", 0, 0,
       "constant, linear, step, exponential, cosine, polynomial, one-cycle, piecewise, plateau",
       NULL, N_ ("learning-rate schedule")),
  ROW ("train", "groups", train_groups, optional, "", 0, 0, NULL,
       N_ ("“PATTERN rate=FACTOR weight-decay=NUMBER frozen; …”, or nothing"),
       N_ ("parameter groups with their own settings")),
  ROW ("train", "freeze", train_freeze, list, "", 0, 0, NULL,
       N_ ("patterns separated by “;”, or nothing"), N_ ("frozen parameters")),
  ROW ("train", "clip", train_clip, named, "none", 0, 0,
       "none, value:LIMIT, norm:LIMIT, global-norm:LIMIT", NULL, N_ ("gradient clipping")),
  ROW ("train", "precision", train_precision, choice, "f32", 0, 0, "f32, bf16, f16", NULL,
       N_ ("data type of matrix products and convolutions")),
  ROW ("train", "accumulate", train_accumulate, small, "1", 1, 1 << 20, NULL,
       N_ ("an integer from 1 to 1048576"), N_ ("batches accumulated per step")),
  ROW ("train", "memory", train_memory, bytes, "0", 0, ANY, NULL, NULL,
       N_ ("memory limit of a step, kept by activation checkpointing; 0: none")),
  ROW ("train", "average", train_average, number, "0", 0, 0.9999999999999999, NULL,
       N_ ("a number from 0 to below 1"),
       N_ ("decay of the moving average of the weights; 0: none")),
  ROW ("train", "metrics", train_metrics, named_list, "", 0, 0, METRICS, NULL,
       N_ ("test metrics besides loss and accuracy")),
  ROW ("train", "early-stop", train_early_stop, optional_named, "", 0, 0, NUMBERS, NULL,
       N_ ("early stopping, METRIC:patience=N;least=D: after N evaluations without an improvement "
           "of D")),
  ROW ("train", "on-nan", train_on_nan, choice, "stop", 0, 0, "stop, warn, roll-back", NULL,
       N_ ("action when the loss is not finite; roll-back: to the last checkpoint")),
  ROW ("train", "sink", train_sink, small, "1", 1, 1 << 20, NULL,
       N_ ("an integer from 1 to 1048576"), N_ ("steps between logging and checkpoints")),
  ROW ("train", "seed", train_seed, count, "1", 0, ANY, NULL, WHOLE,
       N_ ("random seed of initialisation and dropout")),
  ROW ("train", "threads", train_threads, small, "0", 0, 4096, NULL,
       N_ ("an integer from 0 to 4096"), N_ ("compute threads; 0: all cores")),

  ROW ("record", "every", record_every, count, "10", 0, ANY, NULL, WHOLE,
       N_ ("steps between histograms and images; 0: never")),
  ROW ("record", "histograms", record_histograms, boolean, "true", 0, 0, NULL, NULL,
       N_ ("histograms of parameters and gradients")),
  ROW ("record", "images", record_images, boolean, "true", 0, 0, NULL, NULL,
       N_ ("sample images with predictions")),
  ROW ("record", "format", record_format, choice, "sonde", 0, 0, "sonde, tensorboard, mindspore",
       NULL, N_ ("format of the record files")),

  ROW ("checkpoint", "every", checkpoint_every, count, "0", 0, ANY, NULL, WHOLE,
       N_ ("steps between checkpoints; 0: only at the end")),
  ROW ("checkpoint", "minutes", checkpoint_minutes, number, "0", 0, 1e6, NULL,
       N_ ("a number from 0 to 1e6"), N_ ("minutes between checkpoints; 0: by steps only")),
  ROW ("checkpoint", "best", checkpoint_best, optional_named, "", 0, 0, NUMBERS, NULL,
       N_ ("test metric that selects best.npz")),
  ROW ("checkpoint", "keep", checkpoint_keep, small, "3", 0, 1 << 20, NULL,
       N_ ("an integer from 0 to 1048576"), N_ ("number of newest checkpoints to keep; 0: all")),
  ROW ("checkpoint", "format", checkpoint_format, choice, "npz", 0, 0, "npz, safetensors", NULL,
       N_ ("format of the weight files; final.npz is always written")),
  ROW ("checkpoint", "prefix", checkpoint_prefix, text, "step", 0, 0, NULL, NULL,
       N_ ("prefix of the checkpoint file names")),
  ROW ("checkpoint", "directory", checkpoint_directory, text, "checkpoints", 0, 0, NULL, NULL,
       N_ ("folder of the checkpoints, relative to the run folder")),
};

const gsize sonde_recipe_n_rows = G_N_ELEMENTS (sonde_recipe_rows);

const char *
sonde_recipe_row_get_allowed (const SondeRecipeRow *row)
{
  if (row->choices != NULL)
    return row->choices;
  return row->allowed != NULL ? row->allowed : row->kind->allowed;
}

const SondeRecipeRow *
sonde_recipe_find_row (const char *name)
{
  for (gsize i = 0; i < sonde_recipe_n_rows; i++)
    {
      if (g_str_equal (sonde_recipe_rows[i].name, name))
        return &sonde_recipe_rows[i];
    }
  return NULL;
}

gsize
sonde_recipe_get_n_keys (void)
{
  return sonde_recipe_n_rows;
}

static SondeRecipeForm
get_form (const SondeRecipeRow *row)
{
  if (row->kind == &sonde_recipe_boolean)
    return SONDE_RECIPE_BOOLEAN;
  if (row->kind == &sonde_recipe_choice)
    return SONDE_RECIPE_CHOICE;
  return row->kind == &sonde_recipe_named ? SONDE_RECIPE_NAMED : SONDE_RECIPE_TEXT;
}

SondeRecipeKey
sonde_recipe_get_key (gsize index)
{
  const SondeRecipeRow *row = &sonde_recipe_rows[MIN (index, sonde_recipe_n_rows - 1)];
  SondeRecipeKey key = {
    .name = row->name,
    .default_text = row->default_text,
    .allowed = sonde_recipe_row_get_allowed (row),
    .choices = row->choices,
    .form = get_form (row),
    .summary = row->summary,
  };

  return key;
}

/* More of a name changes no answer, and the work stays small whatever a file holds. */
#define LONGEST 64

/* Insertions, deletions, replacements and swaps of neighbours that turn @a into @b (Damerau's
 * distance, optimal string alignment). */
static guint
edit_distance (const char *a, const char *b)
{
  guint rows[3][LONGEST + 1];
  gsize n_a = strnlen (a, LONGEST), n_b = strnlen (b, LONGEST);

  for (gsize k = 0; k <= n_b; k++)
    rows[0][k] = (guint) k;
  for (gsize i = 1; i <= n_a; i++)
    {
      guint *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];

      row[0] = (guint) i;
      for (gsize k = 1; k <= n_b; k++)
        {
          guint best = above[k - 1] + (a[i - 1] != b[k - 1]);

          best = MIN (best, MIN (above[k], row[k - 1]) + 1);
          if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
            best = MIN (best, two_above[k - 2] + 1);
          row[k] = best;
        }
    }
  return rows[n_a % 3][n_b];
}

const char *
sonde_recipe_nearest_key (const char *key)
{
  const char *dot = strchr (key, '.');
  const char *last = dot != NULL ? dot + 1 : key;
  const char *nearest = NULL;
  guint least = G_MAXUINT;

  for (gsize i = 0; i < sonde_recipe_n_rows; i++)
    {
      guint whole = edit_distance (key, sonde_recipe_rows[i].name);
      /* the right key in the wrong section, or in none */
      guint part = edit_distance (last, sonde_recipe_rows[i].key) + 2;

      if (MIN (whole, part) < least)
        {
          least = MIN (whole, part);
          nearest = sonde_recipe_rows[i].name;
        }
    }
  return nearest;
}
