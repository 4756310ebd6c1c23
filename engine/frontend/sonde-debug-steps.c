/* SPDX-License-Identifier: Apache-2.0
 * Steps and their locations. */
#include "engine/frontend/sonde-debug-steps.h"

/* ---- one step ------------------------------------------------------------ */

struct _SondeDebugStep
{
  GObject parent_instance;

  GPtrArray *infos; /* that hold @info */
  guint position;
};

G_DEFINE_FINAL_TYPE (SondeDebugStep, sonde_debug_step, G_TYPE_OBJECT)

guint
sonde_debug_step_get_position (SondeDebugStep *step)
{
  return step->position;
}

const SondeStepInfo *
sonde_debug_step_get_info (SondeDebugStep *step)
{
  return g_ptr_array_index (step->infos, step->position);
}

gboolean
sonde_debug_step_is_meant (const SondeStepInfo *step, const char *pattern)
{
  gboolean by_op = g_str_has_prefix (pattern, "op:");
  const char *glob = by_op ? pattern + 3 : pattern;

  if (by_op)
    return g_pattern_match_simple (glob, step->op);
  for (gsize i = 0; step->nodes != NULL && step->nodes[i] != NULL; i++)
    if (g_pattern_match_simple (glob, step->nodes[i]))
      return TRUE;
  for (gsize i = 0; step->outputs != NULL && step->outputs[i] != NULL; i++)
    if (g_pattern_match_simple (glob, step->outputs[i]))
      return TRUE;
  return step->originals != NULL
         && g_strv_contains ((const char *const *) step->originals, pattern);
}

static void
sonde_debug_step_finalize (GObject *object)
{
  g_ptr_array_unref (SONDE_DEBUG_STEP (object)->infos);
  G_OBJECT_CLASS (sonde_debug_step_parent_class)->finalize (object);
}

static void
sonde_debug_step_class_init (SondeDebugStepClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sonde_debug_step_finalize;
}

static void
sonde_debug_step_init (SondeDebugStep *self)
{
}

/* ---- the list ------------------------------------------------------------ */

struct _SondeDebugSteps
{
  GObject parent_instance;

  GPtrArray *infos; /* (element-type SondeStepInfo) (nullable) */
  guint *lines;
  guint n_lines;
};

static GType
get_item_type (GListModel *model)
{
  return SONDE_TYPE_DEBUG_STEP;
}

static guint
get_n_items (GListModel *model)
{
  return sonde_debug_steps_get_n (SONDE_DEBUG_STEPS (model));
}

static gpointer
get_item (GListModel *model, guint position)
{
  SondeDebugSteps *self = SONDE_DEBUG_STEPS (model);
  SondeDebugStep *step;

  if (position >= get_n_items (model))
    return NULL;
  step = g_object_new (SONDE_TYPE_DEBUG_STEP, NULL);
  step->infos = g_ptr_array_ref (self->infos);
  step->position = position;
  return step;
}

static void
list_model_init (GListModelInterface *interface)
{
  interface->get_item_type = get_item_type;
  interface->get_n_items = get_n_items;
  interface->get_item = get_item;
}

G_DEFINE_FINAL_TYPE_WITH_CODE (SondeDebugSteps, sonde_debug_steps, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init))

void
sonde_debug_steps_set (SondeDebugSteps *steps, GPtrArray *infos)
{
  guint removed = sonde_debug_steps_get_n (steps);

  g_clear_pointer (&steps->infos, g_ptr_array_unref);
  steps->infos = infos;
  g_list_model_items_changed (G_LIST_MODEL (steps), 0, removed, sonde_debug_steps_get_n (steps));
}

void
sonde_debug_steps_set_lines (SondeDebugSteps *steps, guint *lines, guint n)
{
  g_free (steps->lines);
  steps->lines = lines;
  steps->n_lines = lines != NULL ? n : 0;
}

/* ---- locations -------------------------------------------------------------- */

guint
sonde_debug_steps_get_n (SondeDebugSteps *steps)
{
  return steps->infos != NULL ? steps->infos->len : 0;
}

const SondeStepInfo *
sonde_debug_steps_get (SondeDebugSteps *steps, guint position)
{
  return position < sonde_debug_steps_get_n (steps) ? g_ptr_array_index (steps->infos, position)
                                                    : NULL;
}

const char *
sonde_debug_steps_get_name (SondeDebugSteps *steps, guint position)
{
  const SondeStepInfo *step = sonde_debug_steps_get (steps, position);

  if (step == NULL)
    return NULL;
  return step->nodes != NULL && step->nodes[0] != NULL ? step->nodes[0] : step->name;
}

guint
sonde_debug_steps_get_line (SondeDebugSteps *steps, guint position)
{
  return position < steps->n_lines ? steps->lines[position] : 0;
}

guint
sonde_debug_steps_find_line (SondeDebugSteps *steps, guint line)
{
  for (guint i = 0; line > 0 && i < sonde_debug_steps_get_n (steps); i++)
    if (sonde_debug_steps_get_line (steps, i) == line)
      return i;
  return SONDE_DEBUG_NO_STEP;
}

static gboolean
holds (char **names, const char *name)
{
  return names != NULL && g_strv_contains ((const char *const *) names, name);
}

guint
sonde_debug_steps_find_node (SondeDebugSteps *steps, const char *name)
{
  for (guint i = 0; name != NULL && i < sonde_debug_steps_get_n (steps); i++)
    {
      const SondeStepInfo *step = sonde_debug_steps_get (steps, i);

      if (g_strcmp0 (step->name, name) == 0 || holds (step->nodes, name))
        return i;
    }
  for (guint i = 0; name != NULL && i < sonde_debug_steps_get_n (steps); i++)
    if (holds (sonde_debug_steps_get (steps, i)->originals, name))
      return i;
  return SONDE_DEBUG_NO_STEP;
}

guint
sonde_debug_steps_find_producer (SondeDebugSteps *steps, const char *value, SondeGraph *graph)
{
  SondeGraphValue *inner;

  for (guint i = 0; value != NULL && i < sonde_debug_steps_get_n (steps); i++)
    if (holds (sonde_debug_steps_get (steps, i)->outputs, value))
      return i;
  /* A value inside of a fused step. */
  inner = value != NULL && graph != NULL ? sonde_graph_find_value (graph, value) : NULL;
  return inner != NULL && inner->producer != NULL
             ? sonde_debug_steps_find_node (steps, inner->producer->name)
             : SONDE_DEBUG_NO_STEP;
}

/* ---- class --------------------------------------------------------------- */

static void
sonde_debug_steps_finalize (GObject *object)
{
  SondeDebugSteps *self = SONDE_DEBUG_STEPS (object);

  g_clear_pointer (&self->infos, g_ptr_array_unref);
  g_free (self->lines);
  G_OBJECT_CLASS (sonde_debug_steps_parent_class)->finalize (object);
}

static void
sonde_debug_steps_class_init (SondeDebugStepsClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sonde_debug_steps_finalize;
}

static void
sonde_debug_steps_init (SondeDebugSteps *self)
{
}

SondeDebugSteps *
sonde_debug_steps_new (void)
{
  return g_object_new (SONDE_TYPE_DEBUG_STEPS, NULL);
}
