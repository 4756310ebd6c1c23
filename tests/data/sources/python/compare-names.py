#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what `sonde scan` finds with what Python's own parser finds, over any folder of sources.

The reference follows imports alone, by scopes, in a syntax tree of `ast`: rows with via "import". It is written apart
from the program, and is slow. Files that this Python cannot parse must be named as damaged, others must not.
Usage: compare-names.py PROGRAM FOLDER PACKAGE,PACKAGE…     status 1 below 0.99
       compare-names.py PROGRAM --library                    Python's own asyncio, for names of os, re, typing …
"""
import ast
import json
import os
import subprocess
import sys
import sysconfig
import warnings

warnings.simplefilter("ignore")
OTHER = object()
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Scope:
    def __init__(self, kind, parent):
        self.kind, self.parent, self.names, self.moved = kind, parent, {}, {}

    def bind(self, name, value):
        scope = self
        if self.moved.get(name) == "global":
            while scope.parent:
                scope = scope.parent
        elif self.moved.get(name) == "nonlocal":
            scope = self.parent
            while scope.parent and (scope.kind != "function" or name not in scope.names):
                scope = scope.parent
        scope.names.setdefault(name, set()).add(value)

    def find(self, name):
        scope, first = self, True
        while scope:
            if (first or scope.kind != "class") and name in scope.names:
                return scope.names[name]
            scope, first = scope.parent, False
        return ()


class Reader:
    """One walk binds, a second one refers."""

    def __init__(self, tree, packages):
        self.packages, self.rows, self.scopes = packages, set(), {}
        self.module = Scope("module", None)
        for self.binding in (True, False):
            self.many(tree.body, self.module)

    def scope(self, node, kind, parent):
        return self.scopes.setdefault(id(node), Scope(kind, parent))

    def outside(self, path):
        return path.split(".")[0] in self.packages

    def bind(self, scope, name, value=OTHER):
        if self.binding:
            scope.bind(name, value)

    def many(self, nodes, scope):
        for node in nodes:
            self.visit(node, scope)

    def visit(self, node, scope):
        if node is None or isinstance(node, (ast.expr_context, ast.operator, ast.cmpop, ast.unaryop, ast.boolop)):
            return
        method = getattr(self, "on_" + type(node).__name__, None)
        if method:
            method(node, scope)
        else:
            self.many(ast.iter_child_nodes(node), scope)

    def on_Import(self, node, scope):
        for alias in node.names:
            top = alias.name if alias.asname else alias.name.split(".")[0]
            self.bind(scope, alias.asname or top, top if self.outside(top) else OTHER)
            if self.outside(alias.name):
                self.rows.add((alias.lineno, alias.name))

    def on_ImportFrom(self, node, scope):
        ours = node.level == 0 and self.outside(node.module)
        for alias in node.names:
            if alias.name != "*":
                self.bind(scope, alias.asname or alias.name, node.module + "." + alias.name if ours else OTHER)
            if ours:
                self.rows.add((alias.lineno, node.module + "." + alias.name))

    def on_Global(self, node, scope):
        for name in node.names:
            scope.moved[name] = type(node).__name__.lower()

    on_Nonlocal = on_Global

    def arguments(self, node, scope, inner):
        given = node.args
        every = given.posonlyargs + given.args + given.kwonlyargs + [x for x in (given.vararg, given.kwarg) if x]
        for argument in every:
            self.bind(inner, argument.arg)
            self.visit(argument.annotation, scope)
        self.many([x for x in given.defaults + given.kw_defaults if x], scope)

    def on_FunctionDef(self, node, scope):
        self.many(node.decorator_list, scope)
        self.bind(scope, node.name)
        inner = self.scope(node, "function", scope)
        self.arguments(node, scope, inner)
        self.visit(node.returns, scope)
        self.many(node.body, inner)

    on_AsyncFunctionDef = on_FunctionDef

    def on_Lambda(self, node, scope):
        inner = self.scope(node, "lambda", scope)
        self.arguments(node, scope, inner)
        self.visit(node.body, inner)

    def on_ClassDef(self, node, scope):
        self.many(node.decorator_list + node.bases + [keyword.value for keyword in node.keywords], scope)
        self.bind(scope, node.name)
        self.many(node.body, self.scope(node, "class", scope))

    def comprehension(self, node, scope):
        inner = self.scope(node, "comprehension", scope)
        for i, clause in enumerate(node.generators):
            self.visit(clause.iter, inner if i else scope)
            self.visit(clause.target, inner)
            self.many(clause.ifs, inner)
        for part in ("elt", "key", "value"):
            self.visit(getattr(node, part, None), inner)

    on_ListComp = on_SetComp = on_DictComp = on_GeneratorExp = comprehension

    def on_NamedExpr(self, node, scope):
        self.visit(node.value, scope)
        while scope.kind == "comprehension":
            scope = scope.parent
        self.bind(scope, node.target.id)

    def on_ExceptHandler(self, node, scope):
        self.visit(node.type, scope)
        if node.name:
            self.bind(scope, node.name)
        self.many(node.body, scope)

    def on_MatchAs(self, node, scope):
        self.visit(node.pattern, scope)
        if node.name:
            self.bind(scope, node.name)

    def on_MatchStar(self, node, scope):
        if node.name:
            self.bind(scope, node.name)

    def on_MatchMapping(self, node, scope):
        self.many(node.keys + node.patterns, scope)
        if node.rest:
            self.bind(scope, node.rest)

    def on_Name(self, node, scope):
        if isinstance(node.ctx, ast.Store):
            self.bind(scope, node.id)
        elif isinstance(node.ctx, ast.Load):
            self.refer(node, [], scope)

    def on_Attribute(self, node, scope):
        rest, at = [], node
        while isinstance(at, ast.Attribute):
            rest.insert(0, at.attr)
            at = at.value
        if isinstance(at, ast.Name):
            self.refer(at, rest, scope)
        else:
            self.visit(at, scope)

    def refer(self, first, rest, scope):
        if not self.binding:
            for value in scope.find(first.id):
                if value is not OTHER:
                    self.rows.add((first.lineno, ".".join([value] + rest)))


def reference(path, packages):
    with open(path, "rb") as file:
        source = file.read()
    try:
        return Reader(ast.parse(source), packages).rows
    except (SyntaxError, ValueError, RecursionError):
        return None


def main():
    program, folder = sys.argv[1:3]
    packages = sys.argv[3].split(",") if len(sys.argv) > 3 else []
    if folder == "--library":
        folder = os.path.join(sysconfig.get_path("stdlib"), "asyncio")
        packages = ["os", "re", "sys", "typing", "collections", "functools", "asyncio", "logging", "unittest", "struct"]
    made = subprocess.run([program, "scan", "--json", "--frameworks", ",".join(packages), folder], check=True,
                          stdout=subprocess.PIPE)
    report = json.loads(made.stdout)
    found = {}
    for row in report["references"]:
        if row["via"] == "import":
            found.setdefault(row["file"], set()).add((row["line"], row["api"]))
    wrong = missing = n_found = n_expected = n_damage = 0
    for file in report["files"]:
        expected = reference(os.path.join(folder, file["path"]), packages)
        if (expected is None) != (file["error"] is not None):
            n_damage += 1
            print("# damage differs: %s: %s" % (file["path"], file["error"]))
        if expected is None or file["error"]:
            continue
        rows = found.get(file["path"], set())
        n_found, n_expected = n_found + len(rows), n_expected + len(expected)
        for what, differing in (("missing", expected - rows), ("wrong", rows - expected)):
            for line, api in sorted(differing)[:5]:
                print("# %s: %s:%d %s" % (what, file["path"], line, api))
        missing, wrong = missing + len(expected - rows), wrong + len(rows - expected)
    recall, precision = 1 - missing / max(n_expected, 1), 1 - wrong / max(n_found, 1)
    print("# %d files, %d references: recall %.5f, precision %.5f; damage differs in %d"
          % (len(report["files"]), n_expected, recall, precision, n_damage))
    good = n_expected > 0 and recall >= 0.99 and precision >= 0.99 and n_damage * 100 <= len(report["files"])
    print("1..1\n%s 1 - names as Python's parser finds them" % ("ok" if good else "not ok"))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
