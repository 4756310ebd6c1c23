/* SPDX-License-Identifier: Apache-2.0
 * Attribution methods: one row a method. A map is float32, signed, unscaled. Definitions:
 * docs/explain.md. */
#pragma once

#include "data/base/sonde-text.h"
#include "explain/sonde-explainer.h"
#include "explain/sonde-note.h"

G_BEGIN_DECLS

typedef struct _SondeAttribution SondeAttribution;
typedef struct _SondeAttributionSpec SondeAttributionSpec; /* sonde-attribution-spec.h */

/* What the text of a parameter is; each kind also takes the row's words. */
typedef enum
{
  SONDE_PARAMETER_TEXT,    /* anything that is not empty: the name of a value, a file */
  SONDE_PARAMETER_NUMBER,  /* @least … @most */
  SONDE_PARAMETER_COUNT,   /* a whole number, @least … @most */
  SONDE_PARAMETER_NUMBERS, /* numbers joined by ",": as many as the method says */
  SONDE_PARAMETER_SIZE,    /* WxH, each @least … @most */
  SONDE_PARAMETER_CHOICE,  /* one of the words */
  SONDE_PARAMETER_IMAGE,   /* NUMBERS, a file .npy, or blur:SIGMA */
  SONDE_PARAMETER_SUM,     /* classes with factors: 3-5, 0.5*3+0.5*7-2 */
} SondeAttributionParameterKind;

/**
 * SondeAttributionParameter: one key of a method's SPEC
 * @name: lower case, digits and "-"; an array ends with a NULL name
 * @fallback: (nullable): text where none was given; NULL: there is none, and get gives NULL
 * @kind, @least, @most: what is allowed
 * @words: (nullable): allowed words, separated by "|"
 * @summary: for people
 */
typedef struct
{
  const char *name;
  const char *fallback;
  SondeAttributionParameterKind kind;
  double least, most;
  const char *words;
  const char *summary;
} SondeAttributionParameter;

/* Of which number of the network the map speaks. Rows of parameter tables. */
#define SONDE_PARAMETER_SCORE(fallback)                                                            \
  {                                                                                                \
    "score", fallback, SONDE_PARAMETER_CHOICE, 0, 0, "logit|probability|margin",                   \
        "what is explained; margin: the class's probability less the largest other one"            \
  }
#define SONDE_PARAMETER_BASELINE                                                                   \
  {                                                                                                \
    "baseline", "0", SONDE_PARAMETER_IMAGE, -1e30, 1e30, SONDE_BASELINE_WORDS,                     \
        "image without content, in network space: one number, one a channel, of the image's "      \
        "own channels the mean, least or "                                                         \
        "largest value, noise between these, the image blurred, or a .npy file"                    \
  }
#define SONDE_BASELINE_WORDS "mean|least|largest|noise|blur"
#define SONDE_PARAMETER_LAYER                                                                      \
  {                                                                                                \
    "layer", NULL, SONDE_PARAMETER_TEXT, 0, 0, NULL, "value to explain instead of the input"       \
  }
/* A sum of classes in the place of the target. */
#define SONDE_PARAMETER_TARGET                                                                     \
  {                                                                                                \
    "target", NULL, SONDE_PARAMETER_SUM, 0, 0, NULL,                                               \
        "explains this sum of classes' scores instead: 3-5, 0.5*3+0.5*7-2"                         \
  }

/* An element of a value inside in the place of the target. */
#define SONDE_PARAMETER_NEURON                                                                     \
  {                                                                                                \
    "neuron", NULL, SONDE_PARAMETER_TEXT, 0, 0, NULL,                                              \
        "explains this element of a value instead: VALUE[k,y,x]; * is the mean of all"             \
  }

typedef enum
{
  SONDE_MAP_CHANNELS, /* [n, C, H, W], signed; of a layer, of its own form */
  SONDE_MAP_PLANE,    /* [n, H, W], or of the layer's own size */
  SONDE_MAP_SEGMENTS, /* [n, M] */
} SondeMapForm;

