import { type SafeText, message } from '../text/message.ts';
import { entriesOf } from '../values/record.ts';
import { FIELD_GROUPS } from './app-fields.ts';
import { MANIFEST_FIELDS } from './manifest.ts';
import { validateAppShape, validateRegistryShape } from '../generated/shapes.js';
import type { ShapeError } from '../json/violations.ts';
import { isObject, type JsonValue } from '../json/json.ts';
import { pointerTo } from '../json/pointer.ts';
import { distance } from '../text/similar-names.ts';
import { capitalized } from '../text/text.ts';

/** The shapes of the two documents: the required fields, their types (schemas/), and the unknown ones. */

export type DocumentKind = 'registry' | 'app';

export interface SchemaError {
  pointer: string;
  cause: 'missing' | 'wrong-type';
  /** The name of the missing field. */
  missing?: string;
  message: SafeText;
  advice: SafeText;
}

/** Every required field that is absent and every field of a wrong type. */
export function schemaErrors(kind: DocumentKind, value: JsonValue): SchemaError[] {
  const validate = kind === 'registry' ? validateRegistryShape : validateAppShape;
  if (validate(value)) return [];
  const errors = new Map<string, SchemaError>();
  for (const error of validate.errors ?? []) {
    const found = schemaError(error);
    errors.set(`${found.pointer} ${found.message}`, found);
  }
  return [...errors.values()];
}

function schemaError(error: ShapeError): SchemaError {
  const place = error.instancePath === '' ? 'the document' : `“${error.instancePath}”`;
  if (error.keyword === 'required') {
    const name = String(error.params['missingProperty']);
    return {
      pointer: error.instancePath,
      cause: 'missing',
      missing: name,
      message: message`The field “${name}” is missing${error.instancePath === '' ? '' : ` in ${place}`}.`,
      advice: message`Add ${EXAMPLES[name] ?? `"${name}"`}.`,
    };
  }
  const type = String(error.params['type']);
  return {
    pointer: error.instancePath,
    cause: 'wrong-type',
    message: message`${capitalized(place)} must be ${type === 'object' || type === 'array' ? `an ${type}` : `a ${type}`}.`,
    advice:
      error.instancePath === '/apps'
        ? message`Write an object in braces that maps each app key to its entry.`
        : (TYPE_ADVICE[type] ?? message`Write an object in braces.`),
  };
}

const TYPE_ADVICE: Record<string, SafeText> = {
  string: message`Write the value in double quotes.`,
  array: message`Write a list in square brackets.`,
};

const EXAMPLES: Record<string, string> = {
  apps: '"apps": {}',
  ...Object.fromEntries(entriesOf(FIELD_GROUPS).map(([name, { example }]) => [name, example])),
  ...Object.fromEntries(MANIFEST_FIELDS.map(({ at, example }) => [at[1] ?? at[0], example ?? `"${at[1] ?? at[0]}"`])),
  versions: '"versions": []',
  version: '"version": "1.2.3"',
  artifactUrl: '"artifactUrl": "https://….tar.gz"',
  artifactChecksum: '"artifactChecksum": "sha256:…" (appreg checksum <file> prints it)',
};

/** The shape of a value: an object with known fields, an object with any names, an array, or anything else. */
type Shape =
  | { kind: 'object'; fields: ReadonlyMap<string, Shape> }
  | { kind: 'map'; each: Shape }
  | { kind: 'list'; each: Shape }
  | { kind: 'value' };

const VALUE: Shape = { kind: 'value' };

function objectWith(fields: Record<string, Shape>): Shape {
  return { kind: 'object', fields: new Map(Object.entries(fields)) };
}

/** The fields of an app that are in an object of its entry. @param group null for the entry itself */
function fieldsIn(group: keyof typeof FIELD_GROUPS | null): Record<string, Shape> {
  const paths = MANIFEST_FIELDS.map(({ at }): [string | null, string] =>
    at[1] === undefined ? [null, at[0]] : [at[0], at[1]],
  );
  return Object.fromEntries(paths.filter(([parent]) => parent === group).map(([, name]) => [name, VALUE]));
}

const VERSION = objectWith({ version: VALUE, artifactUrl: VALUE, artifactChecksum: VALUE });
const ENTRY = objectWith({
  ...fieldsIn(null),
  ...Object.fromEntries(entriesOf(FIELD_GROUPS).map(([name]) => [name, objectWith(fieldsIn(name))])),
});
const DOCUMENTS: Record<DocumentKind, Shape> = {
  registry: objectWith({ apps: { kind: 'map', each: ENTRY } }),
  app: objectWith({ versions: { kind: 'list', each: VERSION } }),
};

export interface UnknownProperty {
  pointer: string;
  name: string;
  /** A known, absent field with a similar name, or null. */
  meant: string | null;
}

/** Every field that the format does not define; `$schema` and `x-…` are ignored. */
export function unknownProperties(kind: DocumentKind, value: JsonValue): UnknownProperty[] {
  const found: UnknownProperty[] = [];
  collect(DOCUMENTS[kind], value, [], found);
  return found;
}

/**
 * Adds the unknown fields of a value to `found`. A value of another shape is left to the schema.
 * @param path of the value; changed, and restored. A pointer is made of it only for what is found
 */
function collect(
  shape: Shape,
  value: JsonValue | undefined,
  path: (string | number)[],
  found: UnknownProperty[],
): void {
  if (shape.kind === 'list') {
    if (Array.isArray(value)) for (let i = 0; i < value.length; i++) collectAt(shape.each, value[i], i, path, found);
    return;
  }
  if (shape.kind === 'value' || !isObject(value)) return;
  for (const name of Object.keys(value)) {
    const inner = shape.kind === 'map' ? shape.each : shape.fields.get(name);
    if (inner?.kind === 'value') continue;
    if (inner !== undefined) collectAt(inner, value[name], name, path, found);
    else if (shape.kind === 'object' && name !== '$schema' && !name.startsWith('x-')) {
      const absent = [...shape.fields.keys()].filter((field) => !Object.hasOwn(value, field));
      found.push({ pointer: pointerTo(...path, name), name, meant: closest(name, absent) });
    }
  }
}

function collectAt(
  shape: Shape,
  value: JsonValue | undefined,
  step: string | number,
  path: (string | number)[],
  found: UnknownProperty[],
): void {
  path.push(step);
  collect(shape, value, path, found);
  path.pop();
}

const ALIASES: ReadonlyMap<string, string> = new Map([
  ['url', 'artifactUrl'],
  ['checksum', 'artifactChecksum'],
  ['sha256', 'artifactChecksum'],
  ['digest', 'artifactChecksum'],
  ...entriesOf(FIELD_GROUPS).flatMap(([name, { aliases }]) => aliases.map((alias): [string, string] => [alias, name])),
  ...MANIFEST_FIELDS.flatMap(({ at, aliases = [] }) =>
    aliases.map((alias): [string, string] => [alias, at[1] ?? at[0]]),
  ),
]);

/**
 * The known name that a text is a misspelling of: at most two typing errors apart, or equal except for case and dashes.
 */
function closest(name: string, known: readonly string[]): string | null {
  const alias = ALIASES.get(name);
  if (alias !== undefined && known.includes(alias)) return alias;
  const folded = name.toLowerCase().replace(/[-_]/g, '');
  return (
    known.find((candidate) => {
      const other = candidate.toLowerCase();
      return (
        folded === other ||
        (Math.abs(folded.length - other.length) <= 2 && distance(folded, other) <= (other.length > 4 ? 2 : 1))
      );
    }) ?? null
  );
}
