"""Our own register-level device models (tests/models) as PCI devices of a newer QEMU, over vfio-user."""
import json
import subprocess
import time

import machine
from newer_qemu import newer_qemu
from scenario import boot, check, equal

SERVER = machine.ROOT / "out" / "vfio-model"
# The servers map the guest's memory: it must have a descriptor.
MEMORY = ["-machine", "memory-backend=ram", "-object", "memory-backend-memfd,id=ram,size=512M,share=on"]


class Model:
    """One server, one device.  options: strings as `out/vfio-model` takes them."""

    def __init__(self, folder, name, kind, options):
        self.name, self.socket, self.errors = name, folder / f"{name}.vfio", folder / f"{name}.err"
        self.process = subprocess.Popen([SERVER, kind, self.socket, *options], stdin=subprocess.DEVNULL, text=True,
                                        stdout=subprocess.PIPE, stderr=open(self.errors, "w"))
        # A line, or the end of a server that refused its options.
        check(self.process.stdout.readline() == "listening\n", f"{name}: {self.said()}")
        self.report = None

    def said(self):
        return self.errors.read_text()

    def arguments(self, bus, boot_index):
        device = {"driver": "vfio-user-pci", "id": f"model-{self.name}", "rombar": 0, "bus": bus,
                  "socket": {"type": "unix", "path": str(self.socket)}, "x-msg-timeout": 60000}
        if boot_index:
            device["bootindex"] = boot_index
        return ["-device", json.dumps(device)]

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self):
        """After QEMU's end: what the device has seen."""
        try:
            out, _ = self.process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"{self.name}: the server did not end with QEMU") from None
        self.report = json.loads(out) if out.strip() else None
        return self.process.returncode


def boot_models(folder, models, conf, killed=(), firmware_drives=False, extra=(), during=None, **kw):
    """Boots with one device per entry of models, {name: (kind, [option, ...])}, each behind a root port of its own.
    Returns the result; result.models holds each device's account.  No device may have seen a violation.
    during(machine, servers) runs beside the machine; killed: names of servers that it ends.
    firmware_drives: they are in the boot order behind the stick, so that OVMF's own drivers take them before and
    after us (else it leaves them alone, as far as its boot order goes)."""
    folder.mkdir(parents=True, exist_ok=True)
    qemu = newer_qemu()
    servers = {}
    try:
        for name, (kind, options) in models.items():
            foreign = ["foreign_driver=1"] if firmware_drives and kind in ("nvme", "ahci") else []
            servers[name] = Model(folder, name, kind, foreign + options)
        args = list(MEMORY)
        for i, server in enumerate(servers.values()):
            args += ["-device", f"pcie-root-port,id=port{i},chassis={i + 1}",
                     *server.arguments(f"port{i}", i + 1 if firmware_drives else 0)]
        beside = (lambda m: during(m, servers)) if during else None
        r = boot(folder / "boot", [], conf=conf, qemu=qemu, extra=[*args, *extra], during=beside, **kw)
        r.models = {}
        for name, server in servers.items():
            code = server.end()
            equal(code, -9 if name in killed else 0, f"{name}: exit status of its model\n{server.said()}")
            r.models[name] = server.report
        return r
    finally:
        for server in servers.values():
            if server.process.poll() is None:
                server.kill()
