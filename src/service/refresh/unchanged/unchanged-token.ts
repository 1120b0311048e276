import { createHash } from 'node:crypto';
import { VERSION } from '../../../core/tool-version.ts';
import type { Settings } from '../../config/settings.ts';
import type { Confirmed } from './recording-client.ts';
import { responseFingerprint } from './response-fingerprint.ts';

/**
 * The responses under which the last outcome stays valid: the documents of a registry, revalidated by conditional
 * requests, each with the fingerprint of its "not modified". Stored as a text in the registry's row.
 */
export interface UnchangedToken {
  /** The version and settings that it was judged by. */
  by: string;
  /** Milliseconds since 1970: outside of this period, the registry is always observed and judged again. */
  from: number;
  until: number;
  accept: string;
  essences: readonly string[];
  /**
   * URL, header and value of each conditional request, and the index of its fingerprint; the manifest first. Empty if
   * the outcome depends on time, or if there would be too many: until it expires, the registry is judged each time.
   */
  questions: readonly (readonly [url: string, name: string, value: string, essence: number])[];
}

/** Characters: the rows of many registries are read at once. Larger registries are judged each time. */
const LONGEST = 200_000;

/** @returns the text; null if the registry is too large @param now milliseconds since 1970 */
export function unchangedTokenOf(
  confirmed: Iterable<Confirmed>,
  by: string,
  until: number,
  now: number,
): string | null {
  const essences = new Map<string, number>();
  const questions: UnchangedToken['questions'][number][] = [];
  let accept: string | null = null;
  for (const { url, accept: accepted, condition, visit } of confirmed) {
    if (accepted !== (accept ??= accepted)) return null;
    const [name, value] = condition;
    const essence = responseFingerprint(visit, value, now);
    if (!essences.has(essence)) essences.set(essence, essences.size);
    questions.push([url, name, value, essences.get(essence)!]);
  }
  const standing: UnchangedToken = {
    by,
    from: now,
    until,
    accept: accept ?? '',
    essences: [...essences.keys()],
    questions,
  };
  const text = JSON.stringify(standing);
  return text.length > LONGEST ? null : text;
}

/** @returns null if it has expired or is invalid @param now milliseconds since 1970 */
export function unchangedTokenIn(text: string | null, by: string, now: number): UnchangedToken | null {
  if (text === null) return null;
  const standing = JSON.parse(text) as UnchangedToken;
  return standing.by === by && standing.from <= now && now <= standing.until ? standing : null;
}

/** True if it is already known that the outcome cannot stay valid. */
export function isPointless(text: string | null, by: string, now: number): boolean {
  return unchangedTokenIn(text, by, now)?.questions.length === 0;
}

const known = new WeakMap<Settings, string>();

/** What judgements depend on in addition to the observed facts: the rules, and the operator's settings. */
export function judgedBy(settings: Settings): string {
  let by = known.get(settings);
  if (by === undefined) {
    const { publicUrl, ca, machineCa, allowHosts, allowHttp, limits } = settings;
    const told = JSON.stringify([VERSION, publicUrl, ca, machineCa, allowHosts, allowHttp, limits]);
    known.set(settings, (by = createHash('sha256').update(told).digest('base64').slice(0, 22)));
  }
  return by;
}
