/* SPDX-License-Identifier: Apache-2.0
 * The archive of torch.export.save(): programs as JSON, weights as raw storages. Pickles in it are
 * never read. */
#pragma once

#include "data/base/sonde-io.h"
#include "data/json/sonde-json-member.h"
#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

typedef struct _SondePt2Archive SondePt2Archive;

/**
 * sonde_pt2_archive_open:
 * @program: (nullable): which; NULL: "model", else the only one
 *
 * Errors: DAMAGED (archive, JSON, two members of a name), UNSUPPORTED (written before torch 2.8,
 * TorchScript, another schema), NOT_FOUND naming the programs there are, LIMIT, IO.
 */
SondePt2Archive *sonde_pt2_archive_open (const SondeIo *io, const char *path, const char *program,
                                         GError **error);
void sonde_pt2_archive_free (SondePt2Archive *archive); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondePt2Archive, sonde_pt2_archive_free)

JsonObject *sonde_pt2_archive_get_program (SondePt2Archive *archive); /* lent */
const char *sonde_pt2_archive_get_name (SondePt2Archive *archive);
GPtrArray *
sonde_pt2_archive_list_programs (SondePt2Archive *archive); /* (element-type utf8) lent */

/**
 * sonde_pt2_archive_read_tensor:
 * @name: a parameter, buffer or constant by its full name
 *
 * Row-major, whatever its strides. (transfer full)
 * Errors: NOT_FOUND; DAMAGED (it goes beyond its storage), UNSUPPORTED (pickled, sparse), NO_MEMORY.
 */
SondeTensor *sonde_pt2_archive_read_tensor (SondePt2Archive *archive, const char *name,
                                            GError **error);

/* torch's ScalarType by number; INVALID: none of ours. */
SondeDtype sonde_pt2_dtype (gint64 number);

G_END_DECLS
