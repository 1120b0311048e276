import { APP_ENTRY } from '../registry/app-entry.ts';
import { latestIfClean } from '../fast-path/clean-versions.ts';
import { oldCopyAge } from '../http/cache.ts';
import type {
  AppFacts,
  ArtifactFacts,
  RequestedApps,
  DocumentFacts,
  Baseline,
  PublishedVersion,
  HostFacts,
  IconFacts,
  Shard,
  Snapshot,
  Missing,
} from '../facts/facts.ts';
import { isMissing } from '../facts/facts.ts';
import { isObject, type JsonObject, type JsonValue, member, parseDocument, canonicalVersions } from '../json/json.ts';
import { listedVersions } from '../registry/metadata.ts';
import { appFields, iconUrlOf, manifestApps, manifestAppsIn, metadataUrlOf } from '../registry/manifest.ts';
import { NO_BASELINE, NOT_REQUESTED, createVersionJudge } from './versions.ts';
import {
  FindingCollector,
  type FindingHooks,
  locationOf,
  locationOfDocument,
  type SubjectLocation,
} from './findings.ts';
import { answerOf, SCHEMA_VIOLATION, RuleDispatcher } from './dispatch.ts';
import { type MissingFacts, missingFactsOf, SkipReplay } from '../fast-path/skip-replay.ts';
import { pointerTo } from '../json/pointer.ts';
import { type AppVerdict, type CheckCommand, type Report, type Severity, SYMPTOMS } from './report.ts';
import type { AnyRule, FactsOf } from '../rules/rule.ts';
import { parseUrl } from '../http/url.ts';
import { NO_REASON, verdictOf } from './visibility.ts';

/** The engine: dispatches every subject with its facts to the rules, app by app, and collects their findings. */

export interface JudgeOptions extends FindingHooks {
  command: CheckCommand;
  target: string;
  /** ISO 8601; the moment of observation, since core has no clock. */
  now: string;
  /** Overrides by rule id. */
  severities?: Readonly<Record<string, Severity | 'off'>>;
  /** The baseline for the rules about immutability. */
  baseline?: Baseline | null;
  /** The origins that the registry was requested with. */
  origins?: readonly string[];
  /** Set when the run covers a part of the apps. The first shard reports on the manifest. */
  shard?: Pick<Shard, 'index' | 'of'> | null;
  rules?: readonly AnyRule[];
  /** What was requested by name. */
  requested?: RequestedApps | null;
  /** The entry file of an app's code, at the top level of its artifact (default: app.js). */
  appEntry?: string | null;
}

/** Judging in portions, so that facts can be released once they are judged: the manifest first, then each app. */
export interface Judging {
  manifest(manifest: DocumentFacts): void;
  /** @returns the verdict about the app */
  app(facts: AppFacts): AppVerdict;
  /** A metadata file by itself, when its app is not known. */
  metadata(metadata: DocumentFacts, artifacts: readonly ArtifactFacts[], earlier?: PublishedVersion[] | null): void;
  orphans(files: readonly string[]): void;
  /** The hosts that temporarily refused requests, after all apps. */
  hosts(facts: readonly HostFacts[]): void;
  /**
   * @param seconds the duration of the run
   * @param incomplete why the run did not observe everything, or null
   * @param elsewhere the number of apps in other shards
   */
  finish(seconds: number, incomplete?: string | null, elsewhere?: number): Report;
}

/** Judges a whole snapshot. The same facts give the same report. */
export function judge(
  snapshot: Snapshot,
  options: Omit<JudgeOptions, 'now' | 'target'> & { seconds?: number; target?: string },
): Report {
  const judging = startJudging({
    origins: snapshot.origins,
    target: snapshot.target,
    shard: snapshot.shard ?? null,
    requested: snapshot.requested ?? null,
    appEntry: snapshot.appEntry ?? null,
    ...options,
    now: snapshot.seenAt,
  });
  return judgeWhole(snapshot, judging, options.seconds ?? 0);
}

/** Passes a whole snapshot to the judge. */
export function judgeWhole(snapshot: Snapshot, judging: Judging, seconds: number): Report {
  judging.manifest(snapshot.manifest);
  for (const app of snapshot.apps) judging.app(app);
  judging.orphans(snapshot.orphans);
  judging.hosts(snapshot.hosts ?? []);
  return judging.finish(seconds, snapshot.incomplete ?? null, snapshot.shard?.elsewhere);
}

