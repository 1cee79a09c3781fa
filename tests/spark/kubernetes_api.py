"""A stand-in for Kubernetes on loopback, as much of it as Spark's scheduler asks for: the API, and what runs the pods.

Each pod is a process of this machine, started as Spark's image starts it: with the pod's environment and nothing of ours,
in a directory of its own, and with a python3 that only the image has.
Rule: nothing of it outlives the `with`, and it lives in one directory.
"""

import contextlib
import functools
import json
import operator
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pyspark

HOST = "127.0.0.1"
# Tasks find the name of their pod there, if it is the image's python3 that runs them.
POD_VARIABLE = "SNAKKA_TEST_POD"
SPARK_JARS = Path(pyspark.__file__).parent / "jars"
# No pod and no watch is there for longer than any test.
LONGEST_SECONDS = 600.0
GRACE_SECONDS = 5.0
_PLACE = re.compile(r"/api/v1/namespaces/[^/]+/(pods|configmaps|services|persistentvolumeclaims)(?:/(.+))?")
_REQUIREMENT = re.compile(r"([^,!=]+)(!?=)([^,]*)")
_NOT_FOUND = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404}
_JAVA_OPTION = "SPARK_JAVA_OPT_"
_ARGUMENTS = {
    "--driver-url": "SPARK_DRIVER_URL",
    "--executor-id": "SPARK_EXECUTOR_ID",
    "--cores": "SPARK_EXECUTOR_CORES",
    "--app-id": "SPARK_APPLICATION_ID",
    "--hostname": "SPARK_EXECUTOR_POD_IP",
    "--resourceProfileId": "SPARK_RESOURCE_PROFILE_ID",
    "--podName": "SPARK_EXECUTOR_POD_NAME",
}

Manifest = dict[str, Any]


class KubernetesApi:
    """`with KubernetesApi(directory) as kubernetes: ...`; requests that it does not know are in `unknown`."""

    def __init__(self, directory: Path) -> None:
        self.created_pods: dict[str, Manifest] = {}
        self.unknown: list[str] = []
        self._directory = directory
        self._objects: dict[tuple[str, str], Manifest] = {}
        self._events: list[tuple[str, Manifest]] = []  # how many there are is the version of it all
        self._containers: dict[str, _Container] = {}
        self._is_open = True
        self._changed = threading.Condition()
        self._server = ThreadingHTTPServer((HOST, 0), functools.partial(_Handler, self))
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def master(self) -> str:
        """As Spark takes it."""
        return f"k8s://http://{HOST}:{self._server.server_port}"

    def __enter__(self) -> "KubernetesApi":
        _make_image(self._directory / "image")
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._is_open = False
            self._changed.notify_all()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(GRACE_SECONDS)
        for container in self._containers.values():
            container.end()

    def names(self, sort: str) -> list[str]:
        """Of what there is now."""
        return [each["metadata"]["name"] for each in self.select(sort, "")]

    def select(self, sort: str, selector: str) -> list[Manifest]:
        with self._changed:
            all_of_it = [manifest for (each, _), manifest in self._objects.items() if each == sort]
        return [manifest for manifest in all_of_it if _matches(manifest, selector)]

    def get(self, sort: str, name: str) -> Manifest | None:
        with self._changed:
            return self._objects.get((sort, name))

    def create(self, sort: str, manifest: Manifest) -> Manifest:
        name = manifest["metadata"]["name"]
        manifest["metadata"]["creationTimestamp"] = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        if sort != "pods":
            return self._change("ADDED", sort, manifest)
        with self._changed:
            pod = self._change("ADDED", sort, {**manifest, "status": {"phase": "Pending", "podIP": HOST}})
            self.created_pods[name] = pod
            self._containers[name] = _Container(
                pod, self._directory, when_ended=functools.partial(self._set_phase, name)
            )
            self._set_phase(name, "Running")
        return pod

    def delete(self, sort: str, name: str) -> Manifest | None:
        """None if it is not there. The process of a pod ends first."""
        if sort == "pods" and name in self._containers:
            self._containers[name].end()
        with self._changed:
            manifest = self._objects.get((sort, name))
            return manifest and self._change("DELETED", sort, manifest)

    def watch(self, sort: str, selector: str, version: int) -> Iterator[Manifest]:
        """What has changed since that version, and what changes from now on."""
        deadline = time.monotonic() + LONGEST_SECONDS
        while fresh := self._await_events(version, deadline):
            version += len(fresh)
            yield from (
                event for each, event in fresh if each == sort and _matches(event["object"], selector)
            )

    def _await_events(self, version: int, deadline: float) -> list[tuple[str, Manifest]]:
        """Those behind that version; none if it is over."""
        with self._changed:
            self._changed.wait_for(
                lambda: not self._is_open or len(self._events) > version, deadline - time.monotonic()
            )
            return self._events[version:] if self._is_open else []

    def _set_phase(self, pod: str, phase: str) -> None:
        with self._changed:
            if manifest := self._objects.get(("pods", pod)):
                status = {**manifest["status"], "phase": phase}
                self._change("MODIFIED", "pods", {**manifest, "status": status})

    def _change(self, what: str, sort: str, manifest: Manifest) -> Manifest:
        """A manifest that is known already stays as it is: others may be reading it."""
        key = (sort, manifest["metadata"]["name"])
        with self._changed:
            version = str(len(self._events) + 1)
            changed = {**manifest, "metadata": {**manifest["metadata"], "resourceVersion": version}}
            if what == "DELETED":
                del self._objects[key]
            else:
                self._objects[key] = changed
            self._events.append((sort, {"type": what, "object": changed}))
            self._changed.notify_all()
        return changed


