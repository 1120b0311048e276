import { createHash } from 'node:crypto';
import { VERSION } from '../../../core/tool-version.ts';
import type { Settings } from '../../config/settings.ts';
import type { ConfirmedDocument } from './recording-client.ts';
import { responseFingerprint } from './response-fingerprint.ts';

/**
 * The responses under which the last outcome stays valid: the documents of a registry, revalidated by conditional
 * requests, each with the fingerprint of its "not modified". Stored as a text in the registry's row.
 */
export interface UnchangedToken {
  /** The version and settings that it was judged by (`judgementKey`). */
  judgedBy: string;
  /** Milliseconds since 1970: outside of this period, the registry is always observed and judged again. */
  from: number;
  until: number;
  accept: string;
  fingerprints: readonly string[];
  /**
   * URL, header and value of each conditional request, and the index of its fingerprint; the manifest first. Empty if
   * the outcome depends on time, or if there would be too many: until it expires, the registry is judged each time.
   */
  requests: readonly (readonly [url: string, name: string, value: string, fingerprint: number])[];
}

/** Characters: the rows of many registries are read at once. Larger registries are judged each time. */
const LONGEST = 200_000;

/** @returns the text; null if the registry is too large @param now milliseconds since 1970 */
export function unchangedTokenOf(
  confirmed: Iterable<ConfirmedDocument>,
  judgedBy: string,
  until: number,
  now: number,
): string | null {
  const indexes = new Map<string, number>();
  const requests: UnchangedToken['requests'][number][] = [];
  let accept: string | null = null;
  for (const document of confirmed) {
    if (document.accept !== (accept ??= document.accept)) return null;
    const [name, value] = document.condition;
    const fingerprint = responseFingerprint(document.probe, value, now);
    const index = indexes.get(fingerprint) ?? indexes.size;
    indexes.set(fingerprint, index);
    requests.push([document.url, name, value, index]);
  }
  const fingerprints = [...indexes.keys()];
  const token: UnchangedToken = { judgedBy, from: now, until, accept: accept ?? '', fingerprints, requests };
  const text = JSON.stringify(token);
  return text.length > LONGEST ? null : text;
}

/** @returns null if it has expired or is invalid @param now milliseconds since 1970 */
export function unchangedTokenIn(text: string | null, judgedBy: string, now: number): UnchangedToken | null {
  if (text === null) return null;
  const token: UnchangedToken = JSON.parse(text);
  return token.judgedBy === judgedBy && token.from <= now && now <= token.until ? token : null;
}

const keysBySettings = new WeakMap<Settings, string>();

/** What judgements depend on in addition to the observed facts: the rules, and the operator's settings. */
export function judgementKey(settings: Settings): string {
  let key = keysBySettings.get(settings);
  if (key === undefined) {
    const { publicUrl, ca, machineCa, allowHosts, allowHttp, limits } = settings;
    const parts = JSON.stringify([VERSION, publicUrl, ca, machineCa, allowHosts, allowHttp, limits]);
    key = createHash('sha256').update(parts).digest('base64').slice(0, 22);
    keysBySettings.set(settings, key);
  }
  return key;
}
