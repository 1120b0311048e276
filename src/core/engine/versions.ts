import { latestIfClean } from '../fast-path/clean-versions.ts';
import { digestOf } from '../registry/checksum.ts';
import {
  type ArtifactFacts,
  type DocumentContent,
  type PublishedVersion,
  isMissing,
  type Missing,
} from '../facts/facts.ts';
import { isObject, type JsonValue, parseDocument } from '../json/json.ts';
import { listedVersions, versionFields } from '../registry/metadata.ts';
import type { SubjectLocation } from './findings.ts';
import { answerOf, SCHEMA_VIOLATION, type RuleDispatcher } from './dispatch.ts';
import { missingFactsOfAll } from '../fast-path/skip-replay.ts';
import type { VersionEntry } from '../rules/rule.ts';
import { blockedBy } from '../facts/missing.ts';

/** The versions of a metadata file, and the facts about their artifacts. */

export const NO_BASELINE: Missing = {
  missing: { code: 'no-baseline' },
  runWide: true,
  intentional: true,
};
const OTHER_BYTES: Missing = { missing: { code: 'other-bytes' } };
export const NOT_REQUESTED: Missing = { missing: { code: 'not-requested', flag: null } };

/** What was judged: the versions that are objects, and the latest one if all are clean. */
interface JudgedVersions {
  entries: VersionEntry[];
  usual: string | null;
}

export interface VersionJudgeOptions {
  earlierSource: string | Missing;
  /** Whether apps or a version were requested by name; the version, or null. */
  isAsked: boolean;
  version: string | null;
  /** The entry file of the app's code, at the top level of an artifact. */
  appEntry: string;
  /** Seconds: how old a copy of a document is. */
  oldCopy(place: SubjectLocation): number;
}

type JudgeVersions = (
  value: JsonValue | undefined,
  artifacts: readonly ArtifactFacts[],
  earlier: PublishedVersion[] | Missing,
  place: SubjectLocation,
) => JudgedVersions;

