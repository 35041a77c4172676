"""Network boots beside those of rack-pxe and rack-four: HTTP Boot, results by TFTP after a web server that refuses them,
firmware and iPXE of a newer suite."""
from newer_suite import SNPONLY, newer_boot, ovmf
from rack_up import rack_up
from scenario import check

tier, budget_s, timing = "full", 280, False


def run(folder):
    def boots(name, *words):
        (folder / name).mkdir()
        rack_up(folder / name, 2 * budget_s, *words)
    # Straight into the application, and into iPXE.
    boots("http", "--machines", "1-2", "--boot-by", "http")
    conf = folder / "second-place.conf"
    conf.write_text("upload = http://boot-server/conf/, tftp://boot-server/upload/tftp/\n")
    boots("second-place", "--machines", "1-2", "--conf", str(conf))
    for tree in (folder / "second-place").glob("rack/srv/upload/*"):
        check(tree.name in ("tftp", "reports.log", ".part"), f"only TFTP takes results here: {tree}")
    versions = newer_boot()
    newer = ["--firmware", ",".join(ovmf("OVMF_CODE_4M.fd"))]
    boots("newer-http", "--machines", "1", "--boot-by", "http", *newer)
    # Straight from the firmware and by snponly.efi.
    boots("newer", "--machines", "1-2", "--ipxe", str(SNPONLY), *newer)
    # The newer iPXE on the older firmware, with the machine that has no disk: what its errors look like.
    boots("newer-ipxe", "--machines", "4", "--ipxe", str(SNPONLY))
    return versions
