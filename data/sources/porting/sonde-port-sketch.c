/* SPDX-License-Identifier: Apache-2.0
 * Sketches: a few lines to begin with. They are code and names, the same in every language, but for the
 * questions. */
#include <string.h>

#include "data/base/sonde-text.h"
#include "data/sources/porting/sonde-port-verdict.h"

#define MAX_LINES 5

static const struct
{
  const char *kind, *question;
} questions[] = {
  { "module", N_ ("Which class of the target framework takes its place, and who holds its "
                  "parameters?") },
  { "container", N_ ("Which container of the target framework keeps these layers, by which "
                     "names?") },
  { "autograd", N_ ("Where are gradients computed: by the target framework's transformation of a "
                    "function, or by a backward of your own?") },
  { "optimiser", N_ ("Which optimiser with which parameter groups and state takes its place?") },
  { "lr schedule", N_ ("Is the schedule computed per step or per epoch, and who calls it?") },
  { "amp", N_ ("Which operators are to run in half precision, and who scales the loss?") },
  { "layout", N_ ("Does the code rely on this memory layout, or only on the values?") },
  { "tensor", N_ ("Which tensor type of the target framework is meant, and on which device?") },
  { NULL, N_ ("What is it used for here? It is not an operator that could be mapped.") },
};

static const char *
find_question (const char *kind)
{
  guint i = 0;

  while (questions[i].kind != NULL && !g_str_equal (questions[i].kind, kind))
    i++;
  return questions[i].question;
}

const char *
sonde_port_get_question (const char *kind)
{
  return _ (find_question (kind));
}

static const char *
last_part (const char *api)
{
  const char *dot = strrchr (api, '.');

  return dot != NULL ? dot + 1 : api;
}

/* "arg dim -> axis, input -> x; no out": the arguments that are called otherwise, as axis=dim. */
static char *
dup_renamed (const char *difference)
{
  const char *begin = strstr (difference, "arg ");
  g_autofree char *part = NULL;
  g_auto (GStrv) pairs = NULL;
  GString *text = g_string_new (NULL);

  if (begin == NULL)
    return g_string_free (text, FALSE);
  begin += strlen ("arg ");
  part = g_strndup (begin, strcspn (begin, ";"));
  pairs = g_strsplit (part, ",", -1);
  for (guint i = 0; pairs[i] != NULL; i++)
    {
      char *arrow = strstr (pairs[i], " -> ");

      if (arrow == NULL)
        continue;
      *arrow = '\0';
      g_string_append_printf (text, "%s%s=%s", text->len > 0 ? ", " : "",
                              g_strstrip (arrow + strlen (" -> ")), g_strstrip (pairs[i]));
    }
  return g_string_free (text, FALSE);
}

static void
sketch_difference (GString *text, const SondeApiRow *row)
{
  g_autofree char *renamed = dup_renamed (row->difference);

  g_string_append_printf (text, "%s(%s%s)", row->mindspore, renamed,
                          *renamed != '\0' ? ", …" : "…");
  if (*row->difference != '\0')
    g_string_append_printf (text, "\n# %s", row->difference);
  if (*row->also != '\0')
    g_string_append_printf (text, "\n# also %s", row->also);
}

/* A line an operator; what is left stands in the last. */
static void
sketch_operators (GString *text, const SondePortJudge *judge, const SondeApiRow *row)
{
  g_auto (GStrv) operators = sonde_api_row_dup_operators (row);
  guint n = g_strv_length (operators), n_shown = n <= MAX_LINES ? n : MAX_LINES - 1;

  for (guint i = 0; i < n_shown; i++)
    {
      const char *function = judge->target == SONDE_PORT_TO_MINDSPORE
                                 ? sonde_api_table_find_operator (judge->table, operators[i])
                                 : NULL;

      g_string_append_printf (text, "%s%s", i > 0 ? "\n" : "", operators[i]);
      if (function != NULL)
        g_string_append_printf (text, ": %s(…)", function);
    }
  for (guint i = n_shown; i < n; i++)
    g_string_append_printf (text, "%s%s", i == n_shown ? "\n" : ", ", operators[i]);
}

static void
sketch_custom (GString *text, const SondePortJudge *judge, const char *api, const SondeApiRow *row)
{
  const char *name = last_part (api);

  switch (judge->target)
    {
    case SONDE_PORT_TO_MINDSPORE:
      g_string_append_printf (text,
                              "%s = mindspore.ops.Custom(\"kernel.so:%s\", infer_shape, "
                              "infer_dtype, func_type=\"aot\")\n"
                              "extern \"C\" int %s(int n, void **data, int *ranks, "
                              "int64_t **shapes, const char **dtypes, void *stream, void *extra)",
                              name, name, name);
      break;
    case SONDE_PORT_TO_ONNX:
      g_string_append_printf (text,
                              "node: domain \"custom\", op_type \"%s\"\n"
                              "kernel: void %s(inputs, attributes, outputs)",
                              name, name);
      break;
    case SONDE_PORT_TO_SONDE:
      g_string_append_printf (text, "operator \"%s\": shape rule, reference kernel, gradient",
                              name);
      if (*row->onnx != '\0')
        g_string_append_printf (text, "\n# an export needs %s", row->onnx);
      break;
    }
}

char *
sonde_port_sketch (const SondePortJudge *judge, const char *api, const SondeApiRow *row,
                   SondePortVerdict verdict)
{
  GString *text;

  if (row == NULL || verdict == SONDE_PORT_SAME || verdict == SONDE_PORT_HOST
      || verdict == SONDE_PORT_UNKNOWN)
    return NULL;
  text = g_string_new (NULL);
  if (verdict == SONDE_PORT_DIFFERS)
    sketch_difference (text, row);
  else if (verdict == SONDE_PORT_WRAP)
    sketch_operators (text, judge, row);
  else if (verdict == SONDE_PORT_CUSTOM)
    sketch_custom (text, judge, api, row);
  else
    g_string_append (text, find_question (row->kind));
  return g_string_free (text, FALSE);
}
