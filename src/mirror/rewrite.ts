import { AppregError } from '../core/errors/error.ts';
import { isObject, type JsonObject, type JsonValue, documentContent, parseDocument } from '../core/json/json.ts';
import { digestOf } from '../core/registry/checksum.ts';
import { listedVersions, versionFields, withFields } from '../core/registry/manifest.ts';
import { isSemver } from '../core/registry/version.ts';
import { message } from '../core/text/message.ts';
import type { Store } from '../store/store.ts';

/** Derives the documents of a mirror from those of its source: only URLs change. Pure. */

export interface SourceVersion {
  version: string;
  url: string;
  /** 64 lowercase hexadecimal digits. */
  digest: string;
  item: JsonObject;
}

/** The versions of a metadata file that can be mirrored; incomplete entries were never published. */
export function mirroredVersions(metadata: JsonValue | undefined): SourceVersion[] {
  const found: SourceVersion[] = [];
  for (const item of listedVersions(metadata) ?? []) {
    const { version, artifactUrl: url, artifactChecksum } = versionFields(item);
    const digest = digestOf(artifactChecksum ?? '');
    if (!isObject(item) || version === null || !isSemver(version) || url === null || digest === null) continue;
    if (!found.some((one) => one.version === version)) found.push({ version, url, digest, item });
  }
  return found;
}

/**
 * Paths of an app's files in a mirror. The key is URL-safe and the version is a semantic version: no path traversal.
 */
export const pathsOf = {
  metadata: (key: string): string => `apps/${key}/versions.json`,
  artifact: (key: string, version: string): string => `apps/${key}/versions/${version}.tar.gz`,
  icon: (key: string, kind: 'png' | 'svg'): string => `apps/${key}/icon.${kind}`,
};

/** The URL of a path below `base`, which ends in a slash. */
export function addressOf(base: string, path: string): string {
  return base + path.split('/').map(encodeURIComponent).join('/');
}

/** A metadata file with these versions; its other fields, and those of each version, are preserved. */
export function rewrittenMetadata(metadata: JsonObject, versions: readonly JsonObject[]): JsonObject {
  return { ...metadata, versions: [...versions] };
}

/** An element of `versions` with the artifact's URL in the mirror. */
export function rewrittenVersion(item: JsonObject, artifactUrl: string): JsonObject {
  return { ...item, artifactUrl };
}

/** An entry of `apps` with the metadata's URL in the mirror, and the icon's if `iconUrl` is given. */
export function rewrittenEntry(entry: JsonObject, appMetadataUrl: string, iconUrl: string | null): JsonObject {
  return withFields(entry, { ...(iconUrl !== null && { iconUrl }), appMetadataUrl });
}

export function asText(value: JsonValue): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** A document of the mirror; undefined if missing. */
export async function localDocument(store: Store, path: string): Promise<JsonValue | undefined> {
  const stored = await store.read(path);
  if (!stored) return undefined;
  const { value } = parseDocument(documentContent(stored.bytes));
  if (value !== undefined) return value;
  throw new AppregError(
    'mirror-damaged',
    message`${path} in the mirror is no longer valid JSON.`,
    message`Restore it, or delete it and run the command again.`,
    { effect: 'none' },
  );
}

/** Writes a document or an icon unless it is unchanged. */
export async function put(store: Store, path: string, content: string | Uint8Array): Promise<void> {
  const bytes = Buffer.from(content);
  for (;;) {
    const stored = await store.read(path);
    if (stored && bytes.equals(stored.bytes)) return;
    if (
      stored
        ? (await store.replace(path, bytes, stored.token)) === 'replaced'
        : (await store.create(path, bytes)) === 'created'
    )
      return;
  }
}
