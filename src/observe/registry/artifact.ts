import type { ObservedAttestation } from '../../core/facts/attestation.ts';
import {
  type ArchiveFacts,
  type ArtifactFacts,
  type Content,
  type ContentScan,
  type Hop,
  type HttpViews,
  isMissing,
  type Missing,
  type Probe,
} from '../../core/facts/facts.ts';
import { corsFault } from '../../core/http/cors.ts';
import { contentCodings, headerValue } from '../../core/http/headers.ts';
import { hasChanged } from '../../core/http/judged-headers.ts';
import { isAnswered, lastHop, notRequested } from '../../core/http/probe.ts';
import type { JsonValue } from '../../core/json/json.ts';
import { digestOf } from '../../core/registry/checksum.ts';
import { versionFields } from '../../core/registry/manifest.ts';
import { latestVersion, sortedByVersion } from '../../core/registry/precedence.ts';
import { isValidVersion } from '../../core/registry/valid-version.ts';
import { SemanticVersion } from '../../core/registry/semantic-version.ts';
import { type VersionEntry, versionEntry } from '../../core/registry/version-entry.ts';
import { comparableUrl } from '../../core/url/url.ts';
import { mapLimit, memoizeAsync } from '../../core/values/promises.ts';
import type { Inspected } from '../archive/digest-artifact.ts';
import { InspectionLost } from '../archive/digest-thread.ts';
import { createDecodedDigester, type DecodedDigester } from '../digest/decode.ts';
import { type BodyReader, perAttempt } from '../http/body.ts';
import { isRequestable } from '../http/request.ts';
import { type RememberedApp, REQUESTED_ONCE, verifiedBefore, type Views } from './cache.ts';
import type { ObserveContext, RegistryRun } from './context.ts';
import { fetchStatus, reasonMissing, reasonNotRequestable } from './fetch.ts';
import type { ListedArtifact, WebOptions } from './options.ts';
import { browserViews } from './views.ts';

/** The artifacts of an app: they are digested and listed while they are received, and never held in memory. */

const SKIPPED: Missing = { missing: { code: 'not-requested', flag: '--skip-artifacts' }, runWide: true };

const NOT_SELECTED: Missing = { missing: { code: 'version-not-requested' }, runWide: true, intentional: true };

const OVER_BUDGET: Missing = { missing: { code: 'over-budget' } };

interface ListedVersion extends ListedArtifact {
  semver: SemanticVersion | null;
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
  /** The reasons, of the artifacts that are left out. */
  leftOut: ReadonlyMap<ListedArtifact, Missing>;
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
  const entries = list.map((item, index) => versionEntry(index, versionFields(item)));
  const isSelected = versionSelector(entries, options.versions ?? 'all');
  const versions = entries.map(({ version, semver, artifactUrl, artifactChecksum }) => ({
    app,
    version,
    semver,
    url: artifactUrl,
    checksum: artifactChecksum ?? '',
  }));
  const leftOut = await run.announce(app, list, versions);
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
      if (isSelected(listed.version)) facts[index] = await observeArtifact(listed, run, { known, downloads, leftOut });
      figures.done += 1;
      if (isVerified(facts[index], listed)) figures.artifacts.verified += 1;
    },
    concurrencyOf(options),
  );
  await addArtifactViews(facts, versions, context);
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
async function observeArtifact(listed: ListedVersion, run: RegistryRun, shared: AppDownloads): Promise<ArtifactFacts> {
  const facts = await observeBytes(listed, run, shared);
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
  listed: ListedVersion,
  run: RegistryRun,
  { known, downloads, leftOut }: AppDownloads,
): Promise<ArtifactFacts> {
  const { context, options } = run;
  const { url, checksum } = listed;
  if (!isRequestable(url)) return notFetched(url, reasonNotRequestable(url));
  const { memory } = options;
  const verified = memory
    ? verifiedBefore(memory, known, { url, checksum, scanned: context.scan !== null }, context.hosts)
    : null;
  if (verified) return verified;
  // The weak digests only identify the cause of a checksum that is not a SHA-256.
  const weak = digestOf(checksum) === null;
  const address = comparableUrl(url);
  const key = `${weak} ${address}`;
  const isStarted = downloads.first.has(key);
  const reason = isStarted ? null : (leftOut.get(listed) ?? whyDeferred(run));
  if (reason !== null) return notFetched(url, reason);
  if (!isStarted) run.figures.artifacts.fetched += 1;
  const first = await memoizeAsync(downloads.first, key, () => fetchArtifact(url, context, { weak }));
  return artifactFacts(url, checksum, first, () =>
    memoizeAsync(downloads.second, address, () => fetchArtifact(url, context, { inner: true })),
  );
}

/** The reason why an artifact is left to a later run; null if it is fetched. */
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
 * Responses of the artifacts' hosts to browsers are requested once per app and host: for the first artifact that was
 * fetched. If all were verified before, the earlier result is reused. An artifact is
 * fetched again if these responses show that the host sends another file than before.
 */
