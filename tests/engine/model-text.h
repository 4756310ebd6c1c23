/* SPDX-License-Identifier: Apache-2.0
 * ONNX models written as a line of text, so that a table of damaged ones has a row for each. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * model_of_text:
 * @text: items separated by “;”:
 *
 *   in NAME DTYPE SIZES              an input; SIZES "2x3", "Nx3", "-" for a scalar, "?" for an
 *   unknown rank
 *   const NAME DTYPE SIZES NUMBERS   an initialiser; NUMBERS "1,2,3", the last one is repeated
 *   node OP INPUTS OUTPUTS ATTRIBUTES…   INPUTS "a,b", "_" an absent one, "-" none; OP may be
 *                                    DOMAIN:OP; ATTRIBUTES "axis=1", "alpha=0.5", "perm=[1,0]",
 *                                    "mode='edge'", "body={ITEMS}": a graph
 *   out NAME [DTYPE SIZES]           an output
 *   opset DOMAIN VERSION             in place of ai.onnx 17; DOMAIN "-" is ai.onnx; VERSION "-": no
 *   opset at all
 *   ir VERSION                       in place of 8
 *   function DOMAIN NAME INPUT OUTPUT {ITEMS}   a local function of one input and output
 *
 * Ends the test on a mistake in @text. Returns: (transfer full): the bytes
 */
GByteArray *model_of_text (const char *text);

G_END_DECLS
