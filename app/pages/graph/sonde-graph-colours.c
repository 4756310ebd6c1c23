/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/graph/sonde-graph-colours.h"

#include <math.h>

#include "app/pages/graph/sonde-graph-beside.h"
#include "app/pages/graph/sonde-graph-health.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/profile/sonde-roofline-paint.h"

/* ---- of the graph -------------------------------------------------------- */

static SondeNode *
node_at (const SondeGraph *graph, guint id)
{
  return g_ptr_array_index (graph->nodes, id);
}

static SondeDtype
dtype_of (const SondeNode *node)
{
  SondeGraphValue *output = sonde_node_get_output (node, 0);

  return output != NULL ? output->type.dtype : SONDE_DTYPE_INVALID;
}

static SondeGraphTint *
make_dtypes (const SondeGraphColourSource *source)
{
  SondeGraphTint *tint = sonde_graph_tint_new (source->graph, _ ("Element type"), NULL);

  for (guint i = 0; i < tint->n_values; i++)
    {
      const SondeNode *node = node_at (source->graph, i);
      SondeDtype dtype = node != NULL ? dtype_of (node) : SONDE_DTYPE_INVALID;

      if (dtype != SONDE_DTYPE_INVALID)
        tint->values[i] = sonde_graph_tint_add_kind (tint, sonde_dtype_name (dtype), G_MININT);
    }
  return tint;
}

static const char *
explain_dtypes (const SondeGraphColourSource *source)
{
  for (guint i = 0; i < source->graph->nodes->len; i++)
    {
      const SondeNode *node = node_at (source->graph, i);

      if (node != NULL && dtype_of (node) != SONDE_DTYPE_INVALID)
        return NULL;
    }
  return _ ("This graph does not declare the types of its values.");
}

/* As graphs of TensorFlow tell it. */
static const char *
device_of (const SondeNode *node)
{
  const char *device = sonde_node_get_string (node, "device", NULL);

  return device != NULL && *device != '\0' ? device : NULL;
}

static SondeGraphTint *
make_devices (const SondeGraphColourSource *source)
{
  SondeGraphTint *tint = sonde_graph_tint_new (source->graph, _ ("Device"), NULL);

  for (guint i = 0; i < tint->n_values; i++)
    {
      const SondeNode *node = node_at (source->graph, i);
      const char *device = node != NULL ? device_of (node) : NULL;

      if (device != NULL)
        tint->values[i] = sonde_graph_tint_add_kind (tint, device, G_MININT);
    }
  return tint;
}

static const char *
explain_devices (const SondeGraphColourSource *source)
{
  for (guint i = 0; i < source->graph->nodes->len; i++)
    {
      const SondeNode *node = node_at (source->graph, i);

      if (node != NULL && device_of (node) != NULL)
        return NULL;
    }
  return _ ("This graph names no devices.");
}

static const char *
explain_flops (const SondeGraphColourSource *source)
{
  return source->cannot_count ? _ ("The operations of this graph cannot be counted.") : NULL;
}

static char *
format_flops (double flops)
{
  g_autofree char *number = sonde_format_number (flops);

  return g_strdup_printf (_ ("%s FLOP"), number);
}

static SondeGraphTint *
make_flops (const SondeGraphColourSource *source)
{
  SondeGraphTint *tint = sonde_graph_tint_new (source->graph, _ ("Operations"), format_flops);

  for (guint i = 0; i < tint->n_values; i++)
    if (node_at (source->graph, i) != NULL)
      tint->values[i] = source->flops[i];
  return tint;
}

/* The node of those that read a parameter to which it is counted. */
static const SondeNode *
find_first_reader (const SondeGraphValue *value)
{
  const SondeNode *first = NULL;

  for (guint i = 0; i < value->users->len; i++)
    {
      const SondeNode *user = g_ptr_array_index (value->users, i);

      first = first == NULL || user->id < first->id ? user : first;
    }
  return first;
}

static gboolean
count_parameter (const SondeGraphValue *value, double *n)
{
  SondeShape shape;

  if (value == NULL || value->role != SONDE_ROLE_PARAMETER
      || !sonde_type_get_shape (&value->type, &shape))
    return FALSE;
  *n = (double) MAX (sonde_shape_n_elements (&shape), 0);
  return TRUE;
}

