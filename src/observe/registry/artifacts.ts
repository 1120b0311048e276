import { type ArtifactFacts, isMissing, type Missing, type HttpViews } from '../../core/facts/facts.ts';
import { comparableUrl } from '../../core/url/url.ts';
import type { ObservedAttestation } from '../../core/facts/attestation.ts';
import type { JsonValue } from '../../core/json/json.ts';
import { versionFields } from '../../core/registry/manifest.ts';
import { isValidVersion } from '../../core/registry/valid-version.ts';
import { type VersionEntry, versionEntry } from '../../core/registry/version-entry.ts';
import { digestOf } from '../../core/registry/checksum.ts';
import { latestVersion, sortedByVersion } from '../../core/registry/precedence.ts';
import { SemanticVersion } from '../../core/registry/semantic-version.ts';
import { artifactFacts, fetchArtifact, type FetchedArtifact } from './artifact.ts';
import { type RememberedApp, REQUESTED_ONCE } from './cache/observation-cache.ts';
import { verifiedBefore } from './cache/reuse.ts';
import { mapLimit, memoizeAsync } from './concurrency.ts';
import type { ListedArtifact, WebOptions } from './options.ts';
import { reasonNotRequestable, type RegistryRun } from './run.ts';
import { isRequestable } from '../http/request.ts';
import { isAnswered } from '../../core/http/probe.ts';
import { browserViews } from './views.ts';
import type { ObserveContext } from './context.ts';

const SKIPPED: Missing = { missing: { code: 'not-requested', flag: '--skip-artifacts' }, runWide: true };
const NOT_SELECTED: Missing = { missing: { code: 'version-not-requested' }, runWide: true, intentional: true };

const OVER_BUDGET: Missing = { missing: { code: 'over-budget' } };

interface ListedVersion {
  version: string | null;
  semver: SemanticVersion | null;
  url: string | null;
  checksum: string;
}

/** The artifacts of one app that are being fetched: versions with the same URL share one download. */
interface Downloads {
  first: Map<string, Promise<FetchedArtifact>>;
  second: Map<string, Promise<FetchedArtifact>>;
  attestations: Map<string, Promise<ObservedAttestation | Missing>>;
}

interface AppDownloads {
  known: RememberedApp | null;
  downloads: Downloads;
  /** Why an artifact is left out; null if it is not. */
  whyLeftOut(artifact: ListedArtifact): Missing | null;
}

/**
 * Observes the artifacts that an app's metadata lists.
 * @param known the app's facts of an earlier run, or null
 * @returns in the order listed
 */
export async function observeArtifacts(
  app: string,
  list: readonly JsonValue[],
  run: RegistryRun,
  known: RememberedApp | null,
): Promise<ArtifactFacts[]> {
  const { context, options, figures } = run;
  const whyLeftOut = await run.announce(app, list);
  const entries = list.map((item, index) => versionEntry(index, versionFields(item)));
  const isSelected = versionSelector(entries, options.versions ?? 'all');
  const versions = entries.map(({ version, semver, artifactUrl, artifactChecksum }) => ({
    version,
    semver,
    url: artifactUrl,
    checksum: artifactChecksum ?? '',
  }));
  const downloads: Downloads = { first: new Map(), second: new Map(), attestations: new Map() };
  if (!options.skipArtifacts) {
    figures.known += versions.length;
    figures.artifacts.listed += versions.length;
  }
  const facts = versions.map(({ url }) => notFetched(url, options.skipArtifacts ? SKIPPED : NOT_SELECTED));
  if (options.skipArtifacts) return attestationsAlone(facts, versions, run);
  const queue = options.newestFirst ? newestFirst(versions) : [...versions.entries()];
  await mapLimit(
    queue,
    async ([index, listed]) => {
      if (isSelected(listed.version))
        facts[index] = await observeArtifact(app, listed, run, { known, downloads, whyLeftOut });
      figures.done += 1;
      if (isVerified(facts[index], listed)) figures.artifacts.verified += 1;
    },
    concurrencyOf(options),
  );
  await addArtifactViews(facts, context);
  return facts;
}

function concurrencyOf({ concurrency = 32 }: WebOptions): number {
  return Math.max(1, concurrency);
}

/**
 * The attestations of artifacts that are not downloaded, if attestations are requested: what they say can be compared
 * with the listed digests. No document lists them, so that each has to be requested. That of the highest version is, and
 * the others are only if the host has that one, or does not say.
 */
async function attestationsAlone(
  facts: readonly ArtifactFacts[],
  versions: readonly ListedVersion[],
  { context, options }: RegistryRun,
): Promise<ArtifactFacts[]> {
  const complete = [...facts];
  const verify = options.attestations ?? null;
  const [highest, ...others] = newestFirst(versions).flatMap(([index, { url }]) =>
    isRequestable(url) ? [{ index, url }] : [],
  );
  if (verify === null || highest === undefined) return complete;
  const { observeAttestation } = await import('./companion.ts');
  const observe = async ({ index, url }: typeof highest): Promise<ObservedAttestation | Missing> => {
    const attestation = await observeAttestation(url, verify, context);
    complete[index] = { ...notFetched(url, SKIPPED), attestation };
    return attestation;
  };
  const first = await observe(highest);
  if (isMissing(first) || first.state === 'present') await mapLimit(others, observe, concurrencyOf(options));
  return complete;
}

