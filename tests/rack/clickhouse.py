"""A ClickHouse server of Debian's package on a local port, in a folder of its own, for as long as a test needs it."""
import os
import shutil
import signal
import socket
import subprocess
import time

CONFIG = """<?xml version="1.0"?>
<yandex>
  <logger><level>warning</level><log>{folder}/server.log</log><errorlog>{folder}/error.log</errorlog></logger>
  <http_port>{http}</http_port><tcp_port>{tcp}</tcp_port><interserver_http_port>{inter}</interserver_http_port>
  <listen_host>127.0.0.1</listen_host>
  <path>{folder}/data/</path><tmp_path>{folder}/tmp/</tmp_path><user_files_path>{folder}/files/</user_files_path>
  <format_schema_path>{folder}/schemas/</format_schema_path>
  <users_config>{folder}/users.xml</users_config>
  <default_profile>default</default_profile><default_database>default</default_database>
  <mark_cache_size>67108864</mark_cache_size><max_concurrent_queries>8</max_concurrent_queries>
</yandex>
"""
USERS = """<?xml version="1.0"?>
<yandex>
  <profiles><default><max_memory_usage>2000000000</max_memory_usage><max_threads>2</max_threads></default></profiles>
  <users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile>
    <quota>default</quota></default></users>
  <quotas><default></default></quotas>
</yandex>
"""
START_LIMIT_S = 30


class Unavailable(Exception):
    """Why there is no server."""


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def programs():
    server = shutil.which("clickhouse-server") or shutil.which("clickhouse-server", path="/usr/sbin")
    client = shutil.which("clickhouse-client")
    if not server or not client:
        raise Unavailable("clickhouse-server and clickhouse-client are not installed (tools/need rack)")
    return server, client


class Server:
    """with Server(folder) as ch: ch.query(...)"""

    def __init__(self, folder):
        self.folder = folder.resolve()
        self.server, self.client_program = programs()

    def __enter__(self):
        http, self.tcp, inter = free_ports(3)
        for name in ("data", "tmp", "files", "schemas"):
            (self.folder / name).mkdir(parents=True)
        (self.folder / "config.xml").write_text(CONFIG.format(folder=self.folder, http=http, tcp=self.tcp, inter=inter))
        (self.folder / "users.xml").write_text(USERS)
        self.process = subprocess.Popen([self.server, f"--config-file={self.folder}/config.xml"], cwd=self.folder,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        preexec_fn=die_with_parent)
        try:
            self.wait()
        except BaseException:
            self.stop()
            raise
        return self

    def wait(self):
        deadline = time.monotonic() + START_LIMIT_S
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise Unavailable(f"clickhouse-server ended with {self.process.returncode}: {self.log()}")
            try:
                if self.query("SELECT 1", limit_s=5).strip() == "1":
                    return
            except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
                pass
            time.sleep(0.2)
        raise Unavailable(f"clickhouse-server did not answer within {START_LIMIT_S} s: {self.log()}")

    def log(self):
        path = self.folder / "error.log"
        return path.read_text(errors="replace")[-600:] if path.exists() else "no log"

    def client(self):
        return [self.client_program, "--host=127.0.0.1", f"--port={self.tcp}"]

    def query(self, sql, limit_s=60):
        done = subprocess.run([*self.client(), "--multiquery"], input=sql, capture_output=True, text=True, timeout=limit_s)
        if done.returncode:
            raise subprocess.CalledProcessError(done.returncode, "clickhouse-client", done.stdout, done.stderr)
        return done.stdout

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(10)

    def __exit__(self, *_):
        self.stop()


def die_with_parent():
    """A runner that is killed leaves no server behind."""
    import ctypes
    os.setsid()
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
