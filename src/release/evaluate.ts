import { join } from 'node:path';
import { message, safe, type SafeText, trimmedEnd } from '../core/text/message.ts';
import { type PublishedVersion, isMissing } from '../core/facts/facts.ts';
import { sameDigest } from '../core/registry/baseline.ts';
import { reasonText } from '../core/rules/lookup.ts';
import { type AppregError, type ErrorCode, isAppregError } from '../core/errors/error.ts';
import { NO_CHANGES } from '../core/release/entry-changes.ts';
import type { LockedVersion, Provenance } from '../core/registry/lock-file.ts';
import type { ReleasedApp } from '../core/release/report.ts';
import {
  type BuiltApp,
  decideAlike,
  type Decision,
  decideState,
  explainState,
  highestOf,
  type Likeness,
  type ReleaseState,
} from '../core/release/state.ts';
import { type AppProblem, type DeclaredVersion, isProblem } from '../core/release/version-file.ts';
import { counted, printable, shellWord } from '../core/text/text.ts';
import type { Bundle, BundleOptions } from '../bundle/bundle.ts';
import { asBase } from '../observe/workspace/places.ts';
import { sha256Of } from '../store/bytes.ts';
import { likenessOf } from '../publish/same-content.ts';
import type { ArtifactToStore } from '../publish/artifact.ts';
import type { AppToAssemble } from '../publish/described-app.ts';
import type { VersionToPublish } from '../publish/publish-version.ts';
import { stopIfInterrupted, untilStopped } from '../store/interrupt.ts';
import { inPool } from '../store/pool.ts';
import { describeApp, undescribed } from './app-folders.ts';
import { compareEntry } from './described-entry.ts';
import { type FoundApp, shownBelow, shownIn } from './find-apps.ts';
import { artifactFromBytes } from './inspect-artifact.ts';
import { buildOptions, wantedBillOf, type OpenRepository } from './repository.ts';
import type { NotesOf } from '../publish/parts/about.ts';
import type { PublishedState } from './published.ts';
import { readNotes, readVersion } from './read-version.ts';

/** An app with its state. */
export interface EvaluatedApp {
  app: FoundApp;
  result: ReleasedApp;
  /** Null for a broken app. */
  declared: DeclaredVersion | null;
  /** The description whose texts and icon are published, or recorded; null if there is nothing to do. */
  described: AppToAssemble | null;
  /** The built archive; null for an app that has nothing to publish. */
  prepared: PreparedApp | null;
  /** The files from which its version is built and listed, absolute. */
  sources: readonly string[];
  /** The files that describe it, absolute: its app.json and its icon. */
  descriptionFiles: readonly string[];
}

/** An archive, and the options of its build. */
interface Made {
  built: Bundle;
  options: BundleOptions;
}

/** An app of the repository that is built, and whose declared version is to be published. */
export interface PreparedApp extends VersionToPublish {
  /** Its folder as messages show it, relative to the configuration, with forward slashes. */
  folder: string;
  /** The archive, with its digest (`content.sha256`) and what was found in it. */
  artifact: ArtifactToStore;
  /** The inputs of the archive, for the lock file. */
  provenance: Provenance;
}

/** Errors that concern every app: the run ends. */
const COMMON_ERRORS: readonly ErrorCode[] = ['esbuild-unusable', 'license-setting-invalid', 'interrupted'];

/**
 * Builds the apps, several at a time, and decides their states. Writes nothing.
 * @param options.loads load the code of new versions, which runs it
 */
export async function evaluateApps(
  repository: OpenRepository,
  apps: readonly FoundApp[],
  published: PublishedState,
  { jobs, loads }: { jobs: number; loads: boolean },
): Promise<EvaluatedApp[]> {
  const found = new Map<FoundApp, EvaluatedApp>();
  const progress = repository.listener.progress(message`Building ${counted(apps.length, 'app')}`);
  try {
    await inPool(apps, Math.min(Math.max(1, jobs), apps.length), async (app) => {
      stopIfInterrupted();
      const evaluated = await evaluateApp(repository, app, published, loads);
      found.set(app, evaluated);
      progress.update(() => message`Building: ${found.size} of ${counted(apps.length, 'app')}, ${app.key}`);
    });
  } finally {
    progress.stop();
  }
  return apps.flatMap((app) => found.get(app) ?? []);
}

