/* SPDX-License-Identifier: Apache-2.0
 * Resize, Upsample and pooling as they were before. */
#include "engine/passes/sonde-legalise.h"

#include <string.h>

#define unsupported(error, ...)                                                                    \
  (sonde_set_error ((error), SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED, __VA_ARGS__),     \
   FALSE)

/* ---- Resize, Upsample ---------------------------------------------------- */

/* (x, scales), without a word on coordinates: those of the runtimes then. Nearest took the place
 * before, except when shrinking the one behind: our mode "simple". */
static void
resize_from_scales (SondeGraph *graph, SondeNode *node)
{
  SondeGraphValue *scales = sonde_node_get_input (node, 1);

  sonde_node_set_input (graph, node, 1, NULL);
  sonde_node_set_input (graph, node, 2, scales);
  sonde_node_set_string (node, "coordinate_transformation_mode", "asymmetric");
  sonde_node_set_string (node, "nearest_mode", "simple");
}

static gboolean
resize_scales (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  resize_from_scales (graph, node);
  return TRUE;
}

static SondeGraphValue *
make_scales (SondeGraph *graph, const double *values, gsize n)
{
  SondeShape shape = { .rank = 1, .dims = { (gint64) n } };
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  for (gsize i = 0; i < n; i++)
    sonde_tensor_set_double (tensor, (gint64) i, values[i]);
  return sonde_build_constant (graph, NULL, tensor);
}

/* Scales were numbers of the node before version 9: two of them in version 1, one a dimension in
 * 7. */
static gboolean
upsample_to_resize (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  const SondeAttribute *scales = sonde_node_find_attribute (node, "scales");
  gboolean given = scales != NULL && scales->kind == SONDE_ATTRIBUTE_FLOATS;
  double two[] = { 1, 1, sonde_node_get_float (node, "height_scale", 1),
                   sonde_node_get_float (node, "width_scale", 1) };
  const char *mode = sonde_node_get_string (node, "mode", "nearest");

  if (sonde_node_get_input (node, 1) == NULL)
    sonde_node_set_input (
        graph, node, 1, make_scales (graph, given ? scales->u.floats : two, given ? scales->n : 4));
  if (strcmp (mode, "bilinear") == 0)
    sonde_node_set_string (node, "mode", "linear");
  (void) sonde_node_remove_attribute (node, "scales");
  (void) sonde_node_remove_attribute (node, "height_scale");
  (void) sonde_node_remove_attribute (node, "width_scale");
  sonde_node_set_op (node, node->domain, "Resize");
  resize_from_scales (graph, node);
  return TRUE;
}

/* ---- sampling, regions --------------------------------------------------- */

static gboolean
grid_sample_mode (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  const char *mode = sonde_node_get_string (node, "mode", "bilinear");

  if (strcmp (mode, "bilinear") == 0)
    sonde_node_set_string (node, "mode", "linear");
  else if (strcmp (mode, "bicubic") == 0)
    sonde_node_set_string (node, "mode", "cubic");
  return TRUE;
}

/* Version 10 knew only one way to lay the boxes. */
static gboolean
roi_align_corners (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  if (sonde_node_find_attribute (node, "coordinate_transformation_mode") == NULL)
    sonde_node_set_string (node, "coordinate_transformation_mode", "output_half_pixel");
  return TRUE;
}

/* ---- pooling ------------------------------------------------------------- */

/* p was a fraction in version 1. */
static gboolean
norm_to_whole (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  SondeAttribute *attribute = sonde_node_find_attribute (node, "p");
  double p = sonde_node_get_float (node, "p", 2);

  if (attribute == NULL || attribute->kind != SONDE_ATTRIBUTE_FLOAT)
    return TRUE;
  if (!(p >= 1 && p <= 1000) || p != (double) (gint64) p)
    return unsupported (error, "p = %g is not implemented; only whole numbers are", p);
  (void) sonde_node_remove_attribute (node, "p");
  sonde_node_set_int (node, "p", (gint64) p);
  return TRUE;
}

/* ---- what models cannot do here ------------------------------------------ */

/* Bytes from outside are decoded in a process of their own (data/images), which nodes cannot
 * ask. */
static gboolean
refuse_decoder (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  return unsupported (
      error,
      "images cannot be decoded inside a model; pass the decoded pixels as an input instead");
}

/* ---- the table ----------------------------------------------------------- */

const SondeLegalisation sonde_legalisations_image[] = {
  { "GlobalLpPool", 2, norm_to_whole },  { "GridSample", 20, grid_sample_mode },
  { "ImageDecoder", 0, refuse_decoder }, { "LpPool", 2, norm_to_whole },
  { "Resize", 11, resize_scales },       { "RoiAlign", 16, roi_align_corners },
  { "Upsample", 0, upsample_to_resize }, { NULL },
};
