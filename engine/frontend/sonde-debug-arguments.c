/* SPDX-License-Identifier: Apache-2.0
 * The arguments of `sonde debug`. */
#include "engine/frontend/sonde-debug-arguments.h"

#include <string.h>

#include "data/base/sonde-text.h"
#include "engine/session/sonde-model-keys.h"

/* "FILE" or "NAME=FILE", split in place. */
static void
split_inputs (SondeDebugArguments *self)
{
  guint n = self->inputs != NULL ? g_strv_length (self->inputs) : 0;

  self->session_inputs = g_new0 (SondeSessionInput, MAX (n, 1));
  for (guint i = 0; i < n; i++)
    {
      char *equals = strchr (self->inputs[i], '=');

      self->session_inputs[i].name = equals != NULL ? self->inputs[i] : NULL;
      self->session_inputs[i].path = equals != NULL ? equals + 1 : self->inputs[i];
      if (equals != NULL)
        *equals = '\0';
    }
  self->request.inputs = self->session_inputs;
  self->request.n_inputs = n;
}

SondeDebugArguments *
sonde_debug_arguments_parse (const char *const *arguments, GError **error)
{
  g_autoptr (SondeDebugArguments) self = g_new0 (SondeDebugArguments, 1);
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  const GOptionEntry entries[] = {
    { "input", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &self->inputs, NULL, NULL },
    { "set", 0, 0, G_OPTION_ARG_STRING_ARRAY, &self->sets, NULL, NULL },
    { "signature", 0, 0, G_OPTION_ARG_STRING, &self->signature, NULL, NULL },
    { "weights", 0, 0, G_OPTION_ARG_FILENAME, &self->weights, NULL, NULL },
    { "shape", 0, 0, G_OPTION_ARG_STRING_ARRAY, &self->shapes, NULL, NULL },
    { "run", 0, 0, G_OPTION_ARG_FILENAME, &self->run, NULL, NULL },
    { "device", 0, 0, G_OPTION_ARG_STRING, &self->device, NULL, NULL },
    { "threads", 0, 0, G_OPTION_ARG_INT, &self->request.threads, NULL, NULL },
    { "attach", 0, 0, G_OPTION_ARG_NONE, &self->attach, NULL, NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &self->operands, NULL, NULL },
    { NULL },
  };
  g_auto (GStrv) copy = g_strdupv ((char **) arguments);

  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_set_help_enabled (context, FALSE);
  if (!g_option_context_parse_strv (context, &copy, error))
    return NULL;
  split_inputs (self);
  self->request.subject = self->operands != NULL ? self->operands[0] : NULL;
  self->sets = sonde_model_keys_add (self->sets, self->signature, self->weights, self->shapes);
  self->request.sets = (const char *const *) self->sets;
  self->request.run_directory = self->run;
  self->request.device = self->device;
  if (self->attach)
    self->target = self->request.subject;
  if (!self->attach && self->request.subject == NULL)
    {
      g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED,
                           _ ("Nothing to debug: specify a model or a recipe."));
      return NULL;
    }
  return g_steal_pointer (&self);
}

void
sonde_debug_arguments_free (SondeDebugArguments *arguments)
{
  if (arguments == NULL)
    return;
  g_strfreev (arguments->inputs);
  g_strfreev (arguments->sets);
  g_strfreev (arguments->shapes);
  g_strfreev (arguments->operands);
  g_free (arguments->run);
  g_free (arguments->device);
  g_free (arguments->signature);
  g_free (arguments->weights);
  g_free (arguments->session_inputs);
  g_free (arguments);
}
