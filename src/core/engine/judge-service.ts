import {
  type AppFacts,
  type ArtifactFacts,
  isMissing,
  type Missing,
  type ServedApp,
  type ServedVersion,
  type ServiceFacts,
  type SubscribedApp,
} from '../facts/facts.ts';
import { headerValue, httpDate } from '../http/headers.ts';
import { lastHop } from '../http/probe.ts';
import { isChecksum } from '../registry/checksum.ts';
import { respellingIn } from '../registry/respelled.ts';
import type { VersionEntry } from '../registry/version-entry.ts';
import type { FactsOf } from '../rules/subjects.ts';
import { judgeSubject } from './evaluate.ts';
import type { JudgedApp } from '../offers/judged-app.ts';
import { locationOf } from './location.ts';
import { NOT_REQUESTED, publishedKeys, type Run } from './run.ts';
import { offerOf, type VersionError, type VersionOffer } from '../offers/version-offer.ts';

/** Compares what a subscriber service knows with what is served now. */

const SUSPENDED: Missing = { missing: { code: 'blocked-by', rule: 'service-policy' }, intentional: true };

/** Judges what a service knows; call it after all apps were judged. */
export function judgeService(run: Run, facts: ServiceFacts | Missing): void {
  const { manifest, served } = run;
  const { now } = run.settings;
  const service = isMissing(facts) ? { ...facts, runWide: true, intentional: true } : facts;
  const registry = isMissing(service) ? service : (service.registry ?? SUSPENDED);
  const isManifestUsable = manifest !== null && manifest.apps !== null;
  const common: FactsOf<'subscription'> = {
    service,
    registry,
    isManifestUsable,
    served: null,
    known: null,
    dropped: isMissing(service) ? [] : droppedApps(run, service),
    explained: new Set(),
    now,
  };
  judgeSubject(run, 'subscription', common, manifest?.location ?? locationOf('manifest', NOT_REQUESTED));
  if (isMissing(service) || service.apps === null) return;
  const known = new Map(service.apps.map((app) => [app.key, app]));
  run.knownVersions = new Map(
    service.apps.map(({ key, versions }) => [key, new Set(versions?.map(({ version }) => version))]),
  );
  for (const app of served ?? []) {
    const place = locationOf('metadata', NOT_REQUESTED, { app: app.key, url: app.url });
    const ofService = known.get(app.key) ?? null;
    const explained = explainedIn(run, app.key, ofService);
    const ofApp = { served: app, known: ofService, dropped: [], explained };
    judgeSubject(run, 'subscription', { ...common, ...ofApp }, place);
  }
}

/** The apps that the service knows and the manifest does not list; those that the baseline lists are reported as withdrawn. */
function droppedApps({ manifest, settings: { baseline } }: Run, { apps }: ServiceFacts): SubscribedApp[] {
  const listed = manifest?.apps ?? null;
  if (listed === null) return [];
  const published = new Set(baseline === null ? [] : publishedKeys(baseline));
  return (apps ?? []).filter(({ key }) => !Object.hasOwn(listed, key) && !published.has(key));
}

/** The versions of an app whose absence other rules report: the baseline lists them, or they are in another spelling. */
function explainedIn(
  { listed, settings: { baseline } }: Run,
  key: string,
  known: SubscribedApp | null,
): ReadonlySet<string> {
  const before = baseline?.app(key) ?? [];
  const published = isMissing(before) ? [] : before.filter(({ isUnserved }) => isUnserved !== true);
  const texts = listed.get(key)?.versions ?? new Set<string>();
  const respelled = (known?.versions ?? []).filter(({ version }) => respellingIn(texts, version) !== null);
  return new Set([...published, ...respelled].map(({ version }) => version));
}

/**
 * Keeps the state of an app for the comparison.
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
  const modified = httpDate(headerValue(headers, 'last-modified'));
  const decisions = new Map(offers.map(({ version, offer }) => [version, offer.state]));
  return {
    key,
    url: metadata.url,
    isUsable,
    modifiedAt: modified === null ? null : new Date(modified).toISOString(),
    hiddenBy: documents.visible === false && !isStateKept ? documents.because : [],
    visible: verdict.visible,
    versions: versions.flatMap(({ index, version, semver, artifactChecksum: checksum }) =>
      version === null || semver === null
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

/** Decision of a service that has verified the version with the listed checksum. */
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
