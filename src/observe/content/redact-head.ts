import type { Content, ArchiveFacts } from '../../core/facts/facts.ts';
import { kindOf } from '../../core/text/file-type.ts';
import { stampFor } from '../../core/text/text.ts';
import { redactFacts } from './redact.ts';
import type { DetectorRun } from './detector-run.ts';
import { mayHaveSecret } from './regions.ts';
import { settingsInPlainText } from './settings-files.ts';

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
function hideValues(values: Iterable<string>): (text: string) => string {
  // Longest first: the rest of a value after a shorter one was replaced would still disclose something.
  const hidden = [...new Set(values)].toSorted((a, b) => b.length - a.length);
  const stamps = hidden.map((value, i) => [value, stampFor(value, i + 1)] as const);
  return (text) => stamps.reduce((seen, [value, stamp]) => seen.replaceAll(value, () => stamp), text);
}

// Secrets in the names of an archive's entries: all who see a listing see them.

export interface NamedSecret {
  kind: string;
  value: string;
  /** The path or link target with the secret in it. */
  name: string;
}

/** Secrets that are replaced one by one; then names that may have one are replaced as a whole. */
const MAX_NAMED = 50;

/** The secrets in the paths and link targets of an archive: the first ones, if there are many. */
export async function secretsInNames({ entries, oddities }: ArchiveFacts, run: DetectorRun): Promise<NamedSecret[]> {
  const names = new Set<string>();
  const search = (name: string | null): void => {
    if (name !== null && mayHaveSecret(name)) names.add(name);
  };
  for (const { path, link } of entries) {
    search(path);
    search(link);
  }
  for (const { entry } of oddities) search(entry);
  const found: NamedSecret[] = [];
  const regions = Array.from(names, (text) => ({
    region: { text, entry: '', isStart: true, isEnd: true, isFile: false },
  }));
  if (regions.length > 0)
    await run.search(
      () => (found.length < MAX_NAMED ? regions.shift() : undefined),
      async (secrets, { region: { text: name } }) => {
        found.push(...secrets.map(({ kind, from, to }) => ({ kind, value: name.slice(from, to), name })));
        return found.length;
      },
    );
  return found;
}

/** The facts with these secrets replaced wherever they occur. */
export function withoutNamedSecrets(facts: ArchiveFacts, found: readonly NamedSecret[]): ArchiveFacts {
  if (found.length === 0) return facts;
  const hide = hideValues(found.slice(0, MAX_NAMED).map(({ value }) => value));
  return redactFacts(facts, (text) => {
    const hidden = hide(text);
    return found.length >= MAX_NAMED && mayHaveSecret(hidden) ? hideWhole(hidden) : hidden;
  });
}

/** A text of the same length. */
function hideWhole(text: string): string {
  return hideValues([text])(text);
}
