import { readFileSync } from 'node:fs';
import { expect, expectTypeOf, test } from 'vitest';
import {
  choice,
  count,
  flag,
  list,
  nullable,
  orNull,
  strictObject,
  text,
  type ValueOf,
  withDescription,
} from '../../src/domain/shape.ts';
import { EVENT_TYPES } from '../../src/domain/events.ts';
import { DOCUMENT, OPERATIONS } from './contract.ts';

/** The OpenAPI document itself. */

test('the guide lists exactly the operations of the OpenAPI document', () => {
  const guide = readFileSync('docs/operators/service-api.md', 'utf8');
  const listed = [...guide.matchAll(/^\| `([A-Z]+) (\/\S*)`/gm)].map(([, method, path]) => `${method} ${path}`);
  expect(listed.toSorted()).toEqual(OPERATIONS.map(({ method, path }) => `${method} ${path}`).toSorted());
});

test('the guide lists exactly the types of events', () => {
  const guide = readFileSync('docs/operators/service-api.md', 'utf8');
  const table = /^\| type \| when \|\n[^]*?\n\n/m.exec(guide)?.[0] ?? '';
  const listed = [...table.matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, names]) => names!.match(/[a-z-]+/g));
  expect(listed.toSorted()).toEqual(EVENT_TYPES.toSorted());
});

test('operation ids are unique, and every schema and path parameter is used', () => {
  const names = OPERATIONS.map(({ operationId }) => operationId);
  expect(new Set(names).size).toBe(names.length);
  const text = JSON.stringify(DOCUMENT);
  const { schemas } = DOCUMENT['components'] as { schemas: object };
  const referred = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map((match) => match[1]!);
  expect([...new Set(referred)].toSorted()).toEqual(Object.keys(schemas).toSorted());
  for (const { path, parameters } of OPERATIONS)
    expect(parameters.filter((one) => one.in === 'path').map(({ name }) => `{${name}}`)).toEqual(
      path.match(/\{\w+\}/g) ?? [],
    );
});

test('the type of a shape is inferred from its schema', () => {
  const shape = strictObject('A shape.', {
    name: withDescription(orNull(text), 'Null without one.'),
    state: choice(['good', 'failing', null]),
    parts: list(strictObject('A part.', { count })),
    last: nullable(strictObject('The last one.', { flag })),
  });
  expectTypeOf<ValueOf<typeof shape>>().toEqualTypeOf<{
    name: string | null;
    state: 'good' | 'failing' | null;
    parts: { count: number }[];
    last: { flag: boolean } | null;
  }>();
  expect(shape['required']).toEqual(['name', 'state', 'parts', 'last']);
});
