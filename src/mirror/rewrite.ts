import { digestOf } from '../core/registry/checksum.ts';
import { isObject, type JsonObject, type JsonValue, member, stringOrNull } from '../core/json/json.ts';
import { isSemver } from '../core/registry/version.ts';

/** The documents of a mirror, made from those of its source: other addresses, everything else as it was. Pure. */

export interface SourceVersion {
  version: string;
  url: string;
  /** 64 lowercase hexadecimal digits. */
  digest: string;
  item: JsonObject;
}

/** The versions of a metadata file that can be mirrored; what is not whole was never published. */
export function versionsOf(metadata: JsonValue | undefined): SourceVersion[] {
  const list = member(metadata, 'versions');
  const found: SourceVersion[] = [];
  for (const item of Array.isArray(list) ? list : []) {
    const version = stringOrNull(member(item, 'version'));
    const url = stringOrNull(member(item, 'artifactUrl'));
    const digest = digestOf(stringOrNull(member(item, 'artifactChecksum')) ?? '');
    if (!isObject(item) || version === null || !isSemver(version) || url === null || digest === null) continue;
    if (!found.some((one) => one.version === version)) found.push({ version, url, digest, item });
  }
  return found;
}

/** Where an app's files lie in a mirror. The key is URL-safe and the version semantic, so neither leads anywhere else. */
export const pathsOf = {
  metadata: (key: string): string => `apps/${key}/versions.json`,
  artifact: (key: string, version: string): string => `apps/${key}/versions/${version}.tar.gz`,
  icon: (key: string, kind: 'png' | 'svg'): string => `apps/${key}/icon.${kind}`,
};

/** The address of a path below `base`, which ends in a slash. */
export function addressOf(base: string, path: string): string {
  return base + path.split('/').map(encodeURIComponent).join('/');
}

/** A metadata file with these versions; other fields of the file and of each version stay. */
export function rewrittenMetadata(metadata: JsonObject, versions: readonly JsonObject[]): JsonObject {
  return { ...metadata, versions: [...versions] };
}

/** An element of `versions` whose artifact lies in the mirror. */
export function rewrittenVersion({ item }: SourceVersion, artifactUrl: string): JsonObject {
  return { ...item, artifactUrl };
}

/** An entry of `apps` whose metadata lies in the mirror, and its icon too where `iconUrl` says so. */
export function rewrittenEntry(entry: JsonObject, appMetadataUrl: string, iconUrl: string | null): JsonObject {
  const style = member(entry, 'blockStyle');
  return {
    ...entry,
    ...(isObject(style) && iconUrl !== null ? { blockStyle: { ...style, iconUrl } } : {}),
    appMetadataUrl,
  };
}

export function asText(value: JsonValue): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
