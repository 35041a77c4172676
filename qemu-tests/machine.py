"""The only file that knows QEMU's command line: boots a stick image under OVMF with disks and watches it."""
import json
import os
import re
import shutil
import socket
import subprocess
import threading
import time
from pathlib import Path

import gpt

ROOT = Path(__file__).resolve().parent.parent
IMAGE = ROOT / "out" / "baresweep.img"
FIRMWARE = [("/usr/share/OVMF/OVMF_CODE_4M.fd", "/usr/share/OVMF/OVMF_VARS_4M.fd"),
            ("/usr/share/OVMF/OVMF_CODE.fd", "/usr/share/OVMF/OVMF_VARS.fd"),
            ("/usr/share/edk2/ovmf/OVMF_CODE.fd", "/usr/share/edk2/ovmf/OVMF_VARS.fd")]
LAST_LINE = re.compile(rb"BARESWEEP END verdict=([A-Z-]+) exit=(\d+)")
CRASHES = (b"X64 Exception", b"ASSERT ", b"!!!! ")
# The kernel's KVM device exists on some build machines without being able to run firmware: never KVM.
# maxcpus=2 keeps TCG's memory barriers.
BASE = ["-nodefaults", "-machine", "q35", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "1,maxcpus=2",
        "-m", "512", "-display", "none", "-no-reboot", "-net", "none"]


