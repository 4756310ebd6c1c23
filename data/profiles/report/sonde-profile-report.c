/* SPDX-License-Identifier: Apache-2.0
 * The page: advice first, then where a step goes, operators, pictures, what differs. */
#include "data/profiles/report/sonde-profile-report.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "data/profiles/report/sonde-report-markup.h"
#include "data/profiles/report/sonde-report-pictures.h"
#include "data/profiles/sonde-profile-advice.h"
#include "data/traces/writers/sonde-trace-output.h"

#define MAX_ROWS 100 /* operators in a table */

static const char style[]
    = ":root{color-scheme:light "
      "dark;--ink:#1d1d20;--dim:#6b6b75;--line:#d9d9e0;--page:#fff;--accent:#3465a4}"
      "@media(prefers-color-scheme:dark){:root{--ink:#ececf0;--dim:#a0a0ab;--line:#45454d;--page:#"
      "1e1e22;"
      "--accent:#78a9e0}}"
      "body{font:15px/1.5 "
      "system-ui,sans-serif;color:var(--ink);background:var(--page);max-width:960px;"
      "margin:2em auto;padding:0 1em}"
      "h1{font-size:1.5em;overflow-wrap:anywhere}h2{font-size:1.15em;margin-top:2em}p,li{max-width:"
      "46em}"
      ".dim{color:var(--dim)}.scroll{overflow-x:auto}"
      "table{border-collapse:collapse;font-size:13px;width:100%}"
      "th,td{text-align:left;padding:2px 10px 2px 0;border-bottom:1px solid "
      "var(--line);overflow-wrap:anywhere}"
      ".n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}"
      "svg{display:block;font:11px system-ui,sans-serif}svg text{fill:#17171a;pointer-events:none}"
      "svg text.row{fill:var(--dim)}.area{fill:var(--accent);opacity:.6}"
      ".c0{fill:#8cb4e8}.c1{fill:#f2b872}.c2{fill:#93cf96}.c3{fill:#e79a9a}.c4{fill:#b9a3e3}.c5{"
      "fill:#d9b38c}"
      ".c6{fill:#ecaed3}.c7{fill:#b9c270}.c8{fill:#7fcdd0}.c9{fill:#c9c9d2}.c10{fill:#e3d36b}.c11{"
      "fill:#9fc7b0}"
      ".key{display:inline-block;width:.8em;height:.8em;margin-right:.4em}"
      "@media print{body{max-width:none;margin:0}}";

/* ---- head and advice ----------------------------------------------------- */

static void
add_paragraph (GString *page, const char *text, const char *class_name)
{
  g_string_append_printf (page, "<p class=\"%s\">", class_name);
  sonde_report_add_escaped (page, text);
  g_string_append (page, "</p>\n");
}

static void
add_head (GString *page, const SondeProfile *profile, const char *title)
{
  g_autofree char *wall = sonde_report_format_ns (profile->wall_ns);
  g_autofree char *p50 = sonde_report_format_ns (profile->step_p50_ns);
  g_autofree char *p95 = sonde_report_format_ns (profile->step_p95_ns), *line = NULL;
  g_autofree char *samples = sonde_format_count ((gint64) profile->trace->weight);
  const char *producer = profile->trace->producer;

  g_string_append_printf (
      page, "<!DOCTYPE html>\n<html lang=\"%s\"><head><meta charset=\"utf-8\">\n<title>",
      C_ ("language of a page, as in HTML", "en"));
  sonde_report_add_escaped (page, title);
  g_string_append_printf (page,
                          "</title>\n<meta name=\"viewport\" content=\"width=device-width\">"
                          "<style>%s</style></head>\n<body>\n<h1>",
                          style);
  sonde_report_add_escaped (page, title);
  g_string_append (page, "</h1>\n");
  if (sonde_profile_is_sampled (profile))
    line = g_strdup_printf (_ ("sampled stacks, samples: %s"), samples);
  else if (profile->has_steps)
    line = g_strdup_printf (_ ("%s, steps: %u, mean %s, median %s, 95th percentile %s"), producer,
                            profile->n_steps, wall, p50, p95);
  else
    line = g_strdup_printf (_ ("%s, no steps marked, %s in all"), producer, wall);
  add_paragraph (page, line, "dim");
}

static void
add_advice (GString *page, const SondeProfile *profile)
{
  if (profile->advice->len == 0)
    return;
  sonde_report_add_heading (page, _ ("What to change"));
  g_string_append (page, "<ol>\n");
  for (guint i = 0; i < profile->advice->len; i++)
    {
      const SondeAdvice *advice = g_ptr_array_index (profile->advice, i);
      g_autofree char *gain = sonde_report_format_ns (advice->gain_ns);
      g_autofree char *line = g_strdup_printf (_ ("A step would gain at most %s."), gain);

      g_string_append (page, "<li>");
      sonde_report_add_escaped (page, sonde_message_get_text (advice->message));
      if (isfinite (advice->gain_ns))
        {
          g_string_append (page, " <span class=\"dim\">");
          sonde_report_add_escaped (page, line);
          g_string_append (page, "</span>");
        }
      g_string_append (page, "</li>\n");
    }
  g_string_append (page, "</ol>\n");
}

