import { join } from 'node:path';
import { isSafeKey } from '../core/registry/app-key.ts';
import { documentContent, isObject, type JsonObject, type JsonValue, parseDocument } from '../core/json/json.ts';
import { listedVersions } from '../core/registry/metadata.ts';
import { iconUrlOf, metadataUrlOf } from '../core/registry/manifest.ts';
import { counted, printable } from '../core/text/text.ts';
import { isAppregError } from '../core/errors.ts';
import { fragmentOf, parseUrl } from '../core/http/url.ts';
import { latestOf } from '../core/registry/version.ts';
import type { HttpClient, HttpOptions } from '../observe/http/client.ts';
import { inspectImage } from '../observe/icon/inspect-image.ts';
import { mapLimit } from '../observe/registry/concurrency.ts';
import { otherNameOnDisk } from '../platform/names.ts';
import type { Store } from '../store/store.ts';
import { localDocument, put } from './documents.ts';
import { downloadArtifact, downloadSmall, isFailed } from './download.ts';
import { type Index, isThere, remember } from './index-file.ts';
import {
  addressOf,
  asText,
  pathsOf,
  rewrittenEntry,
  rewrittenMetadata,
  rewrittenVersion,
  type SourceVersion,
  mirroredVersions,
} from './rewrite.ts';

/** Copies one app: its artifacts, its icon, then its metadata file. */

export interface MirrorOptions extends Omit<HttpOptions, 'onProgress'> {
  /** The base URL of the mirror, with a trailing slash. */
  base: string;
  /** Reads the base URL in the configuration of an earlier mirror in the folder; null if it has none. */
  configuredBase?(): Promise<string | null>;
  /** File name of the manifest in the mirror. */
  manifest: string;
  /** Only these apps; null for all. */
  apps: readonly string[] | null;
  versions: 'all' | 'latest' | ((version: string) => boolean);
  /** Also remove what the source withdrew, and delete those files. */
  prune: boolean;
  onProgress?(progress: { done: number; known: number; bytes: number; app: string | null }): void;
}

interface MirrorProblem {
  app: string | null;
  version: string | null;
  url: string | null;
  code: string;
  message: string;
}

export interface Mirrored {
  apps: number;
  versions: number;
  /** Artifacts fetched in this run, and their bytes. */
  fetched: number;
  bytes: number;
  /** Deleted paths. */
  pruned: string[];
  /**
   * Differences from the source. All are errors, except for versions that were kept although the source withdrew them.
   */
  problems: MirrorProblem[];
  kept: { app: string; version: string | null }[];
  interrupted: boolean;
}

export interface AppWork {
  key: string;
  entry: JsonValue;
  http: HttpClient;
  store: Store;
  root: string;
  options: MirrorOptions;
  index: Index;
  result: Mirrored;
  done: number;
  known: number;
}

/** Mirrors one app, and reports a key that cannot be a folder name, such as a device name on Windows. */
export async function mirrorApp(work: AppWork): Promise<JsonObject | null> {
  try {
    return await copyApp(work);
  } catch (error) {
    if (!isAppregError(error) || error.code !== 'path-refused') throw error;
    work.result.problems.push({
      app: work.key,
      version: null,
      url: null,
      code: error.code,
      message: `cannot be kept in a folder: ${error.summary}`,
    });
    return null;
  }
}

/** Reports a difference from the source. */
type ReportProblem = (code: string, message: string, url: string | null, version?: string | null) => null;

/** Mirrors one app. Returns its entry in the mirror's manifest, or null if there is nothing to list. */
async function copyApp(work: AppWork): Promise<JsonObject | null> {
  const { key, store, options, result } = work;
  const report: ReportProblem = (code, message, url, version = null) => {
    result.problems.push({ app: key, version, url, code, message });
    return null;
  };
  if (!isSafeKey(key)) return report('app-key-unsafe', 'is not a URL-safe key; subscribers do not see such apps', null);
  const source = await sourceMetadata(work, report);
  if (source === null) return null;

  const path = pathsOf.metadata(key);
  await store.tidy?.([path, pathsOf.artifact(key, '0.0.0')]);
  const before = mirroredVersions(await localDocument(store, path));
  const listed = mirroredVersions(source.metadata);
  const skipped = source.count - listed.length;
  if (skipped > 0)
    report(
      'version-unusable',
      `lists ${counted(skipped, 'version')} without a semantic version or a well-formed checksum; not mirrored`,
      source.url,
    );
  const versions = await mirrorVersions(work, before, listed, report);
  const iconUrl = await mirrorIcon(work, report);
  // Subscribers do not see an app without versions, and it would be an error in the mirror.
  if (options.signal?.aborted || versions.length === 0) return null;
  await put(store, path, asText(rewrittenMetadata(source.metadata, versions)));
  result.versions += versions.length;
  return rewrittenEntry(source.entry, addressOf(options.base, path), iconUrl);
}

