/* SPDX-License-Identifier: Apache-2.0
 * Images of other sizes, blocks of pixels, regions. */
#include <string.h>

#include "data/models/mindir/sonde-mindir-window.h"

/* Batch and channels keep their sizes. */
static SondeGraphValue *
full_size (SondeMindirCall *call, SondeGraphValue *x, SondeGraphValue *size)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new ();

  g_ptr_array_add (parts, sonde_mindir_slice (call, OP1 (call, "Shape", x), 0, 0, 2, 1));
  g_ptr_array_add (parts, sonde_mindir_cast (call, size, SONDE_DTYPE_I64));
  return sonde_mindir_concat (call, parts, 0);
}

static SondeGraphValue *
resize (SondeMindirCall *call, SondeGraphValue *x, SondeGraphValue *size, const char *mode,
        gboolean align, gboolean half)
{
  SondeGraphValue *y = sonde_lowering_op (call->l, "Resize",
                                          SONDE_VALUES (x, NULL, NULL, full_size (call, x, size)));

  sonde_node_set_string (y->producer, "mode", mode);
  sonde_node_set_string (y->producer, "coordinate_transformation_mode",
                         align  ? "align_corners"
                         : half ? "half_pixel"
                                : "asymmetric");
  if (strcmp (mode, "nearest") == 0)
    sonde_node_set_string (y->producer, "nearest_mode",
                           align || half ? "round_prefer_ceil" : "floor");
  if (strcmp (mode, "cubic") == 0 && half)
    sonde_node_set_int (y->producer, "exclude_outside", 1);
  if (strcmp (mode, "cubic") == 0)
    sonde_node_set_float (y->producer, "cubic_coeff_a", half ? -0.5 : -0.75);
  return y;
}

static const SondeMindirTerm *
build_resize (SondeMindirCall *call)
{
  return sonde_mindir_give (call, resize (call, sonde_mindir_tensor (call, "x"),
                                          sonde_mindir_tensor (call, "size"), call->row->text,
                                          sonde_mindir_flag (call, "align_corners", FALSE),
                                          sonde_mindir_flag (call, "half_pixel_centers", FALSE)));
}

static SondeGraphValue *
take_scaled_size (SondeMindirCall *call, SondeGraphValue *x)
{
  const SondeMindirTerm *scales = sonde_mindir_argument (call, "scales");
  gint64 sizes[SONDE_MAX_RANK];
  guint n = scales != NULL && scales->kind == SONDE_MINDIR_TERM_TUPLE ? scales->n : 0;

  for (guint i = 0; i < MIN (n, SONDE_MAX_RANK); i++)
    {
      double factor = 1;

      sonde_mindir_term_get_double (scales->items[i], &factor);
      sizes[i] = (gint64) ((double) sonde_mindir_size (x, i + 2) * factor);
    }
  return sonde_lowering_ints (call->l, sizes, MIN (n, SONDE_MAX_RANK));
}

/* PyTorch's words: linear takes pixels' centres, nearest their corners. */
static const SondeMindirTerm *
build_upsample (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");
  SondeGraphValue *size = sonde_mindir_tensor_or_null (call, "size"), *y;
  const gboolean nearest = strcmp (call->row->text, "nearest") == 0;

  if (size == NULL)
    size = take_scaled_size (call, x);
  y = resize (call, x, size, call->row->text,
              !nearest && sonde_mindir_flag (call, "align_corners", FALSE), !nearest);
  if (strcmp (call->row->text, "cubic") == 0)
    {
      sonde_node_set_int (y->producer, "exclude_outside", 0);
      sonde_node_set_float (y->producer, "cubic_coeff_a", -0.75);
    }
  return sonde_mindir_give (call, y);
}

/* ---- samples and regions ------------------------------------------------- */

