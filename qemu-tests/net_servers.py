"""Servers for the network scenarios: small enough to misbehave on purpose.  QEMU's user-mode network shows this
machine's loopback to the guest as 10.0.2.2, so that nothing here needs a privilege."""
import http.server
import socket
import struct
import threading
import time

HOST = "10.0.2.2"


class Web:
    """HTTP: keeps what is PUT, serves `files`.  `behave`: ok, 403, 507, silent (takes and never answers),
    dies (closes after the first 64 KiB of a body), slow (answers after a second)."""

    def __init__(self, behave="ok", files=None):
        self.behave, self.files, self.put, self.got, self.tries = behave, dict(files or {}), {}, [], 0
        web = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *words):
                pass

            def answer(self, code, body=b""):
                self.send_response(code)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                web.got.append(self.path)
                body = web.files.get(self.path)
                self.answer(404 if body is None else 200, body or b"")

            def do_PUT(self):
                web.tries += 1
                length = int(self.headers["Content-Length"])
                if web.behave == "dies":
                    self.rfile.read(min(length, 1024))
                    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    self.close_connection = True
                    self.connection.close()
                    return
                body = self.rfile.read(length)
                if web.behave == "silent":
                    time.sleep(60)
                    return
                if web.behave == "slow":
                    time.sleep(1)
                if web.behave.isdigit():
                    self.answer(int(web.behave), b"no")
                    return
                web.put[self.path] = body
                self.answer(201)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def place(self):
        return f"http://{HOST}:{self.server.server_address[1]}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def free_port():
    """A port on which nobody listens."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def journal_of(files):
    """The parts of one place, put together again."""
    names = sorted(n for n in files if "journal-" in n)
    return b"".join(files[n] for n in names)
