/* SPDX-License-Identifier: Apache-2.0
 * What can be done with the tensor that is shown: go to its extremes, choose how numbers are written,
 * compare it with a kept one, save it. */
#pragma once

#include "data/values/sonde-tensor.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define SONDE_TYPE_TENSOR_TOOLS (sonde_tensor_tools_get_type ())
G_DECLARE_FINAL_TYPE (SondeTensorTools, sonde_tensor_tools, SONDE, TENSOR_TOOLS, GtkBox)

/* Signals: "go-to" (gint64 element): in row-major order of what is shown; "changed" (): the kept tensor
 * or the tolerance; "format" (int): a SondeTensorFormat. */
GtkWidget *sonde_tensor_tools_new (void);

/* What the page looks at. @tensor: (nullable): as recorded, at @step; @name: for files */
void sonde_tensor_tools_set_tensor (SondeTensorTools *tools, SondeTensor *tensor, gint64 step,
                                    const char *name);
/* What of it is shown: to be searched and saved. @shown: (nullable) */
void sonde_tensor_tools_set_shown (SondeTensorTools *tools, SondeTensor *shown);

/* The tensor that is subtracted. @step: (out): of it. (transfer none) (nullable) */
SondeTensor *sonde_tensor_tools_get_kept (SondeTensorTools *tools, gint64 *step);
double sonde_tensor_tools_get_tolerance (SondeTensorTools *tools);

G_END_DECLS
