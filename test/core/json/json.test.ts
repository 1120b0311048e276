import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { documentText } from '../../../src/core/registry/document-text.ts';
import {
  childrenAt,
  duplicateNames,
  lineStarts,
  locate,
  positionOf,
  survey,
} from '../../../src/core/json/positions.ts';
import {
  documentContent,
  isObject,
  type JsonValue,
  MAX_DEPTH,
  member,
  type ParsedDocument,
  parseDocument,
} from '../../../src/core/json/json.ts';
import { pointerStep } from '../../../src/core/json/pointer.ts';
import { runs } from '../../support/property-runs.ts';

const read = (text: string): ParsedDocument => parseDocument(documentText(text));
const accepts = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** Any JSON text, in any spelling: spaces, escapes, exponents, names that stand twice or resemble members of objects. */
const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/);
const escapeAll = (text: string): string =>
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
const document = fc.tuple(space, json, space).map((parts) => parts.join(''));
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

const agree = (text: string): void => {
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

const timed = (run: () => void): number => {
  const start = performance.now();
  run();
  return performance.now() - start;
};

const order = (list: readonly { offset: number }[]): unknown => list.toSorted((a, b) => a.offset - b.offset);

describe('reading agrees with JSON.parse', () => {
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

  test('on text that was damaged', () => {
    fc.assert(fc.property(mutated, agree), { numRuns: runs(4000) });
  });

  test('on any text at all', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.stringMatching(/^[[\]{}",:0-9eE.+-truefalsn \\u]*$/)),
        agree,
      ),
      { numRuns: runs(3000) },
    );
  });

  test('on every beginning of a document', () => {
    const text = '{"apps":{"a":[1.5e+3,-0,true,null,"\\u00e9\\n",{}],"":[]}}';
    for (let end = 1; end < text.length; end++) {
      agree(text.slice(0, end));
      expect(read(text.slice(0, end)).fault!.cause, text.slice(0, end)).toMatch(/^(truncated|bad-escape)$/);
    }
  });

  test('a fault is told exactly where a value is missing, or half a surrogate pair stands', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (raw) => {
        const text = escapeAll(raw);
        expect(read(text).fault?.cause ?? null).toBe(/\p{Cs}/u.test(raw) ? 'lone-surrogate' : null);
      }),
      { numRuns: runs(2000) },
    );
  });
});

