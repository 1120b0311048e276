import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { documentContent, isObject, type JsonObject, type JsonValue, parseDocument } from '../core/json/json.ts';
import { manifestApps } from '../core/registry/manifest.ts';
import { didYouMean } from '../core/text/similar-names.ts';
import { printable, redact } from '../core/text/text.ts';
import { AppregError } from '../core/errors.ts';
import { type HttpClient, openHttpClient } from '../observe/http/client.ts';
import { openDirectory } from '../store/directory/directory.ts';
import type { Store } from '../store/store.ts';
import { mirrorApp, type Mirrored, type MirrorOptions } from './app.ts';
import { localDocument, put } from './documents.ts';
import { downloadSmall, isFailed } from './download.ts';
import { INDEX, type Index, indexOf, indexText } from './index-file.ts';
import { checkFolder } from './target-folder.ts';
import { asText, pathsOf, mirroredVersions } from './rewrite.ts';

/**
 * Copies a live registry into a folder: verifies every artifact against its checksum and rewrites every URL. Artifacts
 * are written first and the manifest last, so that the folder is a valid registry at all times; an interrupted run can
 * be resumed. A version that was mirrored never changes.
 * @throws AppregError (exit 1) if the source has no usable manifest, or if the folder has a registry that is no mirror
 */
export async function mirror(url: string, root: string, options: MirrorOptions): Promise<Mirrored> {
  await checkFolder(root, options.manifest);
  const http = openHttpClient(options);
  const store = openDirectory(root);
  const result: Mirrored = {
    apps: 0,
    versions: 0,
    fetched: 0,
    bytes: 0,
    pruned: [],
    problems: [],
    kept: [],
    interrupted: false,
  };
  try {
    const source = await sourceOf(http, url, options.signal);
    if (source === null) return { ...result, interrupted: true };
    await store.tidy?.([options.manifest]);
    const configured = (await options.configuredBase?.()) ?? null;
    const index = await indexOf(root, { source: url, base: options.base, configured });
    const mirrored = manifestApps(await localDocument(store, options.manifest)) ?? {};
    const keys = selectedKeys(source.apps, options.apps);
    // First, so that a later run continues this one, even if it is killed.
    await put(store, INDEX, indexText(index));
    const entries = new Map<string, JsonValue>();
    for (const [done, key] of keys.entries()) {
      options.onProgress?.({ done, known: keys.length, bytes: result.bytes, app: key });
      if (options.signal?.aborted) break;
      const position = { done, known: keys.length };
      const listed = source.apps[key] ?? null;
      const entry = await mirrorApp({ key, entry: listed, http, store, root, options, index, result, ...position });
      const kept = entry ?? (Object.hasOwn(mirrored, key) ? mirrored[key] : undefined);
      if (kept !== undefined) entries.set(key, kept);
    }
    result.interrupted = options.signal?.aborted === true;
    keepOthers(entries, mirrored, source.apps, options.prune, result);
    const manifest = { ...source.manifest, apps: sorted(entries, Object.keys(source.apps)) };
    if (!result.interrupted || entries.size > 0) await put(store, options.manifest, asText(manifest));
    if (options.prune && !result.interrupted) await prune(root, store, entries.keys(), index, result);
    await put(store, INDEX, indexText(index));
    result.apps = entries.size;
    return result;
  } finally {
    await http.close();
  }
}

/** The apps to mirror. @throws AppregError `app-unknown` if one of `wanted` is not listed */
function selectedKeys(apps: JsonObject, wanted: readonly string[] | null): string[] {
  const keys = Object.keys(apps);
  if (wanted === null) return keys;
  for (const key of wanted)
    if (!Object.hasOwn(apps, key))
      throw new AppregError(
        'app-unknown',
        `The registry does not list the app “${printable(key)}”.${didYouMean(key, keys)}`,
        'App keys are case-sensitive.',
      );
  return keys.filter((key) => wanted.includes(key));
}

/** Apps outside this run's selection are kept, and so are withdrawn ones, unless `prune` is set. */
function keepOthers(
  entries: Map<string, JsonValue>,
  mirrored: JsonObject,
  apps: JsonObject,
  isPruning: boolean,
  result: Mirrored,
): void {
  for (const [key, entry] of Object.entries(mirrored)) {
    if (entries.has(key)) continue;
    const isWithdrawn = !Object.hasOwn(apps, key);
    if (isWithdrawn && isPruning) continue;
    entries.set(key, entry);
    if (isWithdrawn) result.kept.push({ app: key, version: null });
  }
}

/** The manifest and its apps; null if the run was interrupted. */
async function sourceOf(
  http: HttpClient,
  url: string,
  signal: AbortSignal | undefined,
): Promise<{ manifest: JsonObject; apps: JsonObject } | null> {
  const downloaded = await downloadSmall(http, url, 'application/json, */*;q=0.8');
  const manifest = isFailed(downloaded) ? undefined : parseDocument(documentContent(downloaded)).value;
  const apps = manifestApps(manifest);
  if (isObject(manifest) && apps !== null) return { manifest, apps };
  if (signal?.aborted) return null;
  const shown = printable(redact(url));
  throw new AppregError(
    'mirror-source-unusable',
    `No usable manifest at ${shown}${isFailed(downloaded) ? `: it ${printable(redact(downloaded.message))}` : ''}.`,
    `See its errors: appreg verify ${shown} --skip-artifacts`,
  );
}

/** Deletes files that this program wrote and that are no longer listed. */
async function prune(
  root: string,
  store: Store,
  keys: Iterable<string>,
  index: Index,
  result: Mirrored,
): Promise<void> {
  const listed = new Set<string>();
  for (const key of keys)
    for (const { version } of mirroredVersions(await localDocument(store, pathsOf.metadata(key))))
      listed.add(pathsOf.artifact(key, version));
  for (const path of Object.keys(index.files)) {
    if (listed.has(path)) continue;
    await rm(join(root, path), { force: true });
    delete index.files[path];
    result.pruned.push(path);
  }
}

/** In the order of the source, followed by the apps that only the mirror has. */
function sorted(entries: ReadonlyMap<string, JsonValue>, sourceKeys: readonly string[]): JsonObject {
  const order = new Map(sourceKeys.map((key, index) => [key, index]));
  const rank = (key: string): number => order.get(key) ?? sourceKeys.length;
  return Object.fromEntries([...entries].sort(([a], [b]) => rank(a) - rank(b)));
}