async function addArtifactViews(
  facts: ArtifactFacts[],
  versions: readonly ListedVersion[],
  context: ObserveContext,
): Promise<void> {
  const chosen = new Map<string, { index: number; web: HttpViews; isFetched: boolean }>();
  for (const [index, { url, web, reusedFrom }] of facts.entries()) {
    if (url === null || isMissing(web) || !isAnswered(web.server)) continue;
    const { origin } = new URL(url);
    const other = chosen.get(origin);
    const isFetched = reusedFrom === undefined;
    const isBetter = !other || (!other.isFetched && (isFetched || (!hasViews(other.web) && hasViews(web))));
    if (isBetter) chosen.set(origin, { index, web, isFetched });
    const dropped = isBetter ? other?.web : web;
    if (dropped && hasViews(dropped)) removeViews(dropped);
  }
  for (const [origin, { index, web, isFetched }] of chosen) {
    const { server: _, ...before } = web;
    const observe = (): Promise<Views> => artifactViews(web, context);
    if (!hasViews(web)) Object.assign(web, await observe());
    else if (!isFetched && !context.daily && before.browser.some(hasFault))
      Object.assign(web, await context.hosts.viewsIfChanged(`artifact ${origin}`, before, observe));
    const [own, listed] = [facts[index], versions[index]];
    if (isFetched && own && listed && isVerified(own, listed) && isOtherNow(own))
      facts[index] = await fetchLastState(own, listed, context);
  }
}

function artifactViews({ server }: HttpViews, context: ObserveContext): Promise<Views> {
  return browserViews({ kind: 'artifact', server, accept: '*/*', reference: null, limit: 0 }, context);
}

/** True if later responses show that the host now sends another file, or none. */
function isOtherNow({ web, content, again }: ArtifactFacts): boolean {
  // One that was downloaded twice has had its second look.
  if (isMissing(web) || isMissing(content) || again !== undefined) return false;
  const lengths = web.browser.filter(isAnswered).map((probe) => wholeLength(lastHop(probe)));
  return hasChanged(web) || lengths.some((length) => length !== null && length !== content.bytes);
}

/** The length of the whole file, by the headers of a response to a range request; null if they do not say. */
function wholeLength(hop: Hop | null): number | null {
  if (hop === null || contentCodings(hop.headers).length > 0) return null;
  const value =
    hop.status === 206
      ? /\/(\d{1,15})$/.exec(headerValue(hop.headers, 'content-range') ?? '')?.[1]
      : headerValue(hop.headers, 'content-length');
  return value !== undefined && value !== null && /^\d{1,15}$/.test(value) ? Number(value) : null;
}

/** Fetches an artifact again that was verified. @returns its last facts */
async function fetchLastState(
  { url, attestation }: ArtifactFacts,
  { checksum }: ListedVersion,
  context: ObserveContext,
): Promise<ArtifactFacts> {
  if (url === null) throw new Error('Only a requested artifact has another state.');
  const last = await artifactFacts(url, checksum, await fetchArtifact(url, context), () =>
    fetchArtifact(url, context, { inner: true }),
  );
  if (!isMissing(last.web) && isAnswered(last.web.server))
    Object.assign(last.web, await artifactViews(last.web, context));
  return attestation === undefined || isMissing(last.content) ? last : { ...last, attestation };
}

/** True for a response with a fault that its host may have corrected meanwhile, so that it is requested again. */
function hasFault(probe: Probe): boolean {
  return !isAnswered(probe) || corsFault(probe) !== null;
}

function hasViews(web: HttpViews): boolean {
  return !isMissing(web.preflight) || web.browser.length > 0;
}

function removeViews(web: HttpViews): void {
  for (const name of FIRST_ONLY_VIEWS) delete web[name];
  Object.assign(web, { browser: [], preflight: REQUESTED_ONCE, head: REQUESTED_ONCE });
}

interface FetchedArtifact {
  probe: Probe;
  content: Content | Missing;
  archive: ArchiveFacts | Missing;
}

interface DigestOptions {
  /** Also digest with SHA-1 and MD5. */
  weak?: boolean;
  /** Also compute what only explains a mismatch: the digest inside the gzip layer, line ends. */
  inner?: boolean;
  /** False if its scan has ended the worker before. */
  scan?: boolean;
}

/** Fetches an artifact, and again if the host reports it missing. */
function fetchArtifact(url: string, context: ObserveContext, options: DigestOptions = {}): Promise<FetchedArtifact> {
  return context.hosts.missingFiles.confirm({
    kind: 'artifact',
    fetch: (fresh) => fetchOnce(url, fresh, context, options),
    fetchStatus: () => fetchStatus(url, '*/*', context, [['range', 'bytes=0-0']]),
  });
}

