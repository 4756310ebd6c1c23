/* SPDX-License-Identifier: Apache-2.0
 * The elements of a tensor as a table: the last dimension goes across, all others number the rows.
 * Rows are made as they come into sight, so a tensor of millions costs no more; a few columns are
 * shown at once, buttons go on to the others. Floats have four digits, all of them in the tool-tip.
 *
 * Either the tensor is at hand, or its shape alone: then blocks of elements are asked for as they
 * come into sight. */
#pragma once

#include <gtk/gtk.h>

#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

#define SONDE_TYPE_TENSOR_TABLE (sonde_tensor_table_get_type ())
G_DECLARE_FINAL_TYPE (SondeTensorTable, sonde_tensor_table, SONDE, TENSOR_TABLE, GtkBox)

/* Columns at once: cells are widgets. */
#define SONDE_TENSOR_TABLE_COLUMNS 32

/* Signals:
 * "wanted" (gint64 row, gint64 n_rows, gint64 column, gint64 n_columns): these elements are in sight
 * and missing; all rows lie in one plane of the last two dimensions. They are handed in with
 * sonde_tensor_table_take_block(). Once for each block
 * "edit" (char *index, char *number): a user typed @number for the element "[0, 3]"; "" of a scalar */

/* How floats are written. HEX: their bits. The tool-tip has all digits. */
typedef enum
{
  SONDE_TENSOR_FORMAT_SHORT,
  SONDE_TENSOR_FORMAT_FULL,
  SONDE_TENSOR_FORMAT_SCIENTIFIC,
  SONDE_TENSOR_FORMAT_HEX,
} SondeTensorFormat;

GtkWidget *sonde_tensor_table_new (void);

/* @tensor: (nullable): any dtype; NULL: nothing is shown */
void sonde_tensor_table_set_tensor (SondeTensorTable *table, SondeTensor *tensor);

/* Elements of this shape come in blocks. What was shown is forgotten; the first column stays that of
 * before where @keep_column. */
void sonde_tensor_table_set_shape (SondeTensorTable *table, const SondeShape *shape,
                                   gboolean keep_column);
/* The elements of "wanted" with these numbers; those of columns that are no longer shown are
 * ignored. */
void sonde_tensor_table_take_block (SondeTensorTable *table, gint64 row, gint64 column,
                                    SondeTensor *block);
/* Why elements are missing, below the table. */
void sonde_tensor_table_say (SondeTensorTable *table, const char *sentence);

void sonde_tensor_table_set_format (SondeTensorTable *table, SondeTensorFormat format);
/* Scrolls to the element with that number in row-major order, and marks it until there is another
 * tensor. */
void sonde_tensor_table_reveal (SondeTensorTable *table, gint64 element);

/* A double click on an element opens an entry: "edit". FALSE at first. */
void sonde_tensor_table_set_editable (SondeTensorTable *table, gboolean editable);

G_END_DECLS
