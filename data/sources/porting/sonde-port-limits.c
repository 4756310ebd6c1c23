/* SPDX-License-Identifier: Apache-2.0
 * What a graph of fixed shapes cannot hold. */
#include <string.h>

#include "data/base/sonde-text.h"
#include "data/sources/porting/sonde-port-report-private.h"

static const struct
{
  const char *name, *sentence;
} limits[] = {
  [SONDE_PORT_LIMIT_DYNAMIC_SHAPE]
  = { "dynamic-shape",
      N_ ("the size of the result depends on values: a graph of fixed shapes cannot "
          "hold it; bound it, or pad and mask") },
  [SONDE_PORT_LIMIT_SPARSE] = { "sparse", N_ ("sparse tensors: most operators of other frameworks "
                                              "take dense ones; convert, or keep indices and "
                                              "values apart") },
};

const char *
sonde_port_limit_get_name (SondePortLimitKind kind)
{
  return limits[kind].name;
}

const char *
sonde_port_limit_describe (SondePortLimitKind kind, gboolean english)
{
  return english ? limits[kind].sentence : _ (limits[kind].sentence);
}

/* where (condition) gives indices, where (condition, a, b) a tensor of a known size. */
static gboolean
has_one_argument (const SondePortReport *report, const SondePortReference *reference)
{
  const SondePythonModule *module
      = sonde_source_project_get_file (report->project, reference->file)->module;
  const SondePythonArguments *given;

  if (reference->arguments == 0)
    return FALSE;
  given = &g_array_index (module->arguments, SondePythonArguments, reference->arguments - 1);
  return given->n_positional + given->n_keywords == 1 && !given->spreads;
}

static gboolean
is_dynamic (const SondePortReport *report, const SondePortReference *reference, const char *api)
{
  static const char *const names[] = {
    "nonzero", "argwhere", "masked_select", "unique", "unique_consecutive", "repeat_interleave",
    "nms",     NULL
  };
  const char *dot = strrchr (api, '.');

  if (dot == NULL)
    return FALSE;
  return g_strv_contains (names, dot + 1)
         || (g_str_equal (dot + 1, "where") && has_one_argument (report, reference));
}

void
sonde_port_find_limit (SondePortReport *report, const SondePortReference *reference)
{
  const SondePortApi *api = sonde_port_report_get_api (report, reference->api);
  SondePortLimit limit
      = { .file = reference->file, .line = reference->line, .api = reference->api };

  if (reference->how == SONDE_PYTHON_IMPORT || reference->how == SONDE_PYTHON_ANNOTATION)
    return;
  if (is_dynamic (report, reference, api->api))
    limit.kind = SONDE_PORT_LIMIT_DYNAMIC_SHAPE;
  else if (g_str_has_prefix (api->api, "torch.sparse.")
           || (api->row != NULL && g_str_equal (api->row->kind, "sparse")))
    limit.kind = SONDE_PORT_LIMIT_SPARSE;
  else
    return;
  g_array_append_val (report->limits, limit);
}