describe('the table of texts', () => {
  const y = [
    '[]',
    '[[]   ]',
    '[""]',
    '["a"]',
    '[false]',
    '[null, 1, "1", {}]',
    '[1\n]',
    ' [1]',
    '[1,null,null,null,2]',
    '[2] ',
    '[123e65]',
    '[0e+1]',
    '[0e1]',
    '[ 4]',
    '[-0.000000000000000000000000000000000000000000000000000000000000000000000000000001]',
    '[20e1]',
    '[-0]',
    '[-123]',
    '[-1]',
    '[1E22]',
    '[1E-2]',
    '[1E+2]',
    '[123.456e78]',
    '[1e-2]',
    '[1e+2]',
    '[123]',
    '[123.456789]',
    '{"asd":"sdf", "dfg":"fgh"}',
    '{}',
    '{"":0}',
    '{"foo\\u0000bar": 42}',
    '{ "min": -1.0e+28, "max": 1.0e+28 }',
    '{"title":"\\u041f\\u043e"}',
    '{\n"a": "b"\n}',
    '["\\u0060\\u012a\\u12AB"]',
    '["\\uD801\\udc37"]',
    '["\\"\\\\\\/\\b\\f\\n\\r\\t"]',
    '["\\\\u0000"]',
    '["\\""]',
    '["a/*b*/c/*d//e"]',
    '["\\\\a"]',
    '["\\\\n"]',
    '["\\u0012"]',
    '["\\uFFFF"]',
    '["\u{10ffff}"]',
    '["\u{1bfff}"]',
    '["asd "]',
    '" "',
    '["\\uDBFF\\uDFFE"]',
    '["\u2028"]',
    '["\u2029"]',
    '["new\\u00A0line"]',
    '["\u007f"]',
    '["\\u2064"]',
    '["⍂㈴⍂"]',
    '["\u200b"]',
    'false',
    '42',
    '-0.1',
    'null',
    '"asd"',
    'true',
    '""',
    '["a"]\n',
    ' [] ',
    '\t[\r\n]',
    '[0.4e00669999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999969999999006]',
    '[-1e+9999]',
    '[1.5e+9999]',
    '[123123e100000]',
    '[-237462374673276894279832749832423479823246327846]',
    '[123.456e-789]',
  ];
  const n = [
    '[1 true]',
    '["": 1]',
    '[""],',
    '[,1]',
    '[1,,2]',
    '["x",,]',
    '["x"]]',
    '["",]',
    '["x"',
    '[x',
    '[3[4]]',
    '[1:2]',
    '[,]',
    '[-]',
    '[   , ""]',
    '["a",\n4\n,1,',
    '[1,]',
    '[1,,]',
    '["\u000ba"\\f]',
    '[*]',
    '[""',
    '[1,',
    '[1,\n1\n,1',
    '[{}',
    '[fals]',
    '[nul]',
    '[tru]',
    '[True]',
    '123\u0000',
    '[++1234]',
    '[+1]',
    '[+Inf]',
    '[-01]',
    '[-1.0.]',
    '[-2.]',
    '[-NaN]',
    '[.-1]',
    '[.2e-3]',
    '[0.1.2]',
    '[0.3e+]',
    '[0.3e]',
    '[0.e1]',
    '[0E+]',
    '[0E]',
    '[0e+]',
    '[1.0e+]',
    '[1.0e-]',
    '[1.0e]',
    '[1 000.0]',
    '[1eE2]',
    '[2.e+3]',
    '[2.e-3]',
    '[2.e3]',
    '[9.e+]',
    '[Inf]',
    '[NaN]',
    '[１]',
    '[1+2]',
    '[0x1]',
    '[0x42]',
    '[Infinity]',
    '[0e+-1]',
    '[-123.123foo]',
    '[-Infinity]',
    '[-foo]',
    '[- 1]',
    '[-012]',
    '[-.123]',
    '[-1x]',
    '[1ea]',
    '[1.]',
    '[.123]',
    '[1.2a-3]',
    '[1.8011670033376514H-308]',
    '[012]',
    '["x", truth]',
    '{[: "x"}',
    '{"x", null}',
    '{"x"::"b"}',
    '{🇨🇭}',
    '{"a":"a" 123}',
    "{key: 'value'}",
    '{"a" b}',
    '{:"b"}',
    '{"a" "b"}',
    '{"a":',
    '{"a"',
    '{1:1}',
    '{9999E9999:1}',
    '{null:null,null:null}',
    '{"id":0,,,,,}',
    "{'a':0}",
    '{"id":0,}',
    '{"a":"b"}/**/',
    '{"a":"b"}//',
    '{"a":"b"}/',
    '{"a":"b",,"c":"d"}',
    '{a: "b"}',
    '{"a":"a',
    '{ "foo" : "bar", "a" }',
    '{"a":"b"}#',
    ' ',
    '["\\uD800\\"]',
    '["\\uD800\\u"]',
    '["\\uD800\\u1"]',
    '["\\uD800\\u1x"]',
    '[é]',
    '["\\x00"]',
    '["\\\\\\"]',
    '["\\\t"]',
    '["\\🌀"]',
    '["\\"]',
    '["\\u00A"]',
    '["\\uD834\\uDd"]',
    '["\\uD800\\uD800\\x"]',
    '["\\a"]',
    '["\\uqqqq"]',
    '[\\u0020"asd"]',
    '[\\n]',
    '"',
    "['single quote']",
    'abc',
    '["\\',
    '["a\u0000a"]',
    '["new\nline"]',
    '["\t"]',
    '"\\UA66D"',
    '""x',
    '<.>',
    '[<null>]',
    '[1]x',
    '[1]]',
    '["asd]',
    'aå',
    '[True]',
    '1]',
    '{"x": true,',
    '[][]',
    ']',
    '\u00ef\u00bb{}',
    'å',
    '[',
    '',
    '{]',
    '{"": 1}}',
    '{"a":1}{"b":2}',
    '2@',
    '{}}',
    '{"":',
    '{"a":/*comment*/"b"}',
    '{"a": true} "x"',
    "['",
    '["a',
    '[,',
    '[{',
    '{',
    '{,',
    '{["',
    '{"a',
    "{'a'",
    '["\\{["\\{["\\{["\\{',
    '*',
    '{"a":"b"}#{}',
    '[\\u000A""]',
    '[1',
    '[ false, nul',
    '[ true, fals',
    '[ false, tru',
    '{"asd":"asd"',
    '\u00e5',
    '\u2060[]',
    '[\u000c]',
    '[\u00a0]',
    '\u000b[]',
    '[\u3000]',
    '\u0000[]',
  ];

  test.each(y)('accepted: %j', (text) => {
    expect(read(text)).toMatchObject({ fault: null, oversized: null });
    expect(read(text).value).toEqual(JSON.parse(text));
  });

  test.each(n)('refused: %j', (text) => {
    expect(accepts(text)).toBe(false);
    expect(read(text).value).toBe(undefined);
    expect(read(text).fault).toMatchObject({
      cause: expect.stringMatching(/^[a-z-]+\d?$/),
      message: expect.stringMatching(/\.$/),
      advice: expect.stringMatching(/\.$/),
    });
  });

  // What parsers differ on: half pairs (refused, since no UTF-8 can carry them), and texts that are not UTF-8.
  const i: [bytes: number[] | string, cause: string][] = [
    ['["\\uDADA"]', 'lone-surrogate'],
    ['["\\uD888\\u1234"]', 'lone-surrogate'],
    ['["\\uDd1ea"]', 'lone-surrogate'],
    ['["\\uD800\\uD800\\n"]', 'lone-surrogate'],
    ['["\\uDd1e\\uD834"]', 'lone-surrogate'],
    ['["\\uDFAA"]', 'lone-surrogate'],
    ['{"\\uDFAA":0}', 'lone-surrogate'],
    [[0x5b, 0x22, 0xe9, 0x22, 0x5d], 'not-utf8'],
    [[0x5b, 0x22, 0x81, 0x22, 0x5d], 'not-utf8'],
    [[0x5b, 0x22, 0xfc, 0x83, 0xbf, 0xbf, 0xbf, 0xbf, 0x22, 0x5d], 'not-utf8'],
    [[0xff, 0xfe, 0x5b, 0x00, 0x5d, 0x00], 'not-utf8'],
    [[0x00, 0x5b, 0x00, 0x5d], 'not-utf8'],
  ];
  test.each(i)('refused with its cause: %j', (source, cause) => {
    const content = typeof source === 'string' ? documentText(source) : documentContent(Uint8Array.from(source));
    expect(parseDocument(content).fault?.cause).toBe(cause);
  });
});

