/* SPDX-License-Identifier: Apache-2.0
 * Whose habits the spans of a trace follow. A trace that another program wrote again, such as Sonde's export
 * of one of PyTorch, keeps the habits and loses the producer. */
#pragma once

#include "data/traces/sonde-trace.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_TRACE_STYLE_ANY,         /* nothing is known: every span is an operator */
  SONDE_TRACE_STYLE_PYTORCH,     /* categories cpu_op, kernel, gpu_memcpy, gpu_memset */
  SONDE_TRACE_STYLE_ONNXRUNTIME, /* category Node, names with _kernel_time */
  SONDE_TRACE_STYLE_MINDSPORE,   /* names are nodes */
  SONDE_TRACE_STYLE_OWN, /* categories step, op, copy, data, wait, recording; names are nodes */
} SondeTraceStyle;

/* By the producer; where that is Sonde or unknown, by the categories of its spans. */
SondeTraceStyle sonde_trace_style_find (const SondeTrace *trace);

G_END_DECLS
