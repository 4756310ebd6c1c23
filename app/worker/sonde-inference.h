/* SPDX-License-Identifier: Apache-2.0
 * A model file with its inputs, ready to run: what `sonde infer` and a debugged inference share. */
#pragma once

#include "app/worker/models/sonde-model-choice.h"
#include "engine/plan/sonde-execution.h"

G_BEGIN_DECLS

/**
 * SondeInferenceOptions: zero-initialise
 * @choice: (nullable): signature, weights and sizes of the model
 * @inputs: (nullable) (array zero-terminated=1): "FILE.npy" or "NAME=FILE.npy"; the name may be
 *   left out when the model has one input that is no initialiser. "random" or "NAME=random": standard
 *   normal, 0 or 1 of what is whole, the same each time; without a name all inputs. None at all: zeros of
 *   the declared shape, symbolic sizes 1
 * @device: (nullable): "cpu"
 * @bfloat16: compute convolutions in bfloat16
 * @recipe: (nullable): file of a precision recipe (engine/debug/searches/sonde-precision.h): computed as
 * that says, nothing is fused
 * @keep: (nullable): "all" or a glob: values that the model names and that stay to be looked at
 * @editable: every value has room of its own, to be looked at and changed: nothing is fused, memory
 * mode KEEP
 * @unfused: every value is made, to be looked at while the model runs: nothing is fused
 */
typedef struct
{
  const SondeModelChoice *choice;
  const char *const *inputs;
  const char *device;
  int threads;
  gboolean bfloat16;
  const char *recipe;
  const char *keep;
  gboolean editable;
  gboolean unfused;
} SondeInferenceOptions;

/**
 * SondeInference:
 * @original: as loaded; @graph: as executed
 * @weights: (nullable): what became of a file of weights
 * @load_ns, @prepare_ns: what reading the file, and planning with the upload of weights, took
 */
typedef struct
{
  SondeGraph *original, *graph;
  SondeDevice *device;
  SondePlan *plan;
  SondeExecution *execution;
  SondeNamedTensors *inputs;
  SondeWeightReport *weights;
  gint64 load_ns, prepare_ns;
} SondeInference;

/* Errors: of the model file, the inputs (NOT_FOUND naming the inputs there are), the plan. */
SondeInference *sonde_inference_open (const char *model, const SondeInferenceOptions *options,
                                      GError **error);
/* The same of a model at hand: a reference is taken. @name: for messages; @inputs: tensors by the names of
 * its inputs, options.inputs is not looked at */
SondeInference *sonde_inference_open_graph (SondeGraph *model, const char *name,
                                            const SondeNamedTensors *inputs,
                                            const SondeInferenceOptions *options, GError **error);
/* One "FILE.npy" or "NAME=FILE.npy" into @inputs, by the inputs of @original. */
gboolean sonde_inference_read_input (SondeInference *inference, const char *argument,
                                     GError **error);
void sonde_inference_free (SondeInference *inference);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeInference, sonde_inference_free)

G_END_DECLS
