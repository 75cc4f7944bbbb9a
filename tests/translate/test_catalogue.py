"""Catalogues keep translations through changes of the English, and say where one is in doubt."""

from pathlib import Path

from tools.translate import catalogue

LONG = "A head reads one weighted mean of the values."
CHANGED = "A head reads one weighted mean of all the values."


def test_a_changed_message_keeps_its_translation_as_fuzzy_and_what_is_gone_goes(tmp_path: Path):
    kept = catalogue.template([LONG, "gone for good"])
    kept[LONG].string = "헤드는 밸류의 가중 평균 하나를 읽는다."
    merged = catalogue.merge(kept, catalogue.template([CHANGED, "new"]))
    path = tmp_path / "a.po"
    assert catalogue.write(path, merged, "ko")
    assert not catalogue.write(path, catalogue.read(path), "ko")
    read = catalogue.read(path)
    assert [message.id for message in read if message.id] == [CHANGED, "new"]
    assert read[CHANGED].fuzzy
    assert "gone" not in path.read_text("utf-8")
    assert catalogue.translations(read) == {}


def test_no_flag_is_guessed_from_a_role_or_a_per_cent_sign(tmp_path: Path):
    path = tmp_path / "a.po"
    catalogue.write(path, catalogue.template(["85 % of {doc}`it <a>`"]), "ko")
    assert "#," not in path.read_text("utf-8")
