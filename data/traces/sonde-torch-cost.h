/* SPDX-License-Identifier: Apache-2.0
 * Floating-point operations of PyTorch's operators, from the sizes of their inputs, which a trace has where
 * it was recorded with shapes. Products, convolutions and attention; others have none that count beside them. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define SONDE_TORCH_MAX_INPUTS 16
#define SONDE_TORCH_MAX_RANK 8

/**
 * SondeTorchInput: of a call
 * @rank: of the tensor; -1: it is none, or has more dimensions
 * @dims: its sizes, not negative; @strides: of its first @n_strides dimensions
 * @item_size: bytes of an element; 0: not told
 * @n_numbers: of a list of numbers or truths instead; -1: it is none
 * @numbers: a truth is 0 or 1; a single one is a list of one
 */
typedef struct
{
  int rank, n_numbers, n_strides;
  gint64 dims[SONDE_TORCH_MAX_RANK], strides[SONDE_TORCH_MAX_RANK], numbers[SONDE_TORCH_MAX_RANK];
  guint item_size;
} SondeTorchInput;

/* Whether operations of @name ("aten::mm") can be told. */
gboolean sonde_torch_cost_knows (const char *name);

/* @inputs: (array length=n). Returns: operations of a call, a multiplication with its addition counting two;
 * 0: the inputs do not tell, or do not fit each other */
double sonde_torch_cost_count (const char *name, const SondeTorchInput *inputs, guint n);

/* Elements of the result of a call; 0: the inputs do not tell, or there are several results */
double sonde_torch_cost_count_results (const char *name, const SondeTorchInput *inputs, guint n);

/* "[1, 1]", "2", "True", as PyTorch writes an input that is no tensor; others have no numbers. */
void sonde_torch_input_parse (SondeTorchInput *input, const char *text, gsize n);

G_END_DECLS
