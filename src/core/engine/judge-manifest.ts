import { type DocumentFacts, type RequestedApps, type Shard } from '../facts/facts.ts';
import { parseUrl } from '../url/url.ts';
import type { JsonObject } from '../json/json.ts';
import { manifestApps, manifestAppsIn, metadataUrlOf } from '../registry/manifest.ts';
import { baselineSource, type JudgeContext, NO_BASELINE, staleCopyAge } from './context.ts';
import { locationOfDocument, type SubjectLocation } from './location.ts';
import { SYMPTOMS } from '../findings/report.ts';

/** The manifest, once it was judged. */
export interface JudgedManifest {
  location: SubjectLocation;
  /** Its app entries by key; null if it cannot be read. */
  apps: JsonObject | null;
}

/** @param shard the shard of the run: the first one reports on the manifest, the others only read it */
export function judgeManifest(
  context: JudgeContext,
  facts: DocumentFacts,
  shard: Pick<Shard, 'index' | 'of'> | null,
): JudgedManifest {
  const { run, dispatcher } = context;
  const location = locationOfDocument('manifest', facts);
  dispatcher.registry = facts.url === null ? null : parseUrl(facts.url);
  const listed = manifestAppsIn(facts.content);
  if (shard !== null && shard.index > 1 && listed !== null) {
    run.notJudged.addSkipped('manifest', { code: 'other-shard', shards: shard.of, apps: null });
    run.symptoms.markUnknown('registry-does-not-refresh');
    return { location, apps: listed };
  }
  if (facts.url !== null) dispatcher.url('manifest', facts.url, { ...location, document: null });
  const value = dispatcher.document(facts, location);
  const apps = manifestApps(value);
  if (apps === null) noteUnreadable(context, location, value !== undefined);
  else judgeApps(context, apps, facts, location);
  return { location, apps };
}

/** If the manifest cannot be read, nothing that it refers to was observed. */
function noteUnreadable({ run, requested }: JudgeContext, location: SubjectLocation, isJson: boolean): void {
  run.symptoms.markUnknown(...SYMPTOMS);
  if (isJson) run.notJudged.addSkipped('metadata', { code: 'no-app-list', rule: 'schema-violation' });
  const because = run.hiding.rulesBlocking(location.found);
  for (const key of requested?.apps ?? []) {
    run.totals.unlistedApps += 1;
    run.verdicts.push({ key, visible: null, because, latest: null });
  }
}

function judgeApps(
  context: JudgeContext,
  apps: JsonObject,
  { otherBase }: DocumentFacts,
  location: SubjectLocation,
): void {
  const { dispatcher, baseline, requested } = context;
  const keys = Object.keys(apps);
  dispatcher.dispatch(
    'manifest',
    {
      keys,
      metadataUrls: keys.map((key) => metadataUrlOf(apps[key])),
      otherBase: otherBase ?? null,
      earlierKeys: baseline === null ? NO_BASELINE : baseline.keys,
      earlierSource: baselineSource(context),
      requested: requested?.apps ?? [],
      copyAge: staleCopyAge(context, location),
    },
    { ...location, pointer: '/apps' },
  );
  if (requested !== null) noteUnlisted(context, requested, keys);
}

/** A requested app that is not listed is hidden; if no requested app is listed, nothing else was observed. */
function noteUnlisted({ run }: JudgeContext, { apps }: RequestedApps, keys: readonly string[]): void {
  const listed = new Set(keys);
  const unlisted = apps.filter((key) => !listed.has(key));
  run.totals.unlistedApps += unlisted.length;
  for (const key of unlisted) run.verdicts.push({ key, visible: false, because: ['app-not-listed'], latest: null });
  if (unlisted.length > 0 && unlisted.length === apps.length)
    run.symptoms.markUnknown('checksum-mismatch', 'icon-does-not-display');
}
