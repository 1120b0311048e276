import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LEVELS, type Role, ROLES } from '../src/case/case.ts';
import { casesOf, folderOf } from '../src/sets.ts';

/** The cases of the conformance kit as data: complete, frozen, and supported by the specification. */

/** The sentences of the specification, by section. */
const SENTENCES: Record<string, string[]> = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../conformance/specification.json'), 'utf8'),
);

/**
 * The ids and levels of the frozen cases, as a digest by role. A set that was released never changes: additional and
 * corrected cases are part of a new set.
 */
const FROZEN: Readonly<Record<Role, string>> = {
  documents: 'b8442a8c5c16d43a',

  host: 'd20bdd177af8d94c',

  subscriber: '240d2e87a9ddfdb2',
};

test.each(ROLES)('set 1 of the role %s is unchanged', (role) => {
  const lines = casesOf(1, role).map(({ id, level }) => `${id} ${level}`);
  expect(createHash('sha256').update(lines.toSorted().join('\n')).digest('hex').slice(0, 16)).toBe(FROZEN[role]);
});

describe.each(ROLES)('the cases of the role %s', (role) => {
  const cases = casesOf(1, role);

  test('have ids of their own', () => {
    const ids = cases.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  test('have an id, a role, a level and a title', () => {
    const wrong = cases.filter(
      (one) =>
        one.role !== role ||
        !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(one.id) ||
        !LEVELS.includes(one.level) ||
        !/^[A-Z0-9].*\.$/.test(one.title),
    );
    expect(wrong.map(({ id }) => id)).toEqual([]);
  });

  test('quote the specification exactly if they are required, and only then', () => {
    const wrong = cases.filter(({ level, quote, spec }) => {
      const sentences = SENTENCES[spec] ?? [];
      if (level !== 'required') return quote !== null || sentences.length === 0;
      return quote === null || !sentences.some((sentence) => sentence.includes(quote));
    });
    expect(wrong.map(({ id, spec, quote }) => ({ id, spec, quote }))).toEqual([]);
  });
});

describe('the documents', () => {
  const cases = casesOf(1, 'documents');

  test('are at least 150', () => {
    expect(cases.length).toBeGreaterThanOrEqual(150);
  });

  test('are in a folder with the id of the case, beside its description', () => {
    const folder = folderOf(1, 'documents');
    expect(readdirSync(folder).toSorted()).toEqual(cases.map(({ id }) => id).toSorted());
    const incomplete = cases.filter(
      ({ id, script }) =>
        !existsSync(join(folder, id, `${script.document}.json`)) || readdirSync(join(folder, id)).length !== 2,
    );
    expect(incomplete.map(({ id }) => id)).toEqual([]);
  });
});
