import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
// @ts-expect-error a script without types
import { SchemaGenerator } from '../../scripts/schema-generator.mjs';

const folder = mkdtempSync(join(tmpdir(), 'appreg-schemas-'));
let files = 0;
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The schema of the type `Root` in a file with this text, without the keywords that every document has. */
function schemaOf(text: string, closed = false) {
  const file = join(folder, `types-${(files += 1)}.ts`);
  writeFileSync(file, text);
  const generator = new SchemaGenerator(file, closed);
  const { $schema, title: _, ...schema } = generator.document('Root');
  expect($schema).toBe('http://json-schema.org/draft-07/schema#');
  return { ...schema, definitions: generator.definitions };
}

/** The schema of a member of that type. */
function memberOf(text: string, more = '') {
  return schemaOf(`${more}\ninterface Root {\n${text} }`).properties.a;
}

test('required, optional and closed members', () => {
  expect(schemaOf('/** Words. */\ninterface Root { a: string; b?: number; }', true)).toEqual({
    description: 'Words.',
    type: 'object',
    required: ['a'],
    properties: { a: { type: 'string' }, b: { type: 'number' } },
    additionalProperties: false,
    definitions: {},
  });
  expect(schemaOf('/** @additionalProperties true */\ninterface Root { a?: string }', true)).toEqual({
    type: 'object',
    properties: { a: { type: 'string' } },
    additionalProperties: true,
    definitions: {},
  });
});

test.each<[type: string, schema: object]>([
  ['a: string | null', { type: ['string', 'null'] }],
  ['a: readonly string[] | null', { type: ['array', 'null'], items: { type: 'string' } }],
  ["a: 'x' | 'y' | null", { enum: ['x', 'y', null] }],
  ['a: 1', { const: 1 }],
  ['a: object | null', { type: ['object', 'null'] }],
  ['a: unknown', {}],
  ["a: Record<'x', boolean>", { type: 'object', required: ['x'], properties: { x: { type: 'boolean' } } }],
  ['a: Record<string, number>', { type: 'object', additionalProperties: { type: 'number' } }],
  ['a: [string, 1]', { type: 'array', items: [{ type: 'string' }, { const: 1 }], minItems: 2, maxItems: 2 }],
  [
    'a: string | number | string[]',
    { anyOf: [{ type: ['string', 'number'] }, { type: 'array', items: { type: 'string' } }] },
  ],
])('%s', (type, schema) => {
  expect(memberOf(type)).toEqual(schema);
});

test.each<[tags: string, type: string, schema: object]>([
  ['Words\n of two lines.', 'a: string', { description: 'Words of two lines.', type: 'string' }],
  ['@asType integer\n * @minimum 0', 'a: number | null', { type: ['integer', 'null'], minimum: 0 }],
  ['@asType string', "a: 'x' | 'y'", { type: 'string' }],
  ['@pattern ^[^/@\\\\]+\\.{1,2}(a|b)*$', 'a: string', { type: 'string', pattern: '^[^/@\\\\]+\\.{1,2}(a|b)*$' }],
  ['@default []', 'a: string[]', { type: 'array', items: { type: 'string' }, default: [] }],
  [
    '@uniqueItems true\n * @minItems 1',
    'a: string[]',
    { type: 'array', items: { type: 'string' }, uniqueItems: true, minItems: 1 },
  ],
])('the tags %j', (tags, type, schema) => {
  expect(memberOf(`/**\n * ${tags}\n */\n${type}`)).toEqual(schema);
});

test('the pattern of names', () => {
  const types = '/**\n * @pattern x\n * @patternErrorMessage y\n */\ntype Name = string;';
  expect(memberOf('a: Record<Name, 1>', types)).toEqual({
    type: 'object',
    propertyNames: { pattern: 'x', patternErrorMessage: 'y' },
    additionalProperties: { const: 1 },
  });
});

test('a member with a default may be absent', () => {
  expect(schemaOf('interface Root {\n/** @default x */ a: string }')).not.toHaveProperty('required');
});

test('interfaces and aliases become definitions, with those of other files and bases', () => {
  writeFileSync(
    join(folder, 'other.ts'),
    '/** At least 0. @minimum 0 */\nexport type Count = number;\nexport interface Base { count: Count }',
  );
  writeFileSync(join(folder, 'others.ts'), "export type * from './other.ts';");
  const text = `import type { Base, Count as Number } from './others.ts';
    interface Root extends Base { own: Own; nullable: Own | null; least: Number | null }
    interface Own { own?: Own }`;
  const { properties, required, definitions } = schemaOf(text);
  expect(required).toEqual(['count', 'own', 'nullable', 'least']);
  expect(properties.count).toEqual({ $ref: '#/definitions/count' });
  expect(properties.own).toEqual({ $ref: '#/definitions/own' });
  expect(properties.nullable).toEqual({
    type: ['object', 'null'],
    if: { type: 'object' },
    then: { $ref: '#/definitions/own' },
  });
  expect(properties.least).toMatchObject({ type: ['number', 'null'], minimum: 0 });
  expect(definitions.own).toEqual({ type: 'object', properties: { own: { $ref: '#/definitions/own' } } });
});

test('a comment before an empty line is about the file', () => {
  expect(schemaOf('/** The file. */\n\ninterface Root { a: string }')).not.toHaveProperty('description');
});

test('the values of a list, and those of a member of a union', () => {
  const list = "const LIST = ['x', 'y'] as const;\ntype One = { code: 'a' } | { code: 'b' };";
  expect(memberOf('a: (typeof LIST)[number]', list)).toEqual({ enum: ['x', 'y'] });
  expect(memberOf("a: One['code']", list)).toEqual({ enum: ['a', 'b'] });
});

const required = (code: string) => ({
  if: { properties: { code: { const: code } } },
  then: { required: ['why'], properties: { why: {} } },
});

const item = (id: string) => ({
  allOf: [{ $ref: '#/definitions/one' }, { type: 'object', properties: { id: { const: id } } }],
});

test('a discriminator selects the type of an object', () => {
  const types = '/** @discriminator gone */\ninterface Gone { gone: string }\ninterface There { there: string }';
  expect(memberOf('a: There | Gone', types)).toEqual({
    if: { type: 'object', required: ['gone'], properties: { gone: {} } },
    then: { $ref: '#/definitions/gone' },
    else: { $ref: '#/definitions/there' },
  });
});

test('objects that a literal distinguishes become one object with conditions', () => {
  const text = "type Root = { code: 'a' } | { code: 'b'; why: 'x'; more?: number } | { code: 'c'; why: string };";
  expect(schemaOf(text)).toMatchObject({
    type: 'object',
    required: ['code'],
    properties: { code: { enum: ['a', 'b', 'c'] }, why: { type: 'string' }, more: { type: 'number' } },
    allOf: [required('b'), required('c')],
  });
});

test('a list in the order of the values of a member', () => {
  const types = "interface One { id: 'x' | 'y' }";
  expect(memberOf('/** @orderedBy id */ a: One[]', types)).toEqual({
    type: 'array',
    minItems: 2,
    maxItems: 2,
    items: [item('x'), item('y')],
    additionalItems: false,
  });
});

test('refuses what has no schema, and an unknown type', () => {
  expect(() => memberOf('a: () => void')).toThrow(/types-\d+\.ts: no schema for \(\) => void$/);
  expect(() => memberOf('a: Unknown')).toThrow(/types-\d+\.ts has no type Unknown$/);
});