async function evaluateApp(
  repository: OpenRepository,
  app: FoundApp,
  published: PublishedState,
  loads: boolean,
): Promise<EvaluatedApp> {
  const { listed, lock } = published;
  const versions = listed.keys.includes(app.key) ? listed.app(app.key) : null;
  const broken = (problem: AppProblem, version: string | null = null): EvaluatedApp =>
    brokenApp(app, problem, version, versions === null || isMissing(versions) ? [] : versions);
  if (app.problem !== null) return broken(app.problem);
  const declared = readVersion(app);
  if (isProblem(declared)) return broken(declared);
  const { version } = declared;
  const notes = readNotes(app);
  if (isProblem(notes)) return broken(notes, version);
  const made = await build(repository, app);
  if (isProblem(made)) return broken(made, version);
  const { built } = made;
  if (versions !== null && isMissing(versions))
    return broken(unknownVersions(app, reasonText(versions.missing)), version);
  const provenance = provenanceOf(built);
  const recorded = lock?.versions.get(app.key)?.get(version);
  const description = await describe(repository, app);
  const invalid = description !== null && isProblem(description) ? description : null;
  if (invalid !== null && versions !== null) return broken(invalid, version);
  const listing = versions !== null || description === null || isProblem(description) ? null : description;
  const facts: BuiltApp = {
    declared: version,
    checksum: built.checksum,
    provenance,
    listed: versions,
    isDescribed: listing !== null,
    recorded: recorded ? { ...recorded, provenance: recorded.provenance ?? null } : null,
    isMaintained: app.isMaintained,
  };
  const decided = decideState(facts);
  const likeness = decided.state === 'changed' ? await likenessToListed(built, version, versions, published) : null;
  const decision: Decision = likeness === null ? decided : decideAlike(facts, decided, likeness);
  const { state, highest, listedChecksum } = decision;
  const { key, folder } = app;
  const words = explainState(decision, {
    key,
    declared: version,
    versionFile: printable(shownBelow(repository.root, app.versionFile)),
    buildOptions: buildOptionsOf(app),
    isListed: versions !== null,
    unlisted: listing === null && versions === null ? (invalid ?? undescribed(app)) : null,
  });
  const compared = compareEntry(
    app,
    description !== null && isProblem(description) ? null : description,
    state,
    published,
  );
  const evaluated: EvaluatedApp = {
    app,
    declared,
    described: compared.toPublish,
    prepared: isPublishable(state, recorded)
      ? await prepare(repository, app, version, built, { provenance, listing, notes })
      : null,
    sources: [...built.sources, app.versionFile, ...descriptionFiles(repository, listing)],
    descriptionFiles: descriptionFiles(repository, compared.toPublish),
    result: {
      key,
      folder,
      state,
      declared: version,
      listed: highest,
      checksum: built.checksum,
      listedChecksum,
      published: false,
      ...words,
      changes: compared.changes,
    },
  };
  return loads && state === 'new' ? withLoadTest(repository, evaluated, made) : evaluated;
}

/** Loads the code of an app; one that cannot be loaded is broken. */
async function withLoadTest(
  { config, listener }: OpenRepository,
  evaluated: EvaluatedApp,
  { built, options }: Made,
): Promise<EvaluatedApp> {
  const { app, result } = evaluated;
  const { loadTest } = await import('../bundle/load-test/load-test.ts');
  try {
    const { exports, warnings } = await untilStopped(loadTest(built, options, config.artifact?.entry));
    for (const warning of warnings) listener.log(message`warning: ${app.key}: ${safe(warning)}`);
    return { ...evaluated, result: { ...result, exports } };
  } catch (error) {
    if (!isAppregError(error) || COMMON_ERRORS.includes(error.code)) throw error;
    return brokenBy(evaluated, error);
  }
}

/** The options with which `publish-version` builds an app, in the folder of the configuration. */
function buildOptionsOf({ folder, entry, ui }: FoundApp): string {
  const files = [
    ['--entry', entry],
    ['--ui', ui],
  ] as const;
  return files
    .flatMap(([option, file]) => (file === null ? [] : [option, printable(shellWord(shownIn(folder, file)))]))
    .join(' ');
}

/** The way in which the listed artifact of a version has the content that was built; null if it has another. */
async function likenessToListed(
  { archive }: Bundle,
  version: string,
  listed: readonly PublishedVersion[] | null,
  published: PublishedState,
): Promise<Likeness | null> {
  const entry = listed?.find((one) => one.version === version);
  const bytes = entry === undefined ? null : await published.artifact(entry.artifactUrl);
  if (entry === undefined || bytes === null) return null;
  // Other bytes than the listed ones are not what was published.
  return sameDigest(entry.artifactChecksum, `sha256:${sha256Of(bytes)}`) ? likenessOf(bytes, archive) : null;
}

