import type {
  AppFacts,
  ArtifactFacts,
  DocumentContent,
  Asked,
  DocumentFacts,
  Earlier,
  EarlierVersion,
  IconFacts,
  Resource,
  Role,
  Shard,
  Snapshot,
  Unseen,
  Visit,
} from './facts.ts';
import { isUnseen } from './facts.ts';
import { latestBeyondDoubt } from './beyond-doubt.ts';
import { oldCopyAge } from './cache.ts';
import { digestOf } from './checksum.ts';
import { isObject, type JsonObject, type JsonValue, member, readingOf, stringOrNull, usualVersions } from './json.ts';
import { type Annotate, Ledger, type Place } from './ledger.ts';
import { type Absences, absencesOf, PlainApps } from './plain-apps.ts';
import { pointerTo } from './pointer.ts';
import { type AppVerdict, type CheckCommand, type Report, type Severity, SYMPTOMS } from './report.ts';
import type { AnyRule, FactsOf, Subject, VersionEntry } from './rule.ts';
import { parseUrl } from './url.ts';
import { ruleOfFailure } from './visit.ts';
import { NO_REASON, verdictOf } from './visibility.ts';
import { rules as allRules } from './rules/index.ts';

/** The engine: offers every subject with its facts to the rules, app by app, and keeps what they find in the ledger. */

export interface JudgeOptions {
  command: CheckCommand;
  target: string;
  /** ISO 8601; the moment of observation, since core has no clock. */
  now: string;
  /** Overrides by rule id. */
  severities?: Readonly<Record<string, Severity | 'off'>>;
  /** An earlier state, for the rules about what may never change. */
  before?: Earlier | null;
  /** The origins that the registry was asked with. */
  origins?: readonly string[];
  /** Where the run was for a part of the apps. The first of them reports on the manifest. */
  shard?: Pick<Shard, 'index' | 'of'> | null;
  rules?: readonly AnyRule[];
  /** What was asked for by name. */
  asked?: Asked | null;
  /** Adds to the evidence of each finding. */
  annotate?: Annotate | null;
}

/** Judging in portions, so that facts can be forgotten once they are judged: the manifest first, then each app. */
export interface Judging {
  manifest(manifest: DocumentFacts): void;
  /** @returns what becomes of the app */
  app(facts: AppFacts): AppVerdict;
  /** A metadata file by itself, when nobody knows which app it belongs to. */
  metadata(metadata: DocumentFacts, artifacts: readonly ArtifactFacts[], earlier?: EarlierVersion[] | null): void;
  orphans(files: readonly string[]): void;
  /**
   * @param seconds how long the run took; @param incomplete why the run did not see everything, or null
   * @param elsewhere how many apps other shards have
   */
  finish(seconds: number, incomplete?: string | null, elsewhere?: number): Report;
}

const MISSHAPEN: Unseen = { unseen: 'because of document-misshapen' };
const NO_EARLIER: Unseen = { unseen: 'no earlier state was given (--against)', everywhere: true, aside: true };
const NOT_ASKED: Unseen = { unseen: 'it was not asked' };
const EARLY: Record<Role, string> = { manifest: 'manifest', metadata: 'metadata', artifact: 'artifact', icon: 'icon' };
const LATE: Record<Role, string> = {
  manifest: 'manifest late',
  metadata: 'metadata late',
  artifact: 'artifact late',
  icon: 'icon late',
};

/** Judges a whole snapshot. The same facts give the same report. */
export function judge(
  snapshot: Snapshot,
  options: Omit<JudgeOptions, 'now' | 'target'> & { seconds?: number; target?: string },
): Report {
  const judging = startJudging({
    origins: snapshot.origins,
    target: snapshot.target,
    shard: snapshot.shard ?? null,
    asked: snapshot.asked ?? null,
    ...options,
    now: snapshot.seenAt,
  });
  return judgeWhole(snapshot, judging, options.seconds ?? 0);
}

