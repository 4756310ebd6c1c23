/* SPDX-License-Identifier: Apache-2.0
 * What the Train page asks the program itself, each time in a child: the built-in models, and what a training would
 * be. */
#pragma once

#include <gio/gio.h>

#include "data/recipes/sonde-recipe.h"

G_BEGIN_DECLS

/* What a model learns from. */
typedef enum
{
  SONDE_LABELS_CLASS,  /* one class a sample */
  SONDE_LABELS_PIXELS, /* one class a pixel */
  SONDE_LABELS_INPUT,  /* the input itself */
} SondeLabels;

/* A row of `sonde train --list`; @flops: of one sample forward. Owned strings. */
typedef struct
{
  char *name, *description, *input, *loss;
  guint64 parameters;
  double flops;
  SondeLabels labels;
} SondeModelEntry;

/**
 * SondeTrainingFacts: what `sonde train --dry-run` says
 * @sample: "1×28×28"; owned
 * @n_classes: 0: the labels are no classes
 * @bytes: that a step takes at its peak
 */
typedef struct
{
  guint64 parameters, trainable, n_train, n_test, n_classes, steps_per_epoch, steps, bytes;
  double flops;
  char *sample, *loss;
} SondeTrainingFacts;

void sonde_training_facts_free (SondeTrainingFacts *facts);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeTrainingFacts, sonde_training_facts_free)

/**
 * sonde_training_command_new:
 * @options: (nullable) (array zero-terminated=1): others
 *
 * Returns: (array zero-terminated=1) (transfer full): PROGRAM train --set KEY=VALUE … OPTIONS MODEL, with the keys
 *   whose values are not the defaults
 */
char **sonde_training_command_new (const char *program, const SondeRecipe *recipe,
                                   const char *const *options);

/**
 * sonde_training_command_list:
 * @callback: gets (element-type SondeModelEntry) (transfer full) from the finish function
 * Errors: the child could not be started, or what it wrote is not understood.
 */
void sonde_training_command_list (const char *program, GCancellable *cancellable,
                                  GAsyncReadyCallback callback, gpointer data);
GPtrArray *sonde_training_command_list_finish (GAsyncResult *result, GError **error);

/**
 * sonde_training_command_check:
 * @cancellable: ends the child, too
 * Errors: the sentence that the command ends with, without its name before it.
 */
void sonde_training_command_check (const char *program, const SondeRecipe *recipe,
                                   GCancellable *cancellable, GAsyncReadyCallback callback,
                                   gpointer data);
SondeTrainingFacts *sonde_training_command_check_finish (GAsyncResult *result, GError **error);

/* The last sentence of what a command wrote to stderr, without "sonde train: " before it. (transfer full) */
char *sonde_training_command_dup_reason (const char *text);

G_END_DECLS
