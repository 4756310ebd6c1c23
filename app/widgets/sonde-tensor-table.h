/* SPDX-License-Identifier: Apache-2.0
 * The elements of a tensor as a table: the last dimension goes across, all others number the rows.
 * Rows are made as they come into sight, so a tensor of millions is no matter. */
#pragma once

#include <gtk/gtk.h>

#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

#define SONDE_TYPE_TENSOR_TABLE (sonde_tensor_table_get_type ())
G_DECLARE_FINAL_TYPE (SondeTensorTable, sonde_tensor_table, SONDE, TENSOR_TABLE, GtkBox)

/* Beyond them the last dimension is cut, and said so; a slice shows the others. */
#define SONDE_TENSOR_TABLE_MAX_COLUMNS 64

GtkWidget *sonde_tensor_table_new (void);
/* @tensor: (nullable): any dtype */
void sonde_tensor_table_set_tensor (SondeTensorTable *table, SondeTensor *tensor);

G_END_DECLS