/** The app's entry and metadata file, and the number of elements in its `versions`; null if a problem was reported. */
async function sourceMetadata(
  { entry, http }: AppWork,
  report: ReportProblem,
): Promise<{ entry: JsonObject; url: string; metadata: JsonObject; count: number } | null> {
  const url = metadataUrlOf(entry);
  if (!isObject(entry) || url === null || parseUrl(url) === null)
    return report('schema-violation', 'has no usable appMetadataUrl', url);
  const downloaded = await downloadSmall(http, url, 'application/json, */*;q=0.8');
  if (isFailed(downloaded)) return report(downloaded.code, downloaded.message, url);
  const metadata = parseDocument(documentContent(downloaded)).value;
  const items = listedVersions(metadata);
  if (!isObject(metadata) || items === null) return report('document-unreadable', 'is not a metadata file', url);
  return { entry, url, metadata, count: items.length };
}

/** The elements of `versions` in the mirror: a version that was mirrored never changes. */
async function mirrorVersions(
  work: AppWork,
  before: readonly SourceVersion[],
  listed: readonly SourceVersion[],
  report: ReportProblem,
): Promise<JsonObject[]> {
  const { key, options, result } = work;
  const items = new Map<string, JsonObject>(before.map(({ version, item }) => [version, item]));
  await mapLimit(
    listed.filter(selection(listed, options.versions)),
    async (one) => {
      const known = before.find(({ version }) => version === one.version);
      if (known && known.digest !== one.digest)
        return report(
          'artifact-changed',
          `lists sha256:${one.digest}, but sha256:${known.digest} was mirrored first and is kept`,
          one.url,
          one.version,
        );
      const failed = await mirrorArtifact(work, one);
      if (failed) return report(failed.code, failed.message, one.url, one.version);
      items.set(one.version, rewrittenVersion(one, addressOf(options.base, pathsOf.artifact(key, one.version))));
      return null;
    },
    Math.max(1, options.concurrency ?? 8),
  );
  const order = new Map(listed.map(({ version }, index) => [version, index]));
  for (const { version } of before) {
    if (order.has(version)) continue;
    if (options.prune) items.delete(version);
    else result.kept.push({ app: key, version });
  }
  return [...items].sort(([a], [b]) => (order.get(a) ?? Infinity) - (order.get(b) ?? Infinity)).map(([, item]) => item);
}

async function mirrorArtifact(
  { key, http, root, options, index, result, done, known }: AppWork,
  one: SourceVersion,
): Promise<{ code: string; message: string } | null> {
  if (options.signal?.aborted) return { code: 'INTERRUPTED', message: 'was not fetched: the run was interrupted' };
  const path = pathsOf.artifact(key, one.version);
  const listed = otherNameOnDisk(root, path.split('/'));
  if (listed !== null)
    return {
      code: 'path-refused',
      message: `cannot be kept in this folder as ${path}: its file system already has ${printable(listed)} under that name`,
    };
  if (await isThere(root, path, one.digest, index)) return null;
  if (parseUrl(one.url) === null) return { code: 'url-malformed', message: 'is not a URL' };
  const bytes = await downloadArtifact(http, one.url, one.digest, join(root, path), (count) => {
    result.bytes += count;
    options.onProgress?.({ done, known, bytes: result.bytes, app: key });
  });
  if (isFailed(bytes)) return bytes;
  result.fetched += 1;
  await remember(root, path, one.digest, index);
  return null;
}

/** The icon's URL in the mirror; null if it is not copied. */
async function mirrorIcon(
  { key, entry, http, store, options }: AppWork,
  report: ReportProblem,
): Promise<string | null> {
  const url = iconUrlOf(entry);
  if (url === null || parseUrl(url) === null) return report('icon-unusable', 'is not a usable iconUrl', url);
  const bytes = await downloadSmall(http, url, '*/*');
  if (isFailed(bytes)) return report(bytes.code, bytes.message, url);
  const { kind } = inspectImage(bytes);
  if (kind !== 'png' && kind !== 'svg') return report('icon-not-image', 'is neither PNG nor SVG; its URL is kept', url);
  const path = pathsOf.icon(key, kind);
  await put(store, path, bytes);
  // The fragment selects the part of an SVG to display.
  return addressOf(options.base, path) + fragmentOf(url);
}

function selection(
  listed: readonly SourceVersion[],
  which: MirrorOptions['versions'],
): (one: SourceVersion) => boolean {
  if (which === 'all') return () => true;
  if (typeof which === 'function') return ({ version }) => which(version);
  const latest = latestOf(listed.map(({ version }) => version));
  return ({ version }) => version === latest;
}