class _Container:
    """The process of a pod, and those that it starts."""

    def __init__(self, pod: Manifest, directory: Path, when_ended: Callable[[str], None]) -> None:
        root = directory / pod["metadata"]["name"]
        root.mkdir()
        variables = _variables(pod, root)
        path = f"{directory / 'image'}{os.pathsep}{os.defpath}"
        with (root / "log").open("wb") as log:
            self._process = subprocess.Popen(
                _command(variables),
                cwd=root,
                env={"PATH": path, "HOME": str(root), **variables},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._attendant = threading.Thread(target=self._attend, args=[when_ended], daemon=True)
        self._attendant.start()

    def end(self) -> None:
        """Asked first, then made to."""
        self._process.terminate()
        self._attendant.join(GRACE_SECONDS)
        self._process.kill()
        self._attendant.join(GRACE_SECONDS)

    def _attend(self, when_ended: Callable[[str], None]) -> None:
        """What it has started ends with it, as in any container."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(LONGEST_SECONDS)
        self._kill_session()
        when_ended("Failed" if self._process.wait(GRACE_SECONDS) else "Succeeded")

    def _kill_session(self) -> None:
        """Workers in Python have groups of their own, but not sessions."""
        shown = subprocess.run(["ps", "-A", "-o", "sess=,pid="], capture_output=True, text=True, check=True)
        for session, pid in map(str.split, shown.stdout.splitlines()):
            if session == str(self._process.pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)


def _make_image(directory: Path) -> None:
    """What comes first on the PATH of a container."""
    directory.mkdir(parents=True)
    python = directory / "python3"
    python.write_text(f'#!/bin/sh\n{POD_VARIABLE}="$SPARK_EXECUTOR_POD_NAME" exec "{sys.executable}" "$@"\n')
    python.chmod(0o755)


def _variables(pod: Manifest, root: Path) -> dict[str, str]:
    """Those of the pod. What would be mounted is in its directory, so the paths that lead there are changed."""
    (container,) = pod["spec"]["containers"]
    mounts = tuple(mount["mountPath"] for mount in container["volumeMounts"])
    variables: dict[str, str] = {}
    for each in container["env"]:
        if "valueFrom" in each:
            field = each["valueFrom"]["fieldRef"]["fieldPath"].split(".")
            variables[each["name"]] = str(functools.reduce(operator.getitem, field, pod))
        else:
            is_mounted = each["value"].startswith(mounts)
            variables[each["name"]] = f"{root}{each['value']}" if is_mounted else each["value"]
    return variables


def _command(variables: dict[str, str]) -> list[str]:
    """What the image makes of the argument `executor`."""
    options = [name for name in variables if name.startswith(_JAVA_OPTION)]
    memory = variables["SPARK_EXECUTOR_MEMORY"]
    return [
        shutil.which("java") or "java",
        *(variables[name] for name in sorted(options, key=lambda name: int(name.removeprefix(_JAVA_OPTION)))),
        *(f"-Xms{memory}", f"-Xmx{memory}", "-cp", f"{SPARK_JARS}/*"),
        "org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend",
        *(word for flag, name in _ARGUMENTS.items() for word in (flag, variables[name])),
    ]


def _matches(manifest: Manifest, selector: str) -> bool:
    labels = manifest["metadata"]["labels"]
    return all(
        (labels.get(label) == value) == (operation == "=")
        for label, operation, value in _REQUIREMENT.findall(selector)
    )


class _Handler(BaseHTTPRequestHandler):
    """From HTTP to calls."""

    protocol_version = "HTTP/1.1"

    def __init__(self, api: KubernetesApi, *arguments: Any) -> None:
        self._api = api
        super().__init__(*arguments)

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(address.query).items()}
        selector = query.get("labelSelector", "")
        content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        place = _PLACE.fullmatch(address.path)
        sort, name = place.groups() if place else (None, None)
        match self.command, sort, name:
            case "POST", str(), None:
                self._answer(self._api.create(sort, json.loads(content)))
            case "GET", str(), str():
                self._answer(self._api.get(sort, name))
            case "GET", "pods", None if "watch" not in query:
                items = self._api.select(sort, selector)
                self._answer({"kind": "PodList", "apiVersion": "v1", "items": items})
            case "GET", "pods", None if "Upgrade" in self.headers:
                self._answer({})  # there are no WebSockets here: the client asks again without
            case "GET", "pods", None:
                self._stream(self._api.watch(sort, selector, int(query.get("resourceVersion", 0))))
            case "DELETE", str(), None:
                for each in self._api.select(sort, selector):
                    self._api.delete(sort, each["metadata"]["name"])
                self._answer({"kind": "Status", "apiVersion": "v1", "status": "Success"})
            case "DELETE", str(), str():
                self._answer(self._api.delete(sort, name))
            case _:
                self._api.unknown.append(f"{self.command} {self.path}")
                self._answer(None)

    do_DELETE = do_PATCH = do_POST = do_PUT = do_GET  # noqa: N815 -- the library's names

    def _answer(self, content: Manifest | None) -> None:
        """None if there is no such thing."""
        data = json.dumps(_NOT_FOUND if content is None else content).encode()
        self.send_response(404 if content is None else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, events: Iterator[Manifest]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Connection", "close")
        self.end_headers()
        with contextlib.suppress(ConnectionError):  # nobody listens any more
            for event in events:
                self.wfile.write(json.dumps(event).encode() + b"\n")

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 -- the library's name
        pass
