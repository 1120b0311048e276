import { type IconFacts, type ImageFacts, isMissing, type Missing } from '../../core/facts/facts.ts';
import { contentCodings } from '../../core/http/headers.ts';
import { hasChanged, isOutdated } from '../../core/http/judged-headers.ts';
import { isAnswered, lastHop } from '../../core/http/probe.ts';
import { comparableUrl } from '../../core/url/url.ts';
import { withoutSecretsInHead } from '../content/redact-head.ts';
import { digestDecoded, unknownCodings } from '../digest/decode.ts';
import { referenceOfIcon, removeCodings } from '../http/compare-copy.ts';
import { inspectImage } from '../icon/inspect-image.ts';
import { iconBefore } from './cache.ts';
import type { ObserveContext } from './context.ts';
import { revalidate } from './document.ts';
import { type FetchedResource, fetchOnce, type FetchOptions, fetchResource, reasonMissing } from './fetch.ts';
import type { FetchedIcon } from './part.ts';
import { iconFault } from './second-look.ts';
import { asBrowsersRead, isRefusedResponse } from './tolerance.ts';
import { observeViews } from './views.ts';

/**
 * Observes an icon over HTTP, and how its host responds to browsers. If the host sends something else at the end of the
 * requests than at the beginning, the icon is observed again.
 * @param known the result of an earlier run; a conditional request checks whether it is still valid
 */
export async function observeIcon(
  url: string,
  context: ObserveContext,
  known: IconFacts | null = null,
): Promise<IconFacts> {
  const recent = context.daily && context.now !== null ? iconBefore(known, url, context.now) : null;
  if (recent) return recent;
  const facts = await observeState(url, context, known);
  const isOld = known !== null && facts.viewsReusedFrom === undefined && isOutdated(facts.web);
  return hasChanged(facts.web) || isOld ? observeState(url, context, null) : facts;
}

async function observeState(url: string, context: ObserveContext, known: IconFacts | null): Promise<IconFacts> {
  const options = { accept: '*/*', limit: context.limits.icon };
  const view = { kind: 'icon', ...options } as const;
  const trusted = context.hosts.sendsFalse304(url) ? null : known;
  const { confirmed, fetched } = await revalidate(url, options, context, trusted);
  if (confirmed && known) {
    const { content, image } = known;
    const reference = isMissing(content) ? null : referenceOfIcon(confirmed, content, null);
    const views = await observeViews({ ...view, server: confirmed, reference }, context, known);
    return { url, file: null, ...views, content, image };
  }
  const strict = await context.hosts.secondLooks.take(
    'icon',
    inspected(fetched ?? (await fetchResource(url, options, context))),
    (icon) => iconFault(icon.probe, icon.image),
    async () => inspected(await fetchOnce({ url, headers: [], fresh: true }, options, context)),
  );
  const { probe, content, start, bytes, image } = (await fetchTolerantly(url, strict, options, context)) ?? strict;
  const reference = referenceOfIcon(probe, content, bytes);
  const views = await observeViews({ ...view, server: probe, reference }, context, null);
  if (isMissing(image)) return { url, file: null, ...views, content: image, image };
  const applied = contentCodings(lastHop(probe)?.headers ?? []);
  // An unknown coding is ignored, as browsers ignore it.
  const isDecoded = applied.length > 0 && unknownCodings(applied).length === 0;
  const shown = await withoutSecretsInHead(content, start);
  const decoded = isDecoded ? await digestDecoded(applied, bytes) : null;
  const facts = { url, file: null, ...views, content: { ...shown, decoded }, image };
  context.onIcon(url, bytes);
  return facts;
}

/** An icon, and the facts about its image. */
type FetchedImage = FetchedResource & { image: ImageFacts | Missing };

/**
 * The icon as browsers read it, if Node.js refuses the response, and browsers do not.
 * @param strict the response as Node.js reads it
 */
async function fetchTolerantly(
  url: string,
  strict: FetchedImage,
  options: FetchOptions,
  context: ObserveContext,
): Promise<FetchedImage | null> {
  const isInvalid = isRefusedResponse(strict.probe);
  if (!isInvalid && strict.probe.failure?.phase !== 'decode') return null;
  const sent = await fetchOnce({ url, headers: [], fresh: true }, { ...options, tolerant: true }, context);
  if (!isAnswered(sent.probe)) return null;
  const bytes = removeCodings(sent.bytes, contentCodings(lastHop(sent.probe)?.headers ?? []), options.limit).content;
  if (bytes === null) return null;
  const icon = inspected({ ...sent, bytes, probe: asBrowsersRead(strict.probe, sent.probe) });
  // The rest of compressed data that cannot be decoded is no image to say more about.
  return isInvalid || iconFault(icon.probe, icon.image) === null ? icon : null;
}

function inspected(icon: FetchedResource): FetchedImage {
  return { ...icon, image: reasonMissing(icon.probe) ?? inspectImage(icon.bytes) };
}

/** The icons that were fetched, until an app that uses one is handed over. */
export class FetchedIcons {
  readonly #byUrl = new Map<string, FetchedIcon>();
  readonly #limit: number;

  /** @param limit maximum number of bytes of an icon that are kept */
  constructor(limit: number) {
    this.#limit = limit;
  }

  add(url: string, bytes: Uint8Array): void {
    this.#byUrl.set(comparableUrl(url), { bytes: bytes.length > this.#limit ? null : bytes });
  }

  /** The icon, once: null if it was not fetched, or was taken before. */
  take(url: string | null): FetchedIcon | null {
    if (url === null) return null;
    const address = comparableUrl(url);
    const icon = this.#byUrl.get(address) ?? null;
    this.#byUrl.delete(address);
    return icon;
  }
}
