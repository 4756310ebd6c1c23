/* SPDX-License-Identifier: Apache-2.0
 * A primitive of oneDNN: its arguments, its memory objects and running it. */
#include "engine/devices/cpu/dnnl/sonde-dnnl-private.h"
#include "engine/devices/cpu/dnnl/sonde-dnnl-regions.h"

void
sonde_dnnl_primitive_free (SondeDnnlPrimitive *primitive)
{
  if (primitive == NULL)
    return;

  sonde_dnnl_primitive_free (primitive->before);
  sonde_dnnl_primitive_free (primitive->after);
  for (guint i = 0; i < SONDE_DNNL_MAX_BINDINGS; i++)
    if (primitive->memory.memory[i] != NULL)
      dnnl_memory_destroy (primitive->memory.memory[i]);
  if (primitive->primitive != NULL)
    dnnl_primitive_destroy (primitive->primitive);
  if (primitive->desc != NULL)
    dnnl_primitive_desc_destroy (primitive->desc);
  g_free (primitive);
}

static gboolean
bind_new (SondeDnnl *dnnl, const SondeDnnlPrimitive *primitive, SondeDnnlMemory *bindings)
{
  for (guint i = 0; i <= primitive->n_arguments; i++)
    {
      const dnnl_memory_desc_t *desc
          = i < primitive->n_arguments
                ? primitive->arguments[i].desc
                : dnnl_primitive_desc_query_md (primitive->desc, dnnl_query_scratchpad_md, 0);

      if (dnnl_memory_create (&bindings->memory[i], desc, dnnl->engine, DNNL_MEMORY_NONE)
          != dnnl_success)
        return FALSE;
    }

  return TRUE;
}

static void
unbind (SondeDnnlMemory *bindings)
{
  for (guint i = 0; i < SONDE_DNNL_MAX_BINDINGS; i++)
    if (bindings->memory[i] != NULL)
      dnnl_memory_destroy (bindings->memory[i]);
}

void
sonde_dnnl_add_argument (SondeDnnlPrimitive *primitive, SondeDnnlArgument argument, int id,
                         const dnnl_memory_desc_t *desc)
{
  SondeDnnlBinding *entry = &primitive->arguments[primitive->n_arguments];

  primitive->own[primitive->n_arguments] = *desc;
  entry->argument = argument;
  entry->id = id;
  entry->desc = &primitive->own[primitive->n_arguments];
  primitive->n_arguments++;
}

SondeDnnlPrimitive *
sonde_dnnl_primitive_new (dnnl_primitive_desc_t desc)
{
  g_autoptr (SondeDnnlPrimitive) primitive = NULL;
  const dnnl_memory_desc_t *scratchpad;

  if (desc == NULL)
    return NULL;

  primitive = g_new0 (SondeDnnlPrimitive, 1);
  primitive->desc = desc;
  atomic_flag_clear (&primitive->busy);
  if (dnnl_primitive_desc_query (desc, dnnl_query_impl_info_str, 0, &primitive->implementation)
          != dnnl_success
      || g_str_has_prefix (primitive->implementation, "ref")
      || dnnl_primitive_create (&primitive->primitive, desc) != dnnl_success)
    return NULL;

  scratchpad = dnnl_primitive_desc_query_md (desc, dnnl_query_scratchpad_md, 0);
  primitive->scratch = primitive->workspace = dnnl_memory_desc_get_size (scratchpad);
  return g_steal_pointer (&primitive);
}

void
sonde_dnnl_add_zero (SondeDnnlPrimitive *primitive, SondeDnnlArgument argument, int id)
{
  const gint64 one = 1;
  dnnl_memory_desc_t desc = sonde_dnnl_plain_desc_of (SONDE_DTYPE_I32, 1, &one);

  sonde_dnnl_add_argument (primitive, argument, DNNL_ARG_ATTR_ZERO_POINTS | id, &desc);
}

SondeDnnlPrimitive *
sonde_dnnl_finish (SondeDnnl *dnnl, SondeDnnlPrimitive *primitive)
{
  if (bind_new (dnnl, primitive, &primitive->memory))
    return primitive;

  sonde_dnnl_primitive_free (primitive);
  return NULL;
}

dnnl_primitive_attr_t
sonde_dnnl_attributes_new (float scale)
{
  dnnl_primitive_attr_t attributes = NULL;

  if (dnnl_primitive_attr_create (&attributes) != dnnl_success)
    return NULL;

  dnnl_primitive_attr_set_scratchpad_mode (attributes, dnnl_scratchpad_mode_user);
  if (scale != 1.0f)
    dnnl_primitive_attr_set_output_scales (attributes, 1, 0, &scale);
  return attributes;
}

dnnl_primitive_desc_t
sonde_dnnl_create_desc (SondeDnnl *dnnl, const void *operation, dnnl_primitive_attr_t attributes,
                        dnnl_primitive_desc_t hint)
{
  dnnl_primitive_desc_t desc = NULL;

  return dnnl_primitive_desc_create (&desc, operation, attributes, dnnl->engine, hint)
                 == dnnl_success
             ? desc
             : NULL;
}

