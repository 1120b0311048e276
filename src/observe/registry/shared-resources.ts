import type { DocumentFacts, IconFacts } from '../../core/facts/facts.ts';
import type { JsonValue } from '../../core/json/json.ts';
import { iconUrlOf, metadataUrlOf } from '../../core/registry/manifest.ts';
import { comparableUrl } from '../../core/http/url.ts';
import { memoizeAsync } from './concurrency.ts';
import type { ObserveContext } from './context.ts';
import { observeDocument } from './document.ts';
import { observeIcon } from './icon.ts';

/** Metadata and icons by URL: equal URLs, ignoring fragments, are requested once. */
export interface SharedResources {
  metadata(
    url: string,
    context: ObserveContext,
    known: DocumentFacts | null,
    onContent: (content: DocumentFacts['content']) => void,
  ): Promise<DocumentFacts>;
  icon(url: string, context: ObserveContext, known: IconFacts | null): Promise<IconFacts>;
}

/** Only those listed more than once are remembered. */
export function shareResources(entries: readonly JsonValue[]): SharedResources {
  const repeated = repeatedAddresses(entries);
  const documents = new Map<string, Promise<DocumentFacts>>();
  const icons = new Map<string, Promise<IconFacts>>();
  return {
    async metadata(url, context, known, onContent) {
      const address = comparableUrl(url);
      if (!repeated.has(address)) return observeDocument(url, 'metadata', context, known, onContent);
      const facts = await memoizeAsync(documents, address, () => observeDocument(url, 'metadata', context, known));
      return { ...facts, url };
    },
    async icon(url, context, known) {
      const address = comparableUrl(url);
      if (!repeated.has(address)) return observeIcon(url, context, known);
      return { ...(await memoizeAsync(icons, address, () => observeIcon(url, context, known))), url };
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
