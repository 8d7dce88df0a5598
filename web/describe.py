"""Write the values of the API as TypeScript: their types, and the shapes by which the page checks what it receives.

    python web/describe.py [--check]

Read from `docs/openapi.json`, so the page can't disagree with the server about a field. A value that the page receives
has every field that has a default; a body that it sends may leave those out.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "docs/openapi.json"
TARGET = ROOT / "web/src/lib/api/shapes.gen.ts"
LATER_TARGET = ROOT / "web/src/lib/api/shapes.later.gen.ts"
LATER = {
    "About",
    "Examination",
    "FoundInSession",
    "Insights",
    "LabelList",
    "LooseFiles",
    "Purged",
    "Starters",
    "Storage",
    "TurnOutline",
}
"""What only a part of the page reads that is loaded when it is first opened: its shapes come with that part."""
EARLY = {"WireRecord"}
"""What is read from the beginning, though such a part names it too."""
HEAD = """\
// Generated from docs/openapi.json by web/describe.py. Do not edit.

import type { Shapes } from './read'

"""
PAGE = ROOT / "web/src"
IMPORT = re.compile(r"import (?:type )?\{([^}]*)\} from '[^']*/shapes\.gen'")
REF = "#/components/schemas/"
PLAIN = {"string": "s", "integer": "i", "number": "n", "boolean": "b", "null": "0"}
TYPES = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}

Schema = dict[str, Any]


def name_of(schema: Schema) -> str:
    return str(schema["$ref"]).removeprefix(REF)


def shape(schema: Schema) -> Any:
    """What the page checks a value against; `Shape` in read.ts says how it is read."""
    match schema:
        case {"$ref": _}:
            return "@" + name_of(schema)
        case {"enum": values}:
            return {"e": values}
        case {"anyOf": options, "discriminator": {"propertyName": tag, "mapping": mapping}}:
            assert len(options) == len(mapping)
            return {"k": tag, "o": {value: ref.removeprefix(REF) for value, ref in mapping.items()}}
        case {"anyOf": options} | {"oneOf": options}:
            return {"o": [shape(option) for option in options]}
        case {"type": "array", "prefixItems": items}:
            return {"t": [shape(item) for item in items]}
        case {"type": "array", "items": items}:
            return {"a": shape(items)}
        case {"type": "object", "additionalProperties": dict() as values}:
            return {"m": shape(values)}
        case {"type": str() as kind} if kind in PLAIN:
            return PLAIN[kind]
        case _:
            return "*"


def written(schema: Schema) -> str:
    """The TypeScript type."""
    match schema:
        case {"$ref": _}:
            return name_of(schema)
        case {"enum": values}:
            return " | ".join(quoted(value) for value in values)
        case {"anyOf": options} | {"oneOf": options}:
            return " | ".join(written(option) for option in options)
        case {"type": "array", "prefixItems": items}:
            return f"[{', '.join(written(item) for item in items)}]"
        case {"type": "array", "items": items}:
            inner = written(items)
            return f"({inner})[]" if " " in inner else f"{inner}[]"
        case {"type": "object", "additionalProperties": dict() as values}:
            return f"Map<string, {written(values)}>"
        case {"type": str() as kind} if kind in TYPES:
            return TYPES[kind]
        case _:
            return "unknown"


def quoted(value: Any) -> str:
    return "'" + str(value) + "'" if isinstance(value, str) else json.dumps(value)


def fields(schema: Schema) -> dict[str, Schema]:
    return {name: field for name, field in schema.get("properties", {}).items() if name != "~"}


def defaults(schemas: dict[str, Schema], schema: Schema, name: str) -> tuple[bool, Any]:
    """Whether the field has a default, and which. A value whose own fields all have one may be left out whole."""
    field = schema["properties"][name]
    if name in schema.get("required", ()):
        return False, None
    if "default" in field:
        return True, field["default"]
    whole = "$ref" in field and not schemas[name_of(field)].get("required")
    return whole, {} if whole else None


def shape_of(schemas: dict[str, Schema], schema: Schema) -> Schema:
    required = schema.get("required", ())
    result: Schema = {}
    for name, field in fields(schema).items():
        has, default = defaults(schemas, schema, name)
        result[name] = [shape(field), default] if has else shape(field) if name in required else [shape(field)]
    return result


def type_of(schemas: dict[str, Schema], name: str, *, sent: bool) -> str:
    schema = schemas[name]
    lines = [f"export interface {name} {{"]
    for field_name, field in fields(schema).items():
        has, _ = defaults(schemas, schema, field_name)
        there = field_name in schema.get("required", ()) or (has and not sent)
        lines.append(f"  {field_name}{'' if there else '?'}: {written(field)}")
    return "\n".join([*lines, "}"])


def bodies(description: Schema) -> set[str]:
    """The names of what requests say."""
    operations = [operation for path in description["paths"].values() for operation in path.values()]
    contents = [each["requestBody"]["content"] for each in operations if "requestBody" in each]
    schemas = [media.get("schema", {}) for content in contents for media in content.values()]
    return {name_of(schema) for schema in schemas if "$ref" in schema}


def named_by_page() -> set[str]:
    """What the page's own files name."""
    sources = [path.read_text("utf-8") for kind in ("*.ts", "*.svelte") for path in PAGE.rglob(kind)]
    lists = [found for source in sources for found in IMPORT.findall(source)]
    names = {name.strip().removeprefix("type ").partition(" as ")[0] for names in lists for name in names.split(",")}
    return names - {"", "SHAPES"}


def references(schema: Any) -> set[str]:
    match schema:
        case {"$ref": str()}:
            return {name_of(schema)}
        case dict():
            return {name for value in schema.values() for name in references(value)}
        case list():
            return {name for value in schema for name in references(value)}
        case _:
            return set()


def used(schemas: dict[str, Schema]) -> dict[str, Schema]:
    """What the page names, and all that this is made of: what only other programs ask for costs it nothing."""
    found = reached(schemas, named_by_page())
    return {name: schema for name, schema in schemas.items() if name in found}


def reached(schemas: dict[str, Schema], wanted: set[str]) -> set[str]:
    """These, and all that they are made of."""
    found: set[str] = set()
    while wanted:
        found |= wanted
        wanted = {name for each in wanted for name in references(schemas[each])} - found
    return found


def describe(description: Schema) -> dict[Path, str]:
    """What is to be written into which file."""
    schemas = used(description["components"]["schemas"])
    sent = bodies(description)
    types = [type_of(schemas, name, sent=name in sent) for name in sorted(schemas)]
    parts = reached(schemas, LATER)
    later = parts - reached(schemas, named_by_page() - parts | EARLY)
    first = set(schemas) - later - sent
    return {
        TARGET: HEAD + "\n\n".join([*types, given("SHAPES", schemas, first)]) + "\n",
        LATER_TARGET: HEAD + given("LATER_SHAPES", schemas, later) + "\n",
    }


def given(title: str, schemas: dict[str, Schema], names: set[str]) -> str:
    shapes = [
        f"  {name}: {json.dumps(shape_of(schemas, schemas[name]), separators=(',', ':'))}," for name in sorted(names)
    ]
    return "\n".join([f"export const {title} = {{", *shapes, "} as const satisfies Shapes"])


def main(arguments: list[str]) -> int:
    texts = describe(json.loads(SOURCE.read_text("utf-8")))
    if "--check" in arguments:
        return 0 if all(path.is_file() and path.read_text("utf-8") == text for path, text in texts.items()) else 1
    for path, text in texts.items():
        path.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
