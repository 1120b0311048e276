import {
  type ArchiveFacts,
  type ArtifactFacts,
  type Content,
  type ContentScan,
  isMissing,
  type Missing,
  type PublishedVersion,
} from '../facts/facts.ts';
import { type DocumentContent } from '../json/content.ts';
import { blockedBy } from '../facts/missing.ts';
import { type JsonValue, parseDocument } from '../json/json.ts';
import type { ListedVersions } from '../registry/listed-versions.ts';
import { listedVersions } from '../registry/manifest.ts';
import type { SemanticVersion } from '../registry/semantic-version.ts';
import { versionEntries } from '../registry/version-entry.ts';
import type { FactsOf } from '../rules/subjects.ts';
import type { VersionEntry } from '../registry/version-entry.ts';
import { attestedVersions, judgeAttestationOf } from './judge-attestation.ts';
import { evaluate, judgeComplete, judgeSubject } from './evaluate.ts';
import { answerOf, judgeResponse, judgeUrl, SCHEMA_VIOLATION, staleCopyAge } from './judge-resource.ts';
import type { SubjectLocation } from './location.ts';
import { baselineSource, NOT_REQUESTED, type Run, type RunSettings } from './run.ts';
import { Found } from './superseding.ts';

/** Judges the versions of a metadata file, with the facts about their artifacts. */

const OTHER_BYTES: Missing = { missing: { code: 'other-bytes' } };
const CHECKSUM_MALFORMED: Missing = blockedBy('checksum-malformed');
const NOT_SCANNED: Missing = { missing: { code: 'content-not-scanned' }, runWide: true, intentional: true };

/**
 * @param value the value of the metadata file; undefined if it cannot be read
 * @param earlier the published versions of the app
 * @returns the versions that are objects
 */
export function judgeVersions(
  run: Run,
  value: JsonValue | undefined,
  artifacts: readonly ArtifactFacts[],
  earlier: PublishedVersion[] | Missing,
  place: SubjectLocation,
): VersionEntry[] {
  const { record } = run;
  const { requested } = run.settings;
  const list = listedVersions(value);
  if (list === null) {
    noteUnreadable(run, place);
    return [];
  }
  const versions = versionEntries(list);
  record.totals.versions += versions.length;
  const requestedVersion = requested?.version ?? null;
  // A version that is not listed has no artifact to inspect.
  if (requestedVersion !== null && !versions.some(({ version }) => version === requestedVersion))
    record.symptoms.markUnknown('checksum-mismatch');
  const earlierSource = baselineSource(run);
  const copyAge = staleCopyAge(run, place);
  const isCompared = run.settings.baseline?.isRequired === true;
  const location = isCompared ? { ...place, published: unchangedVersions(versions, earlier) } : place;
  const { app, url } = place;
  const otherApps = url !== null && app !== null && run.versionsSoFar.isSharedFile(url) ? null : run.versionsSoFar;
  judgeSubject(
    run,
    'metadata',
    { app, otherApps, versions, listed: list.length, earlier, earlierSource, requestedVersion, copyAge },
    location,
  );
  const published = new Map(isMissing(earlier) ? [] : earlier.map((before) => [before.version, before]));
  const attested = run.settings.attestations === null ? [] : attestedVersions(versions, artifacts);
  const all: AllVersions = { versions, artifacts, published, attested, otherApps };
  for (const entry of versions) judgeVersion(run, entry, all, location);
  if (app !== null && otherApps !== null) otherApps.add(app, versions);
  return versions;
}

const NONE: ReadonlySet<string> = new Set();

/** The versions that were published with the same bytes, and were not withheld then. */
function unchangedVersions(
  versions: readonly VersionEntry[],
  earlier: readonly PublishedVersion[] | Missing,
): Set<string> {
  const before = isMissing(earlier) ? [] : earlier.filter(({ offer }) => offer?.isOffered !== false);
  const checksums = new Map(before.map(({ version, artifactChecksum }) => [version, artifactChecksum]));
  return new Set(
    versions.flatMap(({ version, digest, artifactChecksum }) =>
      version !== null && digest !== null && checksums.get(version) === artifactChecksum ? version : [],
    ),
  );
}

/** A metadata file without a list of versions has no artifacts to inspect. */
function noteUnreadable({ record, rules }: Run, place: SubjectLocation): void {
  const rule = rules.on('artifact').rules.find(({ id }) => id === 'artifact-checksum-mismatch');
  if (rule === undefined || place.document === null) return;
  record.addNotJudged(rule, { ...place, resource: 'artifact' }, whyNoVersions(place.document.content));
}

/** The reason why no list of versions is known. */
export function whyNoVersions(content: DocumentContent | Missing): Missing {
  if (isMissing(content)) {
    if (content.runWide || content.missing.code === 'blocked-by') return content;
    return { ...content, missing: { code: 'metadata-missing', reason: content.missing } };
  }
  const { value, oversized } = parseDocument(content);
  if (oversized !== null) return blockedBy('document-oversized');
  return blockedBy(value === undefined ? 'document-unreadable' : 'schema-violation');
}

interface AllVersions {
  versions: readonly VersionEntry[];
  /** The facts of their artifacts, by the versions' index. */
  artifacts: readonly ArtifactFacts[];
  /** The versions as they were published, by their number; empty if that is not known. */
  published: ReadonlyMap<string | null, PublishedVersion>;
  /** The versions with an attestation, from the lowest upwards. */
  attested: readonly SemanticVersion[];
  /** The versions of the apps before; null if the metadata file is that of another app, too. */
  otherApps: ListedVersions | null;
}

