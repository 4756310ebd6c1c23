/* SPDX-License-Identifier: Apache-2.0
 * Records of one tag of one run, read in the background, some of them when there are many: as steps
 * are added the choice stays, until there are twice as many. */
#pragma once

#include "data/runs/sonde-run-store.h"

G_BEGIN_DECLS

typedef struct _SondeBlobLoader SondeBlobLoader;

/* @record: lent; @restart: the first one of a new choice: forget what came before */
typedef void (*SondeBlobFunc) (const SondeRecord *record, gboolean restart, void *user_data);
/* A batch has come or was begun: sonde_blob_loader_is_busy() may answer otherwise. */
typedef void (*SondeBlobStateFunc) (void *user_data);

/* @max: records at a time */
SondeBlobLoader *sonde_blob_loader_new (SondeRecordKind kind, guint max, SondeBlobFunc take,
                                        SondeBlobStateFunc state, void *user_data);
/* Nothing is called any more. */
void sonde_blob_loader_free (SondeBlobLoader *loader);

/* What to read; @run and @tag: (nullable). The same again looks for new records. */
void sonde_blob_loader_update (SondeBlobLoader *loader, SondeRun *run, const char *tag);
gboolean sonde_blob_loader_is_busy (SondeBlobLoader *loader);
guint sonde_blob_loader_get_n_held (SondeBlobLoader *loader); /* records in the run */

G_END_DECLS
