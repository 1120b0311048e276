import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { PLANTED } from './planted.ts';

/** Searches what was printed and stored for the planted secrets. */

/** The value as texts have it: as it is, in URLs, and as a part of base64 or hexadecimal digits. */
function formsOf(value: string): string[] {
  // Base64 depends on the position of the value in its groups of three bytes.
  const base64 = [0, 1, 2].map((before) =>
    Buffer.from(`${'-'.repeat(before)}${value}`)
      .toString('base64')
      .slice(4, -6),
  );
  return [value, encodeURIComponent(value), Buffer.from(value).toString('hex'), ...base64];
}

const FORMS = [...new Set(PLANTED.map(({ value }) => value))].map((value) => ({ value, forms: formsOf(value) }));

/** Fails if the text contains a planted secret, in any of these forms. */
export function expectNoSecret(text: string): void {
  for (const { value, forms } of FORMS)
    for (const form of forms) if (text.includes(form)) expect.fail(`The text contains ${value}, as ${form}.`);
}

/** Bytes as text; those of gzip unpacked, too. */
export function textOfBytes(bytes: Uint8Array): string {
  const plain = Buffer.from(bytes).toString('latin1');
  return bytes[0] === 0x1f && bytes[1] === 0x8b ? `${plain}\n${gunzipSync(bytes).toString('latin1')}` : plain;
}

/** The paths and the text of all files below a folder. @param omit by path relative to the folder */
export function filesBelow(dir: string, omit: (path: string) => boolean = () => false): string {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(dir, name)).isFile() && !omit(name))
    .map((name) => `${name}\n${textOfBytes(readFileSync(join(dir, name)))}`)
    .join('\n');
}
