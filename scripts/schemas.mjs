// Generates the files of schemas/ from the TypeScript types that declare the same documents (schema-generator.mjs), and
// from the table of the fields of an app (core/registry/app-fields.ts).
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { buildSync } from 'esbuild';
import { SchemaGenerator } from './schema-generator.mjs';

/** The type of each schema. `closed`: unknown members are refused. `fields` adds those of the table of fields. */
const SCHEMAS = {
  facts: { file: 'src/core/facts/snapshot.ts', type: 'Snapshot', closed: false },
  report: { file: 'src/core/findings/report.ts', type: 'Report', closed: true },
  release: { file: 'src/core/release/report.ts', type: 'ReleaseReport', closed: true },
  conformance: { file: 'conformance/src/result.ts', type: 'ConformanceReport', closed: true },
  lock: { file: 'src/core/registry/lock-file.ts', type: 'LockDocument', closed: true },
  about: { file: 'src/core/about/about-document.ts', type: 'AboutDocument', closed: true, fields: addAboutFields },
  policy: { file: 'src/core/policy/policy-document.ts', type: 'PolicyDocument', closed: true },
  'app-description': {
    file: 'src/core/release/app-description.ts',
    type: 'AppDescription',
    closed: true,
    fields: addDescribedFields,
  },
  config: { file: 'src/cli/config/type.ts', type: 'Config', closed: true },
};

/** The generated schemas as texts, by the name of their file. */
export function schemaFiles(root) {
  const tables = tablesOf(root);
  const files = Object.entries(SCHEMAS).map(([name, { file, type, closed, fields }]) => {
    const generator = new SchemaGenerator(join(root, file), closed);
    const document = generator.document(type);
    const whole = fields === undefined ? document : fields(document, generator, tables);
    return [name, withDefinitions(whole, generator, closed)];
  });
  return Object.fromEntries(
    [...files, ['output', outputSchema(root)], ['registry', registrySchema(tables)]].map(([name, schema]) => [
      `${name}.schema.json`,
      `${printed(schema, 0)}\n`,
    ]),
  );
}

/** The fields of an app, and the form of a color. */
function tablesOf(root) {
  const contents = `export { APP_FIELDS, FIELD_GROUPS } from './registry/app-fields.ts';
    export { COLOR_PATTERN } from './text/color.ts';`;
  const stdin = { contents, resolveDir: join(root, 'src/core'), loader: 'ts' };
  const { outputFiles } = buildSync({ stdin, bundle: true, format: 'iife', globalName: 'tables', write: false });
  return runInNewContext(`${outputFiles[0].text}; tables`);
}

/** Adds the fields of an app to the schema of about files. */
function addAboutFields(document, generator, { APP_FIELDS }) {
  const { pageUrl, supportUrl, license } = generator.members('AboutForms');
  const kinds = { 'page-url': pageUrl, 'support-url': supportUrl, license };
  const fields = APP_FIELDS.filter((field) => field.in === 'about');
  const properties = fields.map(({ name, kind, description }) => [name, { description, ...kinds[kind] }]);
  const app = { ...document.properties.app, properties: Object.fromEntries(properties), additionalProperties: false };
  return { ...document, properties: { ...document.properties, app } };
}

/** Adds the fields of an entry to the schema of app.json: the required ones first. */
function addDescribedFields(document, generator, { APP_FIELDS }) {
  const form = generator.reference('NotBlank');
  const fields = APP_FIELDS.filter(({ described }) => described !== undefined);
  const ordered = [...fields.filter(isDescribed), ...fields.filter((field) => !isDescribed(field))];
  const { properties, additionalProperties, ...head } = document;
  const { $schema, ...others } = properties;
  const described = ordered.map((field) => [field.name, { description: field.described, ...form }]);
  return {
    ...head,
    required: fields.filter(isDescribed).map(({ name }) => name),
    properties: { $schema, ...Object.fromEntries(described), ...others },
    additionalProperties,
  };
}

/** True for a field that app.json must have: the files of the others may be in its folder. */
function isDescribed({ kind, required }) {
  return required === true && kind !== 'icon' && kind !== 'metadata-url';
}

/** The schema of a manifest. @param tables as tablesOf() returns them */
export function registrySchema({ APP_FIELDS, FIELD_GROUPS, COLOR_PATTERN }) {
  const url = { allOf: [{ $ref: '#/definitions/httpsUrl' }] };
  const kinds = {
    text: { type: 'string' },
    color: { type: 'string', pattern: COLOR_PATTERN },
    icon: url,
    'metadata-url': url,
    'page-url': url,
    'support-url': { type: 'string' },
    license: { type: 'string' },
  };
  const entry = objectSchema(undefined);
  for (const { in: document, at, kind, required, description } of APP_FIELDS) {
    if (document !== 'manifest') continue;
    const [first, second] = at;
    const schema = { ...kinds[kind], description };
    if (second === undefined) addProperty(entry, first, schema, required);
    else {
      const group = entry.properties[first] ?? objectSchema(FIELD_GROUPS[first].description);
      addProperty(group, second, schema, required);
      addProperty(entry, first, group, required);
    }
  }
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Registry manifest',
    description: 'The index of all apps of a registry (specification, section 2.1).',
    type: 'object',
    required: ['apps'],
    properties: {
      $schema: { type: 'string' },
      apps: {
        type: 'object',
        description: 'Maps an app key to an app entry. A key has letters, digits, hyphens and underscores alone.',
        propertyNames: { pattern: '^[A-Za-z0-9_-]+$' },
        additionalProperties: { $ref: '#/definitions/entry' },
      },
    },
    patternProperties: { '^x-': {} },
    additionalProperties: true,
    definitions: {
      httpsUrl: {
        type: 'string',
        pattern: String.raw`^[Hh][Tt][Tt][Pp][Ss]://[^\s/@?#\\]+([/?#][^\s\\]*)?$`,
        description: 'An absolute https URL without user name or password.',
      },
      entry,
    },
  };
}