function judgeVersion(run: Run, entry: VersionEntry, all: AllVersions, metadata: SubjectLocation): void {
  const { index, version, semver, artifactUrl, artifactChecksum, digest } = entry;
  const artifact = all.artifacts[index];
  const pointer = `/versions/${index}`;
  const { app, document, url, file, web, byVersion, published = NONE } = metadata;
  const found = byVersion?.get(version ?? '')?.copy() ?? new Found();
  const place: SubjectLocation = {
    app,
    version,
    resource: 'metadata',
    document,
    pointer,
    url,
    file,
    web,
    found,
    published,
  };
  const served = servedBytes(artifact);
  const { versions } = all;
  if (version !== null && artifactChecksum !== null) {
    const facts = { index, version, semver, checksum: artifactChecksum, digest, all: versions, served };
    judgeComplete(run, 'version', facts, place);
  } else {
    const checksum = artifactChecksum ?? SCHEMA_VIOLATION;
    const text = version === null ? { version: SCHEMA_VIOLATION, semver: SCHEMA_VIOLATION } : { version, semver };
    judgeSubject(run, 'version', { index, ...text, checksum, digest, all: versions, served }, place);
  }
  const artifactPlace: SubjectLocation = {
    app,
    version,
    resource: 'artifact',
    document,
    pointer: `${pointer}/artifactUrl`,
    url: artifactUrl,
    file,
    web: artifact?.web ?? NOT_REQUESTED,
    found: found.copy(),
    // Other bytes than the published ones can be replaced by those.
    published: served !== null && served.sha256 !== digest ? NONE : published,
  };
  judgeUrl(run, 'artifact', artifactUrl, artifactPlace, entry.parts);
  if (!artifact) return;
  judgeArtifact(run, artifact, entry, all, artifactPlace);
  if (run.settings.attestations === null) return;
  const before = all.published.get(version) ?? null;
  judgeAttestationOf(run, artifact, entry, { attested: all.attested, before }, artifactPlace);
}

/** Downloaded content, if that is all of the artifact. */
function servedBytes(artifact: ArtifactFacts | undefined): Content | null {
  const content = artifact?.content;
  return content === undefined || isMissing(content) || content.cut ? null : content;
}

/** @param place of the artifact's URL */
function judgeArtifact(
  run: Run,
  facts: ArtifactFacts,
  entry: VersionEntry,
  all: AllVersions,
  place: SubjectLocation,
): void {
  const { record } = run;
  const { content } = facts;
  judgeResponse(run, facts, place, 'before-content');
  if (!isMissing(content)) {
    record.totals.artifacts += 1;
    if (!isMissing(facts.web) && entry.parts !== null) {
      const { host } = entry.parts;
      run.artifactsOfHosts.set(host, (run.artifactsOfHosts.get(host) ?? 0) + 1);
    }
    record.totals.bytes += content.bytes;
  }
  judgeContent(run, facts, entry, all, place);
  judgeResponse(run, facts, place, 'after-content');
}

/** Judges the content of an artifact. One of which nothing was observed is only counted where no rule can be run on it. */
function judgeContent(
  { settings, rules, record, unobservedArtifacts }: Run,
  facts: ArtifactFacts,
  entry: VersionEntry,
  all: AllVersions,
  place: SubjectLocation,
): void {
  const isUnobserved = isMissing(facts.web) && isMissing(facts.content) && isMissing(facts.archive);
  if (isUnobserved && unobservedArtifacts.countAnother(facts, entry, record.notJudged)) return;
  const at = { ...place, pointer: `/versions/${entry.index}/artifactChecksum` };
  const plan = evaluate(
    record,
    rules.on('artifact'),
    artifactFacts(settings, facts, entry, { ...all, app: place.app }),
    at,
  );
  if (isUnobserved) unobservedArtifacts.keep(facts, entry, plan);
}

function artifactFacts(
  { appEntry, isPublishing }: RunSettings,
  facts: ArtifactFacts,
  { version, artifactChecksum, digest: listed }: VersionEntry,
  { versions, artifacts, published, otherApps, app }: AllVersions & { app: string | null },
): FactsOf<'artifact'> {
  const digest: string | Missing = listed ?? CHECKSUM_MALFORMED;
  const inspected = onlySecondDownloadMatches(facts, digest) ? OTHER_BYTES : facts.archive;
  return {
    facts,
    content: facts.content,
    archive: inspected,
    ...scansOf(inspected),
    digest,
    checksum: artifactChecksum ?? SCHEMA_VIOLATION,
    all: versions,
    artifacts,
    app,
    otherApps,
    before: published.get(version) ?? null,
    answer: answerOf(facts),
    appEntry,
    isPublishing,
  };
}

/** The scan of an archive's content, of all of it or of the part in which secrets were found. */
function scansOf(archive: ArchiveFacts | Missing): Record<'scan' | 'wholeScan', ContentScan | Missing> {
  const scan = isMissing(archive) ? archive : (archive.scan ?? NOT_SCANNED);
  if (isMissing(scan) || scan.stopped === undefined) return { scan, wholeScan: scan };
  const stopped: Missing = { missing: { code: 'content-scan-stopped', limit: scan.stopped } };
  return { scan: scan.secretCount > 0 ? scan : stopped, wholeScan: stopped };
}

/** True if the first download had other bytes and the second one the listed ones: only the first was inspected. */
function onlySecondDownloadMatches({ content, again }: ArtifactFacts, digest: string | Missing): boolean {
  if (isMissing(digest) || isMissing(content) || again === undefined || isMissing(again)) return false;
  return content.sha256 !== digest && again.sha256 === digest;
}
