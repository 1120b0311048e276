import { readAboutFile } from '../about/about-file.ts';
import { type AppFacts, type DocumentFacts, type IconFacts, isMissing, type Missing } from '../facts/facts.ts';
import { blockedBy } from '../facts/missing.ts';
import { partsOfImage } from '../registry/image-faults.ts';
import { type JsonValue, member } from '../json/json.ts';
import { pointerTo } from '../json/pointer.ts';
import { appFields, iconUrlOf, listedVersions, metadataUrlOf, textsForPeople } from '../registry/manifest.ts';
import type { FactsOf } from '../rules/subjects.ts';
import { latestVersion } from '../registry/precedence.ts';
import type { VersionEntry } from '../registry/version-entry.ts';
import { baselineSource, type JudgedManifest, type ListedApp, NO_BASELINE, type Run } from './run.ts';
import { cacheDeadline } from '../http/cache.ts';
import type { JudgedApp } from '../offers/judged-app.ts';
import { judgeSubject } from './evaluate.ts';
import { answerOf, judgeDocument, judgeResponse, judgeUrl, SCHEMA_VIOLATION } from './judge-resource.ts';
import { servedApp } from './judge-service.ts';
import { comparisonOf } from './comparison.ts';
import { judgeVersions, whyNoVersions } from './judge-versions.ts';
import type { SubjectLocation } from './location.ts';
import { Found } from './superseding.ts';
import { documentVerdictOf, keepsLastState, offersOf, verdictOf } from '../offers/visibility.ts';

/** Judges one app by the rules: its entry, its icon, its metadata file and its versions. */
export function judgeApp(run: Run, manifest: JudgedManifest, facts: AppFacts): JudgedApp {
  const { record } = run;
  const { baseline, attestations } = run.settings;
  const { key } = facts;
  const entry = member(manifest.apps ?? undefined, key) ?? null;
  const pointer = pointerTo('apps', key);
  const place: SubjectLocation = { ...manifest.location, app: key, pointer, found: new Found() };
  judgeSubject(run, 'app', entryFacts(run, key, entry), place, 'entry');
  judgeIcon(run, facts.icon, iconUrlOf(entry), place);

  const { document, file } = manifest.location;
  const listedAt = { document, file, pointer: `${pointer}/appMetadataUrl` };
  const metadata = { ...metadataLocation(place, facts, metadataUrlOf(entry)), listedAt };
  judgeUrl(run, 'metadata', metadata.url, { ...metadata, ...listedAt });
  const value = judgeDocument(run, facts.metadata, metadata);
  const listed = listedVersions(value);
  // Without a list of versions no artifact is known.
  if (listed === null) record.symptoms.markUnknown('checksum-mismatch');
  const before = baseline?.app(key) ?? null;
  const earlier = baseline === null ? NO_BASELINE : (before ?? []);
  const versions = judgeVersions(run, value, facts.artifacts, earlier, metadata);
  const hiding = record.hiding.rulesHiding(key);
  const blocking = isMissing(facts.metadata.content) ? record.hiding.rulesBlocking(metadata.found) : null;
  const errors = record.hiding.takeVersionErrors();
  const left = comparisonOf(baseline, facts, before, listed === null ? whyUnlisted(facts, blocking) : null);
  if (left !== null) record.leftOut.push(left);
  const documents = documentVerdictOf({ key, entry, metadata: value, versions, hiding, blocking });
  const offers = offersOf(versions, facts.artifacts, { errors, earlier, attestations });
  const verdict = verdictOf(documents, offers);
  const judged = { verdict, documents, errors, offers };
  run.served?.push(
    servedApp(facts, versions, judged, {
      isUsable: listed !== null,
      isStateKept: keepsLastState(key, entry, listed),
    }),
  );
  if (listed !== null) run.listed.set(key, listedApp(run, facts.metadata, versions));
  record.verdicts.push(verdict);
  record.closeDocument(facts.metadata);
  if (facts.about !== undefined) judgeAbout(run, facts.about, listed === null ? null : versions, metadata);
  return judged;
}

/** Keeps what a metadata file lists, for the comparison with what is stored. */
function listedApp(
  { settings: { now } }: Run,
  { url, web }: DocumentFacts,
  versions: readonly VersionEntry[],
): ListedApp {
  return {
    url,
    versions: new Set(versions.flatMap(({ version }) => version ?? [])),
    latest: latestVersion(versions.flatMap(({ semver }) => semver ?? []))?.text ?? null,
    deadline: isMissing(web) ? 0 : cacheDeadline(web.server, now),
  };
}

/** The reason why the versions of an app are not known. @param blocking the rules whose findings say so */
function whyUnlisted({ metadata }: AppFacts, blocking: readonly string[] | null): Missing {
  const [rule] = blocking ?? [];
  return rule === undefined ? whyNoVersions(metadata.content) : blockedBy(rule);
}

function entryFacts(run: Run, key: string, entry: JsonValue): FactsOf<'app'> {
  const fields = appFields(entry);
  const { name, color } = fields;
  return {
    key,
    entry,
    name: name ?? SCHEMA_VIOLATION,
    color: color ?? SCHEMA_VIOLATION,
    texts: textsForPeople(fields) ?? SCHEMA_VIOLATION,
    earlierSource: baselineSource(run),
  };
}

function judgeIcon(run: Run, facts: IconFacts, url: string | null, app: SubjectLocation): void {
  const place: SubjectLocation = {
    ...app,
    resource: 'icon',
    url,
    web: facts.web,
    pointer: `${app.pointer}/blockStyle/iconUrl`,
    found: new Found(),
  };
  judgeUrl(run, 'icon', url, place);
  judgeResponse(run, facts, place, 'before-content');
  const { content, image } = facts;
  const { origins } = run.settings;
  if (!isMissing(content)) run.record.totals.bytes += content.bytes;
  const { web } = facts;
  judgeSubject(run, 'icon', { facts, content, ...partsOfImage(image), web, answer: answerOf(facts), origins }, place);
  judgeResponse(run, facts, place, 'after-content');
}

function metadataLocation(app: SubjectLocation, { metadata }: AppFacts, url: string | null): SubjectLocation {
  return {
    ...app,
    resource: 'metadata',
    document: metadata,
    pointer: '',
    url,
    file: metadata.file,
    web: metadata.web,
    found: new Found(),
  };
}

const METADATA_UNUSABLE = blockedBy('schema-violation');

/**
 * Judges the about file of an app. Whatever is wrong with it hides nothing, and refuses no version.
 * @param versions of the metadata file; null if they are not known
 * @param place of the metadata file
 */
export function judgeAbout(
  run: Run,
  facts: DocumentFacts,
  versions: readonly VersionEntry[] | null,
  place: SubjectLocation,
): void {
  const { content, url, file, web } = facts;
  const reading = isMissing(content) ? content : readAboutFile(content);
  judgeSubject(
    run,
    'about',
    {
      reading,
      about: isMissing(reading) ? reading : (reading.about ?? blockedBy('about-invalid')),
      listed: versions?.flatMap(({ semver }) => semver?.text ?? []) ?? METADATA_UNUSABLE,
    },
    { ...place, document: facts, pointer: '', url, file, web, found: new Found() },
  );
  run.record.closeDocument(facts);
}