/** The artifact, with its attestation if attestations are requested. */
async function observeArtifact(
  app: string,
  listed: ListedVersion,
  run: RegistryRun,
  shared: AppDownloads,
): Promise<ArtifactFacts> {
  const facts = await observeBytes(app, listed, run, shared);
  const { context, options } = run;
  const verify = options.attestations ?? null;
  if (verify === null) return facts;
  const { url, content } = facts;
  // An attestation is about the bytes of the artifact.
  if (url === null || isMissing(content)) return facts;
  const { observeAttestation } = await import('./companion.ts');
  const attestation = await memoizeAsync(shared.downloads.attestations, url, () =>
    observeAttestation(url, verify, context),
  );
  return { ...facts, attestation };
}

async function observeBytes(
  app: string,
  { version, url, checksum }: ListedVersion,
  run: RegistryRun,
  { known, downloads, whyLeftOut }: AppDownloads,
): Promise<ArtifactFacts> {
  const { context, options } = run;
  if (!isRequestable(url)) return notFetched(url, reasonNotRequestable(url));
  const { memory } = options;
  const verified = memory
    ? verifiedBefore(memory, known, { url, checksum, scanned: context.scan !== null }, context.state.certificates)
    : null;
  if (verified) return verified;
  // The weak digests only identify the cause of a checksum that is not a SHA-256.
  const weak = digestOf(checksum) === null;
  const address = comparableUrl(url);
  const key = `${weak} ${address}`;
  const isStarted = downloads.first.has(key);
  const reason = isStarted ? null : (whyLeftOut({ app, version, url, checksum }) ?? whyDeferred(run));
  if (reason !== null) return notFetched(url, reason);
  if (!isStarted) run.figures.artifacts.fetched += 1;
  const first = await memoizeAsync(downloads.first, key, () => fetchArtifact(url, context, { weak }));
  return artifactFacts(url, checksum, first, () =>
    memoizeAsync(downloads.second, address, () => fetchArtifact(url, context, { inner: true })),
  );
}

/** Why an artifact is left to a later run; null if it is fetched. */
function whyDeferred({ options: { budget = null }, figures }: RegistryRun): Missing | null {
  if (budget === null) return null;
  const { artifacts, artifactBytes, artifactsUntil } = budget;
  if (figures.artifacts.fetched < artifacts && figures.bytes < artifactBytes && Date.now() < artifactsUntil)
    return null;
  figures.artifacts.deferred += 1;
  return OVER_BUDGET;
}

/** True if one of its downloads has the listed digest. */
function isVerified(facts: ArtifactFacts | undefined, { checksum }: ListedVersion): boolean {
  const digest = digestOf(checksum);
  if (facts === undefined || digest === null) return false;
  return [facts.content, facts.again].some((one) => one !== undefined && !isMissing(one) && one.sha256 === digest);
}

function notFetched(url: string | null, reason: Missing): ArtifactFacts {
  return { url, file: null, web: reason, content: reason, archive: reason };
}

const LOWEST = new SemanticVersion('0.0.0-0');

/** With their positions, from the highest valid version downwards; invalid versions come last. */
function newestFirst(versions: readonly ListedVersion[]): [index: number, listed: ListedVersion][] {
  return sortedByVersion([...versions.entries()].toReversed(), ([, { semver }]) => semver ?? LOWEST).toReversed();
}

/** True if a version is one of those to fetch the artifact of; the latest one is the highest that may be offered. */
export function versionSelector(
  listed: readonly VersionEntry[],
  which: NonNullable<WebOptions['versions']>,
): (version: string | null) => boolean {
  if (which === 'all') return () => true;
  if (typeof which === 'function') return (version) => version !== null && which(version);
  const latest = latestVersion(listed.filter(isValidVersion).map(({ semver }) => semver));
  return (version) => version !== null && version === latest?.text;
}

/** The views that an artifact only has if it is the first of its app and host. */
const FIRST_ONLY_VIEWS = ['preflights', 'headPreflight', 'revalidation', 'headerProbes', 'repeatedProbes'] as const;

/**
 * How the artifacts' hosts respond to browsers is requested once per app and host: for the first artifact that was
 * fetched. If all were verified before, the earlier result is reused.
 */
async function addArtifactViews(facts: readonly ArtifactFacts[], context: ObserveContext): Promise<void> {
  const chosen = new Map<string, { web: HttpViews; isFetched: boolean }>();
  for (const { url, web, reusedFrom } of facts) {
    if (url === null || isMissing(web) || !isAnswered(web.server)) continue;
    const { origin } = new URL(url);
    const other = chosen.get(origin);
    const isFetched = reusedFrom === undefined;
    const isBetter = !other || (!other.isFetched && (isFetched || (!hasViews(other.web) && hasViews(web))));
    if (isBetter) chosen.set(origin, { web, isFetched });
    const dropped = isBetter ? other?.web : web;
    if (dropped && hasViews(dropped)) removeViews(dropped);
  }
  for (const { web } of chosen.values()) {
    if (hasViews(web)) continue;
    const { server } = web;
    Object.assign(
      web,
      await browserViews({ kind: 'artifact', server, accept: '*/*', reference: null, limit: 0 }, context),
    );
  }
}

function hasViews(web: HttpViews): boolean {
  return !isMissing(web.preflight) || web.browser.length > 0;
}

function removeViews(web: HttpViews): void {
  for (const name of FIRST_ONLY_VIEWS) delete web[name];
  Object.assign(web, { browser: [], preflight: REQUESTED_ONCE, head: REQUESTED_ONCE });
}
