/* SPDX-License-Identifier: Apache-2.0 */
#include "data/traces/writers/sonde-trace-writer.h"

static const struct
{
  const char *ending;
  SondeTraceWriteFunc write;
} writers[] = {
  { ".json", sonde_trace_write_chrome },      { ".json.gz", sonde_trace_write_chrome },
  { ".pftrace", sonde_trace_write_perfetto }, { ".collapsed", sonde_trace_write_collapsed },
  { ".csv", sonde_trace_write_csv },          { ".pprof", sonde_trace_write_pprof },
};

SondeTraceWriteFunc
sonde_trace_writer_for_path (const char *path)
{
  for (guint i = 0; i < G_N_ELEMENTS (writers); i++)
    if (g_str_has_suffix (path, writers[i].ending))
      return writers[i].write;
  return NULL;
}

const char *
sonde_trace_writer_get_endings (void)
{
  return ".json, .json.gz, .pftrace, .collapsed, .csv, .pprof";
}
