/* SPDX-License-Identifier: Apache-2.0
 * Functions of a model: a named graph that a node may stand for. Calling one is the business of
 * engine/passes. */
#include "data/graph/sonde-graph.h"

SondeFunction *
sonde_function_new (const char *domain, const char *name, const char *overload)
{
  SondeFunction *function = g_new0 (SondeFunction, 1);

  function->domain = g_strdup (domain ? domain : "");
  function->name = g_strdup (name ? name : "");
  function->overload = g_strdup (overload ? overload : "");
  function->body = sonde_graph_new (function->name);
  function->attribute_names = g_new0 (char *, 1);
  function->defaults = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_attribute_free);
  return function;
}

void
sonde_function_free (SondeFunction *function)
{
  if (function == NULL)
    return;

  g_free (function->domain);
  g_free (function->name);
  g_free (function->overload);
  sonde_graph_unref (function->body);
  g_strfreev (function->attribute_names);
  g_ptr_array_unref (function->defaults);
  g_free (function->doc);
  g_free (function);
}
