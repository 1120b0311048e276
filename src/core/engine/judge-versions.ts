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
import { listedVersions } from '../registry/manifest.ts';
import { versionEntries } from '../registry/version-entry.ts';
import type { FactsOf } from '../rules/subjects.ts';
import type { VersionEntry } from '../registry/version-entry.ts';
import { attestedVersions, judgeAttestationOf } from './judge-attestation.ts';
import { baselineSource, type JudgeContext, NOT_REQUESTED, staleCopyAge } from './context.ts';
import { answerOf, SCHEMA_VIOLATION } from './dispatch.ts';
import type { SubjectLocation } from './location.ts';
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
  context: JudgeContext,
  value: JsonValue | undefined,
  artifacts: readonly ArtifactFacts[],
  earlier: PublishedVersion[] | Missing,
  place: SubjectLocation,
): VersionEntry[] {
  const { run, dispatcher, requested } = context;
  const list = listedVersions(value);
  if (list === null) {
    noteUnreadable(context, place);
    return [];
  }
  const versions = versionEntries(list);
  run.totals.versions += versions.length;
  const requestedVersion = requested?.version ?? null;
  // A version that is not listed has no artifact to inspect.
  if (requestedVersion !== null && !versions.some(({ version }) => version === requestedVersion))
    run.symptoms.markUnknown('checksum-mismatch');
  const earlierSource = baselineSource(context);
  const copyAge = staleCopyAge(context, place);
  dispatcher.dispatch(
    'metadata',
    { versions, listed: list.length, earlier, earlierSource, requestedVersion, copyAge },
    place,
  );
  const published = new Map(isMissing(earlier) ? [] : earlier.map((before) => [before.version, before]));
  const attested = context.attestations === null ? [] : attestedVersions(versions, artifacts);
  const all: AllVersions = { versions, artifacts, published, attested };
  for (const entry of versions) judgeVersion(context, entry, all, place);
  return versions;
}

/** A metadata file without a list of versions has no artifacts to inspect. */
function noteUnreadable({ run, dispatcher }: JudgeContext, place: SubjectLocation): void {
  const rule = dispatcher.rulesOn('artifact').find(({ id }) => id === 'artifact-checksum-mismatch');
  if (rule === undefined || place.document === null) return;
  run.addNotJudged(rule, { ...place, resource: 'artifact' }, whyNoVersions(place.document.content));
}

/** Why no list of versions is known. */
export function whyNoVersions(content: DocumentContent | Missing): Missing {
  if (isMissing(content)) {
    if (content.runWide || content.missing.code === 'blocked-by') return content;
    return { ...content, missing: { code: 'metadata-missing', reason: content.missing } };
  }
  const { value, oversized } = parseDocument(content);
  if (oversized !== null) return blockedBy('document-oversized');
  return blockedBy(value === undefined ? 'document-unreadable' : 'schema-violation');
}

/** The versions of an app. */
interface AllVersions {
  versions: readonly VersionEntry[];
  /** The facts of their artifacts, by the versions' index. */
  artifacts: readonly ArtifactFacts[];
  /** The versions as they were published, by their number; empty if that is not known. */
  published: ReadonlyMap<string | null, PublishedVersion>;
  /** The versions with an attestation, from the lowest upwards. */
  attested: readonly string[];
}

function judgeVersion(context: JudgeContext, entry: VersionEntry, all: AllVersions, metadata: SubjectLocation): void {
  const { dispatcher } = context;
  const { index, version, artifactUrl, artifactChecksum, digest } = entry;
  const artifact = all.artifacts[index];
  const pointer = `/versions/${index}`;
  const { app, document, url, file, web, byVersion } = metadata;
  const found = byVersion?.get(version ?? '')?.copy() ?? new Found();
  const place: SubjectLocation = { app, version, resource: 'metadata', document, pointer, url, file, web, found };
  const served = servedBytes(artifact);
  const { versions } = all;
  if (version !== null && artifactChecksum !== null) {
    const facts = { index, version, checksum: artifactChecksum, digest, all: versions, served };
    dispatcher.dispatchComplete('version', facts, place);
  } else {
    const checksum = artifactChecksum ?? SCHEMA_VIOLATION;
    const facts = { index, version: version ?? SCHEMA_VIOLATION, checksum, digest, all: versions, served };
    dispatcher.dispatch('version', facts, place);
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
  };
  dispatcher.url('artifact', artifactUrl, artifactPlace, entry.parts);
  if (!artifact) return;
  judgeArtifact(context, artifact, entry, all, artifactPlace);
  if (context.attestations === null) return;
  const before = all.published.get(version) ?? null;
  judgeAttestationOf(context, artifact, entry, { attested: all.attested, before }, artifactPlace);
}

/** What was downloaded, if that is all of the artifact. */
function servedBytes(artifact: ArtifactFacts | undefined): Content | null {
  const content = artifact?.content;
  return content === undefined || isMissing(content) || content.cut ? null : content;
}

/** @param place of the artifact's URL */
function judgeArtifact(
  context: JudgeContext,
  facts: ArtifactFacts,
  entry: VersionEntry,
  all: AllVersions,
  place: SubjectLocation,
): void {
  const { run, dispatcher } = context;
  const { content } = facts;
  dispatcher.resource(facts, place, 'before-content');
  if (!isMissing(content)) {
    run.totals.artifacts += 1;
    run.totals.bytes += content.bytes;
  }
  dispatcher.artifact(
    facts,
    entry,
    () => artifactFacts(context, facts, entry, all),
    () => ({ ...place, pointer: `/versions/${entry.index}/artifactChecksum` }),
  );
  dispatcher.resource(facts, place, 'after-content');
}

function artifactFacts(
  { appEntry, isPublishing }: JudgeContext,
  facts: ArtifactFacts,
  { version, artifactChecksum, digest: listed }: VersionEntry,
  { versions, artifacts, published }: AllVersions,
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
