"""Pack the built site into one file that a reader can take along and open without a network."""

from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

NAME = "transformers-bottom-up.zip"
FOLDER = "transformers-bottom-up"  # in which the pages lie when the archive is unpacked
NOT_FOR_READERS = {".buildinfo", ".built", ".nojekyll", "objects.inv", NAME}


def members(outdir: Path) -> list[Path]:
    """Return the files of the built site that belong into its archive, in a fixed order.

    The edition in another language has an archive of its own.
    """
    files = (
        path for path in outdir.rglob("*") if path.is_file() and outdir / "ko" not in path.parents
    )
    return sorted(path for path in files if path.name not in NOT_FOR_READERS)


def pack(outdir: Path) -> Path:
    """Write the archive of the built site into the site itself and return its path."""
    target = outdir / NAME
    with ZipFile(target, "w", ZIP_DEFLATED) as archive:
        for path in members(outdir):
            # Without a date: the same site is the same archive, whenever it was built.
            member = ZipInfo(Path(FOLDER, path.relative_to(outdir)).as_posix())
            member.external_attr = 0o644 << 16
            archive.writestr(member, path.read_bytes(), ZIP_DEFLATED)
    return target
