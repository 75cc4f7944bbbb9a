"""Pack the built site into one file that a reader can take along and open without a network."""

from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

OTHER = "ko"  # the folder of the other edition
NAME = "transformers-bottom-up.zip"
FOLDER = "transformers-bottom-up"  # in which the pages lie when the archive is unpacked
NOT_FOR_READERS = {".buildinfo", ".built", ".nojekyll", "objects.inv", NAME}


def members(outdir: Path) -> list[Path]:
    """Return the files of the built site that belong into its archive, in a fixed order.

    The edition in another language has an archive of its own.
    """
    files = (
        path for path in outdir.rglob("*") if path.is_file() and outdir / OTHER not in path.parents
    )
    return sorted(path for path in files if path.name not in NOT_FOR_READERS)


def pack(outdir: Path, address: str = "") -> Path:
    """Write the archive of the built site into the site itself and return its path.

    It holds one language: a link to the other edition leads to where that is published.

    Args:
        outdir: the built site.
        address: where it is published; without one such links stay.
    """
    target = outdir / NAME
    with ZipFile(target, "w", ZIP_DEFLATED) as archive:
        for path in members(outdir):
            # Without a date: the same site is the same archive, whenever it was built.
            member = ZipInfo(Path(FOLDER, path.relative_to(outdir)).as_posix())
            member.external_attr = 0o644 << 16
            content = path.read_bytes()
            if path.suffix == ".html" and address:
                depth = len(path.relative_to(outdir).parts) - 1
                content = with_address(content, depth, address)
            archive.writestr(member, content, ZIP_DEFLATED)
    return target


def with_address(html: bytes, depth: int, address: str) -> bytes:
    """Return a page whose links to the other edition hold the published address.

    Args:
        html: the page.
        depth: how many folders it lies below the site's own.
        address: of the site; that of the Korean one ends with ``ko/``.
    """
    up, english = "../" * depth, address.removesuffix(f"{OTHER}/")
    if english == address:
        outside, goal = f"{up}{OTHER}/", f"{address}{OTHER}/"
    else:
        outside, goal = f"{up}../", english
    return html.replace(f'href="{outside}'.encode(), f'href="{goal}'.encode())
