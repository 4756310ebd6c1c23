/* SPDX-License-Identifier: Apache-2.0
 * The clocks of a Perfetto trace: times of any become nanoseconds of clock 6 (since boot), in which
 * packets are written that name none. Clocks from 64 on belong to their sequence; those from 128 on are
 * known to others, too. */
#pragma once

#include "data/traces/perfetto/sonde-perfetto-packet.h"

G_BEGIN_DECLS

#define SONDE_PERFETTO_BOOT_CLOCK 6

typedef struct _SondePerfettoClocks SondePerfettoClocks;

SondePerfettoClocks *sonde_perfetto_clocks_new (void);
void sonde_perfetto_clocks_free (SondePerfettoClocks *clocks);

/* @infos: SondePerfettoClockInfo: what @sequence says the clocks show at one moment */
void sonde_perfetto_clocks_add_snapshot (SondePerfettoClocks *clocks, guint32 sequence,
                                         const GArray *infos);

/**
 * sonde_perfetto_clocks_convert:
 * @time: as the packet has it; of an incremental clock what has passed since the one before
 *
 * To be called once for each time, in the order of the file. Returns FALSE when @id is not known or the
 * time is beyond 63 bits.
 */
gboolean sonde_perfetto_clocks_convert (SondePerfettoClocks *clocks, guint32 sequence, guint32 id,
                                        guint64 time, gint64 *ns);

G_END_DECLS
