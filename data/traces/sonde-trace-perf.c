/* SPDX-License-Identifier: Apache-2.0 */
#include "data/traces/sonde-trace-perf.h"

#include <string.h>

#include "data/traces/sonde-trace-decimal.h"

#define FRAMES_MAX 65536 /* of one stack */
#define HEADER_MAX 4096  /* bytes */

typedef struct
{
  const char *at;
  gsize n;
} Part;

/**
 * Header: the first line of a block
 * @rest: what stands behind the event
 */
typedef struct
{
  Part comm, pid, tid;
  gint64 at_ns;
  Part rest;
} Header;

/* @thread, @at_ns, @frames: of the open block; @frames: guint32, innermost first */
typedef struct
{
  SondeTraceBuilder *builder;
  gboolean is_open;
  guint32 thread;
  gint64 at_ns;
  GArray *frames;
} Reader;

/* ---- parts of a line ----------------------------------------------------- */

static gboolean
is_space (char c)
{
  return c == ' ' || c == '\t';
}

/* The word from @at on; @at is moved behind it and the spaces that follow. */
static Part
take_word (const char **at, const char *end)
{
  Part word = { *at, 0 };

  while (*at < end && !is_space (**at))
    ++*at;
  word.n = *at - word.at;
  while (*at < end && is_space (**at))
    ++*at;
  return word;
}

static Part
trim_end (const char *at, const char *end)
{
  while (end > at && is_space (end[-1]))
    end--;
  return (Part){ at, end - at };
}

static gboolean
is_number (const char *at, gsize n)
{
  if (n > 1 && *at == '-')
    at++, n--;
  for (gsize i = 0; i < n; i++)
    if (!g_ascii_isdigit (at[i]))
      return FALSE;
  return n > 0;
}

/* PID/TID, or TID alone */
static gboolean
parse_ids (Part word, Header *header)
{
  const char *slash = memchr (word.at, '/', word.n);

  header->pid = (Part){ word.at, slash != NULL ? slash - word.at : 0 };
  header->tid = slash != NULL ? (Part){ slash + 1, word.at + word.n - slash - 1 } : word;
  return is_number (header->tid.at, header->tid.n)
         && (slash == NULL || is_number (header->pid.at, header->pid.n));
}

static gboolean
is_cpu (Part word)
{
  return word.n > 2 && word.at[0] == '[' && word.at[word.n - 1] == ']'
         && is_number (word.at + 1, word.n - 2);
}

/* SECONDS: with a fraction */
static gboolean
parse_time (Part word, gint64 *ns)
{
  char text[64];
  SondeTraceDecimal decimal;

  if (word.n < 4 || word.n > sizeof text - 4 || word.at[word.n - 1] != ':'
      || memchr (word.at, '.', word.n) == NULL)
    return FALSE;
  memcpy (text, word.at, word.n - 1);
  memcpy (text + word.n - 1, "e6", 2); /* the parser takes microseconds */
  return sonde_trace_decimal_parse (text, word.n + 1, &decimal)
         && sonde_trace_decimal_round (&decimal, ns);
}

/* [PERIOD] EVENT: and what is behind it */
static gboolean
parse_event (const char *at, const char *end, Part *rest)
{
  Part word = take_word (&at, end);

  if (is_number (word.at, word.n))
    word = take_word (&at, end);
  if (word.n < 2 || word.at[word.n - 1] != ':')
    return FALSE;
  *rest = trim_end (at, end);
  return TRUE;
}

/* What stands behind the command: ids, perhaps a CPU, a time, an event */
static gboolean
parse_behind_comm (const char *at, const char *end, Header *header)
{
  Part word = take_word (&at, end);

  if (!parse_ids (word, header))
    return FALSE;
  word = take_word (&at, end);
  if (is_cpu (word))
    word = take_word (&at, end);
  return parse_time (word, &header->at_ns) && parse_event (at, end, &header->rest);
}

/* The name of a command may hold spaces: it ends before the first word from which the rest is right. */
static gboolean
parse_header (const char *line, gsize n, Header *header)
{
  const char *end = line + n, *at = line;

  if (n == 0 || n > HEADER_MAX || *line == '#')
    return FALSE;
  while (at < end && is_space (*at))
    at++;
  header->comm.at = at;
  for (take_word (&at, end); at < end; take_word (&at, end))
    if (parse_behind_comm (at, end, header))
      {
        header->comm = trim_end (header->comm.at, at);
        return TRUE;
      }
  return FALSE;
}

/* ---- frames -------------------------------------------------------------- */

/* Without " (FILE)" at the end, whose name may hold brackets itself. */
static Part
cut_file (Part part)
{
  int depth = 0;

  if (part.n == 0 || part.at[part.n - 1] != ')')
    return part;
  for (gsize i = part.n; i > 0; i--)
    {
      depth += (part.at[i - 1] == ')') - (part.at[i - 1] == '(');
      if (depth == 0)
        return i == 1 || is_space (part.at[i - 2]) ? trim_end (part.at, part.at + i - 1) : part;
    }
  return part;
}

