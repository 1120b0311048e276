import { createHash } from 'node:crypto';
import {
  type HttpViews,
  type Resource,
  type Content,
  type DocumentContent,
  type Missing,
  type Probe,
  isMissing,
  type Conditional,
  type Hop,
  type RepeatedProbe,
} from '../../core/facts/facts.ts';
import { mayBeRepeated } from '../../core/facts/repeated-probes.ts';
import { PROBE_ORIGIN } from '../../core/http/cors.ts';
import { codings, header, httpDate } from '../../core/http/headers.ts';
import { isAnswered, lastHop, notRequested, originOf } from '../../core/http/probe.ts';
import { createDigester } from '../digest/digest.ts';
import { type Body, perAttempt } from '../http/body.ts';
import { browserViews, type ServerView } from './browser-views.ts';
import { isSameBehavior, viewsBefore } from './cache/reuse.ts';
import type { ObserveContext } from './context.ts';
import type { Reference } from './copy.ts';
import { reasonMissing } from './fetch.ts';
import { repeat } from './repeated-probes.ts';
import { isEntityTag } from './request-shape.ts';
import { probeAgain, probeSide } from './retry-probes.ts';

/** The response of a resource to a server and to a browser. */
export type ResourceViews = Pick<Resource, 'web' | 'viewsReusedFrom'>;

/**
 * The response of a document or an icon, and its views. Those of an unchanged one are reused if the first of its kind
 * and host, which is observed again, responds as before.
 * @param known the earlier facts, if the probe confirmed them
 */
export async function observeViews(
  view: ServerView,
  context: ObserveContext,
  known: Resource | null,
): Promise<ResourceViews> {
  const { kind, server } = view;
  const stopped = notRequested(server);
  if (stopped) return { web: stopped };
  const reason = reasonMissing(server);
  if (reason) return { web: { server, browser: [], preflight: reason, head: reason } };
  const before = known && context.now !== null ? viewsBefore(known, context.now) : null;
  if (!before) return { web: { server, ...(await browserViews(view, context)) } };
  const reused: ResourceViews = { web: { server, ...before.views }, viewsReusedFrom: before.observedAt };
  if (context.daily) return reused;
  const key = `${kind} ${originOf(lastHop(server)?.url ?? '')}`;
  const { unchangedViews } = context.state;
  const isUnchanged = unchangedViews.get(key);
  if (isUnchanged && (await isUnchanged)) return reused;
  const fresh = browserViews(view, context);
  if (!isUnchanged)
    unchangedViews.set(
      key,
      fresh.then((now) => isSameBehavior(now, before.views)),
    );
  const web: HttpViews = { server, ...(await fresh) };
  return { web };
}

/** The reference for browsers' copies: the response to a server-side client, with no coding applied. */

/**
 * @param sha256 of the bytes as sent, if known
 * @returns null for a document that was not read completely
 */
export function referenceOfDocument(
  probe: Probe,
  content: DocumentContent | Missing,
  sha256: string | null,
): Reference | null {
  if (isMissing(content) || content.cut) return null;
  return {
    sha256: sha256 !== null && isPlain(probe) ? sha256 : digestOf(bytesOf(content)),
    bytes: content.bytes,
    text: () => content.text,
    isImage: false,
  };
}

/** @param bytes decoded; null if they were not kept */
export function referenceOfIcon(probe: Probe, content: Content, bytes: Uint8Array | null): Reference | null {
  if (content.cut) return null;
  if (isPlain(probe)) return { sha256: content.sha256, bytes: content.bytes, text: null, isImage: true };
  return bytes === null ? null : { sha256: digestOf(bytes), bytes: bytes.length, text: null, isImage: true };
}

function isPlain(probe: Probe): boolean {
  return codings(lastHop(probe)?.headers ?? []).length === 0;
}

function bytesOf({ text, base64 }: DocumentContent): Uint8Array {
  return text === null ? Buffer.from(base64 ?? '', 'base64') : Buffer.from(text);
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

// Conditional requests for a document (RFC 9110 section 13), which save the hourly check most of its bytes.

/** An entity tag that no host has issued. */
const FABRICATED_TAG = '"appreg-probe-never-issued"';
const DAY = 86_400_000;

type Condition = Pick<Conditional, 'condition' | 'fabricated'>;

/**
 * Sends one request with a validator that the host never issued, and one with the validator that it just sent.
 * @param sha256 the digest of the document that the host just sent
 */
export async function probeConditions(
  { server, accept, limit }: ServerView,
  sha256: string,
  context: ObserveContext,
): Promise<Conditional[]> {
  const [first] = server.hops;
  const last = server.hops.at(-1);
  if (!first || !last) return [];
  const sent = conditionsFrom(last).map(async ({ condition, fabricated }): Promise<Conditional> => {
    const reader = fabricated ? null : perAttempt((hop) => digestChanged(hop, last, limit, context));
    const probe = await probeSide(context.http, {
      method: 'GET',
      url: first.url,
      // Also shows how the host responds to an unknown origin; all other requests name the service's own.
      origin: fabricated && context.origins.length > 0 ? PROBE_ORIGIN : null,
      accept,
      headers: [condition],
      total: context.timeouts.small,
      ...(reader && { body: reader.body }),
    });
    const digest = reader?.last()?.digest() ?? null;
    return { condition, fabricated, probe, sameBytes: digest !== null && isAnswered(probe) ? digest === sha256 : null };
  });
  const all = await Promise.all(sent);
  return all.filter(({ probe }) => notRequested(probe) === null);
}

function conditionsFrom({ headers }: Hop): Condition[] {
  const conditions: Condition[] = [{ condition: ['if-none-match', FABRICATED_TAG], fabricated: true }];
  const tag = header(headers, 'etag');
  const changed = httpDate(header(headers, 'last-modified'));
  if (tag !== null && isEntityTag(tag)) conditions.push({ condition: ['if-none-match', tag], fabricated: false });
  else if (tag === null && changed !== null)
    conditions.push({ condition: ['if-modified-since', new Date(changed - DAY).toUTCString()], fabricated: true });
  return conditions;
}

/** Digests a body that is sent under another entity tag than before. */
function digestChanged(
  hop: Hop,
  before: Hop,
  limit: number,
  context: ObserveContext,
): Body & { digest(): string | null } {
  const isSameTag = header(hop.headers, 'etag') === header(before.headers, 'etag');
  if (!isSameTag) context.onBody(hop);
  const digester = isSameTag ? null : createDigester(limit);
  return {
    limit: isSameTag ? 0 : limit,
    over: 'cut',
    instant: true,
    write(chunk) {
      context.onBytes(chunk.length);
      digester?.write(chunk);
    },
    digest: () => digester?.end().sha256 ?? null,
  };
}

/**
 * Repeats the request with a condition that was refused; null if none was. An unknown origin may be refused for other
 * reasons.
 */
export async function repeatCondition(
  first: Probe,
  conditional: readonly Conditional[],
  { kind, accept }: Pick<ServerView, 'kind' | 'accept'>,
  context: ObserveContext,
): Promise<RepeatedProbe | null> {
  const refused = conditional.find(({ probe }) => probe.origin === null && mayBeRepeated('condition', probe));
  const url = first.hops[0]?.url;
  if (!refused || url === undefined) return null;
  const sendAgain = (): Promise<Probe> =>
    probeAgain(context.http, {
      method: 'GET',
      url,
      origin: null,
      accept,
      headers: [refused.condition],
      total: context.timeouts.small,
    });
  return repeat('condition', refused.probe, { kind, url, accept }, sendAgain, context);
}
