/* SPDX-License-Identifier: Apache-2.0
 * Models of two files: made in a folder of their own beside OUT, looked at there, then moved. */
#pragma once

#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

/**
 * SondeConvertSplit: zero-initialise
 * @temporary: the folder beside OUT in which the files are
 * @model, @weights: names in it, and in OUT's folder afterwards
 */
typedef struct
{
  char *folder, *temporary, *model, *weights;
} SondeConvertSplit;

/* Writes @graph for @out, see sonde_model_write_split(). */
gboolean sonde_convert_split_write (SondeConvertSplit *split, SondeGraph *graph, const char *out,
                                    GError **error);
/* Those files again. (transfer full) */
SondeGraph *sonde_convert_split_load (const SondeConvertSplit *split, GError **error);
/* Bytes of both. */
guint64 sonde_convert_split_get_size (const SondeConvertSplit *split);
/* To where they belong, the model last. Returns: (transfer full): its path */
char *sonde_convert_split_move (SondeConvertSplit *split, GError **error);
/* Removes what was not moved. */
void sonde_convert_split_clear (SondeConvertSplit *split);

G_END_DECLS
