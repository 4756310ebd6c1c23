/* SPDX-License-Identifier: Apache-2.0
 * The tensor: dtype, shape, strides over a shared buffer. Plain C, reference counted, on the host.
 * What does not live here: device layouts (engine/devices), arithmetic (engine/ops). */
#pragma once

#include "data/base/sonde-budget.h"
#include "data/values/sonde-dtype.h"
#include "data/values/sonde-shape.h"

G_BEGIN_DECLS

/* Memory shared by tensors; aligned to 64 bytes. */
typedef struct _SondeBuffer SondeBuffer;

/**
 * SondeTensor:
 * @shape: sizes
 * @strides: in elements, may be 0 (broadcast) or negative (reversed)
 * @data: first element, already offset into the buffer
 *
 * The fields may be read, never written, except the elements behind @data while the caller is the
 * only one who holds the tensor. Reference counts are atomic; the elements have no lock.
 */
typedef struct _SondeTensor SondeTensor;
struct _SondeTensor
{
  _Atomic guint ref_count;
  SondeDtype dtype;
  SondeShape shape;
  gint64 strides[SONDE_MAX_RANK];
  guint8 *data;
  SondeBuffer *buffer; /* owned reference */
};

/* Contiguous, zeroed. For sizes the program itself chose: aborts when memory is out.
 * Returns: (transfer full) */
SondeTensor *sonde_tensor_new (SondeDtype dtype, const SondeShape *shape);

/* The same for sizes from input. @budget: (nullable). Errors: SONDE_DATA_ERROR_LIMIT, NO_MEMORY as
 * sonde_try_alloc(). */
SondeTensor *sonde_tensor_try_new (SondeDtype dtype, const SondeShape *shape, SondeBudget *budget,
                                   const char *what, GError **error);

/* Contiguous copy of @data (n_elements × size bytes; STRING: array of char *, copied). */
SondeTensor *sonde_tensor_new_from_data (SondeDtype dtype, const SondeShape *shape,
                                         const void *data);
SondeTensor *sonde_tensor_try_new_from_data (SondeDtype dtype, const SondeShape *shape,
                                             const void *data, const char *what, GError **error);

/**
 * sonde_tensor_new_take:
 * @data: contiguous elements, not STRING; any alignment ≥ the element's size
 * @release: (nullable): called with @release_data when the last tensor on it is gone
 *
 * Wraps foreign memory without a copy.
 */
SondeTensor *sonde_tensor_new_take (SondeDtype dtype, const SondeShape *shape, void *data,
                                    GDestroyNotify release, void *release_data);

SondeTensor *sonde_tensor_new_f32 (float value); /* scalars */
SondeTensor *sonde_tensor_new_i64 (gint64 value);

SondeTensor *sonde_tensor_ref (SondeTensor *tensor);
void sonde_tensor_unref (SondeTensor *tensor); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeTensor, sonde_tensor_unref)

gint64 sonde_tensor_n_elements (const SondeTensor *tensor);
gsize sonde_tensor_n_bytes (const SondeTensor *tensor); /* elements × size, whatever the strides */
gboolean sonde_tensor_is_contiguous (const SondeTensor *tensor); /* row-major, no gaps */

/* Views share the buffer. Returns: (transfer full) */
SondeTensor *sonde_tensor_view (SondeTensor *tensor, const SondeShape *shape, const gint64 *strides,
                                gint64 offset); /* in elements from @tensor's first */
/* NULL when @tensor is not contiguous or the counts differ. */
SondeTensor *sonde_tensor_reshape (SondeTensor *tensor, const SondeShape *shape);
SondeTensor *sonde_tensor_transpose (SondeTensor *tensor, const int *permutation);

/* Row-major copy, or a new reference when it is contiguous already. */
SondeTensor *sonde_tensor_contiguous (SondeTensor *tensor);
SondeTensor *sonde_tensor_copy (SondeTensor *tensor); /* always fresh memory, contiguous */
SondeTensor *sonde_tensor_cast (SondeTensor *tensor,
                                SondeDtype dtype); /* contiguous; see sonde_dtype_convert() */
/* The same for sizes from input; errors as sonde_tensor_try_new(). */
SondeTensor *sonde_tensor_try_cast (SondeTensor *tensor, SondeDtype dtype, const char *what,
                                    GError **error);

/**
 * sonde_tensor_slice:
 * @expression: NumPy's basic indexing without the brackets: "0, :, 2:8:2, ..., -1, None"
 *
 * An index drops its dimension, `:` and start:stop:step keep it, `...` fills up, `None` or
 * `newaxis` adds one of size 1. NULL or "" is everything.
 * Returns: (transfer full): a view.
 * Errors: SONDE_DATA_ERROR_INVALID, naming the position in @expression, the dimension and its size.
 */
SondeTensor *sonde_tensor_slice (SondeTensor *tensor, const char *expression, GError **error);

/* One element as double (bool 0/1, 64-bit integers rounded); @index in row-major order over the
 * shape. Not for STRING. */
double sonde_tensor_get_double (const SondeTensor *tensor, gint64 index);
gint64 sonde_tensor_get_int (const SondeTensor *tensor,
                             gint64 index); /* integer dtypes and bool, exact */
void sonde_tensor_set_double (SondeTensor *tensor, gint64 index, double value);

/* Shortest text that reads back to the same element: "0.1" for a float32 0.1, "nan", "-inf".
 * STRING gives the string itself. Returns: (transfer full) */
char *sonde_tensor_format_element (const SondeTensor *tensor, gint64 index);

/* Type and sizes in words: "float32 [2, 3]". Returns: (transfer full) */
char *sonde_tensor_describe (const SondeTensor *tensor);

/* Same dtype, shape and bits (NaN equals the same NaN bits; strings by content). */
gboolean sonde_tensor_equal (const SondeTensor *a, const SondeTensor *b);

G_END_DECLS
