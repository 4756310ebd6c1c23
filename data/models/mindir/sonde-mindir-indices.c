/* SPDX-License-Identifier: Apache-2.0
 * Parts of tensors by index, and the other way round. */
#include <string.h>

#include "data/models/mindir/sonde-mindir-build.h"

static SondeGraphValue *
gather (SondeMindirCall *call, SondeGraphValue *x, SondeGraphValue *indices, gint64 axis)
{
  SondeGraphValue *y = OP2 (call, "Gather", x, indices);

  sonde_node_set_int (y->producer, "axis", axis);
  return y;
}

/* ONNX has batch dimensions only where whole elements are taken. */
static const SondeMindirTerm *
build_gather (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x"), *y;
  SondeGraphValue *indices = sonde_mindir_tensor (call, "indices");
  const gint64 axis = sonde_mindir_int (call, "axis", 0);
  const gint64 batch = sonde_mindir_int (call, "batch_dims", 0);

  if (batch == 0)
    return sonde_mindir_give (call, gather (call, x, indices, axis));
  if (axis != batch)
    return sonde_mindir_refuse (
        call, N_ ("it has batch dimensions in front of others that are kept"), NULL);
  y = OP2 (call, "GatherND", x,
           sonde_mindir_unsqueeze (call, sonde_mindir_cast (call, indices, SONDE_DTYPE_I64), -1));
  sonde_node_set_int (y->producer, "batch_dims", batch);
  return sonde_mindir_give (call, y);
}

static const SondeMindirTerm *
build_embedding (SondeMindirCall *call)
{
  return sonde_mindir_give (call, gather (call, sonde_mindir_tensor (call, "weight"),
                                          sonde_mindir_tensor (call, "x"), 0));
}

static const SondeMindirTerm *
build_index_select (SondeMindirCall *call)
{
  return sonde_mindir_give (call, gather (call, sonde_mindir_tensor (call, "x"),
                                          sonde_mindir_tensor (call, "indices"),
                                          sonde_mindir_int (call, "dim", 0)));
}

static const SondeMindirTerm *
build_gather_nd (SondeMindirCall *call)
{
  return sonde_mindir_give (
      call, OP2 (call, "GatherND", sonde_mindir_tensor (call, "x"),
                 sonde_mindir_cast (call, sonde_mindir_tensor (call, "indices"), SONDE_DTYPE_I64)));
}

static const SondeMindirTerm *
build_gather_elements (SondeMindirCall *call)
{
  SondeGraphValue *y = OP2 (call, "GatherElements", sonde_mindir_tensor (call, "x"),
                            sonde_mindir_tensor (call, "index"));

  sonde_node_set_int (y->producer, "axis", sonde_mindir_int (call, "dim", 0));
  return sonde_mindir_give (call, y);
}

/* ---- scattering ---------------------------------------------------------- */

static SondeGraphValue *
scatter (SondeMindirCall *call, SondeGraphValue *x, SondeGraphValue *indices,
         SondeGraphValue *updates, const char *reduction)
{
  SondeGraphValue *y
      = OP3 (call, "ScatterND", x, sonde_mindir_cast (call, indices, SONDE_DTYPE_I64), updates);

  sonde_node_set_string (y->producer, "reduction", reduction);
  return y;
}

static SondeGraphValue *
make_zeros (SondeMindirCall *call, SondeGraphValue *shape, const SondeGraphValue *like)
{
  return OP2 (call, "Expand", sonde_mindir_number_like (call, 0, like), shape);
}

/* Onto zeros; what meets in one place is added. */
static const SondeMindirTerm *
build_scatter_nd (SondeMindirCall *call)
{
  SondeGraphValue *updates = sonde_mindir_tensor (call, "updates");
  SondeGraphValue *shape
      = sonde_mindir_cast (call, sonde_mindir_tensor (call, "shape"), SONDE_DTYPE_I64);

  return sonde_mindir_give (call, scatter (call, make_zeros (call, shape, updates),
                                           sonde_mindir_tensor (call, "indices"), updates, "add"));
}

/* Reduction of the row's text; "sub" adds the negative. */
static const SondeMindirTerm *
build_scatter_onto (SondeMindirCall *call)
{
  SondeGraphValue *updates = sonde_mindir_tensor (call, "updates");
  const char *reduction = call->row->text;

  if (strcmp (reduction, "sub") == 0)
    {
      updates = OP1 (call, "Neg", updates);
      reduction = "add";
    }
  return sonde_mindir_give (call,
                            scatter (call, sonde_mindir_tensor (call, "x"),
                                     sonde_mindir_tensor (call, "indices"), updates, reduction));
}

static const SondeMindirTerm *
build_scatter_elements (SondeMindirCall *call)
{
  const char *dim = sonde_mindir_has (call, "axis") ? "axis" : "dim";
  const char *word = sonde_mindir_text (call, "reduce", NULL);
  gboolean add = call->row->number != 0;
  SondeGraphValue *y = OP3 (call, "ScatterElements", sonde_mindir_tensor (call, "x"),
                            sonde_mindir_tensor (call, "index"), sonde_mindir_tensor (call, "src"));

  if (word != NULL)
    add = strcmp (word, "add") == 0;
  else if (sonde_mindir_has (call, "reduce"))
    add = sonde_mindir_int (call, "reduce", 0) == 1;
  sonde_node_set_int (y->producer, "axis", sonde_mindir_int (call, dim, 0));
  sonde_node_set_string (y->producer, "reduction", add ? "add" : "none");
  return sonde_mindir_give (call, y);
}

