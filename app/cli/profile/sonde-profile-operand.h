/* SPDX-License-Identifier: Apache-2.0
 * What `sonde profile` may be given: a table of kinds of operands, each with the function that makes spans and
 * facts of one. A new kind is a row there and, where it has options of its own, a field here. */
#pragma once

#include "app/worker/models/sonde-model-choice.h"
#include "data/profiles/sonde-profile.h"
#include "engine/profile/sonde-what-if-run.h"

G_BEGIN_DECLS

/**
 * SondeProfileOptions:
 * @steps: which steps; n = 0: all of a trace, the usual ones of a recipe
 * @n_runs: of a model; 0: the usual number
 * @threads: 0: as many as there are
 * @hardware: instructions, cycles and misses of the cache, too
 * @kernels: kernels, with their parts on threads, and allocations, too
 * @progress: runs of a model are told on standard error while they go on, as lines of JSON: {"runs":3,"of":20}
 * @device, @run: (nullable): the run folder of a training, or that keeps the profile of a model
 * @without: (nullable): a node; what a run or step of a model or recipe would take without it is measured, too
 * @choice: how a model, or that of a recipe, is opened
 * @inputs, @sets: (nullable) (array zero-terminated=1): as of `sonde infer` and `sonde train`
 *
 * How an operand is to be profiled.
 */
typedef struct
{
  SondeStepRange steps;
  guint n_runs;
  int threads;
  gboolean hardware, kernels, progress;
  char *device, *run, *without;
  char **inputs, **sets;
  SondeModelChoice choice;
} SondeProfileOptions;

/**
 * SondeProfileInput:
 * @facts: (nullable): of Sonde's own recordings
 * @range: the steps to look at; n = 0: all
 * @what_if: (nullable): of @without
 */
typedef struct
{
  SondeTrace *trace;
  SondeProfileFacts *facts;
  SondeStepRange range;
  SondeWhatIfRun *what_if;
} SondeProfileInput;

/* Whether it is run to be profiled: a model or a recipe, nothing that was recorded before. */
gboolean sonde_profile_operand_runs (const char *path);

/**
 * sonde_profile_operand_load:
 * @input: (out): not owned by anyone but the caller
 *
 * Errors: SONDE_DATA_ERROR_UNSUPPORTED when @path is nothing that can be profiled, or nothing that can be
 * run without a node; and those of its kind.
 */
gboolean sonde_profile_operand_load (const char *path, const SondeProfileOptions *options,
                                     SondeProfileInput *input, GError **error);

/* The same as a profile. @what_if: (out) (transfer full) (nullable). (transfer full) */
SondeProfile *sonde_profile_operand_analyse (const char *path, const SondeProfileOptions *options,
                                             SondeWhatIfRun **what_if, GError **error);

G_END_DECLS
