"""Usage: clients.py [COMMAND...]

Prints /proc/PID/fdinfo of open render nodes as JSON, in a process with the render nodes of `rendernode.so`: this
process's, after one pass of the video processor; with a command, that process's, once an engine was busy, and then ends
it.
"""

import json
import os
import subprocess
import sys
import time

from vaapi import NO_PROFILE, PIPELINE, PROCESS, SUCCESS, Pipeline, Session


def info(process: int | str, descriptor: int | str) -> dict[str, str]:
    with open(f"/proc/{process}/fdinfo/{descriptor}") as file:
        fields = (line.split(":", 1) for line in file.read().splitlines())
        return {name: value.strip() for name, value in fields}


def nodes(process: int) -> list[dict[str, str]]:
    found = []
    for descriptor in os.listdir(f"/proc/{process}/fd"):
        try:
            status = os.stat(f"/proc/{process}/fd/{descriptor}")
            if os.major(status.st_rdev) == 226:
                found.append(info(process, descriptor))
        except OSError:  # closed meanwhile
            continue
    return found


def watch(command: list[str]) -> dict[str, str]:
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        while process.poll() is None:
            for client in nodes(process.pid):
                if int(client.get("drm-engine-video", "0 ns").split()[0]) or int(client.get("drm-cycles-vcs", 0)):
                    return client
            time.sleep(0.02)
        return {}
    finally:
        process.kill()
        process.wait()


def own() -> dict[str, dict[str, str]]:
    session, idle = Session(NO_PROFILE, PROCESS), os.open("/dev/dri/renderD128", os.O_RDWR)
    source, target = session.surfaces[:2]
    assert session.render(target, [(PIPELINE, bytes(Pipeline(surface=source)))]) == SUCCESS
    assert session("SyncSurface", target) == SUCCESS
    folder = os.open("/proc/self/fdinfo", os.O_RDONLY | os.O_DIRECTORY)
    relative = os.fdopen(os.open(str(session.file), os.O_RDONLY, dir_fd=folder)).read()
    busy, copy = info("self", session.file), info(os.getpid(), os.dup(session.file))
    assert [line.split(":")[0] for line in relative.splitlines()] == list(busy), relative
    return {"busy": busy, "copy": copy, "idle": info("self", idle), "file": info("self", folder)}


print(json.dumps(watch(sys.argv[1:]) if sys.argv[1:] else own()))
