/* SPDX-License-Identifier: Apache-2.0
 * Products, functions by element, softmax and reorders of oneDNN. */
#include "engine/devices/cpu/dnnl/sonde-dnnl-private.h"

static void
set_integers (dnnl_primitive_attr_t attributes, const SondeDnnlMatmul *matmul)
{
  const gint32 later = DNNL_RUNTIME_S32_VAL;

  if (matmul->scales != NULL)
    dnnl_primitive_attr_set_output_scales (attributes, matmul->n_scales,
                                           matmul->n_scales > 1 ? 1 << (matmul->rank - 1) : 0,
                                           matmul->scales);
  if (matmul->source_zero)
    dnnl_primitive_attr_set_zero_points (attributes, DNNL_ARG_SRC, 1, 0, &later);
  if (matmul->weights_zero)
    dnnl_primitive_attr_set_zero_points (attributes, DNNL_ARG_WEIGHTS, 1, 0, &later);
  if (matmul->target_zero != 0)
    dnnl_primitive_attr_set_zero_points (attributes, DNNL_ARG_DST, 1, 0, &matmul->target_zero);
}

SondeDnnlPrimitive *
sonde_dnnl_matmul (SondeDnnl *dnnl, const SondeDnnlMatmul *matmul)
{
  int rank = matmul->rank;
  dnnl_memory_desc_t source = sonde_dnnl_strided_desc (matmul->source_dtype, rank, matmul->source,
                                                       matmul->source_strides);
  dnnl_memory_desc_t given = sonde_dnnl_strided_desc (matmul->weight_dtype, rank, matmul->weights,
                                                      matmul->weights_strides);
  dnnl_memory_desc_t target
      = matmul->target_strides[rank - 1] > 0
            ? sonde_dnnl_strided_desc (matmul->target_dtype, rank, matmul->target,
                                       matmul->target_strides)
            : sonde_dnnl_plain_desc_of (matmul->target_dtype, rank, matmul->target);
  dnnl_memory_desc_t weights = given, bias = { 0 };
  dnnl_primitive_attr_t attributes = sonde_dnnl_attributes_new (matmul->scale);
  dnnl_matmul_desc_t operation;
  dnnl_primitive_desc_t desc = NULL;
  SondeDnnlPrimitive *primitive;

  if (matmul->pack)
    dnnl_memory_desc_init_by_tag (&weights, rank, given.dims, given.data_type, dnnl_format_tag_any);
  if (matmul->weight_layout != NULL)
    weights = *(const dnnl_memory_desc_t *) matmul->weight_layout->desc;
  if (matmul->has_bias)
    bias = sonde_dnnl_strided_desc (matmul->bias_dtype, rank, matmul->bias, matmul->bias_strides);
  sonde_dnnl_set_posts (attributes, matmul->posts, matmul->n_posts, rank);
  set_integers (attributes, matmul);
  if (dnnl_matmul_desc_init (&operation, &source, &weights, matmul->has_bias ? &bias : NULL,
                             &target)
      == dnnl_success)
    desc = sonde_dnnl_create_desc (dnnl, &operation, attributes, NULL);

  dnnl_primitive_attr_destroy (attributes);
  primitive = sonde_dnnl_primitive_new (desc);
  if (primitive == NULL)
    return NULL;

  primitive->plain_weights = given;
  sonde_dnnl_add_argument (primitive, SONDE_DNNL_SRC, DNNL_ARG_SRC, &source);
  sonde_dnnl_add_argument (primitive, SONDE_DNNL_WEIGHTS, DNNL_ARG_WEIGHTS,
                           dnnl_primitive_desc_query_md (desc, dnnl_query_weights_md, 0));
  sonde_dnnl_add_argument (primitive, SONDE_DNNL_DST, DNNL_ARG_DST, &target);
  if (matmul->has_bias)
    sonde_dnnl_add_argument (primitive, SONDE_DNNL_BIAS, DNNL_ARG_BIAS, &bias);
  if (matmul->source_zero)
    sonde_dnnl_add_zero (primitive, SONDE_DNNL_SOURCE_ZERO, DNNL_ARG_SRC);
  if (matmul->weights_zero)
    sonde_dnnl_add_zero (primitive, SONDE_DNNL_WEIGHTS_ZERO, DNNL_ARG_WEIGHTS);
  sonde_dnnl_add_post_operands (primitive, matmul->posts, matmul->n_posts, rank);

  return sonde_dnnl_finish (dnnl, primitive);
}

