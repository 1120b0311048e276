import { aboutUrl, mapLimit, VERSION } from 'appreg';
import { JSON_ACCEPT } from 'appreg/node';
import { createHash } from 'node:crypto';
import {
  type ConfirmedDocument,
  type OptionalFile,
  type RecordingClient,
  type RequestWithBody,
  isUnchanged,
} from './recording-client.ts';
import { responseFingerprint } from './response-fingerprint.ts';
import type { Settings } from '../config/settings.ts';
import { DOCUMENT_LIMITS, CONNECTIONS } from './plan.ts';

/**
 * Skips observing and judging a registry of which nothing changed. A refresh stores the conditional requests that
 * confirm its outcome; the next one sends only these, and starts over if any response differs.
 */

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
  requests: readonly TokenRequest[];
}

type TokenRequest = readonly [url: string, name: string, value: string, fingerprint: number, about?: AboutInToken];

/** The result of a request for the about file beside a metadata file, and its condition, if it had one. */
type AboutInToken = readonly [result: string, name?: string, value?: string];

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
  const requests: TokenRequest[] = [];
  let accept: string | null = null;
  for (const document of confirmed) {
    if (document.accept !== (accept ??= document.accept)) return null;
    const [name, value] = document.condition;
    const fingerprint = responseFingerprint(document.probe, value, now);
    const index = indexes.get(fingerprint) ?? indexes.size;
    indexes.set(fingerprint, index);
    const request = [document.url, name, value, index] as const;
    requests.push(document.beside === undefined ? request : [...request, aboutInToken(document.beside)]);
  }
  const fingerprints = [...indexes.keys()];
  const token: UnchangedToken = { judgedBy, from: now, until, accept: accept ?? '', fingerprints, requests };
  const text = JSON.stringify(token);
  return text.length > LONGEST ? null : text;
}

function aboutInToken({ result, condition }: OptionalFile): AboutInToken {
  return condition === null ? [result] : [result, ...condition];
}

/** @returns null if it has expired or is invalid @param now milliseconds since 1970 */
export function unchangedTokenIn(text: string | null, judgedBy: string, now: number): UnchangedToken | null {
  if (text === null) return null;
  const token: UnchangedToken = JSON.parse(text);
  return token.judgedBy === judgedBy && token.from <= now && now <= token.until ? token : null;
}

/** Of tokens; a token of another format is not used. */
const FORMAT = 2;

const keysBySettings = new WeakMap<Settings, string>();

/** Key of the input of judgements in addition to the observed facts: the rules, and the operator's settings. */
export function judgementKey(settings: Settings): string {
  let key = keysBySettings.get(settings);
  if (key === undefined) {
    const { publicUrl, ca, machineCa, allowHosts, allowHttp, limits } = settings;
    const parts = JSON.stringify([VERSION, FORMAT, publicUrl, ca, machineCa, allowHosts, allowHttp, limits]);
    key = createHash('sha256').update(parts).digest('base64').slice(0, 22);
    keysBySettings.set(settings, key);
  }
  return key;
}

/** Documents per connection: a small registry uses a single one. */
const DOCUMENTS_PER_CONNECTION = 8;

/**
 * Sends the requests of a token, and stops at the first response that differs. The responses so far are reused by the
 * refresh that follows.
 * @param now milliseconds since 1970
 * @param timeout milliseconds per document
 * @param isOver whether no more requests may be sent
 * @returns whether each response was the expected one; false if the token has no requests
 */
export async function isStillUnchanged(
  { requests, fingerprints, accept }: UnchangedToken,
  client: RecordingClient,
  now: number,
  timeout: number,
  isOver: () => boolean,
): Promise<boolean> {
  const [manifest, ...documents] = requests;
  if (manifest === undefined) return false;
  let isSame = true;

  async function revalidate([url, name, value, index, about]: TokenRequest, limit: number): Promise<void> {
    if (isOver()) isSame = false;
    if (!isSame) return;
    const request = { method: 'GET', origin: null, total: timeout } as const;
    const body: RequestWithBody['body'] = () => ({ limit, over: 'cut', write: () => {} });
    const { probe } = await client.prefetch({ ...request, url, accept, headers: [[name, value]], body });
    if (!isUnchanged(probe) || responseFingerprint(probe, value, now) !== fingerprints[index]) isSame = false;
    const beside = aboutUrl(url);
    if (!isSame || about === undefined || beside === null) return;
    const [expected, header, validator] = about;
    const headers: [string, string][] = header === undefined || validator === undefined ? [] : [[header, validator]];
    const optional = { ...request, optional: true, accept: JSON_ACCEPT };
    const { result } = await client.prefetch({ ...optional, url: beside, headers, body });
    if (result !== expected) isSame = false;
  }

  await revalidate(manifest, DOCUMENT_LIMITS.manifest);
  const concurrency = Math.min(CONNECTIONS, Math.ceil(documents.length / DOCUMENTS_PER_CONNECTION));
  await mapLimit(documents, (document) => revalidate(document, DOCUMENT_LIMITS.metadata), concurrency);
  return isSame;
}