static const SondeMindirTerm *
build_grid_sample (SondeMindirCall *call)
{
  static const char *const modes[] = { "linear", "nearest" };
  static const char *const paddings[] = { "zeros", "border", "reflection" };
  const char *mode = sonde_mindir_text (call, "interpolation_mode", NULL);
  const char *padding = sonde_mindir_text (call, "padding_mode", NULL);
  SondeGraphValue *y = OP2 (call, "GridSample", sonde_mindir_tensor (call, "x"),
                            sonde_mindir_tensor (call, "grid"));

  if (mode == NULL)
    mode = modes[CLAMP (sonde_mindir_int (call, "interpolation_mode", 0), 0, 1)];
  if (padding == NULL)
    padding = paddings[CLAMP (sonde_mindir_int (call, "padding_mode", 0), 0, 2)];
  sonde_node_set_string (y->producer, "mode", strcmp (mode, "bilinear") == 0 ? "linear" : mode);
  sonde_node_set_string (y->producer, "padding_mode", padding);
  sonde_node_set_int (y->producer, "align_corners",
                      sonde_mindir_flag (call, "align_corners", FALSE));
  return sonde_mindir_give (call, y);
}

/* Regions are rows of batch, left, top, right, bottom. */
static const SondeMindirTerm *
build_roi_align (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x"), *rois = sonde_mindir_tensor (call, "rois"),
                  *y;
  SondeGraphValue *batch
      = sonde_mindir_squeeze (call, sonde_mindir_slice (call, rois, 1, 0, 1, 1), 1);

  y = OP3 (call, "RoiAlign", x, sonde_mindir_slice (call, rois, 1, 1, 5, 1),
           sonde_mindir_cast (call, batch, SONDE_DTYPE_I64));
  sonde_node_set_int (y->producer, "output_height", sonde_mindir_int (call, "pooled_height", 1));
  sonde_node_set_int (y->producer, "output_width", sonde_mindir_int (call, "pooled_width", 1));
  sonde_node_set_float (y->producer, "spatial_scale",
                        sonde_mindir_number (call, "spatial_scale", 1));
  sonde_node_set_int (y->producer, "sampling_ratio", sonde_mindir_int (call, "sample_num", 2));
  sonde_node_set_string (y->producer, "coordinate_transformation_mode",
                         sonde_mindir_int (call, "roi_end_mode", 1) == 1 ? "output_half_pixel"
                                                                         : "half_pixel");
  return sonde_mindir_give (call, y);
}

/* Blocks in the order of depth first, as ONNX's are. */
static const SondeMindirTerm *
build_blocks (SondeMindirCall *call)
{
  SondeGraphValue *y = OP1 (call, call->row->text, sonde_mindir_tensor (call, "x"));

  sonde_node_set_int (y->producer, "blocksize", sonde_mindir_int (call, "block_size", 1));
  return sonde_mindir_give (call, y);
}

/* The blocks lie in the batch; what crops are cut off is. */
static const SondeMindirTerm *
build_batch_to_space (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");
  const gint64 b = sonde_mindir_int (call, "block_size", 1);
  g_autoptr (GArray) crops = sonde_mindir_ints (call, "crops");
  gint64 size[4];

  for (int i = 0; i < 4; i++)
    size[i] = sonde_mindir_size (x, i);
  if (crops == NULL || crops->len != 4 || b < 1 || size[0] < 0 || size[1] < 0 || size[2] < 0
      || size[3] < 0 || size[0] % (b * b) != 0)
    return sonde_mindir_refuse (call, N_ ("its sizes or crops are not known"), NULL);
  x = sonde_mindir_reshape (
      call, x, (const gint64[]){ b, b, size[0] / b / b, size[1], size[2], size[3] }, 6);
  x = sonde_mindir_transpose (call, x, (const gint64[]){ 2, 3, 4, 0, 5, 1 }, 6);
  x = sonde_mindir_reshape (
      call, x, (const gint64[]){ size[0] / b / b, size[1], size[2] * b, size[3] * b }, 4);
  for (guint i = 0; i < 2; i++)
    x = sonde_mindir_slice (call, x, 2 + i, g_array_index (crops, gint64, 2 * i),
                            size[2 + i] * b - g_array_index (crops, gint64, 2 * i + 1), 1);
  return sonde_mindir_give (call, x);
}