static const char *
explain_parameters (const SondeGraphColourSource *source)
{
  double n;

  for (guint i = 0; i < source->graph->values->len; i++)
    if (count_parameter (g_ptr_array_index (source->graph->values, i), &n))
      return NULL;
  return _ ("This graph has no parameters.");
}

static SondeGraphTint *
make_parameters (const SondeGraphColourSource *source)
{
  SondeGraphTint *tint
      = sonde_graph_tint_new (source->graph, _ ("Parameters"), sonde_format_number);

  for (guint i = 0; i < tint->n_values; i++)
    if (node_at (source->graph, i) != NULL)
      tint->values[i] = 0;
  for (guint i = 0; i < source->graph->values->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (source->graph->values, i);
      double n;
      const SondeNode *reader = count_parameter (value, &n) ? find_first_reader (value) : NULL;

      if (reader != NULL)
        tint->values[reader->id] += n;
    }
  return tint;
}

static const char *
explain_difference (const SondeGraphColourSource *source)
{
  return source->partners == NULL ? _ ("There is no other graph beside this one.") : NULL;
}

static SondeGraphTint *
make_difference (const SondeGraphColourSource *source)
{
  return sonde_graph_beside_make_tint (source->graph, source->partners);
}

/* ---- of records ---------------------------------------------------------- */

static const char *
explain_health (const SondeGraphColourSource *source)
{
  return source->has_values
             ? NULL
             : _ ("The run recorded no weights, gradients or activations of this graph.");
}

static SondeGraphTint *
make_health (const SondeGraphColourSource *source)
{
  return sonde_graph_health_make_tint (source->graph, source->health);
}

/* ---- of the debugger ----------------------------------------------------- */

static gboolean
knows_any (const SondeGraphColourSource *source, GHashTable *by_name)
{
  for (guint i = 0; by_name != NULL && i < source->graph->nodes->len; i++)
    {
      const SondeNode *node = node_at (source->graph, i);

      if (node != NULL && g_hash_table_contains (by_name, node->name))
        return TRUE;
    }
  return FALSE;
}

static const char *
explain_errors (const SondeGraphColourSource *source)
{
  if (source->findings == NULL || source->findings->errors == NULL)
    return _ (
        "Nothing was compared: use “Find First Divergent Node…” or “diverge” in the debugger.");
  if (!knows_any (source, source->findings->errors))
    return _ ("No node of this graph was compared.");
  return NULL;
}

/* From the worst on. */
enum
{
  FAR_OVER,
  OVER,
  WITHIN,
  EQUAL
};

static SondeGraphTint *
make_errors (const SondeGraphColourSource *source, const char *title, gboolean own)
{
  SondeGraphTint *tint = sonde_graph_tint_new (source->graph, title, NULL);

  sonde_graph_tint_add_kind (tint, _ ("10 × the tolerance or more"), 1);
  sonde_graph_tint_add_kind (tint, _ ("above the tolerance"), 4);
  sonde_graph_tint_add_kind (tint, _ ("within the tolerance"), 2);
  sonde_graph_tint_add_kind (tint, _ ("equal"), -1);
  for (guint i = 0; i < tint->n_values; i++)
    {
      const SondeNode *node = node_at (source->graph, i);
      const SondeNodeError *error
          = node != NULL ? g_hash_table_lookup (source->findings->errors, node->name) : NULL;
      double scaled
          = error != NULL
                ? sonde_debug_findings_scale (own ? error->own : error->inherited, error->tolerance)
                : NAN;

      if (!isnan (scaled))
        sonde_graph_tint_set_ranked (tint, i,
                                     scaled >= 10 ? FAR_OVER
                                     : scaled > 1 ? OVER
                                     : scaled > 0 ? WITHIN
                                                  : EQUAL,
                                     scaled, NAN);
    }
  return tint;
}

static SondeGraphTint *
make_own_errors (const SondeGraphColourSource *source)
{
  return make_errors (source, _ ("Own error"), TRUE);
}

