"""What the servers of boot/ give and what they refuse, asked over the wire."""
import http.client
import socket

from scenario import equal

BODY_BYTES = 512 << 10      # a part of a result; twice as much and a bit is refused


def ask(server, method, path, body_bytes=0):
    c = http.client.HTTPConnection(server, 80, timeout=5)
    c.request(method, path, body=b"x" * body_bytes if body_bytes else None)
    status = c.getresponse().status
    c.close()
    return status


def tftp(server, opcode, name):
    """The opcode of the first answer: 3 data, 4 acknowledgement, 5 error."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.settimeout(5)
        s.sendto(bytes([0, opcode]) + name.encode() + b"\0octet\0", (server, 69))
        answer, other_end = s.recvfrom(2048)
        s.sendto(b"\0\5\0\0enough\0", other_end)
        return answer[1]


READ, WRITE, DATA, ACK, ERROR = 1, 2, 3, 4, 5
HTTP = (("GET", "/BOOTX64.EFI", 0, 200), ("GET", "/conf/default", 0, 200), ("GET", "/conf/none-such", 0, 404),
        ("PUT", "/upload/kit/first", BODY_BYTES, 201), ("PUT", "/upload/kit/first", BODY_BYTES, 204),
        ("GET", "/upload/kit/first", 0, 200), ("PUT", "/upload/kit/large", 2 * BODY_BYTES + 1, 413),
        ("PUT", "/BOOTX64.EFI", 10, 403), ("PUT", "/conf/default", 10, 403), ("PUT", "/upload/.part/x", 10, 403),
        ("DELETE", "/upload/kit/first", 0, 405), ("GET", "/report?stage=kit", 0, 200))
TFTP = ((READ, "BOOTX64.EFI", DATA), (READ, "conf/default", DATA), (READ, "conf/none-such", ERROR),
        (READ, "../../../etc/passwd", ERROR), (WRITE, "upload/tftp/kit", ACK), (WRITE, "BOOTX64.EFI", ERROR),
        (WRITE, "conf/default", ERROR), (WRITE, "new", ERROR), (WRITE, "upload/kit/first", ERROR))


def check_servers(server):
    for method, path, body_bytes, status in HTTP:
        equal(ask(server, method, path, body_bytes), status, f"HTTP {method} {path} of {body_bytes} bytes")
    for opcode, name, answer in TFTP:
        equal(tftp(server, opcode, name), answer, f"TFTP {'read' if opcode == READ else 'write'} of {name}")
