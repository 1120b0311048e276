import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { documentText, parseDocument } from '../../../src/core/json/json.ts';
import {
  childrenAt,
  duplicateNames,
  lineStarts,
  locate,
  positionOf,
  survey,
} from '../../../src/core/json/positions.ts';
import { pointerStep } from '../../../src/core/json/pointer.ts';
import { runs } from '../../support/property-runs.ts';
import { document, type Node, all } from './json-fixture.ts';

/** Positions of values, compared with a simple reader. */

const order = (list: readonly { offset: number }[]): unknown => list.toSorted((a, b) => a.offset - b.offset);

function naive(text: string): Node {
  let at = 0;
  const skip = (): void => {
    while (/[ \t\r\n\ufeff]/.test(text[at] ?? '')) at++;
  };
  const string = (): string => {
    const match = /"(?:[^"\\]|\\[^])*"/y;
    match.lastIndex = at;
    const found = match.exec(text)![0];
    at += found.length;
    return JSON.parse(found) as string;
  };
  const value = (pointer: string, nameStart: number | null): Node => {
    skip();
    const node: Node = { pointer, start: at, end: 0, nameStart, children: [] };
    if (text[at] === '{' || text[at] === '[') {
      const named = text[at++] === '{';
      for (skip(); text[at] !== '}' && text[at] !== ']'; skip()) {
        const start = at;
        const name = named ? string() : node.children.length;
        if (named) {
          skip();
          at++;
        }
        node.children.push(value(pointer + pointerStep(name), named ? start : null));
        skip();
        if (text[at] === ',') at++;
      }
      at++;
    } else if (text[at] === '"') string();
    else at += /^[^\s,\]}]*/.exec(text.slice(at))![0].length;
    node.end = at;
    return node;
  };
  return value('', null);
}

describe('positions of values', () => {
  const bom = fc.constantFrom('', '\ufeff');

  test('locate finds every value where a simple reader finds it', () => {
    fc.assert(
      fc.property(bom, document, (mark, text) => {
        // The last of two members with the same name counts, with everything in it.
        const wanted = new Map<string, Node>();
        const keep = (node: Node): void => {
          wanted.set(node.pointer, node);
          const last = new Map(node.children.map((child) => [child.pointer, child]));
          for (const child of last.values()) keep(child);
        };
        keep(naive(mark + text));
        const spans = locate(mark + text, wanted.keys());
        for (const [pointer, { start, end, nameStart }] of wanted) {
          expect(spans.get(pointer), `${pointer} in ${text}`).toEqual({ start, end, nameStart });
        }
        expect(locate(text, ['/no such name', '/0/1/2/3/4/5/6/7']).size).toBe(0);
        // The element behind the last one (RFC 6901) is nowhere; in an object, "-" is a name like any other.
        if (text.trimStart().startsWith('[')) expect(locate(text, ['/-']).size).toBe(0);
      }),
      { numRuns: runs(800) },
    );
  });

  test('childrenAt returns the children of every object and array in order, and null for other values', () => {
    fc.assert(
      fc.property(bom, document, (mark, source) => {
        const text = mark + source;
        if (duplicateNames(text).length > 0) return;
        for (const node of all(naive(text))) {
          const found = childrenAt(text, node.pointer);
          if (!'{['.includes(text[node.start]!)) {
            expect(found).toBe(null);
            continue;
          }
          expect(found!.span).toEqual({ start: node.start, end: node.end, nameStart: node.nameStart });
          expect(
            found!.children.map(({ name, start, end, nameStart }) => ({
              pointer: node.pointer + pointerStep(name),
              start,
              end,
              nameStart,
            })),
          ).toEqual(node.children.map(({ pointer, start, end, nameStart }) => ({ pointer, start, end, nameStart })));
        }
      }),
      { numRuns: runs(500) },
    );
  });

  test('the reported duplicates are those of a simple reader', () => {
    fc.assert(
      fc.property(bom, document, (mark, source) => {
        const text = mark + source;
        const wanted = all(naive(text)).flatMap((node) => {
          const first = new Map<string, number>();
          return node.children.flatMap(({ pointer, nameStart }) => {
            if (nameStart === null) return [];
            const before = first.get(pointer);
            if (before === undefined) first.set(pointer, nameStart);
            return before === undefined ? [] : [{ pointer, offset: nameStart, first: before }];
          });
        });
        const found = parseDocument(documentText(text)).duplicates;
        expect(order(found.map(({ pointer, offset, first }) => ({ pointer, offset, first })))).toEqual(
          order(wanted.slice(0, 100)),
        );
      }),
      { numRuns: runs(1500) },
    );
  });

  test('names with ~, /, escapes and the empty name are located', () => {
    const text = '{"a/b":{"m~n":[{"":1}]},"\\u0061\\n":2,"~1":3}';
    const at = (pointer: string): string | undefined => {
      const span = locate(text, [pointer]).get(pointer);
      return span && text.slice(span.start, span.end);
    };
    expect(at('/a~1b/m~0n/0/')).toBe('1');
    expect(at('/a\n')).toBe('2');
    expect(at('/~01')).toBe('3');
    expect(at('/~1')).toBe(undefined);
    expect(at('')).toBe(text);
  });

  test('the last duplicate is located, as JSON.parse uses it', () => {
    const text = '{"a":1,"a":2}';
    expect(locate(text, ['/a']).get('/a')).toEqual({ start: 11, end: 12, nameStart: 7 });
  });

  test('values inside an earlier duplicate are not located', () => {
    expect(locate('{"a":{"x":1},"a":{}}', ['/a/x']).size).toBe(0);
  });

  test('at most 100 duplicates are reported', () => {
    expect(duplicateNames(`{${'"a":1,'.repeat(500)}"a":1}`)).toHaveLength(100);
  });

  test('survey counts entries and depth outside of strings', () => {
    expect(survey('{"a":{"b:":["[{:"]}}', 64)).toEqual({ depth: 3, deepestAt: 11, members: 2, entries: 3 });
    expect(survey('[[],{},[1,",",{"a":0,"b":0}]]', 64)).toEqual({ depth: 3, deepestAt: 14, members: 2, entries: 10 });
    expect(survey('', 64)).toEqual({ depth: 0, deepestAt: 0, members: 0, entries: 0 });
    expect(survey('["', 64).depth).toBe(1);
    expect(survey(']]]]', 64).depth).toBe(0);
  });

  test('lines end with LF or CRLF, columns count UTF-16 units, and a byte order mark does not count', () => {
    const text = '\ufeff{\r\n\t"😀": 1,\n"x": 2}';
    const place = (what: string): unknown => positionOf(lineStarts(text), text.indexOf(what));
    expect(place('{')).toEqual({ line: 1, column: 1 });
    expect(place('"😀')).toEqual({ line: 2, column: 2 });
    expect(place('1')).toEqual({ line: 2, column: 8 });
    expect(place('"x"')).toEqual({ line: 3, column: 1 });
    expect(positionOf(lineStarts(text), 0)).toEqual({ line: 1, column: 1 });
    expect(positionOf(lineStarts(text), text.length)).toEqual({ line: 3, column: 8 });
  });
});
