/* SPDX-License-Identifier: Apache-2.0 */
#include "data/profiles/sonde-trace-style.h"

#include <string.h>

/* The first of them that a trace has spans of decides. @own: only in what Sonde wrote */
static const struct
{
  const char *category;
  gboolean own;
  SondeTraceStyle style;
} marks[] = {
  { "cpu_op", FALSE, SONDE_TRACE_STYLE_PYTORCH }, { "Node", FALSE, SONDE_TRACE_STYLE_ONNXRUNTIME },
  { "op", TRUE, SONDE_TRACE_STYLE_OWN },          { "step", TRUE, SONDE_TRACE_STYLE_OWN },
  { "kernel", FALSE, SONDE_TRACE_STYLE_PYTORCH },
};

static gboolean
has_category (const SondeTrace *trace, const char *category)
{
  for (guint i = 0; i < trace->labels->len; i++)
    if (sonde_trace_get_label (trace, i)->n > 0
        && strcmp (sonde_trace_get_label (trace, i)->category, category) == 0)
      return TRUE;
  return FALSE;
}

SondeTraceStyle
sonde_trace_style_find (const SondeTrace *trace)
{
  const gboolean own = strcmp (trace->producer, "sonde") == 0;

  if (strcmp (trace->producer, "pytorch") == 0)
    return SONDE_TRACE_STYLE_PYTORCH;
  if (strcmp (trace->producer, "onnxruntime") == 0)
    return SONDE_TRACE_STYLE_ONNXRUNTIME;
  if (strcmp (trace->producer, "mindspore") == 0)
    return SONDE_TRACE_STYLE_MINDSPORE;
  if (!own && strcmp (trace->producer, "unknown") != 0)
    return SONDE_TRACE_STYLE_ANY;
  for (guint i = 0; i < G_N_ELEMENTS (marks); i++)
    if ((own || !marks[i].own) && has_category (trace, marks[i].category))
      return marks[i].style;
  return SONDE_TRACE_STYLE_ANY;
}