def stamped_disk(path, size_bytes, stamped_bytes=16 << 20, seed=1):
    """A sparse raw disk whose first and last stamped_bytes hold content in which every 512-byte block differs."""
    base = (b"%08x" % seed) * 62
    with open(path, "wb") as f:
        f.truncate(size_bytes)
        first = min(stamped_bytes, size_bytes)
        for start in sorted({0, max(0, size_bytes - first) // 4096 * 4096}):
            f.seek(start)
            f.write(b"".join(b"%016x" % ((start + i) // 512) + base[:496]
                             for i in range(0, min(first, size_bytes - start), 512)))
    return path


class Machine:
    """One boot.  Everything it makes lies in its own folder."""

    def __init__(self, folder, stick=None, disks=(), image=IMAGE, extra=(), stick_device="usb", vga=True,
                 serial=True, terminal=False, stick_readonly=False, firmware=None, conf=None, files=(), qemu="qemu-system-x86_64"):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.serial = self.folder / "serial.log"
        self.qmp_path = self.folder / "qmp"
        self.stick = Path(stick) if stick else self.folder / "stick.img"
        if not stick and stick_device:
            subprocess.run(["cp", "--sparse=always", str(image), str(self.stick)], check=True)
        if conf is not None:
            (self.folder / "baresweep.conf").write_text(conf)
            self.put(self.folder / "baresweep.conf", "baresweep.conf")
        for source, name in files:
            self.put(source, name)
        self.disks, self.extra, self.stick_device, self.vga = list(disks), list(extra), stick_device, vga
        self.firmware = firmware
        self.has_serial, self.stick_readonly, self.qemu = serial, stick_readonly, qemu
        self.terminal_path = self.folder / "terminal" if terminal else None
        self.process = self.qmp_file = self.line = None

    def put(self, source, name):
        gpt.put(self.stick, gpt.partitions(self.stick)[-1], str(source), name)

    def serial_port(self):
        """A file, or a line that somebody can also type on, with a copy in that file."""
        if self.terminal_path:
            return ["-chardev", f"socket,id=line,path={self.terminal_path},server=on,wait=off,logfile={self.serial}",
                    "-serial", "chardev:line"]
        return ["-serial", f"file:{self.serial}" if self.has_serial else "none"]

    def command(self):
        code, variables = self.firmware or next((c, v) for c, v in FIRMWARE if os.path.exists(c))
        shutil.copy(variables, self.folder / "vars.fd")
        args = [str(self.qemu), *BASE,
                "-drive", f"if=pflash,format=raw,unit=0,readonly=on,file={code}",
                "-drive", f"if=pflash,format=raw,unit=1,file={self.folder / 'vars.fd'}",
                *self.serial_port(), "-qmp", f"unix:{self.qmp_path},server=on,wait=off"]
        if self.vga:
            args += ["-device", "VGA"]
        if self.stick_device:
            args += ["-drive", f"if=none,id=stick,format=raw,file={self.stick}" +
                     (",readonly=on" if self.stick_readonly else "")]
        if self.stick_device == "usb":
            args += ["-device", "qemu-xhci,id=xhci",
                     "-device", "usb-storage,id=stick0,drive=stick,bootindex=0,removable=on"]
        elif self.stick_device:
            args += self.stick_device.split()
        return args + self.disks + self.extra

    def start(self):
        self.serial.unlink(missing_ok=True)
        self.qmp_path.unlink(missing_ok=True)
        args = self.command()
        (self.folder / "qemu.cmd").write_text(" ".join(args) + "\n")
        self.process = subprocess.Popen(args, stdin=subprocess.DEVNULL, stdout=open(self.folder / "qemu.out", "wb"),
                                        stderr=subprocess.STDOUT)
        return self

    def serial_bytes(self):
        return self.serial.read_bytes() if self.serial.exists() else b""

    def wait_for(self, what, timeout_s, on_text=None):
        """Until the serial log holds `what` (a compiled pattern); None at time-out, crash or QEMU's end."""
        end, shown = time.monotonic() + timeout_s, 0
        while True:
            ended = self.process.poll() is not None
            text = self.serial_bytes()
            if on_text and len(text) > shown:
                on_text(text[shown:])
                shown = len(text)
            match = what.search(text)
            if match or ended or time.monotonic() > end or any(c in text for c in CRASHES):
                return match
            time.sleep(0.1)

    def wait_end(self, timeout_s, on_text=None):
        """The exit code that the run announced; 3 when it crashed, hung or vanished."""
        match = self.wait_for(LAST_LINE, timeout_s, on_text)
        if not match or any(c in self.serial_bytes() for c in CRASHES):
            return 3
        return int(match.group(2))

    # ---- QMP ----
    def qmp(self, execute, **arguments):
        if not self.qmp_file:
            s = socket.socket(socket.AF_UNIX)
            s.settimeout(20)
            s.connect(str(self.qmp_path))
            self.qmp_file = s.makefile("rw")
            self.qmp_file.readline()
            self.qmp("qmp_capabilities")
        self.qmp_file.write(json.dumps({"execute": execute, "arguments": arguments}) + "\n")
        self.qmp_file.flush()
        while True:
            reply = json.loads(self.qmp_file.readline())
            if "return" in reply:
                return reply["return"]
            if "error" in reply:
                raise RuntimeError(f"QMP {execute}: {reply['error']['desc']}")

    def writes(self):
        """Bytes written per block device, by node or device name, without the stick and the firmware flash."""
        found = {}
        for b in self.qmp("query-blockstats", **{"query-nodes": False}):
            name = b.get("device") or b.get("qdev") or b.get("node-name") or "?"
            if name == "stick" or name.startswith("pflash") or "stick0" in (b.get("qdev") or ""):
                continue
            found[b.get("qdev") or name] = b["stats"]["wr_bytes"]
        return found

    def press(self, *keys, every_s=0.3):
        """Keys by QEMU's names: press("down", "ret", "spc"); "shift-a" holds one while another is pressed."""
        for key in keys:
            self.qmp("send-key", keys=[{"type": "qcode", "data": k} for k in key.split("-")], **{"hold-time": 40})
            time.sleep(every_s)

    def type(self, data, every_s=0.12):
        """Bytes into the serial line of a machine with terminal=True, one after another."""
        if not self.line:
            self.line = socket.socket(socket.AF_UNIX)
            self.line.connect(str(self.terminal_path))
            # Nobody reading would hold up the machine; the log has it all.
            threading.Thread(target=drain, args=(self.line,), daemon=True).start()
        for piece in data:
            self.line.sendall(piece if isinstance(piece, bytes) else piece.encode())
            time.sleep(every_s)

    def screendump(self, path):
        ppm = self.folder / "screen.ppm"
        self.qmp("screendump", filename=str(ppm))
        to_png(ppm, path)

    def quit(self):
        if self.process and self.process.poll() is None:
            try:
                self.qmp("quit")
                self.process.wait(10)
            except (OSError, RuntimeError, ValueError, subprocess.TimeoutExpired):
                self.kill()

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def fetch(self, into):
        """Copies the results from the stick; the newest run's folder, or None."""
        into = Path(into)
        into.mkdir(parents=True, exist_ok=True)
        names = gpt.fetch_runs(self.stick, into)
        return into / sorted(names)[-1] if names else None


def drain(connection):
    try:
        while connection.recv(65536):
            pass
    except OSError:
        pass


def to_png(ppm, png):
    """A binary PPM as PNG, with Python's own zlib."""
    import struct
    import zlib
    data = Path(ppm).read_bytes()
    fields, at = [], 0
    while len(fields) < 4:
        end = re.compile(rb"\s").search(data, at).start()
        if data[at:at + 1] == b"#":
            at = data.index(b"\n", at) + 1
            continue
        fields.append(data[at:end])
        at = end + 1
    width, height = int(fields[1]), int(fields[2])
    rows = b"".join(b"\0" + data[at + y * width * 3:at + (y + 1) * width * 3] for y in range(height))

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    Path(png).write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
                          chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
