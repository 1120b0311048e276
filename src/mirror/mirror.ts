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
import { INDEX, type Index, indexOf } from './index-file.ts';
import { asText, pathsOf, versionsOf } from './rewrite.ts';

/**
 * Copies a live registry into a folder: verifies every artifact against its checksum and rewrites every URL. Artifacts
 * are written first and the manifest last, so that the folder is a valid registry at all times; an interrupted run can
 * be resumed. A version that was mirrored never changes.
 * @throws AppregError (exit 1) if the source has no usable manifest
 */
export async function mirror(url: string, root: string, options: MirrorOptions): Promise<Mirrored> {
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
    const index = await indexOf(root, url);
    const local = await localDocument(store, options.manifest);
    const localApps = manifestApps(local) ?? {};
    const apps = manifestApps(source) ?? {};
    for (const key of options.apps ?? [])
      if (!Object.hasOwn(apps, key))
        throw new AppregError(
          'app-unknown',
          `The registry does not list the app “${printable(key)}”.${didYouMean(key, Object.keys(apps))}`,
          'App keys are case-sensitive.',
        );
    const keys = Object.keys(apps).filter((key) => options.apps === null || options.apps.includes(key));
    const entries: Record<string, JsonValue> = Object.create(null) as Record<string, JsonValue>;
    for (const [done, key] of keys.entries()) {
      options.onProgress?.({ done, known: keys.length, bytes: result.bytes, app: key });
      if (options.signal?.aborted) break;
      const entry = await mirrorApp({
        key,
        entry: apps[key]!,
        http,
        store,
        root,
        options,
        index,
        result,
        done,
        known: keys.length,
      });
      if (entry !== null) entries[key] = entry;
      else if (Object.hasOwn(localApps, key)) entries[key] = localApps[key]!;
    }
    result.interrupted = options.signal?.aborted === true;
    // Apps outside this run's selection are kept, and so are withdrawn ones, unless `prune` is set.
    for (const [key, entry] of Object.entries(localApps)) {
      if (Object.hasOwn(entries, key)) continue;
      const withdrawn = !Object.hasOwn(apps, key);
      if (withdrawn && options.prune) continue;
      entries[key] = entry;
      if (withdrawn) result.kept.push({ app: key, version: null });
    }
    if (!result.interrupted || Object.keys(entries).length > 0)
      await put(store, options.manifest, asText({ ...asObject(source), apps: sorted(entries, apps) }));
    if (options.prune && !result.interrupted) await prune(root, store, entries, index, result);
    await put(store, INDEX, asText(index as unknown as JsonValue));
    result.apps = Object.keys(entries).length;
    return result;
  } finally {
    await http.close();
  }
}

/** The manifest; null if the run was interrupted. */
async function sourceOf(http: HttpClient, url: string, signal: AbortSignal | undefined): Promise<JsonValue | null> {
  const got = await downloadSmall(http, url, 'application/json, */*;q=0.8');
  const value = isFailed(got) ? undefined : parseDocument(documentContent(got)).value;
  if (value !== undefined && manifestApps(value) !== null) return value;
  if (signal?.aborted) return null;
  const shown = printable(redact(url));
  throw new AppregError(
    'mirror-source-unusable',
    `No usable manifest at ${shown}${isFailed(got) ? `: it ${printable(redact(got.message))}` : ''}.`,
    `See its errors: appreg verify ${shown} --skip-artifacts`,
  );
}

/** Deletes files that this program wrote and that are no longer listed. */
async function prune(
  root: string,
  store: Store,
  entries: Record<string, JsonValue>,
  index: Index,
  result: Mirrored,
): Promise<void> {
  const listed = new Set<string>();
  for (const key of Object.keys(entries))
    for (const { version } of versionsOf(await localDocument(store, pathsOf.metadata(key))))
      listed.add(pathsOf.artifact(key, version));
  for (const path of Object.keys(index.files)) {
    if (listed.has(path)) continue;
    await rm(join(root, path), { force: true });
    delete index.files[path];
    result.pruned.push(path);
  }
}

function asObject(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** In the order of the source, followed by the apps that only the mirror has. */
function sorted(entries: Record<string, JsonValue>, apps: JsonObject): JsonObject {
  const keys = [
    ...Object.keys(apps).filter((key) => Object.hasOwn(entries, key)),
    ...Object.keys(entries).filter((key) => !Object.hasOwn(apps, key)),
  ];
  return Object.fromEntries(keys.map((key) => [key, entries[key]!]));
}