/** Hands over a whole snapshot at once. */
export function judgeWhole(snapshot: Snapshot, judging: Judging, seconds: number): Report {
  judging.manifest(snapshot.manifest);
  for (const app of snapshot.apps) judging.app(app);
  judging.orphans(snapshot.orphans);
  return judging.finish(seconds, snapshot.incomplete ?? null, snapshot.shard?.elsewhere);
}

export function startJudging(options: JudgeOptions): Judging {
  const ledger = new Ledger(options.severities ?? {}, options.annotate ?? null);
  const bySubject = new Map<Subject | 'resource, late', AnyRule[]>();
  for (const rule of options.rules ?? allRules) {
    if (options.severities?.[rule.id] === 'off') continue;
    const when = rule.on === 'resource' && rule.unless !== undefined ? 'resource, late' : rule.on;
    const list = bySubject.get(when);
    if (list) list.push(rule);
    else bySubject.set(when, [rule]);
  }
  /** The rules that hold versions against something else: no screen knows of that. */
  const comparing = bySubject
    .get('metadata')
    ?.filter(({ needs }) => needs.includes('earlier') || needs.includes('askedVersion'));
  const before = options.before ?? null;
  const earlierSource: string | Unseen = before ? before.source : NO_EARLIER;
  const { now } = options;
  const origins = options.origins ?? [];
  const shard = options.shard ?? null;
  const asked = options.asked ?? null;
  let manifestApps: JsonValue | undefined;
  /** The apps that are not of the usual form, or null where any app may be such a one. */
  let doubtfulApps: JsonObject | null = null;
  let manifestPlace: Place | null = null;
  /** Rules that are named are asked about everything. */
  const screens = options.rules === undefined;
  const plainApps = new PlainApps(ledger);

  function offer<S extends Subject>(
    subject: S,
    facts: FactsOf<S>,
    place: Place,
    rules: readonly AnyRule[] | undefined = bySubject.get(subject),
  ): void {
    if (rules === undefined) return;
    const absent = ledger.absentIn(facts);
    for (const rule of rules) ledger.apply(rule, facts, place, absent);
  }

  /** The rules about a URL and about how it answered, then those about the document's text. */
  function document(facts: DocumentFacts, place: Place): JsonValue | undefined {
    resource(facts, place);
    const { content } = facts;
    if (isUnseen(content)) {
      offer('document', { role: place.resource, facts, content, reading: content, value: content }, place);
      resource(facts, place, true);
      return undefined;
    }
    ledger.countBytes(content.bytes);
    const reading = readingOf(content);
    const value =
      reading.value === undefined
        ? { unseen: `because of ${reading.oversized ? 'document-oversized' : 'document-unreadable'}` }
        : ((screens ? reading.doubtful : null) ?? reading.value);
    ledger.seen(reading.value);
    offer('document', { role: place.resource, facts, content, reading, value }, place);
    resource(facts, place, true);
    return reading.value;
  }

  function url(role: Role, text: string | null, place: Place): void {
    const parsed = text === null ? MISSHAPEN : (parseUrl(text) ?? { unseen: 'because of url-malformed' });
    offer('url', { role, url: text ?? MISSHAPEN, parsed, now }, place);
  }

  /** How a URL answered; `late`, after the content was judged: the rules that are silent where a content rule says more. */
  function resource(facts: Resource, place: Place, late = false): void {
    const { web } = facts;
    if (!late) ledger.takenOver(place.resource, facts);
    if (!late && !isUnseen(web)) ledger.askedOfSome(place.resource, web.head);
    if (isUnseen(web) && web.everywhere && ledger.saidOnce(late ? LATE[place.resource] : EARLY[place.resource])) return;
    const url = facts.url ?? { unseen: 'it has no URL', everywhere: true };
    // What a host does to a whole document has no place inside it.
    const at = place.pointer === '' ? { ...place, document: null } : place;
    offer(
      'resource',
      { role: place.resource, url, web, answer: answerOf(facts), origins, now },
      at,
      bySubject.get(late ? 'resource, late' : 'resource') ?? [],
    );
  }

  function versions(
    value: JsonValue | undefined,
    artifacts: readonly ArtifactFacts[],
    earlier: EarlierVersion[] | Unseen,
    place: Place,
  ): { entries: VersionEntry[]; usual: string | null } {
    const list = member(value, 'versions');
    if (!Array.isArray(list)) {
      unread(place);
      return { entries: [], usual: null };
    }
    const entries = entriesIn(value);
    ledger.countVersions(entries.length);
    const content = place.document?.content ?? NOT_ASKED;
    const usual = screens && !isUnseen(content) ? latestBeyondDoubt(content) : null;
    if (usual !== null && nothingToSay(entries, artifacts, earlier, place)) return { entries, usual };
    const wanted = asked?.version ?? null;
    // Of a version that is not listed there is no artifact to look at.
    if (wanted !== null && !entries.some((entry) => entry.version === wanted))
      ledger.unjudgedSymptoms.add('checksum-mismatch');
    const copyAge = oldCopy(place);
    const facts = { versions: entries, earlier, earlierSource, askedVersion: wanted, copyAge };
    offer('metadata', facts, place, usual === null ? bySubject.get('metadata') : comparing);
    const published = new Map(isUnseen(earlier) ? [] : earlier.map((before) => [before.version, before]));
    for (const entry of entries) {
      const before = (entry.version === null ? null : published.get(entry.version)) ?? null;
      version(entry, entries, artifacts, before, place, usual !== null);
    }
    return { entries, usual };
  }

  /**
   * True where the rules need not be asked about versions beyond doubt: nobody looked at their artifacts, and what was not
   * judged for that is only counted by now.
   */
  function nothingToSay(
    entries: readonly VersionEntry[],
    artifacts: readonly ArtifactFacts[],
    earlier: EarlierVersion[] | Unseen,
    place: Place,
  ): boolean {
    const { content, archive, web } = artifacts[0] ?? { content: null, archive: null, web: null };
    if (asked !== null || earlier !== NO_EARLIER || place.found.size > 0) return false;
    if (!isUnseen(place.web) || !isUnseen(web) || !web.everywhere) return false;
    if (!isUnseen(content) || content.everywhere || !isUnseen(archive)) return false;
    const alike = (one: ArtifactFacts): boolean =>
      one.content === content && one.archive === archive && one.web === web && one.since === undefined;
    if (artifacts.length !== entries.length || !artifacts.every(alike)) return false;
    const about = bySubject.get('artifact') ?? [];
    if (!ledger.onlyCounts(about)) return false;
    for (const rule of about) ledger.skip(rule, { ...place, resource: 'artifact' }, content);
    ledger.skipFurther(about, entries.length - 1);
    return true;
  }

  /** How old a document is that came from a cache, where what was published since cannot be in it; it is no clear answer. */
  function oldCopy(place: Place): number {
    const age = isUnseen(place.web) ? 0 : oldCopyAge(place.web.service, now);
    if (age > 0) ledger.oldCopy(place.resource, age);
    return age;
  }

  /** Of a metadata file without a list of versions there are no artifacts to look at. */
  function unread(place: Place): void {
    const rule = bySubject.get('artifact')?.find(({ id }) => id === 'artifact-checksum-mismatch');
    if (rule === undefined || place.document === null) return;
    const { content } = place.document;
    const oversized = !isUnseen(content) && readingOf(content).oversized !== null;
    const readable = !isUnseen(content) && readingOf(content).value !== undefined;
    const fault = oversized ? 'document-oversized' : readable ? 'document-misshapen' : 'document-unreadable';
    const why: Unseen = !isUnseen(content)
      ? { unseen: `because of ${fault}` }
      : content.everywhere || content.unseen.startsWith('because of ')
        ? content
        : { ...content, unseen: `its metadata file was not seen (${content.unseen})` };
    ledger.skip(rule, { ...place, resource: 'artifact' }, why);
  }

  function version(
    entry: VersionEntry,
    all: readonly VersionEntry[],
    artifacts: readonly ArtifactFacts[],
    before: EarlierVersion | null,
    metadata: Place,
    isUsual: boolean,
  ): void {
    const artifact = artifacts[entry.index];
    const pointer = `/versions/${entry.index}`;
    const found = new Set(metadata.byVersion?.get(entry.version ?? ''));
    const place: Place = { ...metadata, version: entry.version, pointer, found };
    if (!isUsual)
      offer(
        'version',
        {
          index: entry.index,
          version: entry.version ?? MISSHAPEN,
          checksum: entry.artifactChecksum ?? MISSHAPEN,
          all,
          served: artifact && !isUnseen(artifact.content) && !artifact.content.cut ? artifact.content : null,
        },
        place,
      );
    const artifactPlace: Place = {
      ...place,
      resource: 'artifact',
      url: entry.artifactUrl,
      web: artifact?.web ?? NOT_ASKED,
      pointer: `${pointer}/artifactUrl`,
      found: new Set(place.found),
    };
    if (!isUsual) url('artifact', entry.artifactUrl, artifactPlace);
    if (!artifact) return;
    resource(artifact, artifactPlace);
    const { content, archive } = artifact;
    if (isUnseen(content) && content.everywhere && ledger.saidOnce('artifact content')) return;
    if (!isUnseen(content)) ledger.countArtifact(content.bytes);
    const digest = digestOf(entry.artifactChecksum ?? '') ?? { unseen: 'because of checksum-malformed' };
    artifactPlace.pointer = `${pointer}/artifactChecksum`;
    offer(
      'artifact',
      {
        facts: artifact,
        content,
        archive,
        digest,
        checksum: entry.artifactChecksum ?? MISSHAPEN,
        all,
        artifacts,
        before,
        answer: answerOf(artifact),
      },
      artifactPlace,
    );
    artifactPlace.pointer = `${pointer}/artifactUrl`;
    resource(artifact, artifactPlace, true);
  }

  function icon(facts: IconFacts, place: Place): void {
    resource(facts, place);
    if (!isUnseen(facts.content)) ledger.countBytes(facts.content.bytes);
    offer('icon', { facts, content: facts.content, image: facts.image, answer: answerOf(facts), origins }, place);
    resource(facts, place, true);
  }

  function entryFacts(key: string, entry: JsonValue): FactsOf<'app'> {
    const style = member(entry, 'blockStyle');
    return {
      key,
      entry,
      name: stringOrNull(member(entry, 'name')) ?? MISSHAPEN,
      description: stringOrNull(member(entry, 'description')) ?? MISSHAPEN,
      color: stringOrNull(member(style, 'color')) ?? MISSHAPEN,
      earlierSource,
    };
  }

  /** What was asked for and is not listed is hidden; and where nothing that was asked for is, nothing else was looked at. */
  function absences({ apps }: Asked, keys: readonly string[]): void {
    const listed = new Set(keys);
    const missing = apps.filter((key) => !listed.has(key));
    for (const key of missing) ledger.absence({ key, visible: false, because: ['app-not-listed'], latest: null });
    if (missing.length === 0 || missing.length < apps.length) return;
    ledger.unjudgedSymptoms.add('checksum-mismatch').add('icon-does-not-display');
  }

  function app(facts: AppFacts, entry: JsonValue, isUsual: boolean): AppVerdict {
    const { key } = facts;
    const manifest = manifestPlace!;
    const at = pointerTo('apps', key);
    const place: Place = { ...manifest, app: key, pointer: at, found: new Set() };
    ledger.seen(entry);
    if (!isUsual) offer('app', entryFacts(key, entry), place);
    const iconUrl = stringOrNull(member(member(entry, 'blockStyle'), 'iconUrl'));
    const iconPlace: Place = {
      ...place,
      resource: 'icon',
      url: iconUrl,
      web: facts.icon.web,
      pointer: `${at}/blockStyle/iconUrl`,
      found: new Set(),
    };
    if (!isUsual) url('icon', iconUrl, iconPlace);
    icon(facts.icon, iconPlace);

    const metadataUrl = stringOrNull(member(entry, 'appMetadataUrl'));
    const metadata: Place = {
      ...place,
      resource: 'metadata',
      document: facts.metadata,
      pointer: '',
      url: metadataUrl,
      file: facts.metadata.file,
      web: facts.metadata.web,
      found: new Set(),
    };
    const inManifest = { document: manifest.document, file: manifest.file, pointer: `${at}/appMetadataUrl` };
    if (!isUsual) url('metadata', metadataUrl, { ...metadata, ...inManifest });
    const value = document(facts.metadata, metadata);
    // Without a list of versions nobody knows of any artifact.
    if (!Array.isArray(member(value, 'versions'))) ledger.unjudgedSymptoms.add('checksum-mismatch');
    const earlier = before === null ? NO_EARLIER : (before.app(key) ?? []);
    const { entries, usual } = versions(value, facts.artifacts, earlier, metadata);
    const verdict = verdictOf(key, entry, metadata, value, entries, facts.metadata, ledger, isUsual ? usual : null);
    ledger.verdict(verdict);
    ledger.settle(facts.metadata);
    return verdict;
  }

  /** The verdict about a usual app of which nothing else was seen than of one before; null where the rules must be asked. */
  function plainApp({ key, metadata, artifacts }: AppFacts, absences: Absences): AppVerdict | null {
    if (ledger.hidden.has(key)) return null;
    const { content } = metadata;
    let latest: string | null = null;
    if (!isUnseen(content)) {
      latest = latestBeyondDoubt(content);
      if (latest === null || usualVersions(readingOf(content))?.length !== artifacts.length) return null;
    }
    if (!plainApps.repeat(absences, artifacts.length)) return null;
    if (!isUnseen(content)) ledger.countBytes(content.bytes);
    ledger.countVersions(artifacts.length);
    const verdict: AppVerdict = { key, visible: isUnseen(content) ? null : true, because: NO_REASON, latest };
    ledger.verdict(verdict);
    return verdict;
  }

  return {
    manifest(facts) {
      const place: Place = {
        app: null,
        version: null,
        resource: 'manifest',
        document: facts,
        pointer: '',
        url: facts.url,
        file: facts.file,
        web: facts.web,
        found: new Set(),
      };
      if (manifestPlace) ledger.settle(manifestPlace.document);
      manifestPlace = place;
      if (shard !== null && shard.index > 1 && isManifest(facts)) {
        // What is to be said of it is said once; here it only names the apps.
        manifestApps = member(readingOf(facts.content as DocumentContent).value, 'apps');
        doubtfulApps = doubtfulIn(facts);
        ledger.aside('manifest', `the manifest, which shard 1 of ${shard.of} reports on`);
        ledger.unjudgedSymptoms.add('registry-does-not-refresh');
        return;
      }
      if (facts.url !== null) url('manifest', facts.url, { ...place, document: null });
      const value = document(facts, place);
      const apps = member(value, 'apps');
      manifestApps = apps;
      doubtfulApps = doubtfulIn(facts);
      // Nothing behind a manifest that cannot be read was looked at.
      if (!isObject(apps)) {
        for (const symptom of SYMPTOMS) ledger.unjudgedSymptoms.add(symptom);
        if (value !== undefined)
          ledger.aside('metadata', 'the apps, which the manifest does not name (document-misshapen)');
        for (const key of asked?.apps ?? [])
          ledger.absence({ key, visible: null, because: ledger.blockers(place), latest: null });
        return;
      }
      const keys = Object.keys(apps);
      const metadataUrls = keys.map((key) => stringOrNull(member(apps[key], 'appMetadataUrl')));
      offer(
        'manifest',
        {
          keys,
          metadataUrls,
          earlierKeys: before ? before.keys : NO_EARLIER,
          earlierSource,
          asked: asked?.apps ?? [],
          copyAge: oldCopy(place),
        },
        { ...place, pointer: '/apps' },
      );
      if (asked !== null) absences(asked, keys);
    },

    app(facts) {
      const { key } = facts;
      const entry = member(manifestApps, key);
      const isUsual = screens && entry !== undefined && doubtfulApps !== null && !Object.hasOwn(doubtfulApps, key);
      const absences = isUsual && asked === null && before === null ? absencesOf(facts) : null;
      if (absences === null) return app(facts, entry ?? null, isUsual);
      return (
        plainApp(facts, absences) ?? plainApps.learn(absences, facts.artifacts.length, () => app(facts, entry!, true))
      );
    },

    metadata(facts, artifacts, earlier = null) {
      const place: Place = {
        app: null,
        version: null,
        resource: 'metadata',
        document: facts,
        pointer: '',
        url: facts.url,
        file: facts.file,
        web: facts.web,
        found: new Set(),
      };
      versions(document(facts, place), artifacts, earlier ?? NO_EARLIER, place);
      ledger.settle(facts);
    },

    orphans(files) {
      if (files.length === 0) return;
      offer(
        'workspace',
        { orphans: files },
        {
          app: null,
          version: null,
          resource: 'metadata',
          document: null,
          pointer: '',
          url: null,
          file: null,
          web: NOT_ASKED,
          found: new Set(),
        },
      );
    },

    finish(seconds, incomplete = null, elsewhere = 0) {
      if (shard !== null && elsewhere > 0)
        ledger.aside(
          'metadata',
          `${elsewhere === 1 ? '1 app, which is' : `${elsewhere} apps, which are`} for the other shards of ${shard.of}`,
        );
      if (manifestPlace) ledger.settle(manifestPlace.document);
      return ledger.report({ command: options.command, target: options.target, seconds, incomplete });
    },
  };
}

