"""The JSON documents of the real catalog: their schema, their fields, their bytes."""

from __future__ import annotations

import dataclasses
import itertools
import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from hostile_messages import MESSAGES
from jsonschema import Draft202012Validator

from generator import endpoints, escape
from generator.history import compare
from generator.message import message_id
from generator.site import SiteFile

if TYPE_CHECKING:
    from conftest import Real

ORIGINAL = [
    "id", "repo", "slug", "errorCode", "errorMessage", "messagePattern", "errorType", "errorClass", "severity",
    "filePath", "lineNumber", "sourceCode", "sourceCodeStart", "sourceCodeEnd", "githubUrl", "documentation",
    "triggerScenarios", "commonSituations", "solutions", "exampleFix", "handlingStrategy", "validationCode",
    "typeGuard", "tryCatchPattern", "preventionTips", "tags", "analyzedSha", "analyzedAt", "schemaVersion",
]  # fmt: skip
OURS = {"summary", "verdict", "status", "related", "occurrences", "alsoWorded", "placeholders", "references", "url"}
OCCURRENCE = {
    "pin", "commit", "date", "lineNumber", "endLineNumber", "function", "kind", "sourceCode", "sourceCodeStart",
    "sourceCodeEnd", "githubUrl", "guards", "fingerprint",
}  # fmt: skip


@pytest.fixture(scope="module")
def documents(real_files: dict[str, SiteFile]) -> dict[str, Any]:
    """Every JSON document that is published under `api/`."""
    return {path: json.loads(file.text) for path, file in real_files.items() if re.match(r"api/.*\.json$", path)}


def validator(documents: dict[str, Any], name: str) -> Draft202012Validator:
    return Draft202012Validator({**documents["api/schema.json"], "$ref": f"#/$defs/{name}"})


def test_every_document_is_valid(documents: dict[str, Any]) -> None:
    schema = documents["api/schema.json"]
    Draft202012Validator.check_schema(schema)
    assert schema["$ref"] == "#/$defs/ErrorDocument"
    kinds = [
        (r"api/errors/.*", "ErrorDocument"),
        (r"api/changes/.*", "ChangesDocument"),
        (r"api/index\.json", "IndexDocument"),
        (r"api/errors\.json", "ErrorsDocument"),
        (r"api/history\.json", "HistoryDocument"),
    ]
    for pattern, name in kinds:
        check = validator(documents, name)
        paths = [path for path in documents if re.fullmatch(pattern, path)]
        assert paths, pattern
        for path in paths:
            assert [error.message for error in check.iter_errors(documents[path])] == [], path


def test_schema_refuses_what_is_not_documented(documents: dict[str, Any]) -> None:
    check = validator(documents, "ErrorDocument")
    document = documents["api/errors/00412b4bc295b93c.json"]
    assert check.is_valid(document)
    assert not check.is_valid({**document, "extra": 1})
    for field in document:
        assert not check.is_valid({name: value for name, value in document.items() if name != field}), field
    assert not check.is_valid({**document, "severity": "fatal"})


def test_every_object_is_described_and_complete(documents: dict[str, Any]) -> None:
    for name, definition in documents["api/schema.json"]["$defs"].items():
        assert definition["additionalProperties"] is False and definition["description"], name
        assert set(definition["required"]) == set(definition["properties"]), name


def test_fields_of_the_original_come_first_and_in_its_order(documents: dict[str, Any]) -> None:
    for path, document in documents.items():
        if path.startswith("api/errors/"):
            assert list(document)[: len(ORIGINAL)] == ORIGINAL, path
            assert set(document) >= OURS, path
            for occurrence in document["occurrences"]:
                assert set(occurrence) >= OCCURRENCE, path
                for guard in occurrence["guards"]:
                    assert set(guard) >= {"text", "holds", "lineNumber"}


def test_fields_of_one_error(documents: dict[str, Any]) -> None:
    """Known facts of the seed pin, wherever the check is now."""
    document = documents["api/errors/bd8beb6fccb0e82b.json"]
    assert document["errorMessage"] == "sampling distribution replay does not support diffusion models"
    assert (document["errorCode"], document["errorType"], document["errorClass"]) == (None, "exception", "ValueError")
    (seed,) = [each for each in document["occurrences"] if each["pin"] == "c794754062"]
    assert (seed["lineNumber"], seed["sourceCodeStart"], seed["sourceCodeEnd"]) == (1037, 1019, 1055)
    assert seed["githubUrl"] == (
        "https://github.com/vllm-project/vllm/blob/c794754062d49a8fdb63ab3c5215b488b865030c/vllm/config/vllm.py"
        "#L1037-L1039"
    )
    assert (seed["kind"], seed["function"]) == ("raise", "VllmConfig._verify_sampling_replay_config")
    first = document["occurrences"][0]
    for name in ("lineNumber", "sourceCode", "sourceCodeStart", "sourceCodeEnd", "githubUrl"):
        assert document[name] == first[name], name


def test_ids_answer_with_and_without_ending(real: Real, real_files: dict[str, SiteFile]) -> None:
    for error in real.catalog.errors:
        texts = {
            real_files[f"api/errors/{each}{ending}"].text
            for each in (error.id, *error.other_ids)
            for ending in ("", ".json")
        }
        assert len(texts) == 1
        assert json.loads(texts.pop())["id"] == error.id