/** The app as its folder describes it, judged; null if nothing describes it. */
async function describe(
  { config, root, severities }: OpenRepository,
  app: FoundApp,
): Promise<AppToAssemble | AppProblem | null> {
  const base = asBase(config.baseUrl ?? 'https://apps.example.com/');
  const judgeSettings = { now: new Date().toISOString(), severities: await severities() };
  return describeApp(root, base, app, judgeSettings);
}

function descriptionFiles({ root }: OpenRepository, described: AppToAssemble | null): string[] {
  if (described === null) return [];
  const names = ['app.json', ...(described.icon === null ? [] : [described.icon])];
  return names.map((name) => join(root, described.source, name));
}

/** Also a listed version whose sources an interrupted run did not record. */
function isPublishable(state: ReleaseState, recorded: LockedVersion | undefined): boolean {
  return state === 'new' || (state === 'unchanged' && recorded?.provenance === undefined);
}

async function build({ config, cwd, listener, positions }: OpenRepository, app: FoundApp): Promise<Made | AppProblem> {
  const { bundle } = await import('../bundle/bundle.ts');
  const options: BundleOptions = {
    entry: `${app.path}/${app.entry}`,
    ...(app.ui !== null && { ui: `${app.path}/${app.ui}` }),
    ...buildOptions(config, positions, app.build),
    cwd,
    traced: true,
  };
  try {
    const built = await bundle(options);
    for (const warning of built.warnings) listener.log(message`warning: ${app.key}: ${warning}`);
    return { built, options };
  } catch (error) {
    if (!isAppregError(error) || COMMON_ERRORS.includes(error.code)) throw error;
    listener.log(message`${app.key}: ${safe(trimmedEnd(error.summary))}`);
    return { message: headline(error.summary), advice: error.hint };
  }
}

/** The first error of the compiler, after the line that counts them. */
function headline(summary: string): SafeText {
  const [first = '', second] = summary.split('\n').filter((line) => line.trim() !== '');
  return second === undefined ? message`${first}` : message`${first} ${second}`;
}

function provenanceOf({ provenance }: Bundle): () => Provenance {
  if (provenance === null) throw new Error('the build was not traced');
  let known: Provenance | null = null;
  return () => (known ??= provenance());
}

async function prepare(
  { config, root }: OpenRepository,
  { key, folder }: FoundApp,
  version: string,
  built: Bundle,
  { provenance, listing, notes }: { provenance: () => Provenance; listing: AppToAssemble | null; notes: NotesOf },
): Promise<PreparedApp> {
  const artifact = await artifactFromBytes(built.archive, printable(folder), root, built);
  const wantedBill = wantedBillOf({}, config);
  return {
    key,
    folder,
    version,
    artifact: wantedBill === 'none' ? artifact : (await import('./bill.ts')).withBill(artifact, built, key, wantedBill),
    listing,
    notes,
    provenance: provenance(),
  };
}

function brokenApp(
  app: FoundApp,
  { message, advice }: AppProblem,
  declared: string | null,
  versions: readonly PublishedVersion[],
): EvaluatedApp {
  const { key, folder } = app;
  const known = versions.find(({ version }) => version === declared);
  const published = { listed: highestOf(versions), listedChecksum: known?.artifactChecksum ?? null };
  return {
    app,
    declared: null,
    described: null,
    prepared: null,
    sources: [],
    descriptionFiles: [],
    result: {
      key,
      folder,
      state: 'broken',
      declared,
      checksum: null,
      ...published,
      published: false,
      message,
      advice,
      changes: NO_CHANGES,
    },
  };
}

/** The same app, which cannot be published for this reason. */
export function brokenBy(one: EvaluatedApp, { message, hint }: Pick<AppregError, 'message' | 'hint'>): EvaluatedApp {
  return { ...one, prepared: null, described: null, result: { ...one.result, state: 'broken', message, advice: hint } };
}

function unknownVersions({ key }: FoundApp, reason: string): AppProblem {
  return {
    message: message`The published versions of ${key} are unknown: ${reason}`,
    advice: message`Release from the workspace with its metadata file, or correct its appMetadataUrl.`,
  };
}
