import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  documentText,
  isObject,
  type JsonValue,
  MAX_DEPTH,
  member,
  type ParsedDocument,
  parseDocument,
} from '../../../src/core/json/json.ts';
import { runs } from '../../support/property-runs.ts';
import { read, accepts, escapeAll, document, agree } from './json-fixture.ts';
import { expectWithin } from '../../support/timing.ts';

/** Reading JSON, compared with JSON.parse. */

const mutated = fc
  .tuple(
    document,
    fc.array(
      fc.tuple(
        fc.nat(),
        fc.constantFrom('cut', 'drop', 'insert', 'swap'),
        fc.constantFrom(...'{}[]",:\\/*\'0+-.eEtn \t\n\u0000\u00a0\ufeffu'.split('')),
      ),
      { minLength: 1, maxLength: 3 },
    ),
  )
  .map(([text, changes]) => {
    for (const [where, how, what] of changes) {
      const at = text.length === 0 ? 0 : where % text.length;
      if (how === 'cut') text = text.slice(0, at);
      else text = text.slice(0, at) + (how === 'drop' ? '' : what) + text.slice(how === 'insert' ? at : at + 1);
    }
    return text;
  });

describe('the parser agrees with JSON.parse', () => {
  test('on valid text in any spelling', () => {
    fc.assert(
      fc.property(document, (text) => {
        expect(accepts(text)).toBe(true);
        agree(text);
        agree(`\ufeff${text}`);
      }),
      { numRuns: runs(1500) },
    );
  });

  test('on text with random changes', () => {
    fc.assert(fc.property(mutated, agree), { numRuns: runs(4000) });
  });

  test('on any text', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.stringMatching(/^[[\]{}",:0-9eE.+-truefalsn \\u]*$/)),
        agree,
      ),
      { numRuns: runs(3000) },
    );
  });

  test('on every prefix of a document', () => {
    const text = '{"apps":{"a":[1.5e+3,-0,true,null,"\\u00e9\\n",{}],"":[]}}';
    for (let end = 1; end < text.length; end++) {
      agree(text.slice(0, end));
      expect(read(text.slice(0, end)).fault!.cause, text.slice(0, end)).toMatch(/^(truncated|bad-escape)$/);
    }
  });

  test('except that it rejects lone surrogates', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (raw) => {
        const text = escapeAll(raw);
        expect(read(text).fault?.cause ?? null).toBe(/\p{Cs}/u.test(raw) ? 'lone-surrogate' : null);
      }),
      { numRuns: runs(2000) },
    );
  });
});

describe('extreme input', () => {
  test('nesting of 64 levels is accepted, and of 65 levels is rejected', () => {
    expect(read('['.repeat(MAX_DEPTH) + ']'.repeat(MAX_DEPTH)).oversized).toBe(null);
    expect(read('['.repeat(MAX_DEPTH + 1) + ']'.repeat(MAX_DEPTH + 1))).toMatchObject({
      oversized: 'depth',
      value: undefined,
      fault: null,
    });
  });

  test.each([
    ['arrays', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['objects', '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000)],
    ['never closed', '['.repeat(100_000)],
    ['in an unknown field', `{"apps":{},"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ])('nesting of 100,000 levels is rejected within 200 ms: %s', (_, text) => {
    let reading!: ParsedDocument;
    expectWithin(200, () => (reading = read(text)));
    expect(reading.oversized).toBe('depth');
  });

  test('strings with a million backslashes or quotes are parsed within half a second', () => {
    expectWithin(500, () => expect(read(`"${'\\\\'.repeat(500_000)}"`).fault).toBe(null));
    expectWithin(500, () => expect(read(`"${'\\"'.repeat(500_000)}"`).fault).toBe(null));
    expectWithin(500, () => expect(read(`"${'\\'.repeat(999_999)}"`).fault!.cause).toBe('truncated'));
    expectWithin(500, () => read('\\"'.repeat(100_000)));
  });
});

test('a document is parsed only once', () => {
  const content = documentText('{"a":1}');
  expect(parseDocument(content)).toBe(parseDocument(content));
});

test('member() returns own members of objects only', () => {
  const value = JSON.parse('{"a":1,"__proto__":{"b":2}}') as JsonValue;
  expect(member(value, '__proto__')).toEqual({ b: 2 });
  expect(member(value, 'b')).toBe(undefined);
  expect(member({}, 'constructor')).toBe(undefined);
  expect(member({}, '__proto__')).toBe(undefined);
  expect(member([1], 'length')).toBe(undefined);
  expect(member('abc', '0')).toBe(undefined);
  expect([isObject([]), isObject(null), isObject({}), isObject(undefined)]).toEqual([false, false, true, false]);
});
