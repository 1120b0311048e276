/** Bodies that no client sends by intention: deep, wide, long, and in a form that is not the one of the route. */

export interface OddBody {
  name: string;
  bytes: Buffer;
  /** Null for a request without one. */
  type: string | null;
  headers?: Record<string, string>;
  /** A route that reads a body may accept this one: the value is within the limits, and the field may not be used. */
  mayBeAccepted?: true;
}

/** Below the limit in bytes of the bodies of the API. */
const BYTES = 15_000;
const DEEP = 5_000;

const deepArray = '['.repeat(DEEP) + ']'.repeat(DEEP);
const deepObject = `${'{"":'.repeat(3_000)}0${'}'.repeat(3_000)}`;

/** Values that are deep or wide, by name, as JSON: beyond the limits. */
const DEEP_OR_WIDE: Record<string, string> = {
  'a deep array': deepArray,
  'a deep object': deepObject,
  'a deep array and object': '[{"":'.repeat(2_000) + '0' + '}]'.repeat(2_000),
  'an array just beyond the limit': '['.repeat(64) + ']'.repeat(64),
  'a wide array': `[${'0,'.repeat(BYTES / 2)}0]`,
  'a wide array of strings': `[${'"",'.repeat(BYTES / 3)}""]`,
  'a wide array of arrays': `[${'[],'.repeat(BYTES / 3)}[]]`,
  'a wide object': `{${Array.from({ length: 2_001 }, (_, index) => `"${index.toString(36)}":0`).join(',')}}`,
};

const LONG: Record<string, string> = {
  'a long string': `"${'x'.repeat(BYTES)}"`,
  'a long string of escapes': `"${'\\u0000'.repeat(BYTES / 6)}"`,
  'a long string of lone surrogates': `"${'\\ud800'.repeat(BYTES / 6)}"`,
  'a long string of combining characters': `"${'\u0300'.repeat(BYTES / 3)}"`,
  'a long number': '9'.repeat(BYTES),
  'a long fraction': `0.${'9'.repeat(BYTES)}`,
  'a number beyond the range': `1e${'9'.repeat(100)}`,
  'an object with empty names': '{"":{"":{"":""}}}',
};

const JSON_TYPE = 'application/json';

/** Bodies for a route of the API. @param valid the fields of one that it accepts */
export function oddJsonBodies(valid: Record<string, unknown>): OddBody[] {
  const json = (name: string, text: string | Buffer, more: Partial<OddBody> = {}): OddBody => ({
    name,
    bytes: Buffer.from(text),
    type: JSON_TYPE,
    ...more,
  });
  const text = JSON.stringify(valid);
  const inEach = (values: Record<string, string>, more: Partial<OddBody> = {}): OddBody[] =>
    Object.entries(values).flatMap(([name, value]) =>
      Object.keys(valid).map((field) => json(`${name} as ${field}`, withValue(valid, field, value), more)),
    );
  return [
    ...Object.entries(DEEP_OR_WIDE).map(([name, value]) => json(name, value)),
    ...Object.entries(LONG).map(([name, value]) => json(name, value, { mayBeAccepted: true })),
    ...inEach(DEEP_OR_WIDE),
    ...inEach(LONG, { mayBeAccepted: true }),
    json('a deep array that is not closed', '['.repeat(BYTES)),
    json('a deep object that is not closed', '{"":'.repeat(BYTES / 4)),
    json('only closing brackets', ']'.repeat(BYTES)),
    json('an unknown field with a deep array', `{"unknown":${deepArray}}`),
    json('an unknown field with a wide array', `{"unknown":[${'0,'.repeat(BYTES / 2)}0]}`),
    json('no bytes', ''),
    json('only a byte order mark', '\ufeff'),
    json('only white space', ' '.repeat(BYTES)),
    json('a byte order mark', `\ufeff${text}`, { mayBeAccepted: true }),
    json('two byte order marks', `\ufeff\ufeff${text}`),
    json('invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x30, 0x7d])),
    json('UTF-16', Buffer.from(`\ufeff${text}`, 'utf16le')),
    json('NUL', '\0'.repeat(100)),
    json('a name twice', '{"name":"a","name":"b","url":"c","url":"d"}'),
    json('a name twice, once with escapes', '{"name":"a","n\\u0061me":"b"}'),
    json('a string', '"name"'),
    json('a number', '1'),
    json('null', 'null'),
    json('more bytes than allowed', `{"name":"${'x'.repeat(20_000)}"}`),
    json('random gzip', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]), { headers: { 'content-encoding': 'gzip' } }),
    ...[
      null,
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/json; charset=latin1',
      'application/json, text/plain',
      `application/json; ${'a=b; '.repeat(1_000)}`,
      'application/problem+json',
      '/',
    ].map((type) => json(`the type ${type?.slice(0, 40) ?? 'of none'}`, text, { type })),
  ];
}

/** An object as JSON, with the text of a value for one of its fields. */
function withValue(fields: Record<string, unknown>, field: string, value: string): string {
  const members = Object.entries({ ...fields, [field]: 0 }).map(
    ([name, one]) => `${JSON.stringify(name)}:${name === field ? value : JSON.stringify(one)}`,
  );
  return `{${members.join(',')}}`;
}

const FORM_TYPE = 'application/x-www-form-urlencoded';

/** Bodies for the form of a page. @param fields its names */
export function oddForms(fields: readonly string[]): OddBody[] {
  const form = (name: string, text: string | Buffer, more: Partial<OddBody> = {}): OddBody => ({
    name,
    bytes: Buffer.from(text),
    type: FORM_TYPE,
    ...more,
  });
  const each = (value: string): string => fields.map((field) => `${field}=${encodeURIComponent(value)}`).join('&');
  return [
    ...Object.entries({ ...DEEP_OR_WIDE, ...LONG }).flatMap(([name, value]) =>
      fields.map((field) => form(`${name} as ${field}`, `${field}=${encodeURIComponent(value)}`)),
    ),
    form('every field with a deep array', each('['.repeat(100))),
    form('every field with NUL', each('\0')),
    form('every field with a lone surrogate', fields.map((field) => `${field}=%ED%A0%80`).join('&')),
    form('every field with invalid UTF-8', fields.map((field) => `${field}=%FF%`).join('&')),
    form('every field twice', `${each('1')}&${each('2')}`),
    form('many fields', 'a&'.repeat(30_000)),
    form(
      'many fields with a known one',
      fields
        .map((field) => `${field}=1&`.repeat(1_000))
        .join('')
        .slice(0, 60_000),
    ),
    form('no bytes', ''),
    form('a byte order mark', `\ufeff${each('1')}`),
    form('bytes that are not text', Buffer.alloc(1_000, 0xff)),
    form('JSON', deepArray),
    form('more bytes than allowed', `a=${'x'.repeat(70_000)}`),
    ...[JSON_TYPE, 'multipart/form-data; boundary=x', 'text/plain', `${FORM_TYPE}x`, '/'].map((type) =>
      form(`the type ${type}`, each('1'), { type }),
    ),
    form('a charset', each('1'), { type: `${FORM_TYPE}; charset=utf-16` }),
  ];
}
