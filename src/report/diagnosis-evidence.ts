import type { Finding } from '../core/engine/report.ts';
import { formatDuration } from '../core/text/format-duration.ts';
import { shorten } from '../core/text/text.ts';

/** The evidence of a finding in a line. */

export interface ViewOptions {
  /** Tell everything. */
  verbose: boolean;
  /** Write digests out, for whoever compares them. */
  whole: boolean;
  /** It is for a page: name no options of the command line. */
  page?: boolean;
}

// What is worth reading out, in this order; other evidence follows where there is room.
const FIRST = [
  'status',
  'code',
  'hostCode',
  'content-encoding',
  'contentEncoding',
  'contentType',
  'title',
  'answered',
  'policy',
  'listed',
  'found',
  'checksum',
  'notAfter',
  'issuer',
  'names',
  'cacheControl',
  'retryAfter',
  'hops',
  'age',
];

// Told elsewhere, or of no use to a listener.
const SKIPPED = new Set(['actor', 'servedBy', 'alsoHit', 'alsoApps', 'now', 'chainLength', 'protocol', 'repaired']);

// Digests that somebody will compare with those of a file.
const COMPARED = new Set(['listed', 'found', 'published']);

const ROOM = 4;

/** Where it was seen: the URL or file, with the position in it. */
export function placeOf(finding: Finding): string {
  const { line, column, pointer, resource } = finding;
  const place = shorten(finding.url ?? finding.file ?? resource, 200);
  if (line === null) return place;
  const at = `line ${line}, column ${column}${pointer ? ` (${shorten(pointer, 100)})` : ''}`;
  if (resource === 'icon') return `${place}, listed in the manifest at ${at}`;
  return resource === 'artifact' ? `${place}, listed in the metadata at ${at}` : `${place} ${at}`;
}

/** A name, which may be '' where the value says enough, and a value. */
export type Pair = readonly [name: string, value: string];

/** `status 404`, `listed sha256:0123456789ab…` and so on; all of it with `verbose`, whole digests with `whole`. */
export function evidenceOf(finding: Finding, { verbose, whole }: ViewOptions): Pair[] {
  const { evidence } = finding;
  const told = Object.keys(evidence)
    .filter((name) => !SKIPPED.has(name) && isTelling(finding, name))
    .toSorted((a, b) => rank(a) - rank(b));
  return (verbose ? told : told.slice(0, ROOM)).map((name) => pairOf(name, evidence[name]!, verbose, whole));
}

function rank(name: string): number {
  return FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length;
}

function isTelling({ evidence, url }: Finding, name: string): boolean {
  const value = evidence[name];
  if (value === null || value === undefined || value === '') return false;
  if (name === 'asked' && value === url) return false;
  if (name === 'attempts' && value === 1) return false;
  // The listed headers are empty exactly where their absence is the finding.
  return !(Array.isArray(value) && value.length === 0 && name !== 'answered');
}

function pairOf(name: string, value: Finding['evidence'][string], verbose: boolean, whole: boolean): Pair {
  if (name === 'answered')
    return (value as readonly string[]).length === 0
      ? ['', 'no Access-Control headers']
      : ['', shorten((value as readonly string[]).join(', '), verbose ? 500 : 160)];
  const seconds = name === 'age' || name.endsWith('Seconds') ? Number(value) : Number.NaN;
  if (Number.isFinite(seconds)) return [name.replace(/Seconds$/, ''), formatDuration(seconds)];
  const text = evidenceText(Array.isArray(value) ? value.join(', ') : String(value));
  // What is to be compared or pasted is written out.
  const short =
    whole || COMPARED.has(name) ? text : text.replace(/\b(sha\d+:)?([0-9a-f]{12})[0-9a-f]{28,}\b/g, '$1$2…');
  return [name, shorten(short, verbose ? 500 : 120)];
}

/** A copy's age as a header tells it (`age: 900000`), for people. */
export function evidenceText(text: string): string {
  return text.replace(/\bage: (\d+)/g, (_, seconds: string) => `age: ${formatDuration(Number(seconds))}`);
}
