import { message } from '../core/text/message.ts';
import { companionPaths } from '../core/registry/companion.ts';
import { startJudging } from '../core/engine/judge.ts';
import type { Report } from '../core/findings/report.ts';
import { AppregError } from '../core/errors/error.ts';
import { type DocumentFacts, isMissing } from '../core/facts/facts.ts';
import { machineLimitError } from '../core/errors/machine-limit.ts';
import { comparableUrl } from '../core/url/url.ts';
import { isObject, type JsonObject, type JsonValue, parseDocument } from '../core/json/json.ts';
import { iconUrlOf, manifestApps } from '../core/registry/manifest.ts';
import { openHttpClient } from '../observe/http/client.ts';
import type { ArtifactCopy } from '../observe/registry/options.ts';
import { observe } from '../observe/registry/observe.ts';
import type { ManifestPart } from '../observe/registry/part.ts';
import { openDirectory } from '../store/directory/directory.ts';
import type { Store } from '../store/store.ts';
import { mirrorApp } from './app.ts';
import { localDocument, put, asText, mirroredVersions, pathsOf } from './rewrite.ts';
import { discardFile, INDEX, type Index, indexOf, indexText, remember, checkFolder } from './index-file.ts';
import { prepareApp, publishedBefore, leaveOutUnneeded } from './prepare.ts';
import { problemsOf, type Mirrored, type MirrorOptions, type MirrorRun } from './run.ts';
import { ArtifactPaths, receiveArtifact } from './receive.ts';

/**
 * Copies a live registry into a folder, and rewrites every URL: the copy offers what a service offers of the source.
 * Artifacts are written first and the manifest last, so that the folder is a valid registry at all times; an
 * interrupted run can be resumed. A version that was mirrored never changes.
 * @throws AppregError (exit 1) if the source has no usable manifest, or if the folder has a registry that is no mirror
 */
export async function mirror(url: string, root: string, options: MirrorOptions): Promise<Mirrored> {
  await checkFolder(root, options.manifest);
  const store = openDirectory(root);
  const configured = (await options.configuredBase?.()) ?? null;
  const index = await indexOf(root, { source: url, base: options.base, configured });
  const mirrored = manifestApps(await localDocument(store, options.manifest)) ?? {};
  const run = openRun(url, { root, store, options, index });
  const entries = await mirrorSource(url, run, mirrored);
  const { result, source } = run;
  const report = run.judging.finish(0);
  if (source === null) {
    if (result.interrupted) return result;
    throw unusableSource(url, report);
  }
  result.problems = problemsOf(run, report, Object.keys(source.apps));
  keepOthers(entries, mirrored, source.apps, options.prune, result);
  const manifest = { ...source.manifest, apps: sorted(entries, Object.keys(source.apps)) };
  if (!result.interrupted || entries.size > 0) await put(store, options.manifest, asText(manifest));
  if (options.prune && !result.interrupted) await prune(root, store, entries.keys(), index, result);
  await put(store, INDEX, indexText(index));
  result.apps = entries.size;
  return result;
}

/** Counts the apps that use an icon; one that is no longer used is released. */
function countIcon({ icons, iconUses }: MirrorRun, entry: JsonValue | undefined, change: 1 | -1): void {
  const url = iconUrlOf(entry);
  if (url === null) return;
  const address = comparableUrl(url);
  const uses = (iconUses.get(address) ?? 0) + change;
  iconUses.set(address, uses);
  if (uses === 0) icons.delete(address);
}

function openRun(url: string, parts: Pick<MirrorRun, 'root' | 'store' | 'options' | 'index'>): MirrorRun {
  const prepared: MirrorRun['prepared'] = new Map();
  const app = (key: string) => publishedBefore({ prepared }, key);
  const judging = startJudging({
    command: 'verify',
    target: url,
    now: new Date().toISOString(),
    baseline: { source: parts.root, keys: [], app },
  });
  const result: Mirrored = {
    apps: 0,
    versions: 0,
    fetched: 0,
    bytes: 0,
    companions: 0,
    pruned: [],
    problems: [],
    unpublished: [],
    kept: [],
    interrupted: false,
  };
  return {
    ...parts,
    result,
    judging,
    prepared,
    paths: new ArtifactPaths(),
    icons: new Map(),
    iconUses: new Map(),
    source: null,
    hidden: new Set(),
    unusable: new Map(),
  };
}

/**
 * Observes the source, receives the artifacts that the folder lacks, and mirrors app by app.
 * @param mirrored the entries of the mirror so far
 * @returns the entries of the observed apps
 * @throws AppregError if an app is not listed, if a file cannot be written, or if this machine could not send all requests
 */
