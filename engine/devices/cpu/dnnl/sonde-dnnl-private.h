/* SPDX-License-Identifier: Apache-2.0
 * What the files of the oneDNN wrapper share: descriptions of memory, making a primitive, what
 * follows it. Nothing here leaves sonde-dnnl-*.c. */
#pragma once

#include "engine/devices/cpu/dnnl/sonde-dnnl.h"

#include <oneapi/dnnl/dnnl.h>
#include <stdatomic.h>
#include <string.h>

#if DNNL_VERSION_MAJOR != 2
#error "sonde-dnnl speaks the interface of oneDNN 2"
#endif

G_BEGIN_DECLS

struct _SondeDnnl
{
  SondeDevice *device; /* whose it is */
  dnnl_engine_t engine;
  dnnl_stream_t stream;
};

/* One argument: where it goes and how it lies. */
typedef struct
{
  SondeDnnlArgument argument;
  int id; /* DNNL_ARG_… */
  const dnnl_memory_desc_t *desc;
} SondeDnnlBinding;

#define SONDE_DNNL_MAX_BINDINGS (6 + SONDE_DNNL_MAX_POSTS + 1) /* with the scratchpad */

/* oneDNN's memory objects of one call. */
typedef struct
{
  dnnl_memory_t memory[SONDE_DNNL_MAX_BINDINGS];
} SondeDnnlMemory;

struct _SondeDnnlPrimitive
{
  dnnl_primitive_desc_t desc;
  dnnl_primitive_t primitive;
  SondeDnnlBinding arguments[SONDE_DNNL_MAX_BINDINGS];
  guint n_arguments; /* without the scratchpad */
  dnnl_memory_desc_t own[SONDE_DNNL_MAX_BINDINGS];
  dnnl_memory_desc_t plain_weights; /* no dimensions: row-major */
  gsize scratch, workspace; /* oneDNN's part of the workspace, at its beginning; all of it */
  const char *implementation;
  SondeDnnlPrimitive *before,
      *after; /* (nullable): reorders of the source and the result around it */
  gsize before_offset, after_offset; /* of what they reorder in the workspace */
  SondeDnnlMemory memory;            /* made once, used by whoever gets @busy first */
  atomic_flag busy;
};

/* ---- layouts: sonde-dnnl-layout.c ---------------------------------------- */

/* What oneDNN computes @dtype in, or moves it as when it only has the size; undef: neither. */
dnnl_data_type_t sonde_dnnl_data_type (SondeDtype dtype);

SondeLayout *sonde_layout_new (const dnnl_memory_desc_t *desc, gboolean channels_last);

/* Row-major; the second is float. */
dnnl_memory_desc_t sonde_dnnl_plain_desc_of (SondeDtype dtype, int rank, const gint64 *dims);
dnnl_memory_desc_t sonde_dnnl_plain_desc (int rank, const gint64 *dims);

dnnl_memory_desc_t sonde_dnnl_channels_last_desc (SondeDtype dtype, const SondeShape *shape);
dnnl_memory_desc_t sonde_dnnl_strided_desc (SondeDtype dtype, int rank, const gint64 *dims,
                                            const gint64 *strides);

/* ---- primitives: sonde-dnnl-primitive.c ---------------------------------- */

/* Attributes that every primitive has: the caller gives the scratchpad; @scale multiplies the
 * results. */
dnnl_primitive_attr_t sonde_dnnl_attributes_new (float scale);

/* NULL when oneDNN has nothing for @operation. */
dnnl_primitive_desc_t sonde_dnnl_create_desc (SondeDnnl *dnnl, const void *operation,
                                              dnnl_primitive_attr_t attributes,
                                              dnnl_primitive_desc_t hint);

/* Takes @desc (nullable), creates the primitive. NULL when it is oneDNN's unoptimised reference. */
SondeDnnlPrimitive *sonde_dnnl_primitive_new (dnnl_primitive_desc_t desc);

void sonde_dnnl_add_argument (SondeDnnlPrimitive *primitive, SondeDnnlArgument argument, int id,
                              const dnnl_memory_desc_t *desc);

/* SOURCE_ZERO or WEIGHTS_ZERO, which are taken off operand @id. */
void sonde_dnnl_add_zero (SondeDnnlPrimitive *primitive, SondeDnnlArgument argument, int id);

/* After the last argument: takes @primitive, gives it back ready to run, or NULL. */
SondeDnnlPrimitive *sonde_dnnl_finish (SondeDnnl *dnnl, SondeDnnlPrimitive *primitive);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeDnnlPrimitive, sonde_dnnl_primitive_free)

/* ---- what follows a primitive: sonde-dnnl-posts.c ------------------------ */

dnnl_alg_kind_t sonde_dnnl_find_function (const char *name);

void sonde_dnnl_set_posts (dnnl_primitive_attr_t attributes, const SondeDnnlPost *posts,
                           guint n_posts, int rank);

/* The operands of @posts as arguments of @primitive. */
void sonde_dnnl_add_post_operands (SondeDnnlPrimitive *primitive, const SondeDnnlPost *posts,
                                   guint n_posts, int rank);

G_END_DECLS
