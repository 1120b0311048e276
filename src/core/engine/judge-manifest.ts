import {
  type AppFacts,
  type ArtifactFacts,
  type DocumentFacts,
  isMissing,
  type Missing,
  type RequestedApps,
  type ServedApp,
  type ServedVersion,
  type ServiceFacts,
  type Shard,
} from '../facts/facts.ts';
import { header, httpDate } from '../http/headers.ts';
import { lastHop } from '../http/probe.ts';
import { parseUrl } from '../url/url.ts';
import type { JsonObject } from '../json/json.ts';
import { isChecksum } from '../registry/checksum.ts';
import { manifestApps, manifestAppsIn, metadataUrlOf } from '../registry/manifest.ts';
import { isSemver } from '../registry/version.ts';
import type { FactsOf } from '../rules/subjects.ts';
import type { VersionEntry } from '../registry/version-entry.ts';
import {
  baselineSource,
  type JudgeContext,
  type JudgedApp,
  NO_BASELINE,
  NOT_REQUESTED,
  staleCopyAge,
} from './context.ts';
import { locationOf, locationOfDocument, type SubjectLocation } from './location.ts';
import { SYMPTOMS } from '../findings/report.ts';
import { offerOf, type VersionError, type VersionOffer } from './version-offer.ts';

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

/** Compares what a subscriber service knows with what is served now. */

const SUSPENDED: Missing = { missing: { code: 'blocked-by', rule: 'service-policy' }, intentional: true };

/** @param manifest null if none was observed */
export function judgeService(
  { dispatcher, served, now }: JudgeContext,
  facts: ServiceFacts | Missing,
  manifest: JudgedManifest | null,
): void {
  const service = isMissing(facts) ? { ...facts, runWide: true, intentional: true } : facts;
  const registry = isMissing(service) ? service : (service.registry ?? SUSPENDED);
  const isManifestUsable = manifest !== null && manifest.apps !== null;
  const common: FactsOf<'subscription'> = { service, registry, isManifestUsable, served: null, known: null, now };
  dispatcher.dispatch('subscription', common, manifest?.location ?? locationOf('manifest', NOT_REQUESTED));
  if (isMissing(service) || service.apps === null) return;
  const known = new Map(service.apps.map((app) => [app.key, app]));
  for (const app of served ?? []) {
    const place = locationOf('metadata', NOT_REQUESTED, { app: app.key, url: app.url });
    dispatcher.dispatch('subscription', { ...common, served: app, known: known.get(app.key) ?? null }, place);
  }
}

/**
 * What has to be kept of an app for the comparison.
 * @param isUsable whether its metadata file has a list of versions
 * @param isStateKept whether a service that checks it now keeps its last state (keepsLastState)
 */
export function servedApp(
  { key, metadata, artifacts }: AppFacts,
  versions: readonly VersionEntry[],
  { verdict, documents, errors, offers }: JudgedApp,
  { isUsable, isStateKept }: { isUsable: boolean; isStateKept: boolean },
): ServedApp {
  const headers = isMissing(metadata.web) ? [] : (lastHop(metadata.web.server)?.headers ?? []);
  const modified = httpDate(header(headers, 'last-modified'));
  const decisions = new Map(offers.map(({ version, offer }) => [version, offer.state]));
  return {
    key,
    url: metadata.url,
    isUsable,
    modifiedAt: modified === null ? null : new Date(modified).toISOString(),
    hiddenBy: documents.visible === false && !isStateKept ? documents.because : [],
    visible: verdict.visible,
    versions: versions.flatMap(({ index, version, artifactChecksum: checksum }) =>
      version === null || !isSemver(version)
        ? []
        : [
            {
              version,
              checksum,
              isVerified: isVerified(decisions.get(version)),
              ...afterVerified(checksum, artifacts[index], errors.get(version) ?? []),
            },
          ],
    ),
  };
}

function isVerified(state: VersionOffer['state'] | undefined): boolean | null {
  if (state === undefined || state === 'refused') return false;
  return state === 'unexamined' ? null : true;
}

/** What a service decides that has verified the version with the listed checksum. */
function afterVerified(
  checksum: string | null,
  facts: ArtifactFacts | undefined,
  errors: readonly VersionError[],
): Pick<ServedVersion, 'refusedBy' | 'isGone'> {
  if (checksum === null || !isChecksum(checksum)) return { refusedBy: null, isGone: false };
  const decided = (isKept: boolean) =>
    offerOf({ entries: [{ checksum, facts }], errors, pinned: { checksum, isOffered: true, rule: null, isKept } });
  const offer = decided(false);
  return { refusedBy: offer.state === 'refused' ? offer.rule : null, isGone: decided(true).state === 'kept' };
}