static Part
cut_offset (Part part)
{
  gsize i = part.n;

  while (i > 0 && g_ascii_isxdigit (part.at[i - 1]))
    i--;
  if (i < part.n && i >= 3 && memcmp (part.at + i - 3, "+0x", 3) == 0)
    part.n = i - 3;
  return part;
}

static Part
cut_address (Part part)
{
  const char *at = part.at;
  Part word = take_word (&at, part.at + part.n);

  for (gsize i = 0; i < word.n; i++)
    if (!g_ascii_isxdigit (word.at[i]))
      return part;
  return at < part.at + part.n ? (Part){ at, part.at + part.n - at } : part;
}

static void
add_frame (Reader *reader, Part part)
{
  guint32 name;

  part = cut_offset (cut_address (cut_file (part)));
  name = sonde_trace_builder_add_text (reader->builder, part.at, part.n);
  if (reader->frames->len < FRAMES_MAX)
    g_array_append_val (reader->frames, name);
}

/* ---- blocks -------------------------------------------------------------- */

static void
reverse (GArray *frames)
{
  guint32 *frame = (guint32 *) frames->data;

  for (guint i = 0; i < frames->len / 2; i++)
    {
      guint32 kept = frame[i];

      frame[i] = frame[frames->len - 1 - i];
      frame[frames->len - 1 - i] = kept;
    }
}

static void
close_block (Reader *reader)
{
  if (!reader->is_open)
    return;
  reverse (reader->frames);
  sonde_trace_builder_add_stack (reader->builder, (const guint32 *) reader->frames->data,
                                 reader->frames->len, 1);
  sonde_trace_builder_add_sample (reader->builder, reader->thread, reader->at_ns);
  g_array_set_size (reader->frames, 0);
  reader->is_open = FALSE;
}

/* One process may run several commands, one after the other: each has a row. */
static void
open_block (Reader *reader, const Header *header)
{
  SondeTraceBuilder *builder = reader->builder;
  SondeTraceThreadTexts texts = {
    .pid = sonde_trace_builder_add_text (builder, header->pid.at, header->pid.n),
    .tid = sonde_trace_builder_add_text (builder, header->tid.at, header->tid.n),
    .process = sonde_trace_builder_add_text (builder, header->comm.at, header->comm.n),
    .name = SONDE_TRACE_NONE,
    .track = SONDE_TRACE_NONE,
  };

  reader->thread = sonde_trace_builder_add_thread (builder, texts.pid, texts.tid, texts.process);
  sonde_trace_builder_describe_thread (builder, reader->thread, &texts);
  reader->at_ns = header->at_ns;
  reader->is_open = TRUE;
  sonde_trace_builder_count_event (builder);
  /* what is no address is the text of a tracepoint */
  if (cut_address (header->rest).at != header->rest.at)
    add_frame (reader, header->rest);
}

/* Both a header and a frame may begin with spaces. */
static void
take_line (Reader *reader, const char *line, gsize n)
{
  Part all = trim_end (line, line + n);
  Header header;
  const char *at = line;

  if (all.n == 0)
    close_block (reader);
  else if (parse_header (line, all.n, &header))
    {
      close_block (reader);
      open_block (reader, &header);
    }
  else if (is_space (*line) && reader->is_open)
    {
      while (is_space (*at))
        at++;
      add_frame (reader, (Part){ at, all.n - (at - line) });
    }
  else if (*line != '#')
    sonde_trace_builder_count_reason (reader->builder, SONDE_TRACE_REASON_LINE);
}

gboolean
sonde_trace_is_perf (SondeByteStream *stream)
{
  const char *line;
  gsize n;
  Header header;

  while (sonde_byte_stream_take_line (stream, &line, &n))
    {
      if (line == NULL || (n > 0 && *line != '#'))
        return line != NULL && parse_header (line, trim_end (line, line + n).n, &header);
    }
  return FALSE;
}

gboolean
sonde_trace_read_perf (SondeTraceBuilder *builder, SondeByteStream *stream, GError **error)
{
  g_autoptr (GArray) frames = g_array_new (FALSE, FALSE, sizeof (guint32));
  Reader reader = { .builder = builder, .frames = frames };
  GError *problem;
  const char *line;
  gsize n;

  while (sonde_byte_stream_take_line (stream, &line, &n))
    if (line != NULL)
      take_line (&reader, line, n);
    else
      sonde_trace_builder_count_reason (builder, SONDE_TRACE_REASON_LINE);
  close_block (&reader);
  problem = sonde_byte_stream_steal_error (stream);
  if (problem != NULL)
    g_propagate_error (error, problem);
  return problem == NULL;
}