async function fetchOnce(
  url: string,
  fresh: boolean,
  context: ObserveContext,
  options: DigestOptions,
): Promise<FetchedArtifact> {
  const reader = perAttempt<Reading>((hop, earlier) => {
    context.onBody(hop);
    void earlier?.drop();
    return openReading(url, hop, context, options);
  });
  const probe = await context.http.probe({
    method: 'GET',
    url,
    origin: null,
    accept: '*/*',
    fresh,
    total: context.timeouts.artifact,
    body: reader.body,
  });
  context.hosts.noteCertificates(probe);
  const reason = reasonMissing(probe);
  if (reason !== null) {
    await reader.last()?.drop();
    return { probe, content: reason, archive: reason };
  }
  const reading = reader.last();
  if (reading === null) throw new Error('A response without a body cannot be inspected.');
  try {
    return { probe, ...(await reading.end()) };
  } catch (error) {
    if (!(error instanceof InspectionLost)) throw error;
    await reading.drop();
    // This artifact, or another one that was in the worker.
    if (options.scan !== false) return fetchOnce(url, true, context, { ...options, scan: false });
    return { probe, content: NOT_INSPECTED, archive: NOT_INSPECTED };
  }
}

/** An artifact that has ended its worker twice. */
const NOT_INSPECTED: Missing = { missing: { code: 'over-budget' } };

/** The content of an archive that was not scanned, since that would have taken too long. */
const SCAN_STOPPED: ContentScan = { secrets: [], secretCount: 0, buildPaths: [], stopped: 'time' };

/** The body of one attempt. */
interface Reading extends BodyReader {
  end(): Promise<Inspected>;
  drop(): Promise<void>;
}

function openReading(url: string, hop: Hop, context: ObserveContext, options: DigestOptions): Reading {
  const { limits, digestWorkers, owner } = context;
  const { weak = false, inner = false } = options;
  const applied = contentCodings(hop.headers);
  const length = headerValue(hop.headers, 'content-length');
  const packedBytes = length !== null && /^\d{1,15}$/.test(length) ? Number(length) : null;
  const scan = options.scan === false ? null : context.scan;
  const task = { limit: limits.artifact, weak, lines: inner, packedBytes, scan, owner };
  // The content without its Content-Encoding, if it has one.
  const decoded = applied.length > 0 ? createDecodedDigester(applied, limits.decoded) : null;
  // The content of the gzip layer.
  const unpacked = inner ? createDecodedDigester(['gzip'], limits.decoded) : null;
  const inspection = digestWorkers.open(task);
  const copy = context.copyArtifact(url);
  return {
    limit: limits.artifact,
    over: 'fail',
    write(chunk) {
      context.onBytes(chunk.length);
      const inspected = inspection.write(chunk);
      if (!decoded && !unpacked && !copy) return inspected;
      return Promise.all([inspected, decoded?.write(chunk), unpacked?.write(chunk), copy?.write(chunk)]).then(
        () => undefined,
      );
    },
    async end() {
      const { content, archive } = await inspection.end();
      await copy?.end(content);
      const ofDecoded = await endOf(decoded);
      const ofInner = await endOf(unpacked);
      return {
        content: {
          ...content,
          decoded: ofDecoded,
          ...(inner ? { inner: ofInner?.error === null ? ofInner.sha256 : null } : {}),
        },
        archive: scan === null && context.scan !== null ? { ...archive, scan: SCAN_STOPPED } : archive,
      };
    },
    async drop() {
      inspection.drop();
      await copy?.discard();
      await endOf(decoded);
      await endOf(unpacked);
    },
  };
}

async function endOf(digester: DecodedDigester | null): Promise<Content['decoded']> {
  return digester ? digester.end() : null;
}

/**
 * The facts of an entry's artifact, from what was fetched from its URL. If the digest is not the listed one, it is
 * fetched a second time, once: a cache may have returned an older copy.
 * @param fetchAgain the second fetch, which entries with the same URL share
 */
async function artifactFacts(
  url: string,
  checksum: string,
  first: FetchedArtifact,
  fetchAgain: () => Promise<FetchedArtifact>,
): Promise<ArtifactFacts> {
  const web = notRequested(first.probe) ?? {
    server: first.probe,
    browser: [],
    preflight: REQUESTED_ONCE,
    head: REQUESTED_ONCE,
  };
  const facts: ArtifactFacts = { url, file: null, web, content: first.content, archive: first.archive };
  const digest = digestOf(checksum);
  if (
    isMissing(first.content) ||
    digest === null ||
    first.content.sha256 === digest ||
    first.content.decoded?.sha256 === digest
  )
    return facts;
  const second = await fetchAgain();
  facts.again = second.content;
  // The relevant archive is the listed one.
  if (!isMissing(second.content) && second.content.sha256 === digest) facts.archive = second.archive;
  return facts;
}
