import type { Missing } from '../../core/facts/facts.ts';
import { observeRegistry } from '../../observe/registry/observe.ts';
import { ARTIFACT_AGE, type RememberedApp } from '../../observe/registry/cache/observation-cache.ts';
import type { ListedArtifact } from '../../observe/registry/options.ts';
import { artifactCopies } from './keep-artifacts.ts';
import { judgeAndWriteApp, judgeAndWriteManifest } from './judge.ts';
import {
  containsSecret,
  unlessSecret,
  artifactTimeout,
  DOCUMENT_LIMITS,
  documentTimeout,
  originsOf,
  requestOptions,
  SCAN_LIMITS,
} from './request-options.ts';
import type { Run } from './run.ts';
import type { JsonValue } from '../../core/json/json.ts';
import { addPendingVersions } from './apps-store.ts';
import { applyChanges } from '../apps/versions-store.ts';
import { versionEvents } from '../apps/app-events.ts';
import { updateVersions } from './version-lifecycle.ts';

/**
 * Observes a registry with the cache of previous refreshes: each app is judged and written when it is done.
 * @returns whether it ended before everything was observed
 */
export async function observe(run: Run): Promise<boolean> {
  const { context, registry, budget, records, icons, storedManifest } = run;
  const { limits, publicUrl } = context.settings;
  const { interrupted } = await observeRegistry(
    registry.url,
    {
      ...requestOptions(context, budget, run.credentials),
      http: run.http,
      total: { small: documentTimeout(limits, registry.checkedAt), artifact: artifactTimeout(limits) },
      origins: originsOf(publicUrl),
      newestFirst: true,
      scanContent: true,
      scanLimits: SCAN_LIMITS,
      owner: registry.onlySubscriber ?? `registry ${registry.id}`,
      limits: { ...DOCUMENT_LIMITS, artifact: limits.artifactBytes },
      memory: {
        now: run.now.toISOString(),
        daily: true,
        manifest: () => storedManifest,
        app: async (key) => withoutFetched((await records.read(key))?.remembered ?? null, run),
        keepManifest: (facts) => void (run.progress.manifest = unlessSecret(run.credentials, facts)),
        keepApp: () => {},
      },
      choose: (keys) => orderApps(run, keys),
      onListed: (app, listed) => writePendingVersions(run, app, listed),
      afford: (artifact) => verifiedBefore(run, artifact) ?? budget.afford(),
      onIcon(facts, bytes) {
        if (!containsSecret(run.credentials, bytes)) icons.add(facts, bytes);
      },
      copyArtifact: artifactCopies(run),
      onProgress(progress) {
        run.progress.observed = progress;
        budget.onProgress(progress);
      },
    },
    {
      manifest: (facts) => judgeAndWriteManifest(run, facts),
      app: (facts) => judgeAndWriteApp(run, facts),
      hosts: (facts) => run.judging.hosts(facts),
    },
  );
  return interrupted;
}

/** The apps in the manifest's order, starting where the last refresh stopped. */
function orderApps({ context, registry, records, progress }: Run, keys: readonly string[]): string[] {
  const listed = keys.slice(0, context.settings.limits.apps);
  const last = registry.resumeAfter === null ? -1 : listed.indexOf(registry.resumeAfter);
  const ordered = [...listed.slice(last + 1), ...listed.slice(0, last + 1)];
  records.order(ordered);
  progress.order = ordered;
  return ordered;
}

/** What is known about an app, without the artifacts that must be fetched again. */
function withoutFetched(remembered: RememberedApp | null, { artifacts }: Run): RememberedApp | null {
  if (remembered === null || artifacts.fetch.size === 0) return remembered;
  const isReusable = remembered.facts.artifacts.map(({ url }) => url === null || !artifacts.fetch.has(url));
  return {
    ids: remembered.ids.filter((_, i) => isReusable[i]),
    facts: { ...remembered.facts, artifacts: remembered.facts.artifacts.filter((_, i) => isReusable[i]) },
  };
}

/** If the facts of an artifact were too large to be stored, its row records that it was verified. */
function verifiedBefore({ records, now, expiry, artifacts }: Run, artifact: ListedArtifact): Missing | null {
  const { app, url, checksum } = artifact;
  if (artifacts.fetch.has(url)) return null;
  const record = records.loaded(app);
  const row = record?.versions.find(({ version }) => version === artifact.version);
  if (row?.state !== 'verified' || row.artifactChecksum !== checksum || row.artifactUrl !== url) return null;
  const hasFacts = record?.remembered?.facts.artifacts.some((one) => one.url === url);
  const verifiedAt = row.verifiedAt?.getTime() ?? 0;
  if (hasFacts || now.getTime() - verifiedAt > ARTIFACT_AGE) return null;
  expiry.notAfter(verifiedAt + ARTIFACT_AGE);
  // Without the date: it may be from before a subscription that sees the report.
  return { missing: { code: 'verified-before' }, intentional: true };
}

const NO_ERRORS = new Map();

/**
 * Writes the versions that an app lists for the first time, or with a corrected checksum, before their artifacts are
 * fetched: subscribers see them as pending in the meantime.
 * @throws Superseded if another refresh has taken over the registry
 */
async function writePendingVersions(run: Run, key: string, listed: readonly JsonValue[]): Promise<void> {
  const { context, registry, records, now, expiry, progress, artifacts } = run;
  const record = records.loaded(key);
  if (record === null) return;
  const { changed } = updateVersions({
    known: record.versions,
    listed,
    artifacts: [],
    errors: NO_ERRORS,
    now,
    limit: context.settings.limits.versionsPerApp,
    answers: artifacts.answers,
  });
  const pending = changed.filter(({ state }) => state === 'pending');
  if (pending.length === 0) return;
  const changes = { changed: pending, removed: [], latest: record.latest };
  const events = versionEvents(key, record.versions, changes);
  await addPendingVersions(context.db, registry, key, { versions: pending, events, at: context.now() });
  record.versions = [...applyChanges(record.versions, changes)];
  progress.recorded.add(events);
  expiry.invalidate();
}
