/* SPDX-License-Identifier: Apache-2.0
 * The recipe: what to train, on which data, how, and what to record. A GKeyFile on disk, a plain
 * struct in memory. What does not live here: opening what the recipe names. */
#pragma once

#include "data/base/sonde-io.h"

G_BEGIN_DECLS

/**
 * SondeSampleCount:
 *
 * "4000" is a count, "0.8" or "80%" a share, nothing leaves the choice to the source (its own test
 * part, else 80 % and 20 %).
 * @is_set: FALSE: the source chooses; then the others are 0
 * @count: samples, when @share is 0
 * @share: in (0, 1]; 0 when a count was given. A whole number is a count: "1" is one sample
 */
typedef struct
{
  gboolean is_set;
  guint64 count;
  double share;
} SondeSampleCount;

/**
 * SondeRecipe:
 *
 * One field a key; model_name is model.name and so on. All strings are owned; those that are
 * (nullable) are NULL when the key is absent or empty.
 */
typedef struct
{
  /* model */
  char *model_name;       /* built-in name ("lenet", "mlp") or path of a model file */
  char *model_weights;    /* (nullable) path of a file of weights: parameter name -> array */
  char *model_signature;  /* (nullable) which entry point of a model file */
  char **model_shapes;    /* (array zero-terminated=1) "INPUT=D,D,…" of open sizes; never NULL */
  gboolean model_partial; /* weights that do not fit are left out, else they are an error */

  /* data */
  char *data_source;           /* "glyphs", "mnist:DIR", "images:DIR", "csv:FILE", "npz:FILE" … */
  SondeSampleCount data_train; /* training samples */
  SondeSampleCount data_test;  /* test samples */
  /* 0 is "head": the first train, the next test; n ≥ 2 is "modulo:n": sample i tests when i mod n =
   * n - 1 */
  guint data_split_modulo;
  /* (nullable) path of an integer .npy [epochs, n]: positions among the training samples */
  char *data_order;
  guint data_batch;      /* samples a step, ≥ 1 */
  guint64 data_seed;     /* of generated data and of the shuffle */
  gboolean data_shuffle; /* a new order each epoch; data.order goes before it */
  /* (array zero-terminated=1) names with arguments, in the order applied; never NULL */
  char **data_transforms;
  guint data_repeat;   /* passes over the training samples that make an epoch, ≥ 1 */
  guint data_workers;  /* threads that load ahead; 0: none */
  guint data_prefetch; /* batches loaded ahead, ≥ 1 */

  /* train */
  guint64 train_epochs; /* one of these two is 0 and the other, ≥ 1, ends the training */
  guint64 train_steps;
  char *train_loss; /* "cross-entropy", "huber:delta=2" … or "output:NAME": the model computes it */
  char **train_class_weights; /* (array zero-terminated=1) numbers, or one F.npy; never NULL */
  char *train_optimiser;      /* "sgd", "adamw:beta2=0.95" … */
  double train_learning_rate; /* ≥ 0 */
  double train_momentum;      /* [0, 1) */
  double train_weight_decay;  /* ≥ 0 */
  char *train_schedule;       /* "constant", or a name with settings as "step:period=30e" */
  char *train_groups;         /* (nullable) "*.bias weight-decay=0; stem.* frozen" */
  /* (array zero-terminated=1) patterns of frozen parameters; never NULL */
  char **train_freeze;
  char *train_clip;       /* "none", "global-norm:1" … */
  char *train_precision;  /* "f32", "bf16", "f16" */
  guint train_accumulate; /* batches whose gradients are averaged into one step, ≥ 1 */
  guint64 train_memory;   /* bytes that a step may take; 0: any */
  /* [0, 1): share of the moving average of weights kept each step; 0: none */
  double train_average;
  char **train_metrics;   /* (array zero-terminated=1) "top-k:k=5" …; never NULL */
  char *train_early_stop; /* (nullable) "accuracy:patience=5;least=0.001" */
  char *train_on_nan;     /* "stop", "warn", "roll-back" */
  guint train_sink;       /* steps in one call, ≥ 1 */
  guint64 train_seed;     /* of the initial weights and of dropout */
  guint train_threads;    /* 0: as many as the machine allows */

  /* record */
  guint64 record_every; /* histograms and images every so many steps; 0: never */
  gboolean record_histograms;
  gboolean record_images;
  char *record_format; /* "sonde", "tensorboard", "mindspore" */

  /* checkpoint */
  guint64 checkpoint_every;   /* steps; 0: only the final one */
  double checkpoint_minutes;  /* 0: steps alone count */
  char *checkpoint_best;      /* (nullable) "loss" or a metric */
  guint checkpoint_keep;      /* the newest so many besides the final one; 0: all */
  char *checkpoint_format;    /* "npz", "safetensors" */
  char *checkpoint_prefix;    /* PREFIX-00000100.npz */
  char *checkpoint_directory; /* relative to the run folder, or absolute */
} SondeRecipe;