SondeLayout *
sonde_dnnl_primitive_dup_layout (SondeDnnlPrimitive *primitive, SondeDnnlArgument argument)
{
  for (guint i = 0; i < primitive->n_arguments; i++)
    if (primitive->arguments[i].argument == argument)
      {
        const dnnl_memory_desc_t *desc = primitive->arguments[i].desc;
        gboolean given = argument == SONDE_DNNL_WEIGHTS && primitive->plain_weights.ndims > 0;
        dnnl_memory_desc_t plain
            = given ? primitive->plain_weights : sonde_dnnl_plain_desc (desc->ndims, desc->dims);
        SondeLayout *layout;

        plain.data_type = desc->data_type;
        if (dnnl_memory_desc_equal (desc, &plain))
          return NULL;

        layout = sonde_layout_new (desc, FALSE);
        if (given)
          layout->plain = g_memdup2 (&plain, sizeof plain);
        return layout;
      }

  return NULL;
}

gsize
sonde_dnnl_primitive_get_workspace (const SondeDnnlPrimitive *primitive)
{
  return primitive->workspace;
}

const char *
sonde_dnnl_primitive_get_implementation (const SondeDnnlPrimitive *primitive)
{
  return primitive->implementation;
}

/* What it shares out among threads is seen while kernels are recorded. */
static gboolean
run_seen (const SondeDnnl *dnnl, const SondeDnnlPrimitive *primitive, int n,
          const dnnl_exec_arg_t *arguments)
{
  const SondeDeviceSpans *spans = sonde_device_get_spans (dnnl->device);
  gboolean ok;

  if (G_UNLIKELY (spans != NULL) && spans->kernel != SONDE_SPAN_NO_LABEL)
    sonde_dnnl_watch_regions (spans);
  ok = dnnl_primitive_execute (primitive->primitive, dnnl->stream, n, arguments) == dnnl_success
       && dnnl_stream_wait (dnnl->stream) == dnnl_success;
  if (G_UNLIKELY (spans != NULL))
    sonde_dnnl_watch_regions (NULL);
  return ok;
}

static gboolean
execute (SondeDnnl *dnnl, const SondeDnnlPrimitive *primitive, SondeDnnlMemory *bindings,
         void *const memory[SONDE_DNNL_N_ARGUMENTS], void *workspace)
{
  dnnl_exec_arg_t arguments[SONDE_DNNL_MAX_BINDINGS];
  guint n = primitive->n_arguments;

  for (guint i = 0; i < n; i++)
    {
      arguments[i] = (dnnl_exec_arg_t){ primitive->arguments[i].id, bindings->memory[i] };
      if (dnnl_memory_set_data_handle_v2 (bindings->memory[i],
                                          memory[primitive->arguments[i].argument], dnnl->stream)
          != dnnl_success)
        return FALSE;
    }

  if (primitive->scratch > 0)
    {
      arguments[n] = (dnnl_exec_arg_t){ DNNL_ARG_SCRATCHPAD, bindings->memory[n] };
      dnnl_memory_set_data_handle_v2 (bindings->memory[n], workspace, dnnl->stream);
      n++;
    }

  return run_seen (dnnl, primitive, (int) n, arguments);
}

static gboolean
run_one (SondeDnnl *dnnl, SondeDnnlPrimitive *primitive, void *const memory[SONDE_DNNL_N_ARGUMENTS],
         void *workspace, GError **error)
{
  gboolean ok;

  /* A second execution of the same plan at the same time makes bindings of its own. */
  if (!atomic_flag_test_and_set (&primitive->busy))
    {
      ok = execute (dnnl, primitive, &primitive->memory, memory, workspace);
      atomic_flag_clear (&primitive->busy);
    }
  else
    {
      SondeDnnlMemory bindings = { 0 };

      ok = bind_new (dnnl, primitive, &bindings)
           && execute (dnnl, primitive, &bindings, memory, workspace);
      unbind (&bindings);
    }

  if (!ok)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_DEVICE,
                     "oneDNN failed to run “%s”", primitive->implementation);
  return ok;
}

static gboolean
run_surrounded (SondeDnnl *dnnl, SondeDnnlPrimitive *primitive,
                void *const memory[SONDE_DNNL_N_ARGUMENTS], void *workspace, GError **error)
{
  void *inside[SONDE_DNNL_N_ARGUMENTS];
  void *reorder[SONDE_DNNL_N_ARGUMENTS] = { NULL };

  for (int i = 0; i < SONDE_DNNL_N_ARGUMENTS; i++)
    inside[i] = memory[i];
  inside[SONDE_DNNL_SRC] = (guint8 *) workspace + primitive->before_offset;
  inside[SONDE_DNNL_DST] = (guint8 *) workspace + primitive->after_offset;

  reorder[SONDE_DNNL_SRC] = memory[SONDE_DNNL_SRC];
  reorder[SONDE_DNNL_DST] = inside[SONDE_DNNL_SRC];
  if (!run_one (dnnl, primitive->before, reorder, workspace, error)
      || !run_one (dnnl, primitive, inside, workspace, error))
    return FALSE;

  reorder[SONDE_DNNL_SRC] = inside[SONDE_DNNL_DST];
  reorder[SONDE_DNNL_DST] = memory[SONDE_DNNL_DST];
  return run_one (dnnl, primitive->after, reorder, workspace, error);
}

gboolean
sonde_dnnl_primitive_run (SondeDnnl *dnnl, SondeDnnlPrimitive *primitive,
                          void *const memory[SONDE_DNNL_N_ARGUMENTS], void *workspace,
                          GError **error)
{
  return primitive->before != NULL ? run_surrounded (dnnl, primitive, memory, workspace, error)
                                   : run_one (dnnl, primitive, memory, workspace, error);
}
