/* SPDX-License-Identifier: Apache-2.0
 * The scan cases of the samples, shared/samples/scan: folders of sources with the references that a
 * correct scan finds. */
#pragma once

#include "data/sources/python/sonde-source-resolver.h"

G_BEGIN_DECLS

typedef struct
{
  const char *name;
  const char *package; /* (nullable) */
} ScanCase;

extern const ScanCase scan_cases[];
extern const gsize n_scan_cases;

/* A path below the samples of the case. (transfer full) */
char *scan_case_dup_path (const ScanCase *scan_case, const char *name);

/* torch and its sisters; stars as star-names.tsv lists them. Static. */
const SondeSourcePackages *scan_case_packages (void);

/* "file\tline\tapi" of a golden: all rows, or those with sure "yes" alone. (transfer full) */
GHashTable *scan_case_read_golden (const ScanCase *scan_case, gboolean only_sure);

/* Files that Python 3.11 cannot parse. (transfer full) */
GHashTable *scan_case_read_unparsed (const ScanCase *scan_case);

G_END_DECLS
