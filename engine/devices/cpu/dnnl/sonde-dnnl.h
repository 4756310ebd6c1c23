/* SPDX-License-Identifier: Apache-2.0
 * All that the cpu device uses of oneDNN, version 2, behind plain types: a build for version 3 is a
 * second sonde-dnnl.c. Also the opaque layout of this device, since it is oneDNN's. */
#pragma once

#include "engine/devices/sonde-device.h"

G_BEGIN_DECLS

#define SONDE_DNNL_MAX_RANK 6
#define SONDE_DNNL_MAX_POSTS 6

/**
 * SondeLayout:
 * @channels_last: dense, strides in the order N, spatial…, C; no padding
 * @bytes: with padding
 * @desc, @plain: private to sonde-dnnl.c; @plain (nullable): how the plain bytes lie under the same
 * sizes
 */
struct _SondeLayout
{
  _Atomic guint ref_count;
  gboolean channels_last;
  gsize bytes;
  gpointer desc, plain;
};

typedef struct _SondeDnnl SondeDnnl;
typedef struct _SondeDnnlPrimitive SondeDnnlPrimitive; /* immutable; runs on several threads */

/* Of @device, which outlives it. Errors: DEVICE */
SondeDnnl *sonde_dnnl_new (SondeDevice *device, GError **error);
void sonde_dnnl_free (SondeDnnl *dnnl);
/* Whether sums of products of 8 bits are exact. Without VNNI, oneDNN adds pairs of products in 16
 * bits, which saturate. */
gboolean sonde_dnnl_adds_bytes_exactly (void);

/* "oneDNN 2.6.3, avx512_core_bf16" Returns: (transfer full) */
char *sonde_dnnl_describe (SondeDnnl *dnnl);

/* ---- layouts ------------------------------------------------------------- */

/* NULL, which is plain, where the bytes would be the same, and for ranks below 3 or above 5, and
 * for elements of other sizes than 1, 2 and 4 bytes. */
SondeLayout *sonde_dnnl_channels_last (SondeDtype dtype, const SondeShape *shape);
/* Elements of @dtype can lie in such layouts. */
gboolean sonde_dnnl_moves (SondeDtype dtype);
/* Dense with other strides, in elements; NULL where they are the plain ones. Sizes of 1, 2 and 4
 * bytes. */
SondeLayout *sonde_dnnl_strided (SondeDtype dtype, const SondeShape *shape, const gint64 *strides);
gboolean sonde_layout_equal (const SondeLayout *a, const SondeLayout *b);
SondeLayout *sonde_layout_ref (SondeLayout *layout);
void sonde_layout_unref (SondeLayout *layout); /* NULL is fine */
/* "nhwc", "Acdb16a"; "plain" for NULL. Returns: (transfer full) */
char *sonde_layout_describe (const SondeLayout *layout);

/**
 * SondeDnnlQuads: how weights of bytes lie: four of dimension @quad, so for @lanes of dimension
 * @lane
 * @n_lanes, @n_quads, @padded_quads: elements of the two dimensions, and with what is added
 * @lane_from, @quad_from: bytes from one to the next where they lie plainly
 * @lane_to, @quad_to: bytes from one block of lanes to the next, and of @quads_inside quads
 * @places, @place_from, @place_to: the other dimensions
 */
typedef struct
{
  int lane, quad;
  gint64 lanes, n_lanes, n_quads, padded_quads, quads_inside;
  gint64 lane_from, quad_from, lane_to, quad_to;
  gint64 places[2], place_from[2], place_to[2];
} SondeDnnlQuads;

/* FALSE: the layout is another one. @shape: of a value of bytes. */
gboolean sonde_dnnl_read_quads (const SondeLayout *layout, const SondeShape *shape,
                                SondeDnnlQuads *quads);

/* ---- primitives ---------------------------------------------------------- */

typedef enum
{
  SONDE_DNNL_SRC,
  SONDE_DNNL_WEIGHTS, /* the second operand of matmul and binary */
  SONDE_DNNL_BIAS,
  SONDE_DNNL_DST,
  SONDE_DNNL_SOURCE_ZERO, /* one int32 in host memory */
  SONDE_DNNL_WEIGHTS_ZERO,
  SONDE_DNNL_POST, /* the operand of the first of the posts, and so on */
  SONDE_DNNL_N_ARGUMENTS = SONDE_DNNL_POST + SONDE_DNNL_MAX_POSTS
} SondeDnnlArgument;

typedef enum
{
  SONDE_DNNL_FORWARD,
  SONDE_DNNL_GRADIENT_INPUT,  /* SRC is computed from DST and WEIGHTS */
  SONDE_DNNL_GRADIENT_WEIGHT, /* WEIGHTS is computed from SRC and DST */
} SondeDnnlPass;

typedef enum
{
  SONDE_DNNL_POST_FUNCTION, /* element-wise, by oneDNN's name */
  SONDE_DNNL_POST_ADD,      /* an operand of the result's shape, or broadcast */
  SONDE_DNNL_POST_MULTIPLY,
} SondeDnnlPostKind;

/**
 * SondeDnnlPost: what is done to each result before it is stored
 * @function, @alpha, @beta: of a FUNCTION. Of "relu" and "clip" oneDNN's forms turn NaN into a
 * bound
 * @dims, @strides: of an operand, of the result's rank, in elements; @dtype: INVALID is float32
 */
