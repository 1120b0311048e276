import { message } from '../../core/text/message.ts';
import type { NewVersion } from '../../author/metadata.ts';
import { LOCK_FILE } from '../../core/registry/lock-file.ts';
import { grouped, printable, redact } from '../../core/text/text.ts';
import { AppregError } from '../../core/errors/error.ts';
import type { Store } from '../../store/store.ts';
import { checkVersion, isBump } from '../../publish/choose-version.ts';
import { type Published, publishVersion } from '../../publish/publish-version.ts';
import { WORKSPACE_LOCK } from '../../publish/parts/workspace-lock.ts';
import { requirePublishable } from '../../publish/listed-app.ts';
import { exceptedSecrets } from '../../publish/excepted-secrets.ts';
import { publishingSeverities } from '../../publish/check-content.ts';
import { type PlannedStep, withKinds } from '../../publish/plan.ts';
import type { StepResult } from '../../publish/apply-step.ts';
import { describesApp } from '../../release/find-apps.ts';
import { attesterOf } from '../check/attest-options.ts';
import { allowedSecrets, withoutSecrets } from '../check/allowed-secrets.ts';
import { artifactFrom, checkSource, hasSource, withSource } from '../check/artifact-source.ts';
import type { Results } from '../../report/results.ts';
import type { Style } from '../../report/style.ts';
import { severitiesOf } from '../config/severities.ts';
import type { Context } from '../config/context.ts';
import type { OptionsOf } from '../io/invocation.ts';
import { printResult } from '../io/results.ts';
import { hasLock } from '../../workspace/lock.ts';
import { planText, printFindings } from '../check/remarks.ts';
import { openWorkspace } from '../config/workspace.ts';
import type { publishVersionCommand } from '../define/publish-version.ts';
import { documentContent } from '../../core/json/json.ts';
import { sectionOf } from '../../core/about/changelog.ts';
import { readInputFile } from '../io/input-file.ts';
import { remoteStore } from '../config/stored-state.ts';

type Options = OptionsOf<typeof publishVersionCommand>;

type Status = 'published' | 'already-published' | 'planned';

/**
 * `appreg publish-version <app> <version|major|minor|patch>` (spec 4.4): the artifact first, then its entry in the
 * metadata file. Publishing the same bytes again succeeds; a published version never changes.
 */
export async function runPublishVersion(context: Context, key: string, word: string, given: Options): Promise<number> {
  const { terminal } = context;
  checkVersion(word, given.allowPrerelease === true);
  // At a terminal, prompt for the source only after the app is known to exist.
  if (!terminal.interactive || hasSource(given)) checkSource(given);
  const { place, config, file, root } = await openWorkspace(context);
  const isRemote = remoteStore(config) !== null;
  const isReleased = describesApp(root, config.release, key);
  // An unknown app is reported before anything is built or asked.
  await requirePublishable(place, key);
  const options = await withSource(context, given);
  if (options === null) return 130;
  const notes = notesOf(context, options);
  const allowed = allowedSecrets(options);
  // Nothing is stored for an artifact that is hosted elsewhere.
  const attester =
    options.artifactUrl === undefined ? await attesterOf(context, await context.config(), options) : undefined;
  const traced = isReleased || hasLock(root);
  const { artifact: made, provenance, sources } = await artifactFrom(context, options, { key, config, traced });
  const excepted = exceptedSecrets(config.exceptions, {
    app: key,
    version: isBump(word) ? null : word,
    now: new Date().toISOString(),
  });
  const inspected = withoutSecrets(made, { allowed, excepted }, terminal);
  const artifact = attester === undefined || inspected.bytes === null ? inspected : { ...inspected, attester };
  if (sources.length > 0) await warnUncommitted(context, sources);
  const judgeSettings = {
    now: new Date().toISOString(),
    severities: publishingSeverities(await severitiesOf(context, { config, file }), options.anyContent === true),
    appEntry: config.artifact?.entry ?? null,
    requiresAttestation: config.evidence?.attestations?.mode === 'require',
    allow: {
      prerelease: options.allowPrerelease === true,
      lower: options.allowLower === true,
      same: options.allowSame === true,
    },
  };
  // Where apps are released, the lock file of the store has every version, and is created, since `release` compares with
  // it. Elsewhere it is not read, which would be one request more to a bucket. In a store that is the workspace itself,
  // the lock file of the workspace is that file.
  const recordsInStore = isReleased || (!isRemote && hasLock(root));
  const readsBack = artifact.bytes !== null && options.readBack !== false;
  // Others may have published while the artifact was built.
  place.store.forget?.();
  const wanted = { key, version: word, artifact, listing: null, notes, provenance };
  const done = await publishVersion(place, wanted, judgeSettings, {
    dryRun: options.dryRun,
    readBack: readsBack ? (entry) => readBack(context, entry, options) : undefined,
    recordsInStore,
    workspace: isRemote && hasLock(root) ? await folderOf(root) : null,
  });
  const status = statusOf(done, options.dryRun === true);

  printFindings(terminal, done.planned.findings);
  const bytes = artifact.content.bytes;
  printResult<'publish-version'>(context, {
    pretty: (style) => describeResult(style, key, status, done, bytes),
    json: () => resultJson(key, status, done, bytes),
  });
  const manifestUrl = place.base + encodeURIComponent(place.manifest);
  if (status === 'planned') terminal.next(message`the same command without --dry-run`);
  else if (isRemote)
    terminal.next(
      message`${hasLock(root) ? `commit ${LOCK_FILE}; ` : ''}appreg verify ${manifestUrl} --app ${key} --wait 10m`,
    );
  else terminal.next(message`appreg lint; upload the folder; appreg verify ${manifestUrl}`);
  return 0;
}

