/* SPDX-License-Identifier: Apache-2.0
 * What MindSpore's profiler leaves in a folder: the timeline in trace_view.json, and tables beside it
 * that say of which type each operator is.
 *
 *   RANK_TIME_ascend_ms/ASCEND_PROFILER_OUTPUT/trace_view.json, kernel_details.csv
 *   RANK_TIME_ascend_ms/FRAMEWORK/cpu_op_detail_info_0.csv */
#pragma once

#include "data/base/sonde-io.h"
#include "data/traces/sonde-trace.h"

G_BEGIN_DECLS

/**
 * sonde_trace_list_folder:
 * @path: a folder that the profiler made, the one in it, or the one around several of them
 *
 * Returns: (transfer full) (element-type filename): the traces in it, sorted; none in other folders
 */
GPtrArray *sonde_trace_list_folder (const char *path);

/**
 * sonde_trace_add_types:
 * @io: (nullable): NULL is sonde_io_system()
 * @path: of the trace's file
 *
 * Adds to @trace->operators what the tables beside its file say; tables that are missing or damaged add
 * what they have.
 */
void sonde_trace_add_types (SondeTrace *trace, const SondeIo *io, const char *path);

G_END_DECLS
