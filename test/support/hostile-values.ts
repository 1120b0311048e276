/** Values that change what a terminal or a CI system shows, and values with secrets. */

/** Values that must not be in any output, unescaped; written down here, not taken from the code. */
export const HOSTILE = [
  'esc\u001b[31mred\u001b[0m',
  'title\u001b]0;owned\u0007',
  'c1\u009b31mred',
  'bell\u0007back\u0008\u007f',
  'line\nbreak\r\nwith\rreturns',
  'bidi\u202ereversed\u2066isolated\u2069',
  'mark\u200e\u200f\u061c',
  'invisible\u200b\u2060\ufeffname',
  'lines\u2028and\u2029paragraphs',
  'high\ud800surrogate',
  'low\udc00surrogate',
  '::error file=a::owned',
  '::set-output name=a::owned',
  '##[error]owned',
  '##vso[task.setvariable variable=a]owned',
  "##teamcity[buildStatus status='SUCCESS']",
] as const;

/** A value of each secret, by what holds it. */
const SECRET = 's3cr3tValue0123456789abcdef';

export const SECRETS: readonly (readonly [where: string, value: string])[] = [
  ['userinfo', `https://user:${SECRET}@apps.example.com/registry.json`],
  ['a signed URL', `https://apps.example.com/a.json?X-Amz-Date=20260101T000000Z&X-Amz-Signature=${SECRET}`],
  ['a query', `https://apps.example.com/a.json?token=${SECRET}`],
  ['a header', `Bearer ${SECRET}`],
];

// All but line breaks, which also separate the lines of an output.
const CHARACTERS =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\p{Cs}/gu;
const COMMANDS = /^\s*::(?:error|set-output)|##(?:\[|vso\[|teamcity\[)/gm;

/**
 * Finds the parts of these values that an output shows unescaped: characters, CI commands and the secret; empty if
 * nothing.
 */
export function rawIn(output: string): string[] {
  const found = [...(output.match(CHARACTERS) ?? []), ...(output.match(COMMANDS) ?? [])].map((one) =>
    JSON.stringify(one),
  );
  return output.includes(SECRET) ? [...found, 'the secret'] : found;
}
