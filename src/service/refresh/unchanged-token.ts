import { createHash } from 'node:crypto';
import { VERSION } from '../../core/tool-version.ts';
import type { Settings } from '../settings.ts';
import type { Confirmed } from './recording-client.ts';
import { responseFingerprint } from './response-fingerprint.ts';

/**
 * What has to be answered in which way for the last outcome to stand: the documents of a registry, asked for with
 * conditions, each with the essence of its "not modified". Kept as a text in the registry's row.
 */
export interface UnchangedToken {
  /** By which version and settings it was judged. */
  by: string;
  /** Milliseconds since 1970: before and after that it is looked at and judged again in any case. */
  from: number;
  until: number;
  accept: string;
  essences: readonly string[];
  /**
   * URL, header and value of each question, and the place of its essence; the manifest first. None at all where it turned
   * out that the judgement goes by the time, or that there would be too many: until then it is judged each time.
   */
  questions: readonly (readonly [url: string, name: string, value: string, essence: number])[];
}

/** Characters: the rows of many registries are read at once. Larger registries are judged each time. */
const LONGEST = 200_000;

/** @returns the text; null for a registry that is too large @param now milliseconds since 1970 */
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

/** @returns null where it is over, or not one of ours @param now milliseconds since 1970 */
export function unchangedTokenIn(text: string | null, by: string, now: number): UnchangedToken | null {
  if (text === null) return null;
  const standing = JSON.parse(text) as UnchangedToken;
  return standing.by === by && standing.from <= now && now <= standing.until ? standing : null;
}

/** True where it was found out that no outcome can stand, and there is no sense in finding that out again. */
export function isPointless(text: string | null, by: string, now: number): boolean {
  return unchangedTokenIn(text, by, now)?.questions.length === 0;
}

const known = new WeakMap<Settings, string>();

/** What judgements depend on besides what is seen: the rules, and what an operator may set. */
export function judgedBy(settings: Settings): string {
  let by = known.get(settings);
  if (by === undefined) {
    const { publicUrl, ca, machineCa, allowHosts, allowHttp, limits } = settings;
    const told = JSON.stringify([VERSION, publicUrl, ca, machineCa, allowHosts, allowHttp, limits]);
    known.set(settings, (by = createHash('sha256').update(told).digest('base64').slice(0, 22)));
  }
  return by;
}
