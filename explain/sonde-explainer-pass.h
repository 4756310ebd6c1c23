/* SPDX-License-Identifier: Apache-2.0
 * Passes of an explainer: its model with something added, planned for one batch size and found again
 * by a key; for the methods that add something. */
#pragma once

#include "explain/sonde-explainer.h"

G_BEGIN_DECLS

/**
 * SondeExplainerPass:
 * @key: what was added: "forward", "gradient:logit:…"
 * @batch: rows
 * @graph: a copy of the model, inferred for the batch
 * @input, @logits: values of @graph
 * @results: (element-type SondeGraphValue): set by the build function: what is read after a run
 * @bindings: (element-type SondeBinding): of the inputs
 */
typedef struct
{
  char *key;
  SondeShape shape;
  SondeGraph *graph;
  SondePlan *plan;
  SondeExecution *execution;
  SondeGraphValue *input, *logits;
  GPtrArray *results;
  GArray *bindings;
} SondeExplainerPass;

/* Adds to pass->graph and to pass->results. */
typedef gboolean (*SondeExplainerBuild) (SondeExplainerPass *pass, gpointer data, GError **error);

/* The pass of that key for inputs of that shape, made by @build when there is none yet. Lent; the
 * least recently used of many is dropped, never one of the last eight asked for. */
SondeExplainerPass *sonde_explainer_find_pass (SondeExplainer *explainer, const char *key,
                                               const SondeShape *shape, SondeExplainerBuild build,
                                               gpointer data, GError **error);
/* Another input of the pass's graph. For build functions. */
SondeGraphValue *sonde_explainer_pass_add_input (SondeExplainerPass *pass, const char *name,
                                                 const SondeType *type);
/* The value of that name. Errors: NOT_FOUND with the nearest. */
SondeGraphValue *sonde_explainer_pass_find_value (SondeExplainerPass *pass, const char *name,
                                                  GError **error);
/* Logits, or their softmax. For build functions. */
SondeGraphValue *sonde_explainer_pass_make_score (SondeExplainerPass *pass, SondeScore score);

/**
 * sonde_explainer_run_rows:
 * @rows: (array length=n_rows): what changes from sample to sample: inputs of the pass by @names,
 *   [n, …]; first the input itself, as NULL name
 * @fixed: (array length=n_fixed): inputs that are the same for every batch, by @fixed_names
 * @results: (out) (array): one tensor for each of pass->results, [n, …]
 *
 * Runs @n samples in batches of sonde_explainer_get_batch() without padding. A batch that finds no
 * memory is halved.
 */
typedef struct
{
  const char *key;
  SondeExplainerBuild build;
  gpointer data;
  gboolean backward;
  guint n_results;
  const char *const *names;
  SondeTensor *const *rows;
  guint n_rows;
  const char *const *fixed_names;
  SondeTensor *const *fixed;
  guint n_fixed;
} SondeExplainerRun;
gboolean sonde_explainer_run_rows (SondeExplainer *explainer, const SondeExplainerRun *run,
                                   SondeTensor **results, GError **error);

G_END_DECLS
