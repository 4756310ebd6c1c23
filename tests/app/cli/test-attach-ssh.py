#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`sonde debug --attach ssh:HOST[:PID]` as a user runs it: list, REPL and DAP, through a script in place of ssh, and through a
real sshd with keys of its own on the loopback interface where there is one. Usage: test-attach-ssh.py SONDE SUPPORT"""
import getpass
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

SONDE = os.path.abspath(sys.argv[1])
sys.path.insert(0, os.path.abspath(sys.argv[2]))

from tap import TapResult  # noqa: E402

TIMEOUT = 100
SSHD = shutil.which("sshd") or "/usr/sbin/sshd"
FAKE = '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nexec sh -c "$3"\n'
REAL = '#!/bin/sh\nexec "%s" -F "%s" "$@"\n'
CLIENT = """Host box
  HostName 127.0.0.1
  Port %(port)d
  User %(user)s
  IdentityFile %(folder)s/key
  IdentitiesOnly yes
  BatchMode yes
  UserKnownHostsFile %(folder)s/known
  StrictHostKeyChecking accept-new
"""
SERVER = """Port %(port)d
ListenAddress 127.0.0.1
HostKey %(folder)s/host
AuthorizedKeysFile %(folder)s/key.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin yes
SetEnv PATH=%(path)s XDG_RUNTIME_DIR=%(folder)s HOME=%(folder)s
"""


def write(path, text, mode=0o600):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def message(seq, command, **arguments):
    text = json.dumps({"seq": seq, "type": "request", "command": command, "arguments": arguments})
    return "Content-Length: %d\r\n\r\n%s" % (len(text), text)


class Case(unittest.TestCase):
    """A debugger's engine on "the other machine", which is this one: paused before its first step, and listening."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="sonde-ssh-")
        self.addCleanup(shutil.rmtree, self.folder)
        programs = os.path.join(self.folder, "bin")
        os.mkdir(programs)
        os.symlink(SONDE, os.path.join(programs, "sonde"))
        self.ssh = os.path.join(programs, "ssh")
        write(self.ssh, FAKE, 0o755)
        self.environment = dict(os.environ, XDG_RUNTIME_DIR=self.folder, HOME=self.folder, XDG_CACHE_HOME=self.folder,
                                PATH=programs + os.pathsep + os.environ["PATH"])
        self.engine = self.start(SONDE, "debug", "mlp", "--set", "data.source=glyphs", "--run", os.path.join(self.folder, "run"),
                                 "--repl", "--json")
        self.say("info state")  # it is there
        self.pid = json.loads(self.engine.stdout.readline())["pid"]

    def start(self, *command):
        process = subprocess.Popen(command, env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        process.stdin.close()
        try:
            process.wait(TIMEOUT)
        finally:
            process.kill()
            process.wait()
            process.stdout.close()

    def say(self, line):
        self.engine.stdin.write(line + "\n")
        self.engine.stdin.flush()

    def debug(self, *arguments, text=""):
        return subprocess.run([SONDE, "debug", "--attach", *arguments], env=self.environment, input=text, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, encoding="utf-8", timeout=TIMEOUT, check=False)

    def check(self):
        """List, values and states from there."""
        self.assertEqual(self.debug("ssh:box").stdout.split("\t")[0], str(self.pid))
        listed = json.loads(self.debug("ssh:box", "--json").stdout)["sessions"]
        self.assertEqual([entry["pid"] for entry in listed], [self.pid])
        self.assertTrue(0 <= time.time() - listed[0]["since"] < 600, listed)
        self.assertIn("debug", listed[0]["command"])
        here, there = [self.debug(target, "--repl", "--json", text="info state\nprint fc1.weight\nstats fc1.weight\nquit\n").stdout
                       for target in (str(self.pid), "ssh:box:%d" % self.pid)]
        self.assertEqual(json.loads(there.splitlines()[0])["pid"], self.pid)
        self.assertTrue(all(json.loads(line)["ok"] for line in there.splitlines()), there)
        self.assertEqual(there.splitlines()[1:], here.splitlines()[1:])
        refused = self.debug("ssh:box:1", "--repl")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("Sonde on “box”: Process 1 has no session.", refused.stderr)


class Script(Case):
    def test_list_and_repl(self):
        self.check()

    def attach_by_dap(self, options, **arguments):
        adapter = self.start(SONDE, "debug", "--dap", *options)
        adapter.stdin.write(message(1, "initialize", adapterID="sonde") + message(2, "attach", **arguments)
                            + message(3, "configurationDone"))
        adapter.stdin.flush()
        said = ""
        while "systemProcessId" not in said and '"success":false' not in said:
            length = int(adapter.stdout.buffer.readline().split()[1])
            adapter.stdout.buffer.readline()
            said += adapter.stdout.buffer.read(length).decode()
        adapter.stdin.write(message(4, "disconnect"))
        adapter.stdin.flush()
        return said + adapter.stdout.buffer.read().decode()

    def test_dap(self):
        for options, arguments in (([], {"pid": "ssh:box:%d" % self.pid}), (["--attach", "ssh:box:%d" % self.pid], {})):
            said = self.attach_by_dap(options, **arguments)
            self.assertIn('"systemProcessId":%d' % self.pid, said.replace(" ", ""))
            self.assertIn('"startMethod":"attach"', said.replace(" ", ""))
        self.assertIn("names no session", self.attach_by_dap([], pid="ssh:-oProxyCommand=x:1"))

    def test_no_option_gets_through(self):
        """What would run a command of somebody's is refused before ssh is started."""
        mark = os.path.join(self.folder, "was-run")
        write(self.ssh, "#!/bin/sh\ntouch '%s'\nexit 255\n" % mark, 0o755)
        for target in ("ssh:-oProxyCommand=touch x:1", "ssh:-v", "ssh:$(touch x)", "ssh:box;ls", "ssh:me@-v:3"):
            result = self.debug(target)
            self.assertEqual((result.returncode, result.stdout), (1, ""), target)
            self.assertIn("names no session", result.stderr)
        self.assertFalse(os.path.exists(mark))
        self.assertIn("ssh does not reach “box”", self.debug("ssh:box").stderr)
        self.assertTrue(os.path.exists(mark))


@unittest.skipUnless(os.access(SSHD, os.X_OK) and shutil.which("ssh-keygen") and shutil.which("ssh"),
                     "no OpenSSH server: install openssh-server")
class Sshd(Case):
    def setUp(self):
        real = shutil.which("ssh")
        super().setUp()
        for name in ("host", "key"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", os.path.join(self.folder, name)], check=True)
        facts = {"port": free_port(), "user": getpass.getuser(), "folder": self.folder, "path": self.environment["PATH"]}
        write(os.path.join(self.folder, "server"), SERVER % facts)
        write(os.path.join(self.folder, "client"), CLIENT % facts)
        write(self.ssh, REAL % (real, os.path.join(self.folder, "client")), 0o755)
        if os.geteuid() == 0:
            os.makedirs("/run/sshd", mode=0o755, exist_ok=True)  # where it keeps what is not trusted
        server = subprocess.Popen([SSHD, "-D", "-e", "-f", os.path.join(self.folder, "server")], stderr=subprocess.PIPE, encoding="utf-8",
                                  env=self.environment)
        self.addCleanup(self.end_server, server)
        line = server.stderr.readline()
        if "listening" not in line:
            self.skipTest("the OpenSSH server does not start here: " + line)

    @staticmethod
    def end_server(server):
        server.kill()
        server.wait()
        server.stderr.close()

    def test_list_and_repl(self):
        self.check()


if __name__ == "__main__":
    sys.exit(TapResult.run_module(__name__, "/app/cli/attach-ssh/"))
