import { documentText, isObject, type JsonValue, member, parseDocument } from '../../src/core/json/json.ts';
import type {
  AppFacts,
  ArtifactFacts,
  Content,
  DocumentFacts,
  IconFacts,
  Snapshot,
  Missing,
} from '../../src/core/facts/facts.ts';
import { checksum, NOW } from './core-facts.ts';

/** Snapshots of a registry as `lint` sees one: documents from values or texts, without requests. */

const OFFLINE: Missing = { missing: { code: 'offline' }, runWide: true };
export const NOT_IN_WORKSPACE: Missing = { missing: { code: 'not-in-workspace' } };
export const BASE = 'https://apps.example.com/';

export type Source = string | object | null;

export function document(source: Source | Missing, file: string, url: string | null = null): DocumentFacts {
  const text = typeof source === 'string' ? source : `${JSON.stringify(source, null, 2)}\n`;
  const unseen = isObject(source as JsonValue) && typeof (source as Missing).missing?.code === 'string';
  return { url, file, web: OFFLINE, content: unseen ? (source as Missing) : documentText(text) };
}

export function icon(url: string | null = null): IconFacts {
  return { url, file: null, web: OFFLINE, content: NOT_IN_WORKSPACE, image: NOT_IN_WORKSPACE };
}

export function artifact(url: string | null = null, content: Content | Missing = NOT_IN_WORKSPACE): ArtifactFacts {
  return { url, file: null, web: OFFLINE, content, archive: NOT_IN_WORKSPACE };
}

/** An entry of `apps` as it should be. */
export function entry(key: string, more: object = {}): Record<string, unknown> {
  return {
    name: `App ${key}`,
    description: 'Does something useful.',
    blockStyle: { iconUrl: `${BASE}apps/${key}/icon.svg`, color: '#1a73e8' },
    appMetadataUrl: `${BASE}apps/${key}/versions.json`,
    ...more,
  };
}

/** Elements of `versions` as they should be. */
export function metadataWith(...versions: string[]): { versions: Record<string, unknown>[] } {
  return metadataOf('a', versions);
}

/** The same of another app: its artifacts have URLs of their own. */
function metadataOf(key: string, versions: readonly string[]): { versions: Record<string, unknown>[] } {
  return {
    versions: versions.map((version, i) => ({
      version,
      artifactUrl: `${BASE}apps/${key.replace(/[^\w-]/g, '_')}/versions/${version}.tar.gz`,
      artifactChecksum: checksum(i + 1),
    })),
  };
}

/**
 * A snapshot of these documents. `metadata` holds a file per app key; an app without one has a file with version 1.0.0.
 * @param manifest the manifest, or the keys of apps that are as they should be
 */
export function snapshot(manifest: Source | string[], metadata: Record<string, Source | Missing> = {}): Snapshot {
  const source = Array.isArray(manifest)
    ? { apps: Object.fromEntries(manifest.map((key) => [key, entry(key)])) }
    : manifest;
  const facts = document(source, 'registry.json');
  const apps = member('missing' in facts.content ? undefined : parseDocument(facts.content).value, 'apps');
  return {
    snapshot: 1,
    target: '.',
    seenAt: NOW,
    origins: [],
    manifest: facts,
    apps: isObject(apps)
      ? Object.keys(apps).map((key) =>
          app(key, apps[key], Object.hasOwn(metadata, key) ? metadata[key]! : metadataOf(key, ['1.0.0'])),
        )
      : [],
    orphans: [],
  };
}

/** The snapshot with an artifact for each version that has the listed checksum. */
export function withArtifacts(facts: Snapshot): Snapshot {
  for (const { metadata, artifacts } of facts.apps) {
    const value = 'missing' in metadata.content ? undefined : parseDocument(metadata.content).value;
    const listed = member(value, 'versions');
    if (!Array.isArray(listed)) continue;
    for (const [i, item] of listed.entries()) {
      const sum = member(item, 'artifactChecksum');
      if (typeof sum === 'string' && artifacts[i])
        artifacts[i] = artifact(null, contentWith(sum.replace('sha256:', '')));
    }
  }
  return facts;
}

/** The bytes of an artifact by their digest. */
export function contentWith(sha256: string, more: Partial<Content> = {}): Content {
  return { bytes: 5, sha256, sha1: '', md5: '', head: '', cut: false, decoded: null, ...more };
}

function app(key: string, value: JsonValue | undefined, source: Source | Missing): AppFacts {
  const url = member(value, 'appMetadataUrl');
  const metadata = document(source, `apps/${key}/versions.json`, typeof url === 'string' ? url : null);
  const versions = member(
    'missing' in metadata.content ? undefined : parseDocument(metadata.content).value,
    'versions',
  );
  return { key, metadata, icon: icon(), artifacts: Array.isArray(versions) ? versions.map(() => artifact()) : [] };
}
