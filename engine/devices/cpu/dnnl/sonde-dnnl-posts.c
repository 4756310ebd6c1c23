/* SPDX-License-Identifier: Apache-2.0
 * What oneDNN does to the results of a primitive before it stores them. */
#include "engine/devices/cpu/dnnl/sonde-dnnl-private.h"

typedef struct
{
  const char *name;
  dnnl_alg_kind_t kind;
} EltwiseName;

static const EltwiseName eltwise_names[] = {
  { "tanh", dnnl_eltwise_tanh },         { "elu", dnnl_eltwise_elu },
  { "sqrt", dnnl_eltwise_sqrt },         { "logistic", dnnl_eltwise_logistic },
  { "exp", dnnl_eltwise_exp },           { "log", dnnl_eltwise_log },
  { "gelu_erf", dnnl_eltwise_gelu_erf }, { "gelu_tanh", dnnl_eltwise_gelu_tanh },
  { "mish", dnnl_eltwise_mish },         { "hardswish", dnnl_eltwise_hardswish },
  { "relu", dnnl_eltwise_relu },         { "clip", dnnl_eltwise_clip },
  { "swish", dnnl_eltwise_swish },       { "linear", dnnl_eltwise_linear },
};

dnnl_alg_kind_t
sonde_dnnl_find_function (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (eltwise_names); i++)
    if (g_str_equal (name, eltwise_names[i].name))
      return eltwise_names[i].kind;

  return dnnl_alg_kind_undef;
}

static SondeDnnlPost *
add_post (SondeDnnlPost *posts, guint *n_posts, SondeDnnlPostKind kind)
{
  SondeDnnlPost *post = &posts[*n_posts];

  g_return_val_if_fail (*n_posts < SONDE_DNNL_MAX_POSTS, posts);

  *post = (SondeDnnlPost){ .kind = kind };
  (*n_posts)++;
  return post;
}

SondeDnnlPost *
sonde_dnnl_add_function (SondeDnnlPost *posts, guint *n_posts, const char *function, float alpha,
                         float beta)
{
  SondeDnnlPost *post = add_post (posts, n_posts, SONDE_DNNL_POST_FUNCTION);

  post->function = function;
  post->alpha = alpha;
  post->beta = beta;
  return post;
}

SondeDnnlPost *
sonde_dnnl_add_by_channel (SondeDnnlPost *posts, guint *n_posts, SondeDnnlPostKind kind, int rank,
                           gint64 channels)
{
  SondeDnnlPost *post = add_post (posts, n_posts, kind);

  for (int i = 0; i < rank; i++)
    {
      post->dims[i] = i == 1 ? channels : 1;
      post->strides[i] = i == 0 ? channels : 1;
    }

  return post;
}

void
sonde_dnnl_set_posts (dnnl_primitive_attr_t attributes, const SondeDnnlPost *posts, guint n_posts,
                      int rank)
{
  dnnl_post_ops_t operations = NULL;

  if (n_posts == 0 || dnnl_post_ops_create (&operations) != dnnl_success)
    return;

  for (guint i = 0; i < n_posts; i++)
    {
      const SondeDnnlPost *post = &posts[i];

      if (post->kind == SONDE_DNNL_POST_FUNCTION)
        dnnl_post_ops_append_eltwise (operations, 1.0f, sonde_dnnl_find_function (post->function),
                                      post->alpha, post->beta);
      else
        {
          dnnl_memory_desc_t desc
              = sonde_dnnl_strided_desc (post->dtype, rank, post->dims, post->strides);

          dnnl_post_ops_append_binary (
              operations, post->kind == SONDE_DNNL_POST_ADD ? dnnl_binary_add : dnnl_binary_mul,
              &desc);
        }
    }

  dnnl_primitive_attr_set_post_ops (attributes, operations);
  dnnl_post_ops_destroy (operations);
}

void
sonde_dnnl_add_post_operands (SondeDnnlPrimitive *primitive, const SondeDnnlPost *posts,
                              guint n_posts, int rank)
{
  for (guint i = 0; i < n_posts; i++)
    if (posts[i].kind != SONDE_DNNL_POST_FUNCTION)
      {
        dnnl_memory_desc_t desc
            = sonde_dnnl_strided_desc (posts[i].dtype, rank, posts[i].dims, posts[i].strides);

        sonde_dnnl_add_argument (primitive, (SondeDnnlArgument) (SONDE_DNNL_POST + i),
                                 DNNL_ARG_ATTR_MULTIPLE_POST_OP ((int) i) | DNNL_ARG_SRC_1, &desc);
      }
}
