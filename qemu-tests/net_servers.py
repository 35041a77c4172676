"""Servers for the network scenarios: small enough to misbehave on purpose.  QEMU's user-mode network shows this
machine's loopback to the guest as 10.0.2.2, so that nothing here needs a privilege."""
import http.server
import random
import socket
import struct
import threading
import time

HOST = "10.0.2.2"


class Web:
    """HTTP: keeps what is PUT, serves `files`.  `behave`: ok, 403, 507, silent (takes and never answers),
    dies (closes after the first 64 KiB of a body), slow (answers after a second), forgets (says that it took it)."""

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
                body = web.files.get(self.path, web.put.get(self.path))
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
                if web.behave != "forgets":
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


class Tftp:
    """TFTP that takes files (WRQ) and serves `files` (RRQ), each transfer from a port of its own.  `loss_pct` of the
    packets in each direction are lost; `stop_after` blocks it says nothing more."""

    def __init__(self, files=None, loss_pct=0, stop_after=None, seed=1):
        self.files, self.put, self.loss_pct, self.stop_after = dict(files or {}), {}, loss_pct, stop_after
        self.lost = self.repeated = 0
        self.silent = []
        self.random = random.Random(seed)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        threading.Thread(target=self.listen, daemon=True).start()

    @property
    def place(self):
        return f"tftp://{HOST}:{self.socket.getsockname()[1]}"

    def loses(self):
        lost = self.random.random() * 100 < self.loss_pct
        self.lost += lost
        return lost

    def listen(self):
        while True:
            packet, peer = self.socket.recvfrom(2000)
            if self.loses():
                continue
            words = packet[2:].split(b"\0")
            options = {words[i].lower(): words[i + 1] for i in range(2, len(words) - 1, 2)}
            transfer = self.take if packet[1] == 2 else self.give
            threading.Thread(target=transfer, args=(peer, words[0].decode(), options), daemon=True).start()

    def send(self, s, peer, packet):
        if not self.loses():
            s.sendto(packet, peer)

    def exchange(self, s, peer, packet, fits):
        """Sends until a packet comes that fits; None when the other side says nothing for 8 s."""
        self.send(s, peer, packet)
        for _ in range(8):
            s.settimeout(1)
            try:
                while True:
                    got, _ = s.recvfrom(2000)
                    if self.loses():
                        continue
                    if fits(got):
                        return got
                    self.repeated += 1
                    if got[1] == 3:     # a block again: the acknowledgement was lost
                        self.send(s, peer, packet)
            except TimeoutError:
                self.send(s, peer, packet)
        return None

    def take(self, peer, name, options):
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.bind(("127.0.0.1", 0))
        block = int(options.get(b"blksize", b"512"))
        answer = b"\0\6blksize\0%d\0" % block if options else b"\0\4\0\0"
        body, number = b"", 0
        while True:
            number += 1
            if self.stop_after is not None and number > self.stop_after:
                self.silent.append(s)   # open: a closed one would be told to the other side
                return
            want = struct.pack(">HH", 3, number & 0xffff)
            got = self.exchange(s, peer, answer, lambda p: p[:4] == want)
            if got is None:
                return
            body += got[4:]
            answer = struct.pack(">HH", 4, number & 0xffff)
            if len(got) - 4 < block:
                break
        self.put[name] = body
        for _ in range(3):      # the last acknowledgement may be lost
            self.send(s, peer, answer)

    def give(self, peer, name, options):
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.bind(("127.0.0.1", 0))
        if name not in self.files:
            s.sendto(b"\0\5\0\1File not found\0", peer)
            return
        body = self.files[name]
        for number in range(1, len(body) // 512 + 2):
            packet = struct.pack(">HH", 3, number) + body[(number - 1) * 512:number * 512]
            if self.exchange(s, peer, packet, lambda p: p[:4] == struct.pack(">HH", 4, number)) is None:
                return


class Syslog:
    def __init__(self):
        self.lines = []
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        threading.Thread(target=self.listen, daemon=True).start()

    @property
    def place(self):
        return f"{HOST}:{self.socket.getsockname()[1]}"

    def listen(self):
        while True:
            self.lines.append(self.socket.recvfrom(2000)[0].decode())
