import * as fc from 'fast-check';
import { expect } from 'vitest';
import { documentText, type ParsedDocument, parseDocument } from '../../../src/core/json/json.ts';

/** Generated JSON texts, and a simple reader to compare with. */

export const read = (text: string): ParsedDocument => parseDocument(documentText(text));

export const accepts = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** Any JSON text, in any spelling: spaces, escapes, exponents, names that stand twice or resemble members of objects. */
const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/);

export const escapeAll = (text: string): string =>
  `"${Array.from({ length: text.length }, (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')}"`;

const whole = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.constantFrom('', '__proto__', 'constructor', '2', 'a/b', 'm~n', '~1', '"', '\\', '\u2028', '\ufeff', '[{', ':,'),
);

const spelt = fc.tuple(whole, fc.boolean()).map(([text, all]) => (all ? escapeAll(text) : JSON.stringify(text)));

const scalar = fc.oneof(
  spelt,
  fc.constantFrom('null', 'true', 'false', '0', '-0', '1E5', '1e-07', '9007199254740993', '-1.50', '"\\/"', '1e999'),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => JSON.stringify(n)),
);

const spaced = (open: string, items: readonly string[], close: string, gaps: readonly string[]): string =>
  open +
  (gaps[0] ?? '') +
  items.map((item, i) => `${i > 0 ? `${gaps[1] ?? ''},` : ''}${gaps[2] ?? ''}${item}`).join('') +
  (gaps[3] ?? '') +
  close;

const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    scalar,
    fc
      .tuple(fc.array(tie('json'), { maxLength: 4 }), fc.array(space, { minLength: 4, maxLength: 4 }))
      .map(([items, gaps]) => spaced('[', items, ']', gaps)),
    fc
      .tuple(
        fc.array(fc.tuple(spelt, tie('json'), space, space), { maxLength: 4 }),
        fc.array(space, { minLength: 4, maxLength: 4 }),
      )
      .map(([items, gaps]) =>
        spaced(
          '{',
          items.map(([name, value, before, after]) => `${name}${before}:${after}${value}`),
          '}',
          gaps,
        ),
      ),
  ),
}));

export const document = fc.tuple(space, json, space).map((parts) => parts.join(''));

export const agree = (text: string): void => {
  const { value, fault, oversized, byteOrderMark } = read(text);
  if (byteOrderMark) text = text.slice(1);
  expect(oversized).toBe(null);
  if (accepts(text)) {
    expect(value).toEqual(JSON.parse(text));
    if (fault) expect(fault.cause).toBe('lone-surrogate');
  } else {
    expect(value).toBe(undefined);
    expect(fault, text).not.toBe(null);
    expect(fault!.cause).not.toBe('lone-surrogate');
    expect(fault!.offset).toBeGreaterThanOrEqual(0);
    expect(fault!.offset).toBeLessThanOrEqual(text.length + 1);
    expect(fault!.message).not.toMatch(/Unexpected token|undefined/);
  }
};

/** A tree with the position of every value, built by a simple reader, which `locate` must agree with. */
export interface Node {
  pointer: string;
  start: number;
  end: number;
  nameStart: number | null;
  children: Node[];
}

export function all(node: Node): Node[] {
  return [node, ...node.children.flatMap(all)];
}
