/* SPDX-License-Identifier: Apache-2.0
 * Inside of the search for an origin: where values are read, trials, causes. Shared by its
 * files. */
#pragma once

#include "engine/debug/searches/sonde-origin.h"
#include "engine/ops/sonde-op-dependency.h"

G_BEGIN_DECLS

typedef struct _SondeOriginFrame SondeOriginFrame;

/**
 * SondeOriginFrame: a graph whose values can be read
 * @execution: (nullable): the run; NULL: values are computed when they are asked for, by the
 * reference kernels
 * @graph: of the values
 * @owned: (nullable): the reference on @graph, where nobody else has one
 * @parent: (nullable): of a body: where the control node @node is
 * @iteration: of a body, -1 for If and outside
 * @bound: (nullable) (element-type SondeGraphValue SondeValue): what the body's inputs are
 * @known: SondeGraphValue -> SondeValue: what was computed or read
 * @bodies: control node -> GPtrArray of SondeOriginFrame, of its iterations; NULL for one that
 * cannot be run
 */
struct _SondeOriginFrame
{
  SondeExecution *execution;
  SondeGraph *graph;
  SondeGraph *owned;
  SondeOriginFrame *parent;
  SondeNode *node;
  gint64 iteration;
  GHashTable *bound;
  GHashTable *known;
  GHashTable *bodies;
};

/**
 * SondeOriginSearch:
 * @frames: (element-type SondeOriginFrame): all that were made, the run first
 * @folded: (nullable): the frame of what was folded away, made when it is needed
 * @bytes: of what frames keep
 */
typedef struct
{
  SondeGraph *original;
  GPtrArray *frames;
  SondeOriginFrame *folded;
  guint64 bytes;
} SondeOriginSearch;

/* ---- sonde-origin-frame.c ------------------------------------------------ */

SondeOriginFrame *sonde_origin_frame_new (SondeOriginSearch *search, SondeExecution *execution,
                                          SondeGraph *graph, SondeOriginFrame *parent,
                                          SondeNode *node, gint64 iteration);
void sonde_origin_frame_free (void *frame);

/* (transfer none): lives as long as the search, or until much else is read: take a reference to
 * keep it. Errors: of reading */
SondeValue *sonde_origin_read (SondeOriginSearch *search, SondeOriginFrame *frame,
                               SondeGraphValue *value, GError **error);
/* The same; INVALID for a value that is no tensor of numbers. */
SondeTensor *sonde_origin_read_tensor (SondeOriginSearch *search, SondeOriginFrame *frame,
                                       SondeGraphValue *value, GError **error);
/* Where @value is really made: outside of the body that captures it, as the update of a parameter
 * that a finished run left, or before it was folded. Changes both. */
void sonde_origin_resolve (SondeOriginSearch *search, SondeOriginFrame **frame,
                           SondeGraphValue **value);
/* Inputs of @node as tensors, NULL where there is none. (element-type SondeTensor) (transfer full)
 * (nullable) */
GPtrArray *sonde_origin_read_inputs (SondeOriginSearch *search, SondeOriginFrame *frame,
                                     const SondeNode *node, GError **error);

/* ---- sonde-origin-body.c ------------------------------------------------- */

/**
 * SondeOriginLocation: an element
 */
typedef struct
{
  SondeOriginFrame *frame;
  SondeGraphValue *value;
  gint64 element;
} SondeOriginLocation;

/* The frame of the body of @node in @parent, at @iteration (-1: If); NULL when it cannot be run. */
SondeOriginFrame *sonde_origin_find_body (SondeOriginSearch *search, SondeOriginFrame *parent,
                                          SondeNode *node, gint64 iteration);
/* The element of a body that an element of a control node's output is. FALSE: it cannot be told. */
gboolean sonde_origin_enter (SondeOriginSearch *search, const SondeOriginLocation *outer,
                             SondeOriginLocation *inner);
/* The element that the body's input is: outside, or of the iteration before. */
gboolean sonde_origin_leave (SondeOriginSearch *search, const SondeOriginLocation *inner,
                             SondeOriginLocation *outer);

/* ---- sonde-origin-trial.c ------------------------------------------------ */

/* A bad element of an input. */
typedef struct
{
  guint input;
  gint64 element;
  double number;
} SondeOriginSuspect;

/**
 * sonde_origin_try:
 * @inputs: contents of the node's inputs
 * @suspects: (element-type SondeOriginSuspect): all bad elements the element may be made of
 * @number: what it is
 * @culprits: (element-type SondeOriginSuspect): one for each input that is to blame is appended
 *
 * Returns: FALSE when the node makes a bad element even with all suspects replaced by good numbers.
 */
gboolean sonde_origin_try (SondeOriginFrame *frame, SondeNode *node, SondeTensor *const *inputs,
                           guint output, gint64 element, double number, const GArray *suspects,
                           GArray *culprits);

/* ---- sonde-origin-cause.c ------------------------------------------------ */

/* Fills cause, cause_value and so on: why @node made @number of good elements. @reach: as of
 * sonde_dependency_reach() */
void sonde_origin_explain (SondeOrigin *origin, const SondeNode *node, SondeTensor *const *inputs,
                           const GArray *reach, SondeDtype dtype, double number);

/* Of all its links, too. */
void sonde_origin_set_step (SondeOrigin *origin, guint64 step);

G_END_DECLS
