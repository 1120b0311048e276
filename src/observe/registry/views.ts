import type { HttpViews, Resource } from '../../core/facts/facts.ts';
import { lastHop, originOf } from '../../core/http/probe.ts';
import { notRequested } from '../http/circuit-breaker.ts';
import { browserViews, type ServerView } from './browser-views.ts';
import { isSameBehavior, viewsBefore } from './cache/reuse.ts';
import type { ObserveContext } from './context.ts';
import { reasonMissing } from './fetch.ts';

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
