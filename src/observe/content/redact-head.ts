import type { Content } from '../../core/facts/facts.ts';
import { kindOf } from '../../core/text/file-type.ts';
import { mayHaveSecret } from './regions.ts';
import { settingsInPlainText } from './settings-files.ts';
import { stampFor } from '../../core/text/text.ts';

/** Secrets in a text that is served in place of an archive, of which messages and saved facts quote the beginning. */

/** The byte order mark of UTF-8, byte by byte. */
const UTF8_MARK = /^\xef\xbb\xbf/;
/** A private key without its end, which is longer than what is searched. */
const OPEN_KEY = /PRIVATE KEY(?: BLOCK)?-----(?![\s\S]*-----END)([\s\S]+)$/;

/**
 * The content without the secrets in its head.
 * @param start its first bytes, more than the head has: a secret in the head may end after it
 */
export async function withoutSecretsInHead<C extends Pick<Content, 'head'>>(content: C, start: Buffer): Promise<C> {
  const head = Buffer.from(content.head, 'base64');
  const kind = kindOf(head);
  if (kind === 'gzip' || kind === 'empty') return content;
  const encoding = start[0] === 0xff && start[1] === 0xfe ? 'utf16le' : 'latin1';
  const text = start.toString(encoding);
  const values = await valuesIn(text, kind === 'text');
  if (values.length === 0) return content;
  const hidden = Buffer.from(hideValues(values)(text), encoding).subarray(0, head.length);
  return { ...content, head: hidden.toString('base64') };
}

/** @param isPlain false for HTML, JSON and the like; a plain text may be a file with settings */
async function valuesIn(text: string, isPlain: boolean): Promise<string[]> {
  const values = isPlain ? settingsInPlainText(text.replace(UTF8_MARK, '')).map(({ value }) => value) : [];
  if (mayHaveSecret(text)) {
    const { secretsIn } = await import('./find-secrets.ts');
    const found = await secretsIn({ text, entry: '', isStart: true, isEnd: true, isFile: false });
    values.push(...found.map(({ from, to }) => text.slice(from, to)));
  }
  const openKey = OPEN_KEY.exec(text)?.[1];
  return openKey === undefined ? values : [...values, openKey];
}

/**
 * Replaces values in a text. The result has the same length, and different values stay different, so that two paths do
 * not become the same.
 */
export function hideValues(values: Iterable<string>): (text: string) => string {
  // Longest first: the rest of a value after a shorter one was replaced would still disclose something.
  const hidden = [...new Set(values)].toSorted((a, b) => b.length - a.length);
  const stamps = hidden.map((value, i) => [value, stampFor(value, i + 1)] as const);
  return (text) => stamps.reduce((seen, [value, stamp]) => seen.replaceAll(value, () => stamp), text);
}