describe('the cause of a fault, and where it is', () => {
  const table: [name: string, text: string, cause: string, line: number, column: number][] = [
    ['empty', '', 'empty', 1, 1],
    ['cut off in an object', '{\n  "a": 1', 'truncated', 2, 9],
    ['cut off in a string', '{\n  "a": "b', 'truncated', 2, 10],
    ['cut off in a word', '[\n  fal', 'truncated', 2, 6],
    ['cut off in a number', '[\n  1.', 'truncated', 2, 5],
    ['cut off in an escape', '["\\', 'truncated', 1, 4],
    ['cut off behind a name', '{"a"', 'truncated', 1, 5],
    ['cut off behind a comma', '{"a":1,', 'truncated', 1, 8],
    ['a line comment', '{\n  // apps\n  "apps": {}\n}', 'comment', 2, 3],
    ['a block comment', '{ /* a */ }', 'comment', 1, 3],
    ['a hash comment', '# registry\n{}', 'comment', 1, 1],
    ['a comment behind the end', '{}\n// end', 'comment', 2, 1],
    ['a comma before a brace', '{\r\n  "a": 1,\r\n}', 'trailing-comma', 2, 9],
    ['a comma before a bracket', '[1, 2, ]', 'trailing-comma', 1, 6],
    ['two commas', '[1,\n,2]', 'trailing-comma', 2, 1],
    ['single quotes around a name', "{'a': 1}", 'single-quotes', 1, 2],
    ['single quotes around a value', '{"a": \'b\'}', 'single-quotes', 1, 7],
    ['typographic quotes', '{“a”: 1}', 'single-quotes', 1, 2],
    ['no quotes', '{name: 1}', 'unquoted-name', 1, 2],
    ['a number as a name', '{1: 2}', 'unquoted-name', 1, 2],
    ['no comma', '{\n  "a": 1\n  "b": 2\n}', 'missing-comma', 3, 3],
    ['no comma in a list', '[{} {}]', 'missing-comma', 1, 5],
    ['no colon', '{"a" 1}', 'missing-colon', 1, 6],
    ['an equals sign', '{"a" = 1}', 'missing-colon', 1, 6],
    ['a leading zero', '[01]', 'bad-number', 1, 2],
    ['a plus sign', '[+1]', 'bad-number', 1, 2],
    ['hexadecimal', '[0x1F]', 'bad-number', 1, 2],
    ['a bare point', '{"a": .5}', 'bad-number', 1, 7],
    ['Python', '{"a": True}', 'bad-literal', 1, 7],
    ['None', '[None]', 'bad-literal', 1, 2],
    ['NaN', '[NaN]', 'bad-literal', 1, 2],
    ['undefined', '{"a": undefined}', 'bad-literal', 1, 7],
    ['a line break in a string', '{"a": "b\nc"}', 'control-character', 1, 9],
    ['a tab in a string', '["\t"]', 'control-character', 1, 3],
    ['NUL in a string', '["a\u0000"]', 'control-character', 1, 4],
    ['a Windows path', '["C:\\apps"]', 'bad-escape', 1, 5],
    ['\\x', '["\\x41"]', 'bad-escape', 1, 3],
    ['a short \\u', '["\\u12"]', 'bad-escape', 1, 3],
    ['a no-break space', '{\u00a0"a": 1}', 'odd-space', 1, 2],
    ['a vertical tab', '[1,\u000b2]', 'odd-space', 1, 4],
    ['a second byte order mark', '\ufeff\ufeff{}', 'odd-space', 1, 1],
    ['a merge conflict', '{\n<<<<<<< HEAD\n  "a": 1\n=======\n  "a": 2\n>>>>>>> x\n}', 'merge-conflict', 2, 1],
    ['a merge conflict behind a value', '{\n  "a": 1\n<<<<<<< HEAD\n}', 'merge-conflict', 3, 1],
    ['a second document', '{}\n{}', 'trailing-data', 2, 1],
    ['one brace too many', '{}}', 'trailing-data', 1, 3],
    ['a word behind the end', '{} x', 'trailing-data', 1, 4],
    ['the wrong bracket', '{"a": [1}', 'unexpected', 1, 9],
    ['no value', '{"a": }', 'unexpected', 1, 7],
    ['JSONP', 'callback({})', 'jsonp', 1, 1],
    ['behind a byte order mark', '\ufeff{"a": 1,}', 'trailing-comma', 1, 8],
  ];
  test.each(table)('%s', (_, text, cause, line, column) => {
    const { fault } = read(text);
    expect(fault).toMatchObject({ cause });
    expect(positionOf(lineStarts(text), fault!.offset)).toEqual({ line, column });
  });

  test('what stands there is shown escaped', () => {
    expect(read('[\u001b[31m]').fault!.message).toContain('\\u{1b}');
    expect(read('[\u202eabc]').fault!.message).toContain('\\u{202e}');
  });
});

