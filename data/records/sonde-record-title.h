/* SPDX-License-Identifier: Apache-2.0
 * What a kind of record is called in the window. Its name in files and JSON is
 * sonde_record_kind_name(). */
#pragma once

#include "data/records/sonde-record.h"

G_BEGIN_DECLS

/* "tensor statistics", in the user's language; a static string. */
const char *sonde_record_kind_get_title (SondeRecordKind kind);

G_END_DECLS
