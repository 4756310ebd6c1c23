/* SPDX-License-Identifier: Apache-2.0
 * Clipping of gradients. */
#include "engine/nn/sonde-clip.h"

#include "engine/nn/sonde-settings.h"

#define TINY 1e-6 /* PyTorch's, so that a zero norm divides nothing by zero */

static const struct
{
  const char *name;
  SondeClipKind kind;
} kinds[] = {
  { "none", SONDE_CLIP_NONE },
  { "value", SONDE_CLIP_VALUE },
  { "norm", SONDE_CLIP_NORM },
  { "global-norm", SONDE_CLIP_GLOBAL_NORM },
};

gboolean
sonde_clip_parse (const char *text, SondeClip *clip, GError **error)
{
  static const SondeSettingRule rules[] = { { "limit", G_MAXDOUBLE, 0, G_MAXDOUBLE }, { NULL } };
  g_auto (SondeSettings) settings = { 0 };

  if (!sonde_settings_parse (N_ ("clipping"), text, rules, &settings, error))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_str_equal (kinds[i].name, settings.name)
        && settings.is_set[0] == (kinds[i].kind != SONDE_CLIP_NONE))
      {
        *clip = (SondeClip){ kinds[i].kind, settings.values[0] };
        return TRUE;
      }
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "The clipping “%s” must be none, value:LIMIT, norm:LIMIT or global-norm:LIMIT.",
                   text);
  return FALSE;
}

/* min (1, limit / (norm + tiny)), a float32 scalar; in @dtype. */
static SondeGraphValue *
add_factor (SondeGraph *graph, SondeGraphValue *norm, double limit, SondeDtype dtype)
{
  SondeGraphValue *most = sonde_build_scalar (graph, SONDE_DTYPE_F32, limit);
  SondeGraphValue *above
      = sonde_build_binary (graph, "Add", norm, sonde_build_scalar (graph, SONDE_DTYPE_F32, TINY));
  SondeGraphValue *factor = sonde_build_binary (graph, "Div", most, above);

  factor
      = sonde_build_binary (graph, "Min", factor, sonde_build_scalar (graph, SONDE_DTYPE_F32, 1));
  return sonde_build_cast (graph, factor, dtype);
}

static SondeGraphValue *
norm_of (SondeGraph *graph, SondeGraphValue *const *gradients, guint n)
{
  return sonde_build_op (graph, NULL, SONDE_DOMAIN, "GlobalNorm", n, gradients);
}

static SondeGraphValue *
clip_one (const SondeClip *clip, SondeGraph *graph, SondeGraphValue *gradient,
          SondeGraphValue *norm)
{
  SondeDtype dtype = gradient->type.dtype;
  SondeGraphValue *inputs[3] = { gradient };

  if (clip->kind == SONDE_CLIP_VALUE)
    {
      inputs[1] = sonde_build_scalar (graph, dtype, -clip->limit);
      inputs[2] = sonde_build_scalar (graph, dtype, clip->limit);
      return sonde_build_op (graph, NULL, "", "Clip", 3, inputs);
    }
  if (clip->kind == SONDE_CLIP_NORM)
    norm = norm_of (graph, &gradient, 1);
  return sonde_build_binary (graph, "Mul", gradient, add_factor (graph, norm, clip->limit, dtype));
}

gboolean
sonde_clip_build (const SondeClip *clip, SondeGraph *graph, SondeGraphValue **gradients, guint n,
                  SondeGraphValue *norm, GError **error)
{
  guint first = graph->nodes->len;

  if (clip->kind == SONDE_CLIP_NONE)
    return TRUE;
  if (clip->kind == SONDE_CLIP_GLOBAL_NORM && norm == NULL)
    norm = norm_of (graph, gradients, n);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = g_strdup_printf ("clipped(%s)", gradients[i]->name);

      gradients[i] = clip_one (clip, graph, gradients[i], norm);
      sonde_graph_rename_value (graph, gradients[i], name);
    }
  for (guint id = first; id < graph->nodes->len; id++)
    {
      SondeNode *node = g_ptr_array_index (graph->nodes, id);

      node->phase = SONDE_PHASE_OPTIMISER;
      node->origin_kind = SONDE_ORIGIN_OPTIMISER;
      if (!sonde_build_infer (graph, node, error))
        return FALSE;
    }
  return TRUE;
}