static SondeGraphTint *
make_inherited_errors (const SondeGraphColourSource *source)
{
  return make_errors (source, _ ("Inherited error"), FALSE);
}

static const char *
explain_precision (const SondeGraphColourSource *source)
{
  if (source->findings == NULL || source->findings->kept == NULL)
    return _ ("No precision was searched: use “Search for Mixed Precision…” in the debugger.");
  return NULL;
}

/* Which of the others compute in the lower precision the search does not say. */
static SondeGraphTint *
make_precisions (const SondeGraphColourSource *source)
{
  SondeGraphTint *tint = sonde_graph_tint_new (source->graph, _ ("Precision"), NULL);
  g_autofree char *others = g_strdup_printf (_ ("not needed in float32 (%s where possible)"),
                                             sonde_dtype_name (source->findings->precision));

  sonde_graph_tint_add_kind (tint, _ ("needs float32"), 1);
  sonde_graph_tint_add_kind (tint, others, 2);
  for (guint i = 0; i < tint->n_values; i++)
    {
      const SondeNode *node = node_at (source->graph, i);
      gboolean kept = node != NULL && g_hash_table_contains (source->findings->kept, node->name);

      if (node != NULL)
        sonde_graph_tint_set_ranked (tint, i, kept ? 0 : 1, kept, NAN);
    }
  return tint;
}

/* ---- of a profile -------------------------------------------------------- */

static gboolean
names_any (const SondeGraphColourSource *source)
{
  for (guint i = 0; i < source->graph->nodes->len; i++)
    {
      const SondeNode *node = node_at (source->graph, i);

      if (node != NULL && sonde_profiled_nodes_find (source->profile, node->name) != NULL)
        return TRUE;
    }
  return FALSE;
}

static const char *
explain_profile (const SondeGraphColourSource *source)
{
  if (!source->has_profile)
    return _ ("There is no profile: record one with “sonde profile”, or open a trace.");
  if (source->profile != NULL && !names_any (source))
    return _ ("The open profile names no node of this graph.");
  return NULL;
}

static const char *
explain_time (const SondeGraphColourSource *source)
{
  const char *reason = explain_profile (source);

  if (reason == NULL && source->profile != NULL
      && sonde_profile_is_sampled (sonde_profiled_nodes_get_profile (source->profile)))
    return _ ("Sampled stacks give shares, not times.");
  return reason;
}

static const char *
explain_memory (const SondeGraphColourSource *source)
{
  const char *reason = explain_profile (source);

  if (reason == NULL && source->profile != NULL
      && !sonde_profiled_nodes_have_memory (source->profile))
    return _ ("The open profile does not say how long values stay in memory.");
  return reason;
}

static const char *
explain_classes (const SondeGraphColourSource *source)
{
  const char *reason = explain_profile (source);

  if (reason == NULL && source->profile != NULL
      && !sonde_profiled_nodes_get_profile (source->profile)->has_classes)
    return _ ("Only recordings made by Sonde say what bounds an operator.");
  return reason;
}

/* Nodes of one operator have its amount together: number of the operator, from 1. */
static guint
owner_of (const SondeGraphColourSource *source, const SondeProfileOperator *op)
{
  const SondeProfile *profile = sonde_profiled_nodes_get_profile (source->profile);

  return (guint) (op - sonde_profile_get_operator (profile, 0)) + 1;
}

static char *
format_time (double ns)
{
  return sonde_format_duration (llround (ns));
}

static SondeGraphTint *
make_times (const SondeGraphColourSource *source)
{
  const gboolean has_steps = sonde_profiled_nodes_get_profile (source->profile)->has_steps;
  SondeGraphTint *tint = sonde_graph_tint_new (
      source->graph, has_steps ? _ ("Time in a mean step") : _ ("Time"), format_time);

  for (guint i = 0; i < tint->n_values; i++)
    {
      const SondeNode *node = node_at (source->graph, i);
      const SondeProfileOperator *op
          = node != NULL ? sonde_profiled_nodes_find (source->profile, node->name) : NULL;

      if (op == NULL || !isfinite (op->mean_self_ns))
        continue;
      tint->values[i] = op->mean_self_ns;
      tint->owners[i] = owner_of (source, op);
    }
  return tint;
}