typedef struct
{
  SondeDnnlPostKind kind;
  const char *function;
  float alpha, beta;
  SondeDtype dtype;
  gint64 dims[SONDE_DNNL_MAX_RANK], strides[SONDE_DNNL_MAX_RANK];
} SondeDnnlPost;

/**
 * SondeDnnlWindow: a convolution
 * @input, @weight, @output: [N, C, spatial…], [O, C/groups, spatial…], [N, O, spatial…]
 * @strides, @dilations, @begins, @ends: per spatial dimension; dilation 1 is dense
 * @plain: everything lies plain, for tests
 * @bias: there is one
 * @source_dtype, @weight_dtype, @target_dtype: INVALID is float32
 * @scales: (nullable) (array length=n_scales): of integers: what the sums are multiplied by, one
 *   number or one a channel; @source_zero, @target_zero: integers that stand for 0
 * @weight_layout: (nullable): how the weights lie already, else as the primitive wants
 * @winograd: by Winograd's algorithm, with a fraction of the products and a few roundings more;
 *   what is not finite spreads to the neighbours. Layouts outside are the same
 */
typedef struct
{
  SondeLayout *weight_layout;
  gboolean winograd;
  SondeShape input, weight, output;
  gint64 groups;
  gint64 strides[3], dilations[3], begins[3], ends[3];
  gboolean plain, bias;
  SondeDtype source_dtype, weight_dtype, target_dtype, bias_dtype;
  const float *scales;
  guint n_scales;
  gint32 source_zero, target_zero;
  SondeDnnlPost posts[SONDE_DNNL_MAX_POSTS];
  guint n_posts;
} SondeDnnlWindow;

/* The next post of an array. */
SondeDnnlPost *sonde_dnnl_add_function (SondeDnnlPost *posts, guint *n_posts, const char *function,
                                        float alpha, float beta);
/* An operand [1, C, 1…] beside a result of @rank. */
SondeDnnlPost *sonde_dnnl_add_by_channel (SondeDnnlPost *posts, guint *n_posts,
                                          SondeDnnlPostKind kind, int rank, gint64 channels);

/* Activations lie channels-last, weights as the primitive wants. NULL: oneDNN has none, or only its
 * slow reference; so below. */
SondeDnnlPrimitive *sonde_dnnl_convolution (SondeDnnl *dnnl, SondeDnnlPass pass,
                                            const SondeDnnlWindow *window);

/**
 * SondeDnnlMatmul: DST [batch…, M, N] = scale · SRC [batch…, M, K] · WEIGHTS [batch…, K, N] + BIAS
 * @rank: 2 and more; @source, @weights, @bias, @target: sizes and strides in elements; a broadcast
 *   dimension has size 1
 * @pack: the weights lie as the primitive wants; @weights_strides then say how they lie as given
 * @source_dtype, @weight_dtype, @bias_dtype, @target_dtype: INVALID is float32
 * @weight_layout: (nullable): how the weights lie already
 * @scales: (nullable) (array length=n_scales): of integers: instead of @scale, one number or one a
 * column
 * @source_zero, @weights_zero: SOURCE_ZERO, WEIGHTS_ZERO are taken off the integers; @target_zero:
 *   the integer that stands for 0
 */
typedef struct
{
  SondeLayout *weight_layout;
  const float *scales;
  guint n_scales;
  gboolean source_zero, weights_zero;
  gint32 target_zero;
  int rank;
  gint64 source[SONDE_DNNL_MAX_RANK], source_strides[SONDE_DNNL_MAX_RANK];
  gint64 weights[SONDE_DNNL_MAX_RANK], weights_strides[SONDE_DNNL_MAX_RANK];
  gint64 bias[SONDE_DNNL_MAX_RANK], bias_strides[SONDE_DNNL_MAX_RANK];
  gint64 target[SONDE_DNNL_MAX_RANK], target_strides[SONDE_DNNL_MAX_RANK];
  float scale;
  gboolean has_bias, pack;
  SondeDtype source_dtype, weight_dtype, bias_dtype, target_dtype;
  SondeDnnlPost posts[SONDE_DNNL_MAX_POSTS];
  guint n_posts;
} SondeDnnlMatmul;

SondeDnnlPrimitive *sonde_dnnl_matmul (SondeDnnl *dnnl, const SondeDnnlMatmul *matmul);

/* Copies SRC to DST, both of @type in their layouts (NULL plain). */
SondeDnnlPrimitive *sonde_dnnl_reorder (SondeDnnl *dnnl, const SondeType *type, SondeLayout *from,
                                        SondeLayout *to);

void sonde_dnnl_primitive_free (SondeDnnlPrimitive *primitive);
/* Layout of an argument of a convolution, or of the weights of a matmul. Returns: (transfer full)
 * (nullable): NULL is plain */
SondeLayout *sonde_dnnl_primitive_dup_layout (SondeDnnlPrimitive *primitive,
                                              SondeDnnlArgument argument);
gsize sonde_dnnl_primitive_get_workspace (const SondeDnnlPrimitive *primitive);
const char *sonde_dnnl_primitive_get_implementation (const SondeDnnlPrimitive *primitive);

/* @memory: by argument; unused entries are not looked at. Errors: DEVICE */
gboolean sonde_dnnl_primitive_run (SondeDnnl *dnnl, SondeDnnlPrimitive *primitive,
                                   void *const memory[SONDE_DNNL_N_ARGUMENTS], void *workspace,
                                   GError **error);

G_END_DECLS