export function startJudging(options: JudgeOptions): Judging {
  const collector = new FindingCollector(options.severities ?? {}, options);
  const dispatcher = new RuleDispatcher(options, collector);
  const before = options.baseline ?? null;
  const earlierSource: string | Missing = before ? before.source : NO_BASELINE;
  const { now } = options;
  const origins = options.origins ?? [];
  const shard = options.shard ?? null;
  const asked = options.requested ?? null;
  let listedApps: JsonObject | null = null;
  /** The apps that are not in canonical form, or null if any app may not be. */
  let doubtfulApps: JsonObject | null = null;
  let manifestPlace: SubjectLocation | null = null;
  const plainApps = new SkipReplay(collector);
  const versions = createVersionJudge(dispatcher, {
    earlierSource,
    isAsked: asked !== null,
    version: asked?.version ?? null,
    appEntry: options.appEntry ?? APP_ENTRY,
    oldCopy,
  });

  /** The age of a cached document that is too old to contain recent publications; it does not clear a symptom. */
  function oldCopy(place: SubjectLocation): number {
    const age = isMissing(place.web) ? 0 : oldCopyAge(place.web.server, now);
    if (age > 0) collector.noteStaleCopy(place.resource, age);
    return age;
  }

  function icon(facts: IconFacts, place: SubjectLocation): void {
    dispatcher.resource(facts, place);
    if (!isMissing(facts.content)) collector.countBytes(facts.content.bytes);
    dispatcher.dispatch(
      'icon',
      { facts, content: facts.content, image: facts.image, answer: answerOf(facts), origins },
      place,
    );
    dispatcher.resource(facts, place, true);
  }

  function entryFacts(key: string, entry: JsonValue): FactsOf<'app'> {
    const { name, description, color } = appFields(entry);
    return {
      key,
      entry,
      name: name ?? SCHEMA_VIOLATION,
      description: description ?? SCHEMA_VIOLATION,
      color: color ?? SCHEMA_VIOLATION,
      earlierSource,
    };
  }

  /** A requested app that is not listed is hidden; if no requested app is listed, nothing else was observed. */
  function absences({ apps }: RequestedApps, keys: readonly string[]): void {
    const listed = new Set(keys);
    const missing = apps.filter((key) => !listed.has(key));
    for (const key of missing)
      collector.addMissingApp({ key, visible: false, because: ['app-not-listed'], latest: null });
    if (missing.length === 0 || missing.length < apps.length) return;
    collector.unjudgedSymptoms.add('checksum-mismatch').add('icon-does-not-display');
  }

  function app(facts: AppFacts, entry: JsonValue, isUsual: boolean): AppVerdict {
    const { key } = facts;
    const manifest = manifestPlace!;
    const at = pointerTo('apps', key);
    const place: SubjectLocation = { ...manifest, app: key, pointer: at, found: new Map() };
    collector.noteValue(entry);
    if (!isUsual) dispatcher.dispatch('app', entryFacts(key, entry), place);
    const iconUrl = iconUrlOf(entry);
    const iconPlace: SubjectLocation = {
      ...place,
      resource: 'icon',
      url: iconUrl,
      web: facts.icon.web,
      pointer: `${at}/blockStyle/iconUrl`,
      found: new Map(),
    };
    if (!isUsual) dispatcher.url('icon', iconUrl, iconPlace);
    icon(facts.icon, iconPlace);

    const metadataUrl = metadataUrlOf(entry);
    const metadata: SubjectLocation = {
      ...place,
      resource: 'metadata',
      document: facts.metadata,
      pointer: '',
      url: metadataUrl,
      file: facts.metadata.file,
      web: facts.metadata.web,
      found: new Map(),
    };
    const inManifest = { document: manifest.document, file: manifest.file, pointer: `${at}/appMetadataUrl` };
    if (!isUsual) dispatcher.url('metadata', metadataUrl, { ...metadata, ...inManifest });
    const value = dispatcher.document(facts.metadata, metadata);
    // Without a list of versions no artifact is known.
    if (listedVersions(value) === null) collector.unjudgedSymptoms.add('checksum-mismatch');
    const earlier = before === null ? NO_BASELINE : (before.app(key) ?? []);
    const { entries, usual } = versions(value, facts.artifacts, earlier, metadata);
    const verdict = verdictOf(key, entry, metadata, value, entries, facts.metadata, collector, isUsual ? usual : null);
    collector.verdict(verdict);
    collector.resolvePositions(facts.metadata);
    return verdict;
  }

  /** The verdict about a canonical app with the same missing facts as an earlier one; null if the rules have to run. */
  function plainApp({ key, metadata, artifacts }: AppFacts, absences: MissingFacts): AppVerdict | null {
    if (collector.hidden.has(key)) return null;
    const { content } = metadata;
    let latest: string | null = null;
    if (!isMissing(content)) {
      latest = latestIfClean(content);
      if (latest === null || canonicalVersions(parseDocument(content))?.length !== artifacts.length) return null;
    }
    if (!plainApps.repeat(absences, artifacts.length)) return null;
    if (!isMissing(content)) collector.countBytes(content.bytes);
    collector.countVersions(artifacts.length);
    const verdict: AppVerdict = { key, visible: isMissing(content) ? null : true, because: NO_REASON, latest };
    collector.verdict(verdict);
    return verdict;
  }

  return {
    manifest(facts) {
      const place = locationOfDocument('manifest', facts);
      if (manifestPlace) collector.resolvePositions(manifestPlace.document);
      manifestPlace = place;
      dispatcher.registry = facts.url === null ? null : parseUrl(facts.url);
      if (shard !== null && shard.index > 1 && isManifest(facts)) {
        // The manifest's findings were already reported; here it only names the apps.
        listedApps = manifestAppsIn(facts.content);
        doubtfulApps = doubtfulIn(facts);
        collector.noteSkipped('manifest', { code: 'other-shard', shards: shard.of, apps: null });
        collector.unjudgedSymptoms.add('registry-does-not-refresh');
        return;
      }
      if (facts.url !== null) dispatcher.url('manifest', facts.url, { ...place, document: null });
      const value = dispatcher.document(facts, place);
      const apps = manifestApps(value);
      listedApps = apps;
      doubtfulApps = doubtfulIn(facts);
      // If the manifest cannot be read, nothing behind it was observed.
      if (apps === null) {
        for (const symptom of SYMPTOMS) collector.unjudgedSymptoms.add(symptom);
        if (value !== undefined) collector.noteSkipped('metadata', { code: 'no-app-list', rule: 'schema-violation' });
        for (const key of asked?.apps ?? [])
          collector.addMissingApp({ key, visible: null, because: collector.blockers(place), latest: null });
        return;
      }
      const keys = Object.keys(apps);
      const metadataUrls = keys.map((key) => metadataUrlOf(apps[key]));
      dispatcher.dispatch(
        'manifest',
        {
          keys,
          metadataUrls,
          earlierKeys: before ? before.keys : NO_BASELINE,
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
      const entry = member(listedApps ?? undefined, key);
      const isUsual =
        dispatcher.usesFastPath && entry !== undefined && doubtfulApps !== null && !Object.hasOwn(doubtfulApps, key);
      const absences = isUsual && asked === null && before === null ? missingFactsOf(facts) : null;
      if (absences === null) return app(facts, entry ?? null, isUsual);
      return (
        plainApp(facts, absences) ?? plainApps.learn(absences, facts.artifacts.length, () => app(facts, entry!, true))
      );
    },

    metadata(facts, artifacts, earlier = null) {
      const place = locationOfDocument('metadata', facts);
      versions(dispatcher.document(facts, place), artifacts, earlier ?? NO_BASELINE, place);
      collector.resolvePositions(facts);
    },

    orphans(files) {
      if (files.length === 0) return;
      dispatcher.dispatch('workspace', { orphans: files }, locationOf('metadata', NOT_REQUESTED));
    },

    hosts: (facts) => dispatcher.hosts(facts),

    finish(seconds, incomplete = null, elsewhere = 0) {
      if (shard !== null && elsewhere > 0)
        collector.noteSkipped('metadata', { code: 'other-shard', shards: shard.of, apps: elsewhere });
      if (manifestPlace) collector.resolvePositions(manifestPlace.document);
      return collector.report({ command: options.command, target: options.target, seconds, incomplete });
    },
  };
}

/** True for a manifest that lists apps. */
function isManifest({ content }: DocumentFacts): boolean {
  return manifestAppsIn(content) !== null;
}

/** The apps of a manifest that are not in canonical form; null if that is not known. */
function doubtfulIn({ content }: DocumentFacts): JsonObject | null {
  if (isMissing(content)) return null;
  const { value, nonCanonical: doubtful } = parseDocument(content);
  const apps = value === doubtful ? null : member(doubtful, 'apps');
  return isObject(apps ?? undefined) ? (apps as JsonObject) : null;
}