/** An object whose members are added with `addProperty`. */
function objectSchema(description) {
  return { type: 'object', description, required: [], properties: {}, additionalProperties: true };
}

function addProperty(object, name, schema, isRequired) {
  object.properties[name] = schema;
  if (isRequired && !object.required.includes(name)) object.required.push(name);
}

/** Writes the schemas that have changed. */
export function writeSchemas(root) {
  for (const [name, text] of Object.entries(schemaFiles(root))) {
    const target = join(root, 'schemas', name);
    if (readFileSync(target, { encoding: 'utf8', flag: 'a+' }) !== text) writeFileSync(target, text);
  }
}

/**
 * A schema with its definitions. One that a single place refers to is in that place: messages about unknown members find
 * the known ones there. In facts, all members are allowed.
 */
function withDefinitions(schema, { definitions }, closed) {
  const uses = new Map();
  for (const [ref] of JSON.stringify([schema, definitions]).matchAll(/"#\/definitions\/[^"]+"/g))
    uses.set(ref, (uses.get(ref) ?? 0) + 1);
  const isShared = (name) => (uses.get(JSON.stringify(`#/definitions/${name}`)) ?? 0) > (closed ? 1 : 0);
  const inlined = (value) => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(inlined);
    // An object or null.
    const { $ref, ...rest } = Array.isArray(value.type) && value.then?.$ref ? nullableRef(value) : value;
    const name = $ref?.replace('#/definitions/', '');
    if (name !== undefined && Object.hasOwn(definitions, name) && !isShared(name))
      return { ...inlined(definitions[name]), ...rest };
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inlined(item)]));
  };
  const shared = Object.entries(definitions).filter(([name]) => isShared(name));
  return { ...inlined(schema), definitions: inlined(Object.fromEntries(shared)) };
}

function nullableRef({ then, type, description }) {
  return { ...then, ...(description && { description }), type };
}

const CHECKS = ['lint', 'verify', 'diagnose', 'judge'];
const CONFORMANCE = ['conformance documents', 'conformance host', 'conformance subscriber'];

function isCommand(command) {
  return { properties: { command } };
}

/** The document of any command: by its name, that of a check, of release, of a failure, or a result. */
function outputSchema(root) {
  const generator = new SchemaGenerator(join(root, 'src/report/results.ts'), true);
  const results = generator.members('Results');
  for (const [name, schema] of Object.entries(results))
    generator.definitions[name.replace(' ', '-')] = inEnvelope(schema, generator);
  return withDefinitions(
    {
      $schema: 'http://json-schema.org/draft-07/schema#',
      title: 'Output of appreg',
      description:
        'Every JSON document of the command line: the result of a command with --format json, or the error that ended it.',
      type: 'object',
      allOf: [
        generator.reference('Envelope'),
        { if: isCommand({ enum: CHECKS }), then: { $ref: 'report.schema.json' } },
        { if: isCommand({ const: 'release' }), then: { $ref: 'release.schema.json' } },
        {
          if: { required: ['error'], ...isCommand({ not: { enum: [...CHECKS, 'release'] } }) },
          then: generator.reference('FailedRun'),
          else: isCommand({ enum: [...CHECKS, ...CONFORMANCE, 'release', ...Object.keys(results)] }),
        },
        {
          if: { not: { required: ['error'] }, ...isCommand({ enum: CONFORMANCE }) },
          then: { $ref: 'conformance.schema.json' },
        },
        ...Object.keys(results).map((name) => ({
          if: { not: { required: ['error'] }, ...isCommand({ const: name }) },
          then: { $ref: `#/definitions/${name.replace(' ', '-')}` },
        })),
      ],
    },
    generator,
    true,
  );
}

/** A result with the members of the envelope. */
function inEnvelope(schema, { definitions }) {
  const own = schema.$ref ? definitions[schema.$ref.replace('#/definitions/', '')] : schema;
  return { ...own, properties: { schema: true, tool: true, command: true, ...own.properties } };
}

/** JSON as the formatter prints it: on one line where it fits. */
function printed(value, indent, room = 0) {
  const flat = oneLine(value);
  if (typeof value !== 'object' || value === null || indent + room + flat.length <= WIDTH) return flat;
  const inner = ' '.repeat(indent + 2);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const items = Array.isArray(value)
    ? value.map((item) => printed(item, indent + 2, 1))
    : membersOf(value).map(([key, item]) => {
        const name = `${JSON.stringify(key)}: `;
        return name + printed(item, indent + 2, name.length + 1);
      });
  return `${open}\n${items.map((item) => inner + item).join(',\n')}\n${' '.repeat(indent)}${close}`;
}

/** As JSON.stringify() has them. */
function membersOf(value) {
  return Object.entries(value).filter(([, item]) => item !== undefined);
}

const WIDTH = 120;

function oneLine(value) {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  const members = membersOf(value).map(([key, item]) => `${JSON.stringify(key)}: ${oneLine(item)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