static char *
format_memory (double bytes)
{
  return sonde_format_bytes ((guint64) llround (bytes));
}

static SondeGraphTint *
make_memory (const SondeGraphColourSource *source)
{
  SondeGraphTint *tint
      = sonde_graph_tint_new (source->graph, _ ("Memory of its outputs"), format_memory);

  for (guint i = 0; i < tint->n_values; i++)
    {
      const SondeNode *node = node_at (source->graph, i);
      gboolean is_shared = FALSE;
      gint64 bytes = node != NULL
                         ? sonde_profiled_nodes_get_bytes (source->profile, node->name, &is_shared)
                         : -1;

      if (bytes < 0)
        continue;
      tint->values[i] = (double) bytes;
      if (is_shared)
        tint->owners[i]
            = owner_of (source, sonde_profiled_nodes_find (source->profile, node->name));
    }
  return tint;
}

static SondeGraphTint *
make_classes (const SondeGraphColourSource *source)
{
  SondeGraphTint *tint = sonde_graph_tint_new (source->graph, _ ("Bounded by"), NULL);

  for (guint i = 0; i < tint->n_values; i++)
    {
      const SondeNode *node = node_at (source->graph, i);
      const SondeProfileOperator *op
          = node != NULL ? sonde_profiled_nodes_find (source->profile, node->name) : NULL;

      if (op != NULL && op->operator_class != SONDE_OPERATOR_CLASS_UNKNOWN)
        tint->values[i] = sonde_graph_tint_add_kind (
            tint, _ (sonde_operator_class_get_title (op->operator_class)),
            sonde_roofline_get_hue (op->operator_class));
    }
  return tint;
}

/* ---- all of them --------------------------------------------------------- */

const SondeGraphColour sonde_graph_colours[] = {
  { "family", N_ ("Family"), SONDE_GRAPH_COLOUR_NEEDS_GRAPH, NULL, NULL },
  { "time", N_ ("Time"), SONDE_GRAPH_COLOUR_NEEDS_PROFILE, explain_time, make_times },
  { "memory", N_ ("Memory"), SONDE_GRAPH_COLOUR_NEEDS_PROFILE, explain_memory, make_memory },
  { "class", N_ ("Bounded By"), SONDE_GRAPH_COLOUR_NEEDS_PROFILE, explain_classes, make_classes },
  { "flops", N_ ("Operations"), SONDE_GRAPH_COLOUR_NEEDS_FLOPS, explain_flops, make_flops },
  { "parameters", N_ ("Parameters"), SONDE_GRAPH_COLOUR_NEEDS_GRAPH, explain_parameters,
    make_parameters },
  { "health", N_ ("Health"), SONDE_GRAPH_COLOUR_NEEDS_VALUES, explain_health, make_health },
  { "error", N_ ("Own Error"), SONDE_GRAPH_COLOUR_NEEDS_FINDINGS, explain_errors, make_own_errors },
  { "inherited-error", N_ ("Inherited Error"), SONDE_GRAPH_COLOUR_NEEDS_FINDINGS, explain_errors,
    make_inherited_errors },
  { "precision", N_ ("Precision"), SONDE_GRAPH_COLOUR_NEEDS_FINDINGS, explain_precision,
    make_precisions },
  { "dtype", N_ ("Element Type"), SONDE_GRAPH_COLOUR_NEEDS_GRAPH, explain_dtypes, make_dtypes },
  { "device", N_ ("Device"), SONDE_GRAPH_COLOUR_NEEDS_GRAPH, explain_devices, make_devices },
  { "difference", N_ ("Difference"), SONDE_GRAPH_COLOUR_NEEDS_GRAPH, explain_difference,
    make_difference },
  { NULL, NULL, SONDE_GRAPH_COLOUR_NEEDS_GRAPH, NULL, NULL },
};

const SondeGraphColour *
sonde_graph_colour_find (const char *name)
{
  for (const SondeGraphColour *colour = sonde_graph_colours; colour->name != NULL; colour++)
    if (g_str_equal (colour->name, name))
      return colour;
  return NULL;
}