/** A version that is built from sources that are not committed cannot be built again from the repository. */
async function warnUncommitted(context: Context, sources: readonly string[]): Promise<void> {
  const { describeUncommitted, uncommittedFiles } = await import('../../release/uncommitted.ts');
  const { file, root } = await context.config();
  const files = uncommittedFiles(root, context.terminal)([...sources, ...(file === null ? [] : [file])]);
  if (files.length > 0) context.terminal.log(message`warning: ${describeUncommitted(files)}`);
}

/** Fetches a stored artifact from its public URL. */
async function readBack(context: Context, entry: NewVersion, { readBackTimeout }: Options): Promise<void> {
  const download = await import('../check/download.ts');
  const { store } = (await context.config()).config;
  await download.readBack(context, entry, readBackTimeout ?? download.READ_BACK_SECONDS[store?.type ?? 'directory']);
}

async function folderOf(root: string): Promise<Store> {
  const { openDirectory } = await import('../../store/directory/directory.ts');
  return openDirectory(root);
}

function statusOf({ isNew }: Published, isDryRun: boolean): Status {
  if (!isNew) return 'already-published';
  return isDryRun ? 'planned' : 'published';
}

function resultJson(
  app: string,
  status: Status,
  { planned, results }: Published,
  bytes: number,
): Results['publish-version'] {
  const { version, artifactUrl, artifactChecksum } = planned.entry;
  const outcomes = new Map<PlannedStep, StepResult['outcome']>(results.map(({ step, outcome }) => [step, outcome]));
  const steps = withKinds(planned.plan).map(({ step, kind }) => {
    const { path, what } = step;
    return { kind, path, what, outcome: outcomes.get(step) ?? null };
  });
  return { app, version, artifactUrl: redact(artifactUrl), artifactChecksum, bytes, status, steps };
}

function describeResult(
  style: Style,
  app: string,
  status: Status,
  { planned, results }: Published,
  bytes: number,
): string {
  const { version, artifactUrl, artifactChecksum } = planned.entry;
  const title = style.bold(`${app} ${printable(version)}`);
  const words = { published: 'published', 'already-published': 'already published as', planned: 'would publish' };
  const lines = [
    `${words[status]} ${title}`,
    `  ${printable(artifactChecksum)}  ${grouped(bytes)} bytes`,
    `  ${printable(redact(artifactUrl))}`,
  ];
  // A dry run has no results. What is published may lack its artifact, or have other notes.
  if (results.length === 0 && planned.plan.steps.length > 0) lines.push(planText(style, planned.plan, planned.lines()));
  for (const { step, outcome } of results) {
    // Notes may have replaced others, which it names.
    const isNoted = outcome === 'edited' && step.place === 'notes';
    const where = step.place === 'workspace-lock' ? ` (${WORKSPACE_LOCK})` : '';
    const detail = isNoted ? ` (${printable(step.what)})` : where;
    lines.push(`  ${outcome} ${printable(step.path)}${detail}`);
  }
  return lines.join('\n');
}

/**
 * The notes of a version, from --notes or --notes-from; undefined if neither is given.
 * @throws AppregError `file-unreadable` (exit 2). The function that it returns throws `notes-missing` (exit 2) for a
 * version that the changelog does not have
 */
function notesOf({ cwd }: Context, { notes, notesFrom }: Options): ((version: string) => string) | undefined {
  if (notes !== undefined && notesFrom !== undefined)
    throw new AppregError(
      'option-conflict',
      message`--notes and --notes-from exclude each other.`,
      message`Remove one of the options.`,
    );
  if (notes !== undefined) {
    const namesFile = notes === '-' || notes.startsWith('@');
    const text = namesFile ? readText(cwd, notes.replace(/^@/, '')) : notes;
    if (text.trim() === '')
      throw new AppregError(
        'notes-missing',
        message`The notes of --notes are empty.`,
        message`Give a text, or omit --notes to publish without notes.`,
        { effect: 'none' },
      );
    return () => text;
  }
  if (notesFrom === undefined) return undefined;
  const changelog = readText(cwd, notesFrom);
  return (version) => {
    const section = sectionOf(changelog, version);
    if (section !== null) return section;
    throw new AppregError(
      'notes-missing',
      message`${notesFrom} has no section of version ${version}.`,
      message`Add a heading with the version, such as ## ${version}, or give the notes with --notes.`,
      { effect: 'none' },
    );
  };
}

/** @throws AppregError `file-unreadable` (exit 2), also for a file that is not UTF-8 */
function readText(cwd: string, file: string): string {
  const { text } = documentContent(readInputFile(cwd, file));
  if (text !== null) return text.replace(/^\ufeff/, '');
  throw new AppregError(
    'file-unreadable',
    message`${file} is not UTF-8, so the notes cannot be taken from it.`,
    message`Save it as UTF-8.`,
  );
}
