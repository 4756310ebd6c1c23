/* SPDX-License-Identifier: Apache-2.0
 * The table of variables references. */
#include "app/dap/sonde-dap-variables.h"

#include <inttypes.h>

static void
reference_free (gpointer data)
{
  SondeDapReference *reference = data;

  g_free (reference->node);
  g_free (reference->value);
  g_free (reference->indices);
  g_free (reference);
}

SondeDapVariables *
sonde_dap_variables_new (void)
{
  SondeDapVariables *variables = g_new0 (SondeDapVariables, 1);

  variables->references = g_ptr_array_new_with_free_func (reference_free);
  return variables;
}

void
sonde_dap_variables_free (SondeDapVariables *variables)
{
  g_ptr_array_unref (variables->references);
  g_clear_pointer (&variables->graph, sonde_graph_unref);
  g_free (variables);
}

void
sonde_dap_variables_forget (SondeDapVariables *variables)
{
  g_ptr_array_set_size (variables->references, 0);
}

void
sonde_dap_variables_forget_graph (SondeDapVariables *variables)
{
  g_clear_pointer (&variables->graph, sonde_graph_unref);
}

guint
sonde_dap_variables_add (SondeDapVariables *variables, SondeDapReferenceKind kind, const char *node,
                         const char *value, const char *indices)
{
  SondeDapReference *reference = g_new0 (SondeDapReference, 1);

  reference->kind = kind;
  reference->node = g_strdup (node);
  reference->value = g_strdup (value);
  reference->indices = g_strdup (indices != NULL ? indices : "");
  g_ptr_array_add (variables->references, reference);
  return variables->references->len;
}

guint
sonde_dap_variables_add_elements (SondeDapVariables *variables, const char *value,
                                  const char *indices, const SondeShape *shape)
{
  guint number = sonde_dap_variables_add (variables, SONDE_DAP_ELEMENTS, NULL, value, indices);
  SondeDapReference *reference = g_ptr_array_index (variables->references, number - 1);

  reference->shape = *shape;
  return number;
}

const SondeDapReference *
sonde_dap_variables_find (const SondeDapVariables *variables, gint64 number)
{
  return number >= 1 && number <= variables->references->len
             ? g_ptr_array_index (variables->references, (guint) number - 1)
             : NULL;
}

char *
sonde_dap_slice (const char *value, const char *indices)
{
  return *indices != '\0' ? g_strdup_printf ("%s[%s]", value, indices) : g_strdup (value);
}

char *
sonde_dap_add_index (const char *indices, gint64 index)
{
  return g_strdup_printf ("%s%s%" PRIi64, indices, *indices != '\0' ? ", " : "", index);
}
