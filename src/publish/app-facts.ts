import type { AppFacts, DocumentFacts } from '../core/facts/facts.ts';
import { documentContent } from '../core/json/json.ts';
import { listedVersionsIn, artifactUrlOf } from '../core/registry/metadata.ts';
import { NOT_OBSERVED, type RegistryLocation } from './registry-location.ts';

/** Facts about an app that is already listed, for the rules. */

/** The metadata file of an app in its present state, whatever that is; not observed if it is elsewhere, or missing. */
export async function metadataFacts(place: RegistryLocation, url: string | null): Promise<DocumentFacts> {
  const file = url === null ? null : place.pathOf(url);
  const stored = file === null ? null : await place.store.read(file);
  return { url, file, web: NOT_OBSERVED, content: stored === null ? NOT_OBSERVED : documentContent(stored.bytes) };
}

/** An app with this metadata file; its artifacts and its icon are not observed. */
export function appFactsWith(
  key: string,
  metadata: DocumentFacts,
  icon: Partial<AppFacts['icon']> & Pick<AppFacts['icon'], 'url'>,
): AppFacts {
  const artifacts = (listedVersionsIn(metadata.content) ?? []).map((item) => ({
    url: artifactUrlOf(item),
    file: null,
    web: NOT_OBSERVED,
    content: NOT_OBSERVED,
    archive: NOT_OBSERVED,
  }));
  return {
    key,
    metadata,
    icon: { file: null, web: NOT_OBSERVED, content: NOT_OBSERVED, image: NOT_OBSERVED, ...icon },
    artifacts,
  };
}

/** The same app with an about file; null or undefined for none. */
export function withAbout(app: AppFacts, about: DocumentFacts | null | undefined): AppFacts {
  return about ? { ...app, about } : app;
}
