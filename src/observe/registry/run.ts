import { type DocumentFacts, type IconFacts, type Missing, isMissing } from '../../core/facts/facts.ts';
import { blockedBy } from '../../core/facts/missing.ts';
import { codings } from '../../core/http/headers.ts';
import { lastHop } from '../../core/http/probe.ts';
import { comparableUrl } from '../../core/url/url.ts';
import type { JsonValue } from '../../core/json/json.ts';
import { iconUrlOf, metadataUrlOf } from '../../core/registry/manifest.ts';
import { withoutSecretsInHead } from '../content/redact-head.ts';
import { digestDecoded, unknownCodings } from '../digest/decode.ts';
import { inspectImage } from '../icon/inspect-image.ts';
import { type AboutRequest, observeAbout, type ObservedAbout } from './about.ts';
import { iconBefore } from './cache/reuse.ts';
import { memoizeAsync } from './concurrency.ts';
import type { ObserveContext } from './context.ts';
import { observeDocument } from './document.ts';
import { revalidate } from './conditional.ts';
import { fetchResource, reasonMissing } from './fetch.ts';
import type { ListedArtifact, WebOptions } from './options.ts';
import type { Figures } from './part.ts';
import { referenceOfIcon, observeViews } from './views.ts';

/** What all apps of a run share. */
export interface RegistryRun {
  readonly context: ObserveContext;
  readonly options: WebOptions;
  readonly shared: SharedResources;
  /** Changed while apps are observed. */
  readonly figures: Figures;
  /**
   * Hands over the versions of an app's metadata file, and waits until they were dealt with.
   * @returns why an artifact is left out; null for one that is not
   */
  announce(key: string, versions: readonly JsonValue[]): Promise<(artifact: ListedArtifact) => Missing | null>;
}

/** Metadata, about files and icons by URL: equal URLs, ignoring fragments, are requested once. */
interface SharedResources {
  metadata(
    url: string,
    context: ObserveContext,
    known: DocumentFacts | null,
    onContent: (content: DocumentFacts['content']) => void,
  ): Promise<DocumentFacts>;
  about(request: AboutRequest, context: ObserveContext): Promise<ObservedAbout>;
  icon(url: string, context: ObserveContext, known: IconFacts | null): Promise<IconFacts>;
}

/** Only those listed more than once are remembered. */
export function shareResources(entries: readonly JsonValue[]): SharedResources {
  const repeated = repeatedAddresses(entries);
  const documents = new Map<string, Promise<DocumentFacts>>();
  const abouts = new Map<string, Promise<ObservedAbout>>();
  const icons = new Map<string, Promise<IconFacts>>();
  return {
    async metadata(url, context, known, onContent) {
      const address = comparableUrl(url);
      if (!repeated.has(address)) return observeDocument(url, 'metadata', context, known, onContent);
      const facts = await memoizeAsync(documents, address, () => observeDocument(url, 'metadata', context, known));
      return { ...facts, url };
    },
    about(request, context) {
      const address = comparableUrl(request.metadataUrl);
      if (!repeated.has(address)) return observeAbout(request, context);
      return memoizeAsync(abouts, address, () => observeAbout(request, context));
    },
    async icon(url, context, known) {
      const address = comparableUrl(url);
      if (!repeated.has(address)) return observeIcon(url, context, known);
      // The result of an earlier run is without the bytes, which apps need that have no such result.
      const key = known?.url === url ? address : `new ${address}`;
      return { ...(await memoizeAsync(icons, key, () => observeIcon(url, context, known))), url };
    },
  };
}

function repeatedAddresses(entries: readonly JsonValue[]): Set<string> {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const entry of entries) {
    for (const url of [metadataUrlOf(entry), iconUrlOf(entry)]) {
      if (url === null) continue;
      const address = comparableUrl(url);
      if (seen.has(address)) repeated.add(address);
      else seen.add(address);
    }
  }
  return repeated;
}

const MISSHAPEN: Missing = blockedBy('schema-violation');
const MALFORMED: Missing = blockedBy('url-malformed');

/** @param url null if the document has no string in its place */
export function reasonNotRequestable(url: string | null): Missing {
  return url === null ? MISSHAPEN : MALFORMED;
}

/**
 * Observes an icon over HTTP, and how its host responds to browsers.
 * @param known the result of an earlier run; a conditional request checks whether it is still valid
 */
async function observeIcon(url: string, context: ObserveContext, known: IconFacts | null = null): Promise<IconFacts> {
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
  const applied = codings(lastHop(probe)?.headers ?? []);
  // An unknown coding is ignored, as browsers ignore it.
  const isDecoded = applied.length > 0 && unknownCodings(applied).length === 0;
  const shown = await withoutSecretsInHead(content, start);
  const decoded = isDecoded ? await digestDecoded(applied, bytes) : null;
  const facts = { url, file: null, ...views, content: { ...shown, decoded }, image: inspectImage(bytes) };
  context.icons?.add(url, bytes);
  return facts;
}