static const SondeMindirTerm *
build_space_to_batch (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");
  const gint64 b = sonde_mindir_int (call, "block_size", 1);
  g_autoptr (GArray) pads = sonde_mindir_ints (call, "paddings");
  gint64 n = sonde_mindir_size (x, 0), c = sonde_mindir_size (x, 1), size[2];

  if (pads == NULL || pads->len != 4 || b < 1 || n < 0 || c < 0)
    return sonde_mindir_refuse (call, N_ ("its sizes or paddings are not known"), NULL);
  for (guint i = 0; i < 2; i++)
    size[i] = (sonde_mindir_size (x, 2 + i) + g_array_index (pads, gint64, 2 * i)
               + g_array_index (pads, gint64, 2 * i + 1))
              / b;
  x = OP2 (call, "Pad", x,
           sonde_lowering_ints (call->l,
                                (const gint64[]){ 0, 0, g_array_index (pads, gint64, 0),
                                                  g_array_index (pads, gint64, 2), 0, 0,
                                                  g_array_index (pads, gint64, 1),
                                                  g_array_index (pads, gint64, 3) },
                                8));
  x = sonde_mindir_reshape (call, x, (const gint64[]){ n, c, size[0], b, size[1], b }, 6);
  x = sonde_mindir_transpose (call, x, (const gint64[]){ 3, 5, 0, 1, 2, 4 }, 6);
  return sonde_mindir_give (
      call, sonde_mindir_reshape (call, x, (const gint64[]){ b * b * n, c, size[0], size[1] }, 4));
}

const SondeMindirRow sonde_mindir_resize_rows[] = {
  { "ResizeBilinearV2", "x size align_corners half_pixel_centers", build_resize, "linear", 0 },
  { "ResizeBilinear", "x size align_corners half_pixel_centers", build_resize, "linear", 0 },
  { "ResizeNearestNeighborV2", "x size align_corners half_pixel_centers", build_resize, "nearest",
    0 },
  { "ResizeNearestNeighbor", "x size align_corners", build_resize, "nearest", 0 },
  { "ResizeBicubic", "x size align_corners half_pixel_centers", build_resize, "cubic", 0 },
  { "UpsampleNearest1D", "x size scales", build_upsample, "nearest", 0 },
  { "UpsampleNearest2D", "x size scales", build_upsample, "nearest", 0 },
  { "UpsampleNearest3D", "x size scales", build_upsample, "nearest", 0 },
  { "UpsampleLinear1D", "x size scales align_corners", build_upsample, "linear", 0 },
  { "UpsampleBilinear2D", "x size scales align_corners", build_upsample, "linear", 0 },
  { "UpsampleTrilinear3D", "x size scales align_corners", build_upsample, "linear", 0 },
  { "UpsampleBicubic2D", "x size scales align_corners", build_upsample, "cubic", 0 },
  { "GridSampler2D", "x grid interpolation_mode padding_mode align_corners", build_grid_sample,
    NULL, 0 },
  { "GridSampler3D", "x grid interpolation_mode padding_mode align_corners", build_grid_sample,
    NULL, 0 },
  { "ROIAlign", "x rois", build_roi_align, NULL, 0 },
  { "SpaceToDepth", "x block_size", build_blocks, "SpaceToDepth", 0 },
  { "DepthToSpace", "x block_size", build_blocks, "DepthToSpace", 0 },
  { "BatchToSpace", "x block_size crops", build_batch_to_space, NULL, 0 },
  { "SpaceToBatch", "x block_size paddings", build_space_to_batch, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 },
};