/* Rows of one segment are added up. */
static const SondeMindirTerm *
build_segment_sum (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");
  SondeGraphValue *ids = sonde_mindir_tensor (call, "segment_ids");
  const gint64 one = 1;
  SondeGraphValue *n = sonde_mindir_reshape (
      call, sonde_mindir_cast (call, sonde_mindir_tensor (call, "num_segments"), SONDE_DTYPE_I64),
      &one, 1);
  const int rank = sonde_mindir_rank (call, ids);
  g_autoptr (GPtrArray) sizes = g_ptr_array_new ();

  g_ptr_array_add (sizes, n);
  g_ptr_array_add (sizes,
                   sonde_mindir_slice (call, OP1 (call, "Shape", x), 0, rank, G_MAXINT64, 1));
  return sonde_mindir_give (
      call, scatter (call, make_zeros (call, sonde_mindir_concat (call, sizes, 0), x),
                     sonde_mindir_unsqueeze (call, ids, -1), x, "add"));
}

/* ---- one-hot and what is not zero ---------------------------------------- */

static const SondeMindirTerm *
build_one_hot (SondeMindirCall *call)
{
  SondeGraphValue *on = sonde_mindir_tensor (call, "on");
  g_autoptr (GPtrArray) values = g_ptr_array_new ();
  const gint64 one = 1;
  SondeGraphValue *y;

  g_ptr_array_add (
      values, sonde_mindir_reshape (call, sonde_mindir_tensor_like (call, "off", on), &one, 1));
  g_ptr_array_add (values, sonde_mindir_reshape (call, on, &one, 1));
  y = OP3 (call, "OneHot",
           sonde_mindir_cast (call, sonde_mindir_tensor (call, "indices"), SONDE_DTYPE_I64),
           sonde_mindir_tensor (call, "depth"), sonde_mindir_concat (call, values, 0));
  sonde_node_set_int (y->producer, "axis", sonde_mindir_int (call, "axis", -1));
  return sonde_mindir_give (call, y);
}

/* A row an element here, a column in ONNX. */
static const SondeMindirTerm *
build_non_zero (SondeMindirCall *call)
{
  SondeGraphValue *places = OP1 (call, "NonZero", sonde_mindir_tensor (call, "x"));
  const gint64 order[] = { 1, 0 };

  return sonde_mindir_give (call, sonde_mindir_transpose (call, places, order, 2));
}

static const SondeMindirTerm *
build_masked_select (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x"), *mask = sonde_mindir_tensor (call, "mask");
  SondeGraphValue *all = OP2 (call, "Expand", x, OP1 (call, "Shape", mask));

  return sonde_mindir_give (
      call, OP2 (call, "Compress", all,
                 OP2 (call, "Reshape", OP2 (call, "Expand", mask, OP1 (call, "Shape", all)),
                      sonde_mindir_ints1 (call, -1))));
}

const SondeMindirRow sonde_mindir_index_rows[] = {
  { "Gather", "x indices axis batch_dims", build_gather, NULL, 0 },
  { "GatherV2", "x indices axis batch_dims", build_gather, NULL, 0 },
  { "SparseGatherV2", "x indices axis batch_dims", build_gather, NULL, 0 },
  { "Embedding", "x weight padding_idx max_norm norm_type scale_grad_by_freq", build_embedding,
    NULL, 0 },
  { "IndexSelect", "x dim indices", build_index_select, NULL, 0 },
  { "GatherNd", "x indices", build_gather_nd, NULL, 0 },
  { "GatherD", "x dim index", build_gather_elements, NULL, 0 },
  { "ScatterNd", "indices updates shape", build_scatter_nd, NULL, 0 },
  { "TensorScatterUpdate", "x indices updates", build_scatter_onto, "none", 0 },
  { "TensorScatterAdd", "x indices updates", build_scatter_onto, "add", 0 },
  { "TensorScatterSub", "x indices updates", build_scatter_onto, "sub", 0 },
  { "TensorScatterMul", "x indices updates", build_scatter_onto, "mul", 0 },
  { "TensorScatterMax", "x indices updates", build_scatter_onto, "max", 0 },
  { "TensorScatterMin", "x indices updates", build_scatter_onto, "min", 0 },
  { "TensorScatterElements", "x index src axis reduce", build_scatter_elements, NULL, 0 },
  { "Scatter", "x dim index src reduce", build_scatter_elements, NULL, 0 },
  { "ScatterAddExt", "x dim index src", build_scatter_elements, NULL, 1 },
  { "UnsortedSegmentSum", "x segment_ids num_segments", build_segment_sum, NULL, 0 },
  { "OneHot", "indices depth on off axis", build_one_hot, NULL, 0 },
  { "OneHotExt", "indices depth on off axis", build_one_hot, NULL, 0 },
  { "NonZero", "x", build_non_zero, NULL, 0 },
  { "MaskedSelect", "x mask", build_masked_select, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 },
};
