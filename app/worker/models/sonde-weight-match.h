/* SPDX-License-Identifier: Apache-2.0
 * Which tensor of a file of weights is which parameter of a model that calls it otherwise. */
#pragma once

#include "data/arrays/sonde-npz.h"
#include "data/base/sonde-message.h"
#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_WEIGHT_BY_NAME,
  SONDE_WEIGHT_BY_SHAPE,
} SondeWeightBy;

/* A parameter or running statistic of the model, and the tensor of the file that is for it; both
 * owned. */
typedef struct
{
  char *parameter, *tensor;
  SondeWeightBy by;
} SondeWeightPair;

/**
 * SondeWeightReport:
 * @file: the file of weights
 * @pairs: (element-type SondeWeightPair): in the order of the model
 * @missing: (element-type utf8): parameters that got nothing; @unused: tensors that nothing took
 * @misshapen: (element-type utf8): tensors with a parameter's name and another shape, each with both
 */
typedef struct
{
  char *file;
  GPtrArray *pairs, *missing, *unused, *misshapen;
} SondeWeightReport;

void sonde_weight_report_free (SondeWeightReport *report); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeWeightReport, sonde_weight_report_free)

guint sonde_weight_report_count (const SondeWeightReport *report, SondeWeightBy by);
/* "Weights from “F”: 12 by name, 2 by shape. Not used: a, b." (transfer full) */
SondeMessage *sonde_weight_report_to_message (const SondeWeightReport *report);

/**
 * sonde_weight_match:
 * @file: name of the file, for the report
 *
 * Each parameter and running statistic gets at most one tensor and each tensor goes to at most one:
 * first by name (MindSpore's and PyTorch's names of normalisation parameters stand for each other),
 * then by name without “/”, “:” and “.” as differences and without what all names of the file, or all
 * of the model, begin with, then by shape: in the order of file and model, where as many tensors as
 * parameters of that shape are left. Floats of another width fit. Batch counters of PyTorch and
 * members "training-…", "state(…" are no weights.
 *
 * Returns: (transfer full)
 */
SondeWeightReport *sonde_weight_match (const SondeGraph *model, const SondeNamedTensors *tensors,
                                       const char *file);

/* The file's tensors under the model's names. @all: with those that nothing took, under their own.
 * (transfer full) */
SondeNamedTensors *sonde_weight_report_rename (const SondeWeightReport *report,
                                               const SondeNamedTensors *tensors, gboolean all);

/**
 * sonde_weight_put_on:
 * @model: whose parameters and running statistics are replaced, or none of them
 * @report: (out) (optional) (transfer full)
 *
 * Errors: INVALID naming parameters without a tensor and tensors of another shape.
 */
gboolean sonde_weight_put_on (SondeGraph *model, const SondeNamedTensors *tensors, const char *file,
                              SondeWeightReport **report, GError **error);

/* Names that frameworks have for the same parameter, ".gamma" for ".weight" and so on: @name with the
 * ending at hand replaced. @turn: 0, 1, …: which of them. (transfer full) (nullable): @name has another
 * ending; SONDE_WEIGHT_TURNS: how many there are */
#define SONDE_WEIGHT_TURNS 8
char *sonde_weight_dup_other_name (const char *name, guint turn);

/* Is a member of a file of weights no weight of a model? */
gboolean sonde_weight_is_passed_over (const char *name);

/* The tensor as a parameter like @like holds it. (transfer full) (nullable): it does not fit */
SondeTensor *sonde_weight_convert (SondeTensor *from, SondeTensor *like);

G_END_DECLS