/* ---- where a step goes --------------------------------------------------- */

/* A piece of a bar. */
typedef struct
{
  const char *title; /* msgid */
  double ns;
} Piece;

static void
add_bar (GString *page, const char *heading, const Piece *pieces, guint n, double wall_ns)
{
  double x = 0;

  sonde_report_add_heading (page, heading);
  sonde_report_begin_picture (page, 28, heading);
  for (guint i = 0; i < n; i++)
    {
      const double width = fmin (pieces[i].ns / wall_ns, 1) * SONDE_REPORT_WIDTH;
      g_autofree char *share = sonde_report_format_share (pieces[i].ns / wall_ns);
      g_autofree char *tip = g_strdup_printf ("%s: %s", _ (pieces[i].title), share);

      if (width > 0)
        sonde_report_add_rectangle (page, x, 0, width, 28, i, tip, _ (pieces[i].title));
      x += fmax (width, 0);
    }
  sonde_report_end_picture (page);
  g_string_append (page, "<table>\n");
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *share = sonde_report_format_share (pieces[i].ns / wall_ns);
      g_autofree char *time = sonde_report_format_ns (pieces[i].ns);

      if (!(pieces[i].ns > 0))
        continue;
      g_string_append_printf (page,
                              "<tr><td><svg class=\"key\" viewBox=\"0 0 9 9\"><rect width=\"9\" "
                              "height=\"9\" class=\"c%u\"/></svg>",
                              i);
      sonde_report_add_escaped (page, _ (pieces[i].title));
      g_string_append (page, "</td>");
      sonde_report_add_cell (page, time, TRUE);
      sonde_report_add_cell (page, share, TRUE);
      g_string_append (page, "</tr>\n");
    }
  g_string_append (page, "</table>\n");
}

static void
add_split (GString *page, const SondeProfile *profile)
{
  Piece pieces[SONDE_STEP_N_PARTS];

  if (!profile->has_split)
    return;
  for (guint i = 0; i < SONDE_STEP_N_PARTS; i++)
    pieces[i] = (Piece){ sonde_step_part_get_title (i), profile->part_ns[i] };
  add_bar (page, _ ("A step"), pieces, SONDE_STEP_N_PARTS, profile->wall_ns);
}

static void
add_classes (GString *page, const SondeProfile *profile)
{
  Piece pieces[SONDE_OPERATOR_N_CLASSES];

  if (!profile->has_classes)
    return;
  for (guint i = 0; i < SONDE_OPERATOR_N_CLASSES; i++)
    pieces[i] = (Piece){ sonde_operator_class_get_title (i), profile->class_ns[i] };
  add_bar (page, _ ("What bounds the operators"), pieces, SONDE_OPERATOR_N_CLASSES,
           profile->wall_ns);
}

static void
add_device (GString *page, const SondeProfile *profile)
{
  const SondeDeviceSplit *device = &profile->device;
  const double n = (double) device->n_steps * (double) device->n_devices;
  const double alone_ns = (double) (device->busy_ns - device->exposed_communication_ns);
  const Piece pieces[] = {
    { N_ ("compute and copies"), alone_ns / n },
    { N_ ("exposed communication"), (double) device->exposed_communication_ns / n },
    { N_ ("idle"), (double) device->idle_ns / n },
  };

  if (device->n_devices > 0)
    add_bar (page, _ ("Devices in a step"), pieces, G_N_ELEMENTS (pieces),
             (double) device->wall_ns / n);
}

/* ---- operators ----------------------------------------------------------- */

static void
add_operator (GString *page, const SondeProfile *profile, const SondeProfileOperator *op)
{
  g_autofree char *calls = g_strdup_printf ("%" PRIu64, op->n_calls);
  g_autofree char *time = sonde_report_format_ns (op->mean_self_ns);
  g_autofree char *share = sonde_report_format_share (op->share);
  g_autofree char *p50 = sonde_report_format_ns (op->p50_ns);
  g_autofree char *gflops
      = isfinite (op->gflops) ? g_strdup_printf ("%.1f", op->gflops) : g_strdup ("–");
  g_autofree char *gbs = isfinite (op->gbs) ? g_strdup_printf ("%.1f", op->gbs) : g_strdup ("–");

  g_string_append (page, "<tr>");
  sonde_report_add_cell (page, op->node != NULL ? op->node : op->op, FALSE);
  sonde_report_add_cell (page, op->node != NULL && op->node != op->op ? op->op : op->category,
                         FALSE);
  sonde_report_add_cell (page, sonde_profile_is_sampled (profile) ? "–" : calls, TRUE);
  sonde_report_add_cell (page, time, TRUE);
  sonde_report_add_cell (page, share, TRUE);
  sonde_report_add_cell (page, p50, TRUE);
  if (profile->has_classes)
    {
      sonde_report_add_cell (page, _ (sonde_operator_class_get_title (op->operator_class)), FALSE);
      sonde_report_add_cell (page, gflops, TRUE);
      sonde_report_add_cell (page, gbs, TRUE);
    }
  g_string_append (page, "</tr>\n");
}

