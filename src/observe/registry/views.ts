import {
  type HttpViews,
  type Resource,
  type Content,
  type DocumentContent,
  type Missing,
  type Probe,
  isMissing,
} from '../../core/facts/facts.ts';
import { lastHop, originOf } from '../../core/http/probe.ts';
import { notRequested } from '../http/circuit-breaker.ts';
import { browserViews, type ServerView } from './browser-views.ts';
import { isSameBehavior, viewsBefore } from './cache/reuse.ts';
import type { ObserveContext } from './context.ts';
import { reasonMissing } from './fetch.ts';
import { createHash } from 'node:crypto';
import { codings } from '../../core/http/headers.ts';
import type { Reference } from './copy.ts';

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
