import type { DocumentFacts, RequestedApps } from '../facts/facts.ts';
import { clockDoubt } from '../http/clock.ts';
import { parseUrl } from '../url/url.ts';
import type { JsonObject } from '../json/json.ts';
import { iconUrlOf, manifestApps, manifestAppsIn, metadataUrlOf } from '../registry/manifest.ts';
import { judgeSubject } from './evaluate.ts';
import { judgeDocument, judgeUrl, staleCopyAge } from './judge-resource.ts';
import { locationOfDocument, type SubjectLocation } from './location.ts';
import { baselineSource, type JudgedManifest, NO_BASELINE, publishedKeys, type Run } from './run.ts';
import { SYMPTOMS } from '../findings/report.ts';

/** Judges the manifest. The first shard reports on it, the others only read it. */
export function judgeManifest(run: Run, facts: DocumentFacts): JudgedManifest {
  const { record } = run;
  const { shard } = run.settings;
  const location = locationOfDocument('manifest', facts);
  run.registry = facts.url === null ? null : parseUrl(facts.url);
  // Reused responses have the dates of an earlier run.
  const isReused = (facts.reusedFrom ?? facts.viewsReusedFrom) !== undefined;
  record.clockDoubt = isReused ? null : clockDoubt(facts.web, run.settings.now);
  const listed = manifestAppsIn(facts.content);
  if (shard !== null && shard.index > 1 && listed !== null) {
    record.notJudged.addSkipped('manifest', { code: 'other-shard', shards: shard.of, apps: null });
    record.symptoms.markUnknown('registry-does-not-refresh');
    return { location, apps: listed };
  }
  if (facts.url !== null) judgeUrl(run, 'manifest', facts.url, { ...location, document: null });
  const value = judgeDocument(run, facts, location);
  const apps = manifestApps(value);
  if (apps === null) noteUnreadable(run, location, value !== undefined);
  else judgeApps(run, apps, facts, location);
  return { location, apps };
}

/** If the manifest cannot be read, nothing that it refers to was observed. */
function noteUnreadable({ record, settings }: Run, location: SubjectLocation, isJson: boolean): void {
  record.symptoms.markUnknown(...SYMPTOMS);
  if (isJson) record.notJudged.addSkipped('metadata', { code: 'no-app-list', rule: 'schema-violation' });
  const because = record.hiding.rulesBlocking(location.found);
  for (const key of settings.requested?.apps ?? []) {
    record.totals.unlistedApps += 1;
    record.verdicts.push({ key, visible: null, because, latest: null });
  }
}

function judgeApps(run: Run, apps: JsonObject, { otherBase }: DocumentFacts, location: SubjectLocation): void {
  const { baseline, requested } = run.settings;
  const keys = Object.keys(apps);
  judgeSubject(
    run,
    'manifest',
    {
      keys,
      metadataUrls: keys.map((key) => metadataUrlOf(apps[key])),
      iconUrls: keys.map((key) => iconUrlOf(apps[key])),
      otherBase: otherBase ?? null,
      earlierKeys: baseline === null ? NO_BASELINE : publishedKeys(baseline),
      earlierSource: baselineSource(run),
      requested: requested?.apps ?? [],
      copyAge: staleCopyAge(run, location),
    },
    { ...location, pointer: '/apps' },
  );
  if (requested !== null) noteUnlisted(run, requested, keys);
}

/** A requested app that is not listed is hidden; if no requested app is listed, nothing else was observed. */
function noteUnlisted({ record }: Run, { apps }: RequestedApps, keys: readonly string[]): void {
  const listed = new Set(keys);
  const unlisted = apps.filter((key) => !listed.has(key));
  record.totals.unlistedApps += unlisted.length;
  for (const key of unlisted) record.verdicts.push({ key, visible: false, because: ['app-not-listed'], latest: null });
  if (unlisted.length > 0 && unlisted.length === apps.length)
    record.symptoms.markUnknown('checksum-mismatch', 'icon-does-not-display');
}
