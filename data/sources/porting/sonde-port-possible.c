/* SPDX-License-Identifier: Apache-2.0
 * Methods of values that nobody declared: which are probably a tensor's, and why. */
#include <string.h>

#include "data/base/sonde-text.h"
#include "data/sources/porting/sonde-port-report-private.h"

static const char *const reasons[] = {
  [SONDE_PORT_WHY_CALL] = N_ ("called on the result of a framework function"),
  [SONDE_PORT_WHY_METHOD] = N_ ("called on the result of such a method"),
  [SONDE_PORT_WHY_ANNOTATED] = N_ ("called on a parameter annotated as a tensor"),
  [SONDE_PORT_WHY_FORWARD] = N_ ("called on a parameter of forward()"),
  [SONDE_PORT_WHY_NAME] = N_ ("no other common type has a method of that name"),
  [SONDE_PORT_WHY_COLLIDES] = N_ ("other types have a method of that name, too"),
};

const char *
sonde_port_why_describe (SondePortWhy why, gboolean english)
{
  return english ? reasons[why] : _ (reasons[why]);
}

/* The parameter that binds @name in @scope. (nullable) */
static const SondePythonParameter *
find_parameter (const SondePythonModule *module, guint32 scope, guint32 name)
{
  const SondePythonParameter *all
      = (const SondePythonParameter *) (gpointer) module->parameters->data;
  guint low = 0, high = module->parameters->len;

  /* Scopes are numbered in the order of their heads, and so are their parameters. */
  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (all[middle].scope < scope)
        low = middle + 1;
      else
        high = middle;
    }
  for (; low < module->parameters->len && all[low].scope == scope; low++)
    if (all[low].name == name)
      return &all[low];
  return NULL;
}

static gboolean
is_tensor (SondeSourceResolver *resolver, const SondeNameTable *names, guint32 file,
           const SondePythonParameter *parameter, GArray *meanings)
{
  const SondeSourceMeaning *meaning;

  sonde_source_resolver_look_up (resolver, file, parameter->scope, parameter->first,
                                 parameter->chain, meanings);
  if (meanings->len == 0)
    return FALSE;
  meaning = &g_array_index (meanings, SondeSourceMeaning, 0);
  return meaning->path != SONDE_NO_NAME
         && g_str_equal (sonde_name_table_get (names, meaning->path), "torch.Tensor");
}

/* TRUE with @why when the receiver alone says that it is a tensor. */
static gboolean
judge_parameter (const SondePortReport *report, SondeSourceResolver *resolver, guint32 file,
                 const SondePythonMethod *method, GArray *meanings, SondePortWhy *why)
{
  const SondePythonModule *module = sonde_source_project_get_file (report->project, file)->module;
  const SondeNameTable *names = sonde_source_project_get_names (report->project);
  const SondePythonParameter *parameter;
  const SondePythonScope *scope;
  guint n;
  const SondePythonBinding *binding
      = sonde_python_module_look_up (module, method->scope, method->first, &n);

  if (binding == NULL || *sonde_name_table_get (names, method->chain) != '\0')
    return FALSE;
  parameter = find_parameter (module, binding->scope, method->first);
  if (parameter == NULL)
    return FALSE;
  if (parameter->first != SONDE_NO_NAME)
    {
      *why = SONDE_PORT_WHY_ANNOTATED;
      return is_tensor (resolver, names, file, parameter, meanings);
    }
  *why = SONDE_PORT_WHY_FORWARD;
  scope = &g_array_index (module->scopes, SondePythonScope, binding->scope);
  return scope->name != SONDE_NO_NAME
         && g_str_equal (sonde_name_table_get (names, scope->name), "forward")
         && !g_str_equal (sonde_name_table_get (names, method->first), "self");
}

static gboolean
is_framework_name (const SondePortReport *report, SondeSourceResolver *resolver, guint32 file,
                   const SondePythonMethod *method, GArray *meanings)
{
  sonde_source_resolver_look_up (resolver, file, method->scope, method->first, method->chain,
                                 meanings);
  return meanings->len > 0 && g_array_index (meanings, SondeSourceMeaning, 0).path != SONDE_NO_NAME;
}

static SondePortWhy
judge_method (const SondePortReport *report, SondeSourceResolver *resolver, guint32 file,
              const SondePythonMethod *method, GArray *meanings)
{
  const char *name
      = sonde_name_table_get (sonde_source_project_get_names (report->project), method->method);
  gboolean collides = sonde_api_method_collides (name);
  SondePortWhy why;

  switch ((SondePythonReceiver) method->receiver)
    {
    case SONDE_PYTHON_RECEIVER_CALL:
      if (is_framework_name (report, resolver, file, method, meanings))
        return SONDE_PORT_WHY_CALL;
      break;
    case SONDE_PYTHON_RECEIVER_NAME:
      if (judge_parameter (report, resolver, file, method, meanings, &why))
        return why;
      break;
    case SONDE_PYTHON_RECEIVER_METHOD:
      if (!collides)
        return SONDE_PORT_WHY_METHOD;
      break;
    case SONDE_PYTHON_RECEIVER_OTHER:
      break;
    }
  return collides ? SONDE_PORT_WHY_COLLIDES : SONDE_PORT_WHY_NAME;
}

void
sonde_port_find_possible (SondePortReport *report, SondeSourceResolver *resolver, guint32 file,
                          gboolean all, GArray *meanings)
{
  const SondePythonModule *module = sonde_source_project_get_file (report->project, file)->module;

  for (guint i = 0; i < module->methods->len; i++)
    {
      const SondePythonMethod *method = &g_array_index (module->methods, SondePythonMethod, i);
      SondePortPossible possible;

      /* A name that stands for a framework's module: its functions are references. */
      if (method->receiver == SONDE_PYTHON_RECEIVER_NAME
          && is_framework_name (report, resolver, file, method, meanings))
        continue;
      possible = (SondePortPossible){
        .file = file,
        .line = method->line,
        .column = method->column,
        .method = method->method,
        .why = judge_method (report, resolver, file, method, meanings),
      };

      if (all || possible.why != SONDE_PORT_WHY_COLLIDES)
        g_array_append_val (report->possible, possible);
    }
}