async function mirrorSource(url: string, run: MirrorRun, mirrored: JsonObject): Promise<Map<string, JsonValue>> {
  const { options, result, judging } = run;
  const stop = new AbortController();
  const failures: unknown[] = [];
  const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal;
  const http = options.http ?? openHttpClient({ ...options, signal });
  const parts = observe(url, {
    ...options,
    http,
    signal,
    about: options.skipCompanions !== true,
    announce: true,
    iconBytes: Infinity,
    copyArtifact: (address) =>
      receive(run, address, (error) => {
        failures.push(error);
        stop.abort();
      }),
  });
  const { figures } = parts;
  options.showProgress?.(() => ({ done: figures.done, known: figures.known, bytes: result.bytes, app: figures.app }));
  const entries = new Map<string, JsonValue>();
  let isStarted = false;
  for await (const part of parts) {
    if (part.kind === 'manifest') {
      // A misspelled key stops the run before anything is written.
      checkListed(part);
      openSource(run, part.facts);
    } else if (part.kind === 'listed') {
      // First, so that a later run continues this one, even if it is killed.
      if (!isStarted) await startWriting(run);
      isStarted = true;
      await prepareApp(run, part.key, part.versions, http);
      leaveOutUnneeded(run, part);
    } else if (part.kind === 'app') {
      const { key, icon: facts } = part.facts;
      if (facts.url !== null && part.icon?.bytes) run.icons.set(comparableUrl(facts.url), part.icon.bytes);
      const entry = await mirrorApp(run, part.facts);
      countIcon(run, run.source?.apps[key], -1);
      const kept = entry ?? (Object.hasOwn(mirrored, key) ? mirrored[key] : undefined);
      if (kept !== undefined) entries.set(key, kept);
    } else if (part.kind === 'hosts') judging.hosts(part.facts);
    else result.interrupted = part.interrupted;
  }
  // Of apps that an interruption left out.
  for (const { companions } of run.prepared.values()) await companions;
  if (failures.length > 0) throw failures[0];
  if (figures.machineLimit !== null)
    throw machineLimitError(figures.machineLimit, message`Some requests were not sent`, { effect: 'unknown' });
  return entries;
}

/** Judges the manifest of the source, and remembers its apps if it is usable. */
function openSource(run: MirrorRun, facts: DocumentFacts): void {
  run.judging.manifest(facts);
  const manifest = isMissing(facts.content) ? undefined : parseDocument(facts.content).value;
  const apps = manifestApps(manifest);
  if (!isObject(manifest) || apps === null) return;
  run.source = { manifest, apps };
  for (const entry of Object.values(apps)) countIcon(run, entry, 1);
}

/** Where the bytes of an artifact go; null if no version needs them. @param onError the run cannot continue */
function receive(
  { root, paths, index, result }: MirrorRun,
  address: string,
  onError: (error: unknown) => void,
): ArtifactCopy | null {
  return receiveArtifact(address, {
    root,
    paths,
    onBytes: (count) => void (result.bytes += count),
    async onReceived(received, sha256) {
      result.fetched += 1;
      for (const path of received) await remember(root, path, sha256, index);
    },
    onError,
  });
}

async function startWriting({ store, options, index }: MirrorRun): Promise<void> {
  await store.tidy?.([options.manifest]);
  await put(store, INDEX, indexText(index));
}

/** @throws AppregError if an app is not listed */
function checkListed({ unknownApps, nearApps }: ManifestPart): void {
  if (unknownApps.length > 0)
    throw new AppregError(
      'app-unknown',
      message`The registry does not list the app “${unknownApps.join('”, “')}”.${nearApps}`,
      message`App keys are case-sensitive.`,
    );
}

function unusableSource(url: string, { findings }: Report): AppregError {
  const error = findings.find(({ severity, resource }) => severity === 'error' && resource === 'manifest');
  return new AppregError(
    'mirror-source-unusable',
    message`No usable manifest at ${url}${error ? `: ${error.message}` : '.'}`,
    message`See its errors: appreg verify ${url} --skip-artifacts`,
  );
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
    for (const { version } of mirroredVersions(await localDocument(store, pathsOf.metadata(key)))) {
      const path = pathsOf.artifact(key, version);
      for (const one of [path, ...companionPaths(path)]) listed.add(one);
    }
  for (const path of Object.keys(index.files)) {
    if (listed.has(path)) continue;
    await discardFile(root, path, index);
    result.pruned.push(path);
  }
}

/** In the order of the source, followed by the apps that only the mirror has. */
function sorted(entries: ReadonlyMap<string, JsonValue>, sourceKeys: readonly string[]): JsonObject {
  const order = new Map(sourceKeys.map((key, index) => [key, index]));
  const rank = (key: string): number => order.get(key) ?? sourceKeys.length;
  return Object.fromEntries([...entries].sort(([a], [b]) => rank(a) - rank(b)));
}
