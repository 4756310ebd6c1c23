/* SPDX-License-Identifier: Apache-2.0
 * What a summary writer tells a recording: when it writes, and how much waits. */
#pragma once

#include "collector/writer/sonde-summary-writer.h"
#include "data/base/sonde-span-log.h"

G_BEGIN_DECLS

#define SONDE_SPAN_WRITING "writing records"

/* @log: (nullable): where the writing thread puts down what it writes in one go, with its bytes, while the log
 * records; referenced */
void sonde_summary_writer_set_spans (SondeSummaryWriter *writer, SondeSpanLog *log);

/* Added and not yet written. */
guint64 sonde_summary_writer_get_waiting_bytes (SondeSummaryWriter *writer);

G_END_DECLS
