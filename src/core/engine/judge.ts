import type {
  AppFacts,
  ArtifactFacts,
  Baseline,
  ComparedState,
  DocumentFacts,
  HostFacts,
  Missing,
  PublishedVersion,
  RequestedApps,
  ServiceFacts,
  Shard,
  Snapshot,
} from '../facts/facts.ts';
import type { AttestationRequirement } from '../facts/attestation.ts';
import type { AttestedVersions } from '../attestation/attested-versions.ts';
import type { FactsPart } from '../facts/part.ts';
import { type RegistryPlace, registryAt } from '../findings/fingerprint.ts';
import type { CheckCommand, ExceptionList, KnownFinding, Report } from '../findings/report.ts';
import type { JudgedApp } from '../offers/judged-app.ts';
import { comparedBaseline } from '../registry/compared.ts';
import { APP_ENTRY } from '../registry/app-entry.ts';
import { listedVersions } from '../registry/manifest.ts';
import { rules as allRules } from '../rules/index.ts';
import type { AnyRule } from '../rules/rule.ts';
import type { Severity } from '../values/severity.ts';
import { fileComparison, registryComparison } from './comparison.ts';
import { judgeSubject } from './evaluate.ts';
import { EvaluatedRules } from './evaluated.ts';
import { judgeAbout, judgeApp } from './judge-app.ts';
import { judgeDeployment } from './judge-deployment.ts';
import { judgeExceptions } from './judge-exceptions.ts';
import { judgeManifest } from './judge-manifest.ts';
import { judgeDocument, judgeHosts } from './judge-resource.ts';
import { judgeService } from './judge-service.ts';
import { judgeVersions, whyNoVersions } from './judge-versions.ts';
import { locationOf, locationOfDocument } from './location.ts';
import { type FoundSoFar, RunRecord } from './record.ts';
import { RuleTable } from './rule-table.ts';
import { nameChangingHosts } from './name-changing-host.ts';
import { nameOtherApps } from './name-other-apps.ts';
import { NO_BASELINE, NOT_REQUESTED, Run, type RunSettings } from './run.ts';
import { reportOf } from './run-report.ts';

/** The engine: judges every subject with its facts by the rules, app by app, and collects their findings. */

/** The run that is judged, and options of judging; docs/implementers/library.md explains them. */
export interface JudgeOptions {
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
  /** Apps and versions that were requested by name. */
  requested?: RequestedApps | null;
  /** True if `service` will be called: what is served is kept for it. */
  joinsService?: boolean;
  /** The entry file of an app's code, at the top level of its artifact (default: app.js). */
  appEntry?: string | null;
  /** The requirement on attestations; null if they are not judged. */
  attestations?: AttestationRequirement | null;
  /** True if each finding names the party that has to act, and the responding server. */
  explains?: boolean;
  /** True for a change that is judged before it is published. */
  isPublishing?: boolean;
  /** True if those who read the report must not know when reused facts were observed: the service shares registries. */
  omitsReuseTimes?: boolean;
  /** Findings that do not count, with the reason. */
  exceptions?: ExceptionList | null;
  /** The findings of an earlier report, which do not count; those of other registries are ignored. */
  known?: readonly KnownFinding[] | null;
  /** The registry, for the fingerprints of its findings (default: by `target`). */
  registry?: RegistryPlace;
}

/** Judging in portions, so that facts can be released once they are judged: the manifest first, then each app. */
export interface Judging {
  /** Judges a part of an observation, as `manifest`, `app`, `hosts`, `service` and `against` do. Parts without facts are ignored. */
  add(part: FactsPart): void;
  manifest(manifest: DocumentFacts): void;
  /** @returns the verdict about the app, and what it is based on */
  app(facts: AppFacts): JudgedApp;
  /**
   * A metadata file by itself, when its app is not known.
   * @param earlier the published versions of the app; null for no comparison
   * @param about the about file of the app; null if it has none
   */
  metadata(
    metadata: DocumentFacts,
    artifacts: readonly ArtifactFacts[],
    earlier?: PublishedVersion[] | Missing | null,
    about?: DocumentFacts | null,
  ): void;
  /** @param artifacts those in a workspace that no version lists */
  orphans(files: readonly string[], artifacts?: readonly string[]): void;
  /** The hosts that temporarily refused requests, after all apps. */
  hosts(facts: readonly HostFacts[]): void;
  /** State of the registry in a subscriber service, after all apps. */
  service(facts: ServiceFacts | Missing): void;
  /** The stored state that is compared with what is served, after all apps. */
  against(state: ComparedState): void;
  /** Counts of the findings so far, before it is known whether a host's limit explains them. */
  foundSoFar(): FoundSoFar;
  /** The versions so far whose attestations prove what is required. */
  attested(): AttestedVersions[];
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
  const judging = startJudging({ ...optionsOf(snapshot), ...options, now: snapshot.seenAt });
  return judgeWhole(snapshot, judging, options.seconds ?? 0);
}

/** The options for judging saved facts, as the run that saved them had them, with the baseline that it was to compare. */
export function optionsOf(snapshot: Snapshot): Omit<JudgeOptions, 'command'> {
  const { against } = snapshot;
  return {
    ...(against?.isRequested === true && { baseline: comparedBaseline(against) }),
    now: snapshot.seenAt,
    origins: snapshot.origins,
    target: snapshot.target,
    shard: snapshot.shard ?? null,
    requested: snapshot.requested ?? null,
    appEntry: snapshot.appEntry ?? null,
    attestations: snapshot.attestations ?? null,
    joinsService: snapshot.service !== undefined,
  };
}