static void
add_operators (GString *page, const SondeProfile *profile)
{
  static const char *const plain[] = { N_ ("<NAME"),  N_ ("<KIND"),   N_ (">CALLS"), N_ (">A STEP"),
                                       N_ (">SHARE"), N_ (">A CALL"), NULL };
  static const char *const own[]
      = { N_ ("<NAME"),   N_ ("<KIND"),  N_ (">CALLS"),   N_ (">A STEP"), N_ (">SHARE"),
          N_ (">A CALL"), N_ ("<CLASS"), N_ (">GFLOP/S"), N_ (">GB/S"),   NULL };
  const guint n = MIN (profile->operators->len, MAX_ROWS);

  if (n == 0)
    return;
  sonde_report_add_heading (page, _ ("Operators"));
  sonde_report_begin_table (page, profile->has_classes ? own : plain);
  for (guint i = 0; i < n; i++)
    add_operator (page, profile, sonde_profile_get_operator (profile, i));
  sonde_report_end_table (page);
  if (profile->operators->len > n)
    {
      g_autofree char *rest = g_strdup_printf (
          P_ ("and %u more operator", "and %u more operators", profile->operators->len - n),
          profile->operators->len - n);

      add_paragraph (page, rest, "dim");
    }
}

/* ---- comparison ---------------------------------------------------------- */

static void
add_compared (GString *page, const SondeComparedOperator *compared)
{
  const SondeProfileOperator *op
      = compared->base_op != NULL ? compared->base_op : compared->other_op;
  g_autofree char *base = sonde_report_format_ns (compared->base_ns);
  g_autofree char *other = sonde_report_format_ns (compared->other_ns);
  g_autofree char *ratio = isfinite (compared->ratio) ? g_strdup_printf ("× %.3f", compared->ratio)
                           : compared->base_op == NULL ? g_strdup (_ ("added"))
                                                       : g_strdup (_ ("removed"));
  g_autofree char *p = g_strdup_printf ("%.2g", compared->p);

  g_string_append (page, "<tr>");
  sonde_report_add_cell (page, op->node != NULL ? op->node : op->op, FALSE);
  sonde_report_add_cell (page, base, TRUE);
  sonde_report_add_cell (page, other, TRUE);
  sonde_report_add_cell (page, ratio, TRUE);
  sonde_report_add_cell (page, p, TRUE);
  g_string_append (page, "</tr>\n");
}

static void
add_comparison (GString *page, const SondeProfileComparison *comparison)
{
  static const char *const heads[]
      = { N_ ("<OPERATOR"), N_ (">BEFORE"), N_ (">AFTER"), N_ (">RATIO"), N_ (">P"), NULL };
  g_autofree char *base = NULL, *other = NULL, *wall = NULL;

  if (comparison == NULL)
    return;
  base = sonde_report_format_ns (comparison->wall.base_ns);
  other = sonde_report_format_ns (comparison->wall.other_ns);
  wall = g_strdup_printf (comparison->wall.significant
                              ? _ ("A step takes %s instead of %s (× %.3f, p = %.2g).")
                              : _ ("A step takes %s instead of %s (× %.3f, p = %.2g), which noise "
                                   "may explain."),
                          other, base, comparison->wall.ratio, comparison->wall.p);
  sonde_report_add_heading (page, _ ("Comparison"));
  add_paragraph (page, wall, "");
  if (comparison->too_few_steps)
    add_paragraph (
        page, _ ("Fewer than 10 steps on a side: small differences cannot be told from noise."),
        "dim");
  sonde_report_begin_table (page, heads);
  for (guint i = 0; i < comparison->operators->len; i++)
    {
      const SondeComparedOperator *compared
          = &g_array_index (comparison->operators, SondeComparedOperator, i);

      if (compared->significant || compared->base_op == NULL || compared->other_op == NULL)
        add_compared (page, compared);
    }
  sonde_report_end_table (page);
}

gboolean
sonde_profile_report_write (const SondeProfile *profile, const SondeProfileComparison *comparison,
                            const char *title, const char *path, GError **error)
{
  SondeTraceOutput *output = sonde_trace_output_new (path, FALSE, error);
  g_autoptr (GString) page = g_string_new (NULL);

  if (output == NULL)
    return FALSE;
  add_head (page, profile, title);
  add_advice (page, profile);
  add_comparison (page, comparison);
  add_split (page, profile);
  add_classes (page, profile);
  add_device (page, profile);
  add_operators (page, profile);
  sonde_report_add_timeline (page, profile->trace);
  sonde_report_add_icicle (page, profile->trace);
  sonde_report_add_memory (page, profile);
  g_string_append (page, "</body></html>\n");
  sonde_trace_output_add (output, page->str, page->len);
  return sonde_trace_output_finish (output, error);
}
