import * as fc from 'fast-check';

/** Arbitrary JSON written in arbitrary styles, as people and programs write it. */

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** JSON with the names that break naive code: inherited ones, integer-like ones, names with quotes and colons. */
export const json: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    text(),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name(), tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;

export function name(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom(
      '__proto__',
      'constructor',
      'toString',
      '2',
      '10',
      '',
      'a b',
      '"',
      ',',
      '{',
      'a":"b',
      '\\',
      '\u2028',
      'é',
    ),
    fc.string({ maxLength: 5 }),
  );
}

function text(): fc.Arbitrary<string> {
  return fc.oneof(fc.constantFrom('"', '\\', '{"a":[1,2]}', '\n', '//', '\u2028', '💥'), fc.string({ maxLength: 6 }));
}

/** How a document is written: pretty, minified, or any white space anywhere. */
export const style: fc.Arbitrary<(value: Json) => string> = fc.oneof(
  fc
    .record({
      indent: fc.constantFrom('', '\t', '  ', '   ', '    '),
      eol: fc.constantFrom('\n', '\r\n'),
      final: fc.boolean(),
    })
    .map(
      ({ indent, eol, final }) =>
        (value: Json) =>
          JSON.stringify(value, null, indent).replaceAll('\n', eol) + (final ? eol : ''),
    ),
  fc
    .infiniteStream(fc.constantFrom('', '', ' ', '\n', '\r\n', '\t', '  ', '\n\n    '))
    .map((spaces) => (value: Json) => withSpacing(value, () => spaces.next().value as string)),
);

function withSpacing(value: Json, space: () => string): string {
  if (typeof value !== 'object' || value === null) return space() + JSON.stringify(value) + space();
  const parts = Array.isArray(value)
    ? value.map((item) => withSpacing(item, space))
    : Object.entries(value).map(
        ([key, item]) => `${space()}${JSON.stringify(key)}${space()}:${withSpacing(item, space)}`,
      );
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return space() + open + (parts.length === 0 ? space() : parts.join(`${space()},`)) + close + space();
}
