import { type ShapeError, validateAppShape, validateRegistryShape } from '../generated/validators.js';
import { isObject, type JsonValue } from '../json/json.ts';
import { pointerStep } from '../json/pointer.ts';
import { distance } from '../text/similar-names.ts';

/** The shapes of the two documents: the required fields, their types (schemas/), and the unknown ones. */

export type DocumentKind = 'registry' | 'app';

export interface SchemaError {
  pointer: string;
  cause: 'missing' | 'wrong-type';
  message: string;
  advice: string;
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
      message: `The field “${name}” is missing${error.instancePath === '' ? '' : ` in ${place}`}.`,
      advice: `Add ${EXAMPLES[name] ?? `"${name}"`}.`,
    };
  }
  const type = String(error.params['type']);
  return {
    pointer: error.instancePath,
    cause: 'wrong-type',
    message: `${place[0]!.toUpperCase()}${place.slice(1)} must be ${type === 'object' || type === 'array' ? `an ${type}` : `a ${type}`}.`,
    advice: TYPE_ADVICE[type] ?? 'Write an object in braces.',
  };
}

const TYPE_ADVICE: Record<string, string> = {
  string: 'Write the value in double quotes.',
  array: 'Write a list in square brackets.',
};

const EXAMPLES: Record<string, string> = {
  apps: '"apps": {}',
  name: '"name": "…", the display name',
  description: '"description": "…", what the app does',
  blockStyle: '"blockStyle": { "iconUrl": "https://…", "color": "#RRGGBB" }',
  iconUrl: '"iconUrl": "https://…/icon.svg"',
  color: '"color": "#RRGGBB"',
  appMetadataUrl: '"appMetadataUrl": "https://…/versions.json"',
  versions: '"versions": []',
  version: '"version": "1.2.3"',
  artifactUrl: '"artifactUrl": "https://….tar.gz"',
  artifactChecksum: '"artifactChecksum": "sha256:…" (appreg checksum <file> prints it)',
};

interface Known {
  fields: Record<string, Known | null>;
  /** The shape of the values of any other name, or of the elements. */
  each?: Known;
  /** Those are elements of an array, not values of an object. */
  list?: true;
}
const VERSION: Known = { fields: { version: null, artifactUrl: null, artifactChecksum: null } };
const ENTRY: Known = {
  fields: {
    name: null,
    description: null,
    appMetadataUrl: null,
    blockStyle: { fields: { iconUrl: null, color: null } },
  },
};
const DOCUMENTS: Record<DocumentKind, Known> = {
  registry: { fields: { apps: { fields: {}, each: ENTRY } } },
  app: { fields: { versions: { fields: {}, each: VERSION, list: true } } },
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
  collect(DOCUMENTS[kind], value, '', found);
  return found;
}

function collect(known: Known, value: JsonValue, pointer: string, found: UnknownProperty[]): void {
  // A value of the wrong shape is a schema violation.
  if (known.each && Array.isArray(value) !== (known.list === true)) return;
  if (Array.isArray(value)) {
    if (known.each)
      for (const [index, item] of value.entries()) collect(known.each, item, `${pointer}/${index}`, found);
    return;
  }
  if (!isObject(value)) return;
  for (const name of Object.keys(value)) {
    const item = value[name]!;
    if (known.each) {
      collect(known.each, item, pointer + pointerStep(name), found);
      continue;
    }
    const inner = Object.hasOwn(known.fields, name) ? known.fields[name] : undefined;
    if (inner) {
      if (typeof item === 'object') collect(inner, item, `${pointer}/${name}`, found);
    } else if (inner === undefined && name !== '$schema' && !name.startsWith('x-')) {
      const absent = Object.keys(known.fields).filter((field) => !Object.hasOwn(value, field));
      found.push({ pointer: pointer + pointerStep(name), name, meant: closest(name, absent) });
    }
  }
}

const ALIASES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    icon: 'iconUrl',
    colour: 'color',
    title: 'name',
    url: 'artifactUrl',
    checksum: 'artifactChecksum',
    sha256: 'artifactChecksum',
    digest: 'artifactChecksum',
    metadataUrl: 'appMetadataUrl',
    style: 'blockStyle',
  }),
);

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
        (Math.abs(folded.length - other.length) <= 2 && other.length > 4 && distance(folded, other) <= 2)
      );
    }) ?? null
  );
}