export function judgeWhole(snapshot: Snapshot, judging: Judging, seconds: number): Report {
  judging.manifest(snapshot.manifest);
  for (const app of snapshot.apps) judging.app(app);
  judging.orphans(snapshot.orphans, snapshot.unlistedArtifacts);
  judging.hosts(snapshot.hosts ?? []);
  if (snapshot.service !== undefined) judging.service(snapshot.service);
  if (snapshot.against !== undefined) judging.against(snapshot.against);
  return judging.finish(seconds, snapshot.incomplete ?? null, snapshot.shard?.elsewhere);
}

/** Starts a run that judges facts as they are observed. */
export function startJudging(options: JudgeOptions): Judging {
  const run = openRun(options);
  const { record } = run;
  return {
    add(part) {
      if (part.kind === 'manifest') this.manifest(part.facts);
      else if (part.kind === 'app') this.app(part.facts);
      else if (part.kind === 'hosts') this.hosts(part.facts);
      else if (part.kind === 'service') this.service(part.facts);
      else if (part.kind === 'against') this.against(part.facts);
    },
    manifest(facts) {
      run.manifest = judgeManifest(run, facts);
    },
    app(facts) {
      if (run.manifest === null) throw new Error('the manifest has to be judged before the apps');
      return judgeApp(run, run.manifest, facts);
    },
    metadata: (facts, artifacts, earlier = null, about = null) =>
      judgeMetadataFile(run, facts, { artifacts, earlier, about }),
    orphans: (files, artifacts = []) => judgeUnused(run, files, artifacts),
    hosts: (facts) => judgeHosts(run, facts),
    service: (facts) => judgeService(run, facts),
    against(state) {
      run.compared = state;
    },
    foundSoFar: () => ({ ...record.foundSoFar }),
    attested: () => record.attested.all(),
    finish(seconds, incomplete = null, elsewhere = 0) {
      completeRun(run, incomplete, elsewhere);
      return reportOf(run, { command: options.command, target: options.target, seconds });
    },
  };
}

function openRun(options: JudgeOptions): Run {
  const { severities = {}, exceptions = null, registry = registryAt(options.target) } = options;
  const settings: RunSettings = {
    now: options.now,
    origins: options.origins ?? [],
    baseline: options.baseline ?? null,
    requested: options.requested ?? null,
    shard: options.shard ?? null,
    appEntry: options.appEntry ?? APP_ENTRY,
    isPublishing: options.isPublishing === true,
    attestations: options.attestations ?? null,
    exceptions,
    registry,
    known: options.known?.filter((finding) => finding.registry === registry.identity) ?? [],
  };
  const matched = [...(exceptions?.entries ?? []), ...settings.known];
  const record = new RunRecord(severities, options, matched.length === 0 ? null : new EvaluatedRules(matched));
  const rules = new RuleTable(options.rules ?? allRules, severities);
  return new Run(settings, rules, record, options.joinsService === true);
}

/** A metadata file, and what is known about its app. */
interface MetadataFile {
  artifacts: readonly ArtifactFacts[];
  earlier: PublishedVersion[] | Missing | null;
  about: DocumentFacts | null;
}

/** Judges a metadata file whose app is not known. */
function judgeMetadataFile(run: Run, facts: DocumentFacts, { artifacts, earlier, about }: MetadataFile): void {
  const { record } = run;
  const place = locationOfDocument('metadata', facts);
  const value = judgeDocument(run, facts, place);
  const versions = judgeVersions(run, value, artifacts, earlier ?? NO_BASELINE, place);
  const isListed = listedVersions(value) !== null;
  const left = fileComparison(run.settings.baseline, earlier, isListed ? null : whyNoVersions(facts.content));
  if (left !== null) record.leftOut.push(left);
  record.closeDocument(facts);
  if (about !== null) judgeAbout(run, about, isListed ? versions : null, place);
}

/** Judges the files of a workspace that nothing refers to. */
function judgeUnused(run: Run, orphans: readonly string[], unlisted: readonly string[]): void {
  if (orphans.length + unlisted.length === 0) return;
  judgeSubject(run, 'workspace', { orphans, unlisted }, locationOf('metadata', NOT_REQUESTED));
}

/**
 * Adds what is known only at the end of a run: what was only counted, the findings that no limit of a host explains, the
 * comparison that was not made, and last the exceptions that match nothing.
 * @param incomplete why the run did not observe everything, or null
 * @param elsewhere the number of apps in other shards
 */
function completeRun(run: Run, incomplete: string | null, elsewhere: number): void {
  const { record, manifest } = run;
  const { shard, baseline, exceptions } = run.settings;
  judgeDeployment(run);
  if (shard !== null && elsewhere > 0)
    record.notJudged.addSkipped('metadata', { code: 'other-shard', shards: shard.of, apps: elsewhere });
  if (manifest?.location.document) record.closeDocument(manifest.location.document);
  run.rules.addCounted(record.notJudged);
  record.close(incomplete);
  nameOtherApps(record.findings, run.versionsSoFar);
  nameChangingHosts(record.findings, run.artifactsOfHosts);
  const comparison = registryComparison(baseline, manifest === null || manifest.apps !== null);
  if (comparison !== null) record.leftOut.push(comparison);
  if (exceptions !== null) judgeExceptions(run, exceptions);
}
