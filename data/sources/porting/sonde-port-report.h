/* SPDX-License-Identifier: Apache-2.0
 * What a port of some Python programs costs: every framework name that they use, where, and what becomes
 * of it. Also which operators of models run where. */
#pragma once

#include "data/sources/porting/sonde-port-verdict.h"

G_BEGIN_DECLS

/* One use. @api: index into apis; @scope: where it stands, of the file's module */
typedef struct
{
  guint32 file, line, column, api, scope;
  guint32 arguments; /* of a call: index + 1 into the module's arguments; 0: none */
  guint8 how, via;   /* SondePythonHow, SondeSourceVia */
  guint8 sure;
} SondePortReference;

/**
 * SondePortApi:
 * @row: (nullable): of it or its longest known prefix
 * @missing: of char: operators that Sonde lacks
 * @sketch: (nullable): see sonde_port_sketch()
 */
typedef struct
{
  const char *api;
  guint32 n_references, n_files, last_file;
  const SondeApiRow *row;
  SondePortVerdict verdict;
  GPtrArray *missing;
  char *sketch;
} SondePortApi;

typedef enum
{
  SONDE_PORT_LIMIT_DYNAMIC_SHAPE, /* the size of the result depends on values */
  SONDE_PORT_LIMIT_SPARSE,
} SondePortLimitKind;

typedef struct
{
  guint32 file, line, api;
  SondePortLimitKind kind;
} SondePortLimit;

/* An argument by keyword that the counterpart in MindSpore lacks, or calls @becomes. @name: number of a
 * name */
typedef struct
{
  guint32 file, line, api, name;
  char *becomes; /* (nullable) */
} SondePortArgument;

typedef enum
{
  SONDE_PORT_WHY_CALL,      /* called on what a framework function returns */
  SONDE_PORT_WHY_METHOD,    /* called on what such a method returns */
  SONDE_PORT_WHY_ANNOTATED, /* called on a parameter that is annotated as a tensor */
  SONDE_PORT_WHY_FORWARD,   /* called on a parameter of forward() */
  SONDE_PORT_WHY_NAME,      /* no other type has a method of that name */
  SONDE_PORT_WHY_COLLIDES,  /* others have one, too */
} SondePortWhy;

/* A method that is perhaps a tensor's. @method: name */
typedef struct
{
  guint32 file, line, column, method;
  SondePortWhy why;
} SondePortPossible;

typedef struct
{
  char *op;
  guint count;
  gboolean runs; /* in the registry */
} SondePortOperator;

typedef struct
{
  char *path, *format;
  GArray *operators; /* of SondePortOperator */
} SondePortModel;

/* What one new operator, or one name without a counterpart, would free. @name: lent */
typedef struct
{
  const char *name;
  guint32 n_apis, n_references;
} SondePortBlocker;

typedef struct
{
  guint n_apis, n_references;
} SondePortCount;

/**
 * SondePortReport:
 * @project: (nullable): none when only models were named
 * @references: sorted by file, line, column
 * @apis: of SondePortApi; sorted by verdict, then by references
 * @blockers: what blocks most, first
 */
typedef struct
{
  SondePortTarget target;
  SondeSourceProject *project;
  GArray *references;           /* of SondePortReference */
  GArray *apis;                 /* of SondePortApi */
  GArray *limits;               /* of SondePortLimit */
  GArray *arguments;            /* of SondePortArgument */
  GArray *possible;             /* of SondePortPossible */
  GPtrArray *models;            /* of SondePortModel, owned */
  GArray *blockers;             /* of SondePortBlocker */
  GArray *n_references_of_file; /* of guint32 */
  SondePortCount summary[SONDE_PORT_N_VERDICTS];
} SondePortReport;

/**
 * SondePortOptions:
 * @package, @frameworks: (nullable): see sonde_source_project_read(); NULL: torch, torchvision, torchaudio,
 *   torchtext. (array zero-terminated=1)
 * @all_possible: methods with names that others have, too
 * @judge.table: set here
 * @cancelled: (nullable): asked between files
 */
typedef struct
{
  const char *package;
  const char *const *frameworks;
  gboolean all_possible;
  SondePortJudge judge;
  gboolean (*cancelled) (gpointer data);
  gpointer data;
} SondePortOptions;

/**
 * sonde_port_report_new:
 * @paths: folders and .py files; may be empty
 *
 * Returns: (transfer full) (nullable): NULL with @error set when one of @paths cannot be read
 */
SondePortReport *sonde_port_report_new (const SondeIo *io, const char *const *paths,
                                        const SondePortOptions *options, GError **error);
void sonde_port_report_free (SondePortReport *report); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondePortReport, sonde_port_report_free)

/* @format: "onnx" …; operators are added to the result. Lent as long as the report lives. */
SondePortModel *sonde_port_report_add_model (SondePortReport *report, const char *path,
                                             const char *format);
void sonde_port_model_add (SondePortModel *model, const char *op, guint count, gboolean runs);

static inline const SondePortApi *
sonde_port_report_get_api (const SondePortReport *report, guint i)
{
  return &g_array_index (report->apis, SondePortApi, i);
}

/* "dynamic-shape", "sparse"; what to do about it, in English and in the user's language. Static. */
const char *sonde_port_limit_get_name (SondePortLimitKind kind);
const char *sonde_port_limit_describe (SondePortLimitKind kind, gboolean english);

/* Does a difference of the table say that @argument is lacking, or called otherwise? @becomes: (out)
 * (nullable) (transfer full): how */
gboolean sonde_port_argument_differs (const char *difference, const char *argument, char **becomes);

/* Why a method is listed, in English or in the user's language. Static. */
const char *sonde_port_why_describe (SondePortWhy why, gboolean english);

/* The qualified name of a scope, as "Net.forward"; "" for the module. (transfer full) */
char *sonde_port_report_dup_scope (const SondePortReport *report, guint32 file, guint32 scope);

G_END_DECLS
