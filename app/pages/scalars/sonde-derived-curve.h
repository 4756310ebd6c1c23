/* SPDX-License-Identifier: Apache-2.0
 * An expression over the scalars of a run as a series that grows with them. */
#pragma once

#include "data/runs/sonde-run-store.h"

G_BEGIN_DECLS

typedef struct _SondeDerivedCurve SondeDerivedCurve;

/* (nullable): NULL: it cannot be parsed or calculated, or the run lacks what it reads. */
SondeDerivedCurve *sonde_derived_curve_new (SondeRun *run, const char *text);
void sonde_derived_curve_free (SondeDerivedCurve *curve);               /* NULL is fine */
SondeSeries *sonde_derived_curve_get_series (SondeDerivedCurve *curve); /* (transfer none) */

G_END_DECLS