/** True for a manifest that says which apps there are. */
function isManifest({ content }: DocumentFacts): boolean {
  return !isUnseen(content) && isObject(member(readingOf(content).value, 'apps'));
}

/** The answer to the service's own GET: there when a 2xx answer came whole. */
function answerOf(facts: Resource): Visit | Unseen {
  if (isUnseen(facts.web)) return facts.web;
  const visit = facts.web.service;
  const rule = ruleOfFailure(visit);
  return rule === null ? visit : { unseen: `because of ${rule}` };
}

/** The apps of a manifest that are not of the usual form; null where that is not known. */
function doubtfulIn({ content }: DocumentFacts): JsonObject | null {
  if (isUnseen(content)) return null;
  const { value, doubtful } = readingOf(content);
  const apps = value === doubtful ? null : member(doubtful, 'apps');
  return isObject(apps ?? undefined) ? (apps as JsonObject) : null;
}

/** The versions that are objects. */
function entriesIn(value: JsonValue | undefined): VersionEntry[] {
  const entries: VersionEntry[] = [];
  for (const [index, item] of ((member(value, 'versions') ?? []) as JsonValue[]).entries())
    if (isObject(item)) entries.push(entryOf(index, item));
  return entries;
}

function entryOf(index: number, item: JsonObject): VersionEntry {
  return {
    index,
    version: stringOrNull(member(item, 'version')),
    artifactUrl: stringOrNull(member(item, 'artifactUrl')),
    artifactChecksum: stringOrNull(member(item, 'artifactChecksum')),
  };
}
