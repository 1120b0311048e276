import type { IconFacts } from '../../core/facts/facts.ts';
import { isMissing } from '../../core/facts/facts.ts';
import { withoutSecretsInHead } from '../content/redact-head.ts';
import { inspectImage } from '../icon/inspect-image.ts';
import { iconBefore } from './cache/reuse.ts';
import type { ObserveContext } from './context.ts';
import { referenceOfIcon, observeViews } from './views.ts';
import { fetchResource, reasonMissing, revalidate } from './fetch.ts';

/**
 * Observes an icon over HTTP, and how its host responds to browsers.
 * @param known the result of an earlier run; a conditional request checks whether it is still valid
 */
export async function observeIcon(
  url: string,
  context: ObserveContext,
  known: IconFacts | null = null,
): Promise<IconFacts> {
  const recent = context.daily && context.now !== null ? iconBefore(known, url, context.now) : null;
  if (recent) return recent;
  const { always304Origins } = context.state;
  const options = { accept: '*/*', limit: context.limits.icon };
  const view = { kind: 'icon', ...options } as const;
  const trusted = always304Origins.has(new URL(url).origin) ? null : known;
  const { confirmed, fetched } = await revalidate(url, options, context, trusted);
  if (confirmed && known) {
    const { content, image } = known;
    const reference = isMissing(content) ? null : referenceOfIcon(confirmed, content, null);
    const views = await observeViews({ ...view, server: confirmed, reference }, context, known);
    return { url, file: null, ...views, content, image };
  }
  const { probe, content, start, bytes } = fetched ?? (await fetchResource(url, options, context));
  const reference = referenceOfIcon(probe, content, bytes);
  const views = await observeViews({ ...view, server: probe, reference }, context, null);
  const reason = reasonMissing(probe);
  if (reason) return { url, file: null, ...views, content: reason, image: reason };
  const shown = await withoutSecretsInHead(content, start);
  const facts = { url, file: null, ...views, content: shown, image: inspectImage(bytes) };
  context.onIcon(facts, bytes);
  return facts;
}
