/* SPDX-License-Identifier: Apache-2.0
 * What a user may say about a model before it is read; the same for every format. */
#pragma once

#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

/**
 * SondeModelShape: one "--shape NAME=D,D,…"
 * @name: of an input; owned
 * @shape: sizes in place of those the file leaves open
 */
typedef struct
{
  char *name;
  SondeShape shape;
} SondeModelShape;

/* How quantised operators of a format with an arithmetic of its own (TFLite) are read. */
typedef enum
{
  SONDE_QUANTISED_EXACT, /* operators that round as the format's reference kernels do */
  SONDE_QUANTISED_QDQ,   /* DequantizeLinear, the operator in floats, QuantizeLinear */
} SondeQuantisedForm;

/**
 * SondeModelOptions:
 * @signature: (nullable): which of a file's entry points; NULL: the format's default
 * @weights: (nullable): file of weights, of a format that keeps them apart (Caffe)
 * @shapes: (nullable) (element-type SondeModelShape): sizes of inputs
 * @partial: operators that do not fit stay, in SONDE_DOMAIN_UNCONVERTED, instead of an error
 * @quantised: form of quantised operators
 *
 * Borrowed by whoever reads. All zero is the default.
 */
typedef struct
{
  const char *signature;
  const char *weights;
  const GPtrArray *shapes;
  gboolean partial;
  SondeQuantisedForm quantised;
} SondeModelOptions;

/* Signature and sizes of a model in the graph's own form, which has no signatures.
 * Errors: NOT_FOUND, INVALID; both name @path. */
gboolean sonde_model_options_apply (const SondeModelOptions *options, SondeGraph *graph,
                                    const char *path, GError **error);

/* Nodes that a format has and nothing of ours means: kept for looking, not for running. */
#define SONDE_DOMAIN_UNCONVERTED "unconverted"

G_END_DECLS
