import { isMissing } from '../facts/facts.ts';
import { cacheDeadline } from '../http/cache.ts';
import { type Unserved, unservedIn } from '../registry/compared.ts';
import type { FactsOf } from '../rules/subjects.ts';
import { judgeSubject } from './evaluate.ts';
import { locationOf } from './location.ts';
import { NOT_REQUESTED, type Run } from './run.ts';

/** Compares what is stored with what is served now; at the end of a run, after what a service knows. */
export function judgeDeployment(run: Run): void {
  const { compared, manifest } = run;
  if (compared === null || manifest === null || manifest.apps === null) return;
  const { source, isRequested } = compared;
  const { now } = run.settings;
  const common: FactsOf<'deployment'> = {
    source,
    isRequested,
    unserved: [],
    isAppServed: true,
    latest: null,
    deadline: 0,
    unstored: unstoredIn(run),
    now,
  };
  judgeSubject(run, 'deployment', common, { ...manifest.location, document: null });
  const keys = new Set(Object.keys(manifest.apps));
  const versions = new Map([...run.listed].map(([key, app]) => [key, app.versions]));
  for (const unserved of unservedIn(compared, { keys, versions })) judgeUnserved(run, unserved, common);
}

/** Judges a stored app that is not served, or stored versions of it. Those that were served are withdrawn, not stale. */
function judgeUnserved(run: Run, { app, versions }: Unserved, common: FactsOf<'deployment'>): void {
  const { manifest, listed, knownVersions, settings } = run;
  const { key } = app;
  const known = knownVersions.get(key);
  if (versions === null) {
    if (app.wasServed === true || known !== undefined || !isInRun(run, key) || manifest === null) return;
    const { web } = manifest.location;
    const deadline = isMissing(web) ? 0 : cacheDeadline(web.server, settings.now);
    const unserved = [{ version: null, since: app.since ?? null }];
    const place = { ...manifest.location, document: null, app: key };
    return judgeSubject(run, 'deployment', { ...common, unserved, isAppServed: false, deadline, unstored: [] }, place);
  }
  const { url = null, latest = null, deadline = 0 } = listed.get(key) ?? {};
  const unserved = versions
    .filter(({ version, wasServed }) => wasServed !== true && known?.has(version) !== true)
    .map(({ version, since = null }) => ({ version, since }));
  const place = locationOf('metadata', NOT_REQUESTED, { app: key, url });
  judgeSubject(run, 'deployment', { ...common, unserved, latest, deadline, unstored: [] }, place);
}

/** True for an app that the run is about: the first shard reports on the manifest, unless apps were requested by name. */
function isInRun({ settings: { requested, shard } }: Run, key: string): boolean {
  if (requested !== null) return requested.apps.includes(key);
  return shard === null || shard.index === 1;
}

/** The apps and versions that are served and not stored. */
function unstoredIn(run: Run): { app: string; version: string | null }[] {
  const { compared, manifest, listed } = run;
  if (compared === null || compared.absent !== undefined) return [];
  const stored = new Map(compared.apps.map((app) => [app.key, app]));
  return Object.keys(manifest?.apps ?? {}).flatMap((key): { app: string; version: string | null }[] => {
    const app = stored.get(key);
    if (app === undefined) return isInRun(run, key) ? [{ app: key, version: null }] : [];
    if (isMissing(app.versions)) return [];
    const names = new Set(app.versions.map(({ version }) => version));
    const served = [...(listed.get(key)?.versions ?? [])];
    return served.filter((version) => !names.has(version)).map((version) => ({ app: key, version }));
  });
}