/** @returns a function that judges the versions in a metadata file's value, with the facts about each artifact */
export function createVersionJudge(dispatcher: RuleDispatcher, terms: VersionJudgeOptions): JudgeVersions {
  const { collector } = dispatcher;
  /** The rules that compare versions with something else, which the fast path does not cover. */
  const comparing = dispatcher
    .rulesOn('metadata')
    .filter(({ needs }) => needs.includes('earlier') || needs.includes('askedVersion'));

  function versions(
    value: JsonValue | undefined,
    artifacts: readonly ArtifactFacts[],
    earlier: PublishedVersion[] | Missing,
    place: SubjectLocation,
  ): JudgedVersions {
    const list = listedVersions(value);
    if (list === null) {
      unread(place);
      return { entries: [], usual: null };
    }
    const entries = entriesIn(list);
    collector.countVersions(entries.length);
    const content = place.document?.content ?? NOT_REQUESTED;
    const usual = dispatcher.usesFastPath && !isMissing(content) ? latestIfClean(content) : null;
    if (usual !== null && nothingToSay(entries, artifacts, earlier, place)) return { entries, usual };
    const wanted = terms.version;
    // A version that is not listed has no artifact to inspect.
    if (wanted !== null && !entries.some((entry) => entry.version === wanted))
      collector.unjudgedSymptoms.add('checksum-mismatch');
    const copyAge = terms.oldCopy(place);
    const facts = {
      versions: entries,
      listed: list.length,
      earlier,
      earlierSource: terms.earlierSource,
      askedVersion: wanted,
      copyAge,
    };
    dispatcher.dispatch('metadata', facts, place, usual === null ? dispatcher.rulesOn('metadata') : comparing);
    const published = new Map(isMissing(earlier) ? [] : earlier.map((before) => [before.version, before]));
    for (const entry of entries) {
      const before = (entry.version === null ? null : published.get(entry.version)) ?? null;
      version(entry, entries, artifacts, before, place, usual !== null);
    }
    return { entries, usual };
  }

  /**
   * True if the rules need not run on clean versions: their artifacts were not observed, and the rules not judged for
   * that reason are already only counted.
   */
  function nothingToSay(
    entries: readonly VersionEntry[],
    artifacts: readonly ArtifactFacts[],
    earlier: PublishedVersion[] | Missing,
    place: SubjectLocation,
  ): boolean {
    if (terms.isAsked || earlier !== NO_BASELINE || place.found.size > 0 || !isMissing(place.web)) return false;
    const content = artifacts.length === entries.length ? missingFactsOfAll(artifacts)?.content : undefined;
    if (content === undefined || content.runWide) return false;
    const about = dispatcher.rulesOn('artifact');
    if (!collector.onlyCounts(about)) return false;
    for (const rule of about) collector.addNotJudged(rule, { ...place, resource: 'artifact' }, content);
    collector.skipFurther(about, entries.length - 1);
    return true;
  }

  /** A metadata file without a list of versions has no artifacts to inspect. */
  function unread(place: SubjectLocation): void {
    const rule = dispatcher.rulesOn('artifact').find(({ id }) => id === 'artifact-checksum-mismatch');
    if (rule === undefined || place.document === null) return;
    const { content } = place.document;
    collector.addNotJudged(rule, { ...place, resource: 'artifact' }, whyWithoutVersions(content));
  }

  function version(
    entry: VersionEntry,
    all: readonly VersionEntry[],
    artifacts: readonly ArtifactFacts[],
    before: PublishedVersion | null,
    metadata: SubjectLocation,
    isUsual: boolean,
  ): void {
    const artifact = artifacts[entry.index];
    const pointer = `/versions/${entry.index}`;
    const found = new Map(metadata.byVersion?.get(entry.version ?? ''));
    const place: SubjectLocation = { ...metadata, version: entry.version, pointer, found };
    if (!isUsual)
      dispatcher.dispatch(
        'version',
        {
          index: entry.index,
          version: entry.version ?? SCHEMA_VIOLATION,
          checksum: entry.artifactChecksum ?? SCHEMA_VIOLATION,
          all,
          served: artifact && !isMissing(artifact.content) && !artifact.content.cut ? artifact.content : null,
        },
        place,
      );
    const artifactPlace: SubjectLocation = {
      ...place,
      resource: 'artifact',
      url: entry.artifactUrl,
      web: artifact?.web ?? NOT_REQUESTED,
      pointer: `${pointer}/artifactUrl`,
      found: new Map(place.found),
    };
    if (!isUsual) dispatcher.url('artifact', entry.artifactUrl, artifactPlace);
    if (!artifact) return;
    dispatcher.resource(artifact, artifactPlace);
    const { content, archive } = artifact;
    if (isMissing(content) && content.runWide && collector.wasNoted('artifact content')) return;
    if (!isMissing(content)) collector.countArtifact(content.bytes);
    const digest: string | Missing = digestOf(entry.artifactChecksum ?? '') ?? blockedBy('checksum-malformed');
    const isOther = !isMissing(digest) && isListedAgain(artifact, digest);
    artifactPlace.pointer = `${pointer}/artifactChecksum`;
    dispatcher.dispatch(
      'artifact',
      {
        facts: artifact,
        content,
        archive: isOther ? OTHER_BYTES : archive,
        digest,
        checksum: entry.artifactChecksum ?? SCHEMA_VIOLATION,
        all,
        artifacts,
        before,
        answer: answerOf(artifact),
        appEntry: terms.appEntry,
      },
      artifactPlace,
    );
    artifactPlace.pointer = `${pointer}/artifactUrl`;
    dispatcher.resource(artifact, artifactPlace, true);
  }

  return versions;
}

/** Why no list of versions is known. */
function whyWithoutVersions(content: DocumentContent | Missing): Missing {
  if (isMissing(content)) {
    if (content.runWide || content.missing.code === 'blocked-by') return content;
    return { ...content, missing: { code: 'metadata-missing', reason: content.missing } };
  }
  const { value, oversized } = parseDocument(content);
  if (oversized !== null) return blockedBy('document-oversized');
  return blockedBy(value === undefined ? 'document-unreadable' : 'schema-violation');
}

/** True if the first download had other bytes and the second one the listed ones: only the first was inspected. */
function isListedAgain({ content, again }: ArtifactFacts, digest: string): boolean {
  if (isMissing(content) || again === undefined || isMissing(again)) return false;
  return content.sha256 !== digest && again.sha256 === digest;
}

/** The versions that are objects. */
function entriesIn(list: readonly JsonValue[]): VersionEntry[] {
  const entries: VersionEntry[] = [];
  for (const [index, item] of list.entries()) if (isObject(item)) entries.push({ index, ...versionFields(item) });
  return entries;
}
