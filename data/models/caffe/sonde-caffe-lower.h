/* SPDX-License-Identifier: Apache-2.0
 * Layers of Caffe -> operators of ONNX: what the rows share. Every blob's shape is known: Caffe
 * computes with fixed sizes, and some of its operators (pooling that rounds up) can only be said with
 * them. */
#pragma once

#include "data/models/caffe/sonde-caffe-net.h"
#include "data/models/lowering/sonde-lowering.h"

G_BEGIN_DECLS

/**
 * SondeCaffeLowering:
 * @blobs: name -> SondeGraphValue: what the blob holds after the layers so far
 * @writes: name -> how often the rest of the net writes it
 * @layer: @param: (nullable): the open layer and its own parameters
 */
typedef struct
{
  SondeLowering *out;
  SondeCaffeNet *net;
  GHashTable *blobs, *writes;
  const SondeCaffeLayer *layer;
  const SondeCaffeMessage *param;
} SondeCaffeLowering;

/* A row: type of a layer -> what it becomes. Bottoms behind @max_bottoms (labels of losses) are not
 * looked at. */
typedef struct
{
  const char *type;
  const char *param; /* (nullable): name of the field with its parameters */
  guint min_bottoms, max_bottoms;
  void (*lower) (SondeCaffeLowering *self);
} SondeCaffeRow;

extern const SondeCaffeRow sonde_caffe_spatial_rows[]; /* each list ends with a type of NULL */
extern const SondeCaffeRow sonde_caffe_dense_rows[];
extern const SondeCaffeRow sonde_caffe_elementwise_rows[];
extern const SondeCaffeRow sonde_caffe_shape_rows[];
extern const SondeCaffeRow sonde_caffe_recurrent_rows[];

/* ---- for the rows -------------------------------------------------------- */

SondeGraphValue *sonde_caffe_bottom (SondeCaffeLowering *self, guint index);
SondeShape sonde_caffe_shape_of (const SondeGraphValue *value);

/* @value, of @shape, is top @index of the open layer. */
void sonde_caffe_set_top (SondeCaffeLowering *self, guint index, SondeGraphValue *value,
                          const SondeShape *shape);
/* Top 0 with the shape of bottom 0. */
void sonde_caffe_set_same (SondeCaffeLowering *self, SondeGraphValue *value);

/* Blob @index of the open layer as a constant "LAYER.WHAT"; (nullable) after a failure */
SondeGraphValue *sonde_caffe_blob (SondeCaffeLowering *self, guint index, const char *what,
                                   const SondeShape *shape);
/* The same as a tensor to compute with. (transfer full) (nullable) */
SondeTensor *sonde_caffe_read_blob (SondeCaffeLowering *self, guint index, const SondeShape *shape);
/* An operator of two values. */
SondeGraphValue *sonde_caffe_op2 (SondeCaffeLowering *self, const char *op, SondeGraphValue *a,
                                  SondeGraphValue *b);
SondeGraphValue *sonde_caffe_number (SondeCaffeLowering *self, double number);

/* @axis counted from the front; out of range is a failure, and 0 is returned. @last: rank itself
 * counts too */
int sonde_caffe_axis (SondeCaffeLowering *self, gint64 axis, int rank, gboolean last);
/* The product of @shape's sizes from @from on, up to @to (not with it). */
gint64 sonde_caffe_count_sizes (const SondeShape *shape, int from, int to);

SondeGraphValue *sonde_caffe_reshape (SondeCaffeLowering *self, SondeGraphValue *value,
                                      const SondeShape *shape);
/* This layer does not fit. @what: (transfer full) */
void sonde_caffe_refuse (SondeCaffeLowering *self, SondeMessage *what, SondeMessage *advice);

G_END_DECLS