/* A plain description with the dimensions that @layout uses (grouped weights have one more). */
static dnnl_memory_desc_t
plain_like (const SondeType *type, const SondeLayout *layout)
{
  const dnnl_memory_desc_t *desc = layout != NULL ? layout->desc : NULL;
  SondeShape shape;

  if (desc != NULL && layout->plain != NULL)
    return *(const dnnl_memory_desc_t *) layout->plain;
  if (desc != NULL)
    return sonde_dnnl_plain_desc_of (type->dtype, desc->ndims, desc->dims);

  sonde_type_get_shape (type, &shape);
  return sonde_dnnl_plain_desc_of (type->dtype, shape.rank, shape.dims);
}

/* Where @target has one dimension more, as grouped weights do, @source is seen with it, too: groups lie
 * behind each other along its first dimension. */
static void
split_groups (dnnl_memory_desc_t *source, const dnnl_memory_desc_t *target)
{
  const dnnl_blocking_desc_t *blocking = &source->format_desc.blocking;
  dnnl_memory_desc_t split;
  dnnl_dims_t strides;

  if (target->ndims != source->ndims + 1 || source->format_kind != dnnl_blocked
      || blocking->inner_nblks != 0)
    return;
  strides[0] = blocking->strides[0] * target->dims[1];
  for (int i = 0; i < source->ndims; i++)
    strides[i + 1] = blocking->strides[i];
  if (dnnl_memory_desc_init_by_strides (&split, target->ndims, target->dims, source->data_type,
                                        strides)
      == dnnl_success)
    *source = split;
}

SondeDnnlPrimitive *
sonde_dnnl_reorder (SondeDnnl *dnnl, const SondeType *type, SondeLayout *from, SondeLayout *to)
{
  dnnl_memory_desc_t source
      = from != NULL ? *(dnnl_memory_desc_t *) from->desc : plain_like (type, to);
  dnnl_memory_desc_t target
      = to != NULL ? *(dnnl_memory_desc_t *) to->desc : plain_like (type, from);
  dnnl_primitive_attr_t attributes = sonde_dnnl_attributes_new (1.0f);
  dnnl_primitive_desc_t desc = NULL;
  g_autoptr (SondeDnnlPrimitive) primitive = NULL;

  split_groups (&source, &target);
  if (dnnl_reorder_primitive_desc_create (&desc, &source, dnnl->engine, &target, dnnl->engine,
                                          attributes)
      != dnnl_success)
    desc = NULL;

  dnnl_primitive_attr_destroy (attributes);
  if (desc == NULL)
    return NULL;

  /* The reference is all there is for some pairs of layouts, and still right. */
  primitive = g_new0 (SondeDnnlPrimitive, 1);
  primitive->desc = desc;
  atomic_flag_clear (&primitive->busy);
  primitive->implementation = "reorder";
  primitive->scratch = primitive->workspace = dnnl_memory_desc_get_size (
      dnnl_primitive_desc_query_md (desc, dnnl_query_scratchpad_md, 0));
  if (dnnl_primitive_create (&primitive->primitive, desc) != dnnl_success)
    return NULL;

  sonde_dnnl_add_argument (primitive, SONDE_DNNL_SRC, DNNL_ARG_FROM, &source);
  sonde_dnnl_add_argument (primitive, SONDE_DNNL_DST, DNNL_ARG_TO, &target);
  return sonde_dnnl_finish (dnnl, g_steal_pointer (&primitive));
}
