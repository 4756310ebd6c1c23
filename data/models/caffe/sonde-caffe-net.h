/* SPDX-License-Identifier: Apache-2.0
 * A net of Caffe for inference: the layers of phase TEST in their order, whatever version of the
 * format wrote them, each with its weights. */
#pragma once

#include "data/base/sonde-io.h"
#include "data/models/caffe/sonde-caffe-message.h"
#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

/**
 * SondeCaffeLayer:
 * @type: "Convolution", also where an old file says CONVOLUTION
 * @bottoms: @tops: (element-type utf8): lent
 * @message: what the net says of it; @weights: (nullable): the message with its blobs; both lent
 */
typedef struct
{
  const char *name, *type;
  GPtrArray *bottoms, *tops;
  const SondeCaffeMessage *message, *weights;
} SondeCaffeLayer;

/**
 * SondeCaffeNet:
 * @layers: (element-type SondeCaffeLayer)
 * @net: the message of the .prototxt, or of the .caffemodel where there is no other
 * @trained: (nullable): that of the .caffemodel; @bytes: (nullable): what its numbers lie in
 */
typedef struct
{
  char *path, *weights_path;
  SondeCaffeMessage *net, *trained;
  GBytes *bytes;
  GPtrArray *layers;
} SondeCaffeNet;

/**
 * sonde_caffe_net_read:
 * @path: a .prototxt or a .caffemodel
 * @weights: (nullable): a .caffemodel; NULL: of the .caffemodel beside a .prototxt the only one, or
 *   that of the same stem; none at all is fine as long as no layer needs weights
 *
 * Returns: (transfer full)
 * Errors: DAMAGED with the line or the offset; UNSUPPORTED (a V0 net); IO, LIMIT.
 */
SondeCaffeNet *sonde_caffe_net_read (const SondeIo *io, const char *path, const char *weights,
                                     GError **error);
void sonde_caffe_net_free (SondeCaffeNet *net); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeCaffeNet, sonde_caffe_net_free)

guint sonde_caffe_layer_count_blobs (const SondeCaffeLayer *layer);

/**
 * sonde_caffe_layer_read_blob:
 * @shape: what it has to be, row-major; the file's own shape may be another of as many numbers
 *
 * Returns: (transfer full): float32. Errors: DAMAGED: missing, of another size, of a fork's type
 */
SondeTensor *sonde_caffe_layer_read_blob (const SondeCaffeLayer *layer, guint index,
                                          const SondeShape *shape, GError **error);

/* The numbers of a blob as the file has them; 0: there is none. */
guint64 sonde_caffe_layer_get_blob_size (const SondeCaffeLayer *layer, guint index);

/* Of a message with field "dim": FALSE: too many dimensions. */
gboolean sonde_caffe_read_shape (const SondeCaffeMessage *message, SondeShape *shape);

G_END_DECLS