/* How channels become one map. */
typedef enum
{
  SONDE_AGGREGATE_LARGEST, /* the value of largest magnitude, with its sign (ties: the first) */
  SONDE_AGGREGATE_SUM,     /* for maps that add up to the score */
} SondeAggregate;

/**
 * SondeAttributionRequest:
 * @inputs: float32 [n, C, H, W], as the network takes them
 * @targets: int64 [n] classes; of a method that takes pairs [n, 2]
 * @samples: (nullable) (array length=n): numbers of the samples, by which random numbers are drawn:
 *   the same whatever the others of the batch are. NULL: 0 … n − 1
 * @spec: of the row that is called
 * @seed: of random numbers
 * @progress: (nullable): passes done and in all; may stop it
 */
typedef struct
{
  SondeTensor *inputs;
  SondeTensor *targets;
  const guint64 *samples;
  const SondeAttributionSpec *spec;
  guint64 seed;
  SondeExplainProgress progress;
  gpointer progress_data;
} SondeAttributionRequest;

/**
 * SondeAttributionResult: filled by a row; all owned
 * @maps: float32, as @form says
 * @scores: float32 [n]: logit or probability of the target; of a pair the difference
 * @segments: (nullable): of SEGMENTS int32 [H, W], or [n, H, W] where each sample has its own:
 *   which of the M values a pixel has, −1 none
 * @gaps: (nullable) (array length=n): Σ map − (score − score of the baseline), for methods that
 * promise 0
 * @note: (nullable): sentences on what the maps are not
 */
typedef struct
{
  SondeMapForm form;
  SondeTensor *maps;
  SondeTensor *scores;
  SondeTensor *segments;
  double *gaps;
  SondeMessage *note;
} SondeAttributionResult;

void sonde_attribution_result_clear (SondeAttributionResult *result);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SondeAttributionResult, sonde_attribution_result_clear)

/**
 * SondeAttribution:
 * @name: as in --method
 * @title: for people
 * @summary: one sentence: what a high value means
 * @parameters: keys of SPEC; ends with a NULL name
 * @aggregate: of CHANNELS
 * @takes_pair: explains the score of one class less that of another: predicted less true
 * @own_sums: reads target= itself; other rows that have the key see a network with that sum as its
 * only class
 * @compute: @result is zeroes. Targets were not checked. Errors: of the engine; on FALSE what
 * @result holds is freed by the caller.
 */
struct _SondeAttribution
{
  const char *name;
  const char *title;
  const char *summary;
  const SondeAttributionParameter *parameters;
  SondeAggregate aggregate;
  gboolean takes_pair;
  gboolean own_sums;
  gboolean (*compute) (SondeExplainer *explainer, const SondeAttributionRequest *request,
                       SondeAttributionResult *result, GError **error);
};

const SondeAttribution *sonde_attribution_find (const char *name); /* (nullable) */
/* (array length=n) */
const SondeAttribution *const *sonde_attribution_list (gsize *n);

/* Calls the row of @request->spec, after checking inputs and targets against the model. Errors:
 * INVALID naming target and number of classes; SHAPE naming both shapes; the row's. @result:
 * cleared on FALSE. */
gboolean sonde_attribution_compute (SondeExplainer *explainer,
                                    const SondeAttributionRequest *request,
                                    SondeAttributionResult *result, GError **error);

/* Targets of a request: int64 [n], of a method that takes pairs [n, 2] with the second classes
 * @others. @targets, @others: (array length=n). (transfer full) */
SondeTensor *sonde_attribution_make_targets (const SondeAttribution *method, const gint64 *targets,
                                             const gint64 *others, guint n);

/**
 * sonde_attribution_aggregate:
 * @channels: float32 [C, H, W]; one channel stays as it is
 * Returns: (transfer full): float32 [H, W]
 */
SondeTensor *sonde_attribution_aggregate (SondeTensor *channels, SondeAggregate how);

G_END_DECLS
