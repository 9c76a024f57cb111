"""The protocol, version 1: commands on stdin, messages on stdout, one JSON object a line."""

import json
import os
import pathlib
import sys
import threading

import bugs
from loop import Loop, OwnClock, SystemClock
from server import Get, LocalServer
from startup import RETRIES
from updater import Updater


class Environment:
    """What the laboratory says about the app, the device and this run."""

    def __init__(self, variables):
        settings = json.loads(variables.get("OTALAB_SETTINGS") or "{}")
        self.state = pathlib.Path(variables["OTALAB_STATE"])
        self.package = pathlib.Path(variables["OTALAB_PACKAGE"])
        self.origin = variables["OTALAB_ORIGIN"]
        self.app, self.native = variables["OTALAB_APP"], variables.get("OTALAB_NATIVE", "1.0")
        self.port = int(variables["OTALAB_PORT"])
        self.line = self.origin
        self.device = f"naive-{variables.get('OTALAB_SEED', '0')}"
        self.speed = float(variables.get("OTALAB_SPEED") or 1)
        self.startup_timeout = settings.get("startupTimeout", 20_000)
        self.confirm = settings.get("confirm", "called")
        self.serves = variables.get("NAIVE_SERVES", "http")
        self.clock = OwnClock() if variables.get("NAIVE_CLOCK") == "own" else SystemClock(self.speed)


class Adapter:
    """Commands of the laboratory become calls of the updater."""

    def __init__(self, environment):
        self.environment = environment
        self.loop = Loop(environment.clock)
        self.updater = Updater(self.loop, environment, self.send)
        self.server = LocalServer(self.updater, self.loop, environment.port)
        self._rests = []
        self._sending = threading.Lock()
        self._has_told_listening = False

    def run(self):
        self.send(self.first_message())
        self.loop.on_quiet = self._answer_rests
        threading.Thread(target=self._read, daemon=True).start()
        self.loop.run()

    def send(self, message):
        with self._sending:  # lines of two threads don't mix
            sys.stdout.write(json.dumps(message) + "\n")
            sys.stdout.flush()

    def first_message(self):
        return {
            "is": "subject", "protocol": 1, "name": "naive", "version": "1.0", "dialects": ["own"],
            "clock": "own" if self.environment.clock.is_own else "system", "serves": self.environment.serves,
            "does": ["check", "push", "front", "user", "network", "page", "call", "rest", "status"],
            "tells": ["current", "pending", "good", "blacklist", "error", "screen"],
            "policy": {
                "confirm": self.environment.confirm, "startupTimeout": self.environment.startup_timeout,
                "switchAt": ["launch"], "retries": RETRIES, "blacklists": True},
        }

    def _read(self):
        for line in sys.stdin:
            command = json.loads(line)
            self.loop.post(lambda command=command: self._obey(command))
        os._exit(0)  # the laboratory is gone

    def _obey(self, command):
        name = command.get("do")
        if name == "rest":
            self._rests.append(command["id"])
            return
        if name == "get":
            threading.Thread(target=self._get, args=(command,), daemon=True).start()
            return
        act = getattr(self, f"do_{name}", None)
        if act is None:
            self.send({"to": command["id"], "ok": False, "why": f"unknown command {name}"})
            return
        act(command)
        self.send({"to": command["id"], "ok": True})

    def _get(self, command):
        request = Get(self.updater, self.loop, command["url"], command.get("headers", {}))
        self.send({"to": command["id"], "ok": True, **request.answer()})

    # Commands.

    def do_launch(self, command):
        startup = self.updater.startup
        self.updater.launch(command.get("front", True), command.get("died"))
        self.send(self.updater.status())
        self.send({"is": "screen", "shows": "page" if startup.current else "loading"})
        if bugs.has("start-waits"):
            self.updater.checks.on_first_end = self._open
        else:
            self._open()
        self.updater.checks.check()

    def _open(self):
        if self.environment.serves == "get":
            self._listening()
        else:
            self.server.open(self._listening)

    def _listening(self):
        if not self._has_told_listening:
            self._has_told_listening = True
            self.send({"is": "listening", "start": self.updater.startup.start_url()})

    def do_check(self, _):
        self.updater.checks.check()

    def do_push(self, _):
        self.updater.checks.check()

    def do_front(self, command):
        is_front = command.get("is", True)
        self.updater.startup.front(is_front)
        if is_front:
            self.updater.checks.check_if_due()
        elif bugs.has("dead-after-background"):
            self.server.close()

    def do_network(self, command):
        if command.get("is") == "online":
            self.updater.checks.check_after_failure()

    def do_user(self, command):
        self.updater.startup.press(command.get("presses"))

    def do_page(self, command):
        self.updater.startup.page(command.get("view", 0), command.get("is"), command.get("url"))

    def do_call(self, command):
        self.updater.startup.call(command.get("url"), command.get("method"))

    def do_status(self, _):
        self.send(self.updater.status())

    def do_advance(self, command):
        self.loop.advance(command["ms"])

    # Rest.

    def _answer_rests(self):
        """With the system's clock, a check that waits for its next attempt is under way too.

        With its own clock nothing may be under way but what waits for time or for the origin. `open` says how
        many requests wait for it: time must not pass before the origin has received them and has sent
        what it can.
        """
        if not self._rests or not self.loop.is_still():
            return
        is_own = self.environment.clock.is_own
        if self.updater.checks.is_running and not is_own and not bugs.has("check-stuck"):
            return
        state = {"next": self.loop.next(), "open": self.loop.open_requests()} if is_own else {}
        for command in self._rests:
            self.send({"to": command, "ok": True, **state})
        self._rests = []
