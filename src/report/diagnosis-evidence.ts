import type { Finding, SymptomStatus } from '../core/findings/report.ts';
import type { Evidence } from '../core/values/evidence.ts';
import type { Severity } from '../core/values/severity.ts';
import { formatDuration } from '../core/text/format-duration.ts';
import { shorten } from '../core/text/text.ts';

/** The text parts of a diagnosis, independent of layout. */

/** One cause of a symptom, with its evidence, as a diagnosis shows it. */
export interface Cause {
  severity: Severity;
  rule: string;
  message: string;
  /** The affected apps and versions, or null. */
  affected: string | null;
  who: string;
  /** Where it was observed. */
  place: string;
  /** The observations there. */
  evidence: Pair[];
  /** Other locations, one line each, if they are few or all are requested. */
  also: string[];
  /** The correction for all places; null if that differs between the places, which `remedies` lists. */
  next: string | null;
  /** The correction of each place, one line each. */
  remedies: string[];
  /** The reason why it does not count, such as `in the baseline`; '' if it counts. */
  uncounted: string;
}

/** A symptom as a diagnosis shows it. */
export interface SymptomView {
  title: string;
  status: SymptomStatus['status'];
  /** The checked part, or the reason why nothing was checked; or null. */
  summary: string | null;
  causes: Cause[];
  /** One line each: the number of omitted causes, and what hides an app elsewhere. */
  remarks: string[];
}

export interface View {
  symptoms: SymptomView[];
  /** Findings that belong to no symptom. */
  withoutSymptom: SymptomView | null;
  apps: string[];
  /** The next checks, if no finding explains a failure; or null. */
  next: { title: string; lines: string[] } | null;
  /** Reasons why something was not observed. */
  notChecked: string[];
  /** Registry, time, tool and counts, to be quoted. */
  closing: string[];
}

/** The evidence of a finding in one line. */

export interface ViewOptions {
  /** Include all details. */
  verbose: boolean;
  /** Print digests in full, for comparison. */
  whole: boolean;
  /** The output is a web page: do not mention command-line options. */
  page?: boolean;
}

// The most useful evidence, in this order; the rest follows if there is room.
const ORDER = [
  'status',
  'code',
  'hostCode',
  'content-encoding',
  'contentEncoding',
  'contentType',
  'title',
  'answered',
  'policy',
  'versions',
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

// Reported elsewhere, or not useful to read out.
const SKIPPED = new Set(['actor', 'servedBy', 'alsoHit', 'alsoApps', 'now', 'chainLength', 'protocol', 'repaired']);

// Digests that users compare with those of a file.
const COMPARED = new Set(['listed', 'found', 'published']);

/** Evidence shown per finding without --verbose. */
const MAX_EVIDENCE = 4;

/** The location of a finding: the URL or file, with the position in it. */
export function placeOf(finding: Finding): string {
  const { line, column, pointer, resource } = finding;
  const place = shorten(finding.url ?? finding.file ?? resource, 200);
  if (line === null) return place;
  const position = `line ${line}, column ${column}${pointer ? ` (${shorten(pointer, 100)})` : ''}`;
  if (resource === 'icon') return `${place}, listed in the manifest at ${position}`;
  return resource === 'artifact' ? `${place}, listed in the metadata at ${position}` : `${place} ${position}`;
}

/** A name, which may be '' if the value is self-explanatory, and a value. */
export type Pair = readonly [name: string, value: string];

/** `status 404`, `listed sha256:0123456789ab…` and so on; all evidence with `verbose`, full digests with `whole`. */
export function evidenceOf(finding: Finding, options: ViewOptions): Pair[] {
  const { verbose } = options;
  const shown = Object.entries(finding.evidence)
    .filter(([name, value]) => !SKIPPED.has(name) && isInformative(finding, name, value))
    .toSorted(([a], [b]) => rank(a) - rank(b));
  return (verbose ? shown : shown.slice(0, MAX_EVIDENCE)).map(([name, value]) => pairOf(name, value, options));
}

function rank(name: string): number {
  return ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length;
}

function isInformative({ url }: Finding, name: string, value: Evidence[string]): boolean {
  if (value === null || value === '') return false;
  if (name === 'requested' && value === url) return false;
  if (name === 'attempts' && value === 1) return false;
  // The listed headers are empty exactly if their absence is the finding.
  return !(Array.isArray(value) && value.length === 0 && name !== 'answered');
}

function pairOf(name: string, value: Evidence[string], { verbose, whole }: ViewOptions): Pair {
  if (name === 'answered' && Array.isArray(value))
    return value.length === 0
      ? ['', 'no Access-Control headers']
      : ['', shorten(value.join(', '), verbose ? 500 : 160)];
  const seconds = name === 'age' || name.endsWith('Seconds') ? Number(value) : Number.NaN;
  if (Number.isFinite(seconds)) return [name.replace(/Seconds$/, ''), formatDuration(seconds)];
  const text = evidenceText(Array.isArray(value) ? value.join(', ') : String(value));
  // Values to be compared or pasted are printed in full.
  const short =
    whole || COMPARED.has(name) ? text : text.replace(/\b(sha\d+:)?([0-9a-f]{12})[0-9a-f]{28,}\b/g, '$1$2…');
  return [name, shorten(short, verbose ? 500 : 120)];
}

/** The texts of a list in the evidence; empty if there is no such list. */
export function evidenceList(evidence: Evidence, name: string): readonly string[] {
  const value = evidence[name];
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

/** A copy's age from a header (`age: 900000`), in human-readable form. */
export function evidenceText(text: string): string {
  return text.replace(/\bage: (\d+)/g, (_, seconds: string) => `age: ${formatDuration(Number(seconds))}`);
}