def test_every_wording_answers(real: Real, documents: dict[str, Any]) -> None:
    """The id of each message of each documented pin leads to the document of its error."""
    for pin in real.pins:
        for extraction in real.extractions[pin.label] if pin.documented else ():
            for site in extraction.sites:
                identifier = message_id("vllm-project/vllm", site.template.text, extraction.path)
                document = documents[f"api/errors/{identifier}.json"]
                ids = [document["id"], *(other["id"] for other in document["alsoWorded"])]
                assert identifier in ids, site.template.text
                wordings = [each["errorMessage"] for each in document["occurrences"] if each["pin"] == pin.label]
                assert site.template.text in wordings


def test_index_and_collection_hold_every_error(real: Real, documents: dict[str, Any]) -> None:
    index, collection = documents["api/index.json"], documents["api/errors.json"]
    assert [row["id"] for row in index["errors"]] == [error.id for error in real.catalog.errors]
    assert collection["errors"] == [documents[f"api/errors/{row['id']}.json"] for row in index["errors"]]
    for row in index["errors"]:
        document = documents[f"{row['jsonUrl']}.json"]
        shared = set(row) & set(document)
        assert {name: row[name] for name in shared} == {name: document[name] for name in shared}
    assert [pin["pin"] for pin in index["pins"]] == [pin.label for pin in real.pins]


def test_named_endpoints_are_published(documents: dict[str, Any], real_files: dict[str, SiteFile]) -> None:
    for name, address in documents["api/index.json"]["endpoints"].items():
        pattern = re.sub(r"\\\{\w+\\\}", r"[^/]+", re.escape(address))
        assert any(re.fullmatch(pattern, path) for path in real_files), f"{name}: {address}"


def test_history_is_enough_to_compare_any_two_pins(real: Real, documents: dict[str, Any]) -> None:
    """The upgrade sheet computes from it in the browser; here the same from the same numbers."""
    history = documents["api/history.json"]
    assert history["pins"] == [pin.label for pin in reversed(real.pins)]
    by_label = {pin.label: pin for pin in real.pins}
    for older, newer in (("v0.28.0", "v0.33.0"), ("v0.11.1", "v0.27.1")):
        states = [
            (row["id"], row["states"][history["pins"].index(older)], row["states"][history["pins"].index(newer)])
            for row in history["errors"]
        ]
        comparison = compare(real.catalog, by_label[older], by_label[newer])
        found = {each.error.id: each for each in comparison.differences}
        added = {identifier for identifier, before, after in states if after and not before}
        retired = {identifier for identifier, before, after in states if before and not after}
        assert added == {each.error.id for each in comparison.having("added")}
        assert retired == {each.error.id for each in comparison.having("retired")}
        for identifier, before, after in states:
            if before and after and before["message"] != after["message"]:
                assert "reworded" in found[identifier].changes


def test_changes_documents_are_those_of_neighbours(real: Real, documents: dict[str, Any]) -> None:
    pairs = [f"api/changes/{old.label}..{new.label}.json" for new, old in itertools.pairwise(real.pins)]
    assert sorted(path for path in documents if path.startswith("api/changes/")) == sorted(pairs)
    document = documents["api/changes/v0.31.0..v0.32.0.json"]
    (lifted,) = [each for each in document["errors"] if each["id"] == "df39bb7a0cc0e92b"]
    assert (lifted["changes"], lifted["lineAfter"], lifted["messageAfter"]) == (["retired"], None, None)
    assert document["counts"]["retired"] == len([e for e in document["errors"] if "retired" in e["changes"]])


def test_error_without_analysis_has_empty_fields(real: Real) -> None:
    error = dataclasses.replace(real.catalog.errors[0], analysis=None, analysis_path=None)
    document = endpoints.error_document(error, real.catalog).model_dump(by_alias=True)
    assert document["status"]["analysis"] == "missing"
    assert {name for name in ORIGINAL if document[name] in (None, [])} == {
        "errorCode", "severity", "documentation", "triggerScenarios", "commonSituations", "solutions", "exampleFix",
        "handlingStrategy", "validationCode", "typeGuard", "tryCatchPattern", "preventionTips", "tags", "analyzedSha",
        "analyzedAt",
    }  # fmt: skip


def test_json_is_written_to_be_read_or_to_be_small(real_files: dict[str, SiteFile]) -> None:
    for path, file in real_files.items():
        if path.startswith("api/") and not file.is_page and not path.endswith(".js"):
            data = json.loads(file.text)
            small = json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n"
            assert file.text in (endpoints.to_json(data), small), path


def test_the_script_for_folders_holds_the_same_index(real_files: dict[str, SiteFile]) -> None:
    script, index = real_files["api/lookup.js"].text, real_files["api/lookup.json"].text
    assert script == f"globalThis.vllmErrorsIndex = {index.rstrip()};\n"


@pytest.mark.parametrize("name", MESSAGES)
def test_any_text_survives_json(name: str) -> None:
    written = endpoints.to_json({"text": MESSAGES[name]})
    assert json.loads(written.encode("utf-8")) == {"text": MESSAGES[name]}


@pytest.mark.parametrize("name", MESSAGES)
def test_json_ld_cannot_be_closed(name: str) -> None:
    written = escape.json_ld({"headline": f"</script>{MESSAGES[name]}<!--"})
    assert not set("<>&\n") & set(written)
    assert json.loads(written) == {"headline": f"</script>{MESSAGES[name]}<!--"}


def test_json_ld_of_pages_is_json(real: Real, real_files: dict[str, SiteFile]) -> None:
    for error in real.catalog.errors:
        (text,) = re.findall(
            r'<script type="application/ld\+json">(.*)</script>', real_files[f"errors/{error.slug}.md"].text
        )
        assert json.loads(text)["identifier"] == error.id
