/* SPDX-License-Identifier: Apache-2.0
 * Short words for the rows of operators. */
#pragma once

#include "data/models/mindir/sonde-mindir-term.h"

G_BEGIN_DECLS

/* Tables of rows, ended by one without a name. */
extern const SondeMindirRow sonde_mindir_elementwise_rows[];
extern const SondeMindirRow sonde_mindir_pair_rows[];
extern const SondeMindirRow sonde_mindir_activation_rows[];
extern const SondeMindirRow sonde_mindir_matrix_rows[];
extern const SondeMindirRow sonde_mindir_convolution_rows[];
extern const SondeMindirRow sonde_mindir_pooling_rows[];
extern const SondeMindirRow sonde_mindir_normalisation_rows[];
extern const SondeMindirRow sonde_mindir_reduction_rows[];
extern const SondeMindirRow sonde_mindir_order_rows[];
extern const SondeMindirRow sonde_mindir_shape_rows[];
extern const SondeMindirRow sonde_mindir_joining_rows[];
extern const SondeMindirRow sonde_mindir_slice_rows[];
extern const SondeMindirRow sonde_mindir_index_rows[];
extern const SondeMindirRow sonde_mindir_padding_rows[];
extern const SondeMindirRow sonde_mindir_filling_rows[];
extern const SondeMindirRow sonde_mindir_resize_rows[];
extern const SondeMindirRow sonde_mindir_attention_rows[];
extern const SondeMindirRow sonde_mindir_recurrent_rows[];

#define OP1(call, op, a) sonde_lowering_op ((call)->l, op, SONDE_VALUES (a))
#define OP2(call, op, a, b) sonde_lowering_op ((call)->l, op, SONDE_VALUES (a, b))
#define OP3(call, op, a, b, c) sonde_lowering_op ((call)->l, op, SONDE_VALUES (a, b, c))

/* A number of the type of @like; float32 when it is not known. */
SondeGraphValue *sonde_mindir_number_like (SondeMindirCall *call, double number,
                                           const SondeGraphValue *like);
SondeGraphValue *sonde_mindir_ints1 (SondeMindirCall *call, gint64 a);
SondeGraphValue *sonde_mindir_cast (SondeMindirCall *call, SondeGraphValue *value,
                                    SondeDtype dtype);
/* @value in the type that the file says of the output; itself when it says nothing. */
SondeGraphValue *sonde_mindir_cast_to_output (SondeMindirCall *call, SondeGraphValue *value,
                                              guint index);
SondeDtype sonde_mindir_output_dtype (SondeMindirCall *call, guint index);
/* The type that the file says of output @index, NULL. */
const SondeType *sonde_mindir_output_type (SondeMindirCall *call, guint index);
/* Is item @index of the tuple that the node gives, or a later one, read? */
gboolean sonde_mindir_reads_item (SondeMindirCall *call, guint index);

SondeGraphValue *sonde_mindir_transpose (SondeMindirCall *call, SondeGraphValue *value,
                                         const gint64 *order, int rank);
/* The last two dimensions exchanged. */
SondeGraphValue *sonde_mindir_swap_last (SondeMindirCall *call, SondeGraphValue *value, int rank);
SondeGraphValue *sonde_mindir_reshape (SondeMindirCall *call, SondeGraphValue *value,
                                       const gint64 *sizes, gsize n);
SondeGraphValue *sonde_mindir_slice (SondeMindirCall *call, SondeGraphValue *value, gint64 axis,
                                     gint64 start, gint64 end, gint64 step);
SondeGraphValue *sonde_mindir_unsqueeze (SondeMindirCall *call, SondeGraphValue *value,
                                         gint64 axis);
SondeGraphValue *sonde_mindir_squeeze (SondeMindirCall *call, SondeGraphValue *value, gint64 axis);
/* A reduction over axes; @axes NULL: all. */
SondeGraphValue *sonde_mindir_reduce (SondeMindirCall *call, const char *op, SondeGraphValue *value,
                                      const GArray *axes, gboolean keep);
SondeGraphValue *sonde_mindir_concat (SondeMindirCall *call, GPtrArray *values, gint64 axis);
/* Size of a dimension: −1 when it is not known. */
gint64 sonde_mindir_size (const SondeGraphValue *value, gint64 axis);

G_END_DECLS