describe('depth', () => {
  test('64 levels are read, 65 are not', () => {
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
    ['in a field nobody knows', `{"apps":{},"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ])('100,000 levels of %s are told fast, without a crash', (_, text) => {
    let reading!: ParsedDocument;
    expect(timed(() => (reading = read(text)))).toBeLessThan(200);
    expect(reading.oversized).toBe('depth');
  });

  test('strings with a million backslashes or quotes take no more than linear time', () => {
    expect(timed(() => expect(read(`"${'\\\\'.repeat(500_000)}"`).fault).toBe(null))).toBeLessThan(500);
    expect(timed(() => expect(read(`"${'\\"'.repeat(500_000)}"`).fault).toBe(null))).toBeLessThan(500);
    expect(timed(() => expect(read(`"${'\\'.repeat(999_999)}"`).fault!.cause).toBe('truncated'))).toBeLessThan(500);
    expect(timed(() => read('\\"'.repeat(100_000)))).toBeLessThan(500);
  });
});

test('what was read once is not read again', () => {
  const content = documentText('{"a":1}');
  expect(parseDocument(content)).toBe(parseDocument(content));
});

test('members are own ones, and objects are no lists', () => {
  const value = JSON.parse('{"a":1,"__proto__":{"b":2}}') as JsonValue;
  expect(member(value, '__proto__')).toEqual({ b: 2 });
  expect(member(value, 'b')).toBe(undefined);
  expect(member({}, 'constructor')).toBe(undefined);
  expect(member({}, '__proto__')).toBe(undefined);
  expect(member([1], 'length')).toBe(undefined);
  expect(member('abc', '0')).toBe(undefined);
  expect([isObject([]), isObject(null), isObject({}), isObject(undefined)]).toEqual([false, false, true, false]);
});

/** A tree with the place of every value, built in the plainest way from the text: what `locate` must agree with. */
interface Node {
  pointer: string;
  start: number;
  end: number;
  nameStart: number | null;
  children: Node[];
}
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
function all(node: Node): Node[] {
  return [node, ...node.children.flatMap(all)];
}

describe('places', () => {
  const bom = fc.constantFrom('', '\ufeff');

  test('locate finds every value where a plain tree has it', () => {
    fc.assert(
      fc.property(bom, document, (mark, text) => {
        // Of a name that stands twice the last one counts, with all that is in it.
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

  test('childrenAt gives the children of every container in order, and null elsewhere', () => {
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

  test('duplicates are told exactly where the plain tree has a name twice', () => {
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

  test('names with ~ and /, escapes, and no name at all', () => {
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

  test('the last of two counts, as JSON.parse has it', () => {
    const text = '{"a":1,"a":2}';
    expect(locate(text, ['/a']).get('/a')).toEqual({ start: 11, end: 12, nameStart: 7 });
  });

  test('what stood in the first of two only is nowhere', () => {
    expect(locate('{"a":{"x":1},"a":{}}', ['/a/x']).size).toBe(0);
  });

  test('at most 100 duplicates are told', () => {
    expect(duplicateNames(`{${'"a":1,'.repeat(500)}"a":1}`)).toHaveLength(100);
  });

  test('survey counts members and depth in any text, strings apart', () => {
    expect(survey('{"a":{"b:":["[{:"]}}', 64)).toEqual({ depth: 3, members: 2 });
    expect(survey('', 64)).toEqual({ depth: 0, members: 0 });
    expect(survey('["', 64).depth).toBe(1);
    expect(survey(']]]]', 64).depth).toBe(0);
  });

  test('lines end with LF or CRLF, columns count UTF-16 units, and a mark in front takes none', () => {
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