/* All defaults. Returns: (transfer full) */
SondeRecipe *sonde_recipe_new_default (void);
SondeRecipe *sonde_recipe_copy (const SondeRecipe *recipe);
void sonde_recipe_free (SondeRecipe *recipe); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeRecipe, sonde_recipe_free)

/**
 * sonde_recipe_load:
 * @io: (nullable): file calls
 *
 * The defaults with the keys of the file @path set. Paths inside stay as written; whoever opens
 * them resolves them against the current directory, as the shell would.
 * Errors: those of reading a file; SONDE_DATA_ERROR_INVALID with file and line for text that is no
 * key file, an unknown section or key (with the nearest right one) and a value that is not allowed
 * (with what is).
 */
SondeRecipe *sonde_recipe_load (const SondeIo *io, const char *path, GError **error);

/* The same from text; @name is used in messages. */
SondeRecipe *sonde_recipe_parse (const char *text, gsize length, const char *name, GError **error);

/**
 * sonde_recipe_set:
 * @key: "section.key", as in --set
 *
 * Sets one value; on an error @recipe is as before. Setting train.steps sets train.epochs to 0, and
 * the other way round; only a file that gives both numbers is refused.
 * Errors: SONDE_DATA_ERROR_INVALID.
 */
gboolean sonde_recipe_set (SondeRecipe *recipe, const char *key, const char *value, GError **error);

/* The same with "section.key=value" in one string. */
gboolean sonde_recipe_set_assignment (SondeRecipe *recipe, const char *assignment, GError **error);

/* The text of one value as a recipe would hold it ("" for what is not set); NULL for an unknown
 * key. Returns: (transfer full) (nullable) */
char *sonde_recipe_dup_value (const SondeRecipe *recipe, const char *key);

/* A whole key file with all values used, defaults included; what loads back to an equal recipe.
 * Returns: (transfer full) */
char *sonde_recipe_to_text (const SondeRecipe *recipe);

/**
 * sonde_recipe_list_changes:
 * Returns: (array zero-terminated=1) (transfer container): names of the keys whose values are not the
 * defaults, in the order of the sections; static strings. Of train.epochs and train.steps only the one that
 * counts
 */
const char **sonde_recipe_list_changes (const SondeRecipe *recipe);

/* A key file of these alone, and of model.name and data.source: what a person would write. It loads back to
 * an equal recipe. Returns: (transfer full) */
char *sonde_recipe_to_brief_text (const SondeRecipe *recipe);

/* How a value is written, for whoever lets a person choose it. */
typedef enum
{
  SONDE_RECIPE_TEXT,    /* anything that the key allows */
  SONDE_RECIPE_BOOLEAN, /* true or false */
  SONDE_RECIPE_CHOICE,  /* one of the choices */
  SONDE_RECIPE_NAMED,   /* one of the choices, with settings behind a colon */
} SondeRecipeForm;

/**
 * SondeRecipeKey:
 * One line of help on a key, for --help, the manual page and completion.
 * @name: "data.batch"
 * @default_text: as it would be written, "" when there is none
 * @allowed: what a value may be: "a whole number, 1 or more"
 * @choices: (nullable): the only values there are, separated by ", "; a NAME of the form "NAME:WORD" is
 *   followed by a value of one's own
 * @form: what the text of a value looks like
 * @summary: what it does, in a few words
 */
typedef struct
{
  const char *name;
  const char *default_text;
  const char *allowed;
  const char *choices;
  SondeRecipeForm form;
  const char *summary;
} SondeRecipeKey;

gsize sonde_recipe_get_n_keys (void);
SondeRecipeKey sonde_recipe_get_key (gsize index); /* strings are static */

/* The known key nearest to @key by edit distance. Returns: static */
const char *sonde_recipe_nearest_key (const char *key);

G_END_DECLS
