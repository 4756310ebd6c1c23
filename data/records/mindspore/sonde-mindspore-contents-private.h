/* SPDX-License-Identifier: Apache-2.0
 * What the values of MindSpore's summaries hold. Each fills @record, whose kind is set; what fails
 * leaves it to be cleared. */
#pragma once

#include <protobuf-c/protobuf-c.h>

#include "data/records/sonde-record.h"

G_BEGIN_DECLS

gboolean sonde_mindspore_read_image (ProtobufCBinaryData message, SondeRecord *record,
                                     GError **error);
gboolean sonde_mindspore_read_histogram (ProtobufCBinaryData message, SondeRecord *record,
                                         GError **error);
gboolean sonde_mindspore_read_landscape (ProtobufCBinaryData message, SondeRecord *record,
                                         GError **error);
gboolean sonde_mindspore_read_explanation (ProtobufCBinaryData message, SondeRecord *record,
                                           GError **error);

G_END_DECLS
