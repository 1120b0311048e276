import { message, safe, type SafeText } from '../../core/text/message.ts';
import { LOCK_FILE } from '../../core/registry/lock-file.ts';
import { grouped, printable, redact } from '../../core/text/text.ts';
import { checkVersion, isBump } from '../../publish/choose-version.ts';
import { publishVersion, type VersionToPublish } from '../../publish/publish-version.ts';
import type { Published } from '../../publish/version-attempts.ts';
import type { SkippedNumber } from '../../publish/artifact.ts';
import { WORKSPACE_LOCK } from '../../publish/parts/workspace-lock.ts';
import { requirePublishable } from '../../publish/listed-app.ts';
import { exceptedSecrets } from '../../publish/excepted-secrets.ts';
import { publishingSeverities } from '../../publish/check-content.ts';
import { type PlannedStep, withKinds } from '../../publish/plan.ts';
import type { StepResult } from '../../publish/apply-step.ts';
import { describesApp } from '../../release/find-apps.ts';
import { attesterOf } from '../check/attester.ts';
import type { JudgeSettings } from '../../publish/check-change.ts';
import { allowedSecrets, withoutSecrets } from '../check/allowed-secrets.ts';
import { artifactFrom, checkSource, hasSource, withSource } from '../check/artifact-source.ts';
import type { Results } from '../../report/results.ts';
import type { Style } from '../../report/style.ts';
import type { Loaded } from '../../bundle/load-test/load-test.ts';
import { exportsFields, exportsLines } from '../check/exports.ts';
import { settings } from '../check/settings.ts';
import type { Context } from '../config/context.ts';
import type { OptionsOf } from '../io/invocation.ts';
import { printResult } from '../io/results.ts';
import { hasLock } from '../../workspace/lock.ts';
import { notesOf } from '../check/notes-option.ts';
import { readBackOf, recordingIn } from '../check/publish-options.ts';
import { planText, printFindings } from '../check/remarks.ts';
import { openWorkspace, type OpenWorkspace } from '../config/workspace.ts';
import type { publishVersionCommand } from '../define/publish-version.ts';
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
  const workspace = await openWorkspace(context);
  // An unknown app is reported before anything is built or asked.
  await requirePublishable(workspace.place, key);
  const options = await withSource(context, given);
  if (options === null) return 130;
  const { wanted, loaded } = await wantedVersion(context, workspace, { key, word }, options);
  const judgeSettings = await settingsOf(context, workspace, wanted, options);
  // Others may have published while the artifact was built.
  workspace.place.store.forget?.();
  const done = await publishVersion(workspace.place, wanted, judgeSettings, {
    dryRun: options.dryRun,
    readBack: readBackOf(context, workspace, options),
    ...(await recordingIn(workspace, key)),
  });
  const status = statusOf(done, options.dryRun === true);

  for (const skipped of done.planned.skipped) terminal.log(describeSkipped(skipped));
  printFindings(terminal, done.planned.findings);
  const { bytes } = wanted.artifact.content;
  printResult<'publish-version'>(context, {
    pretty: (style) =>
      [describeResult(style, key, status, done, bytes), ...exportsLines(loaded).map((line) => `  ${line}`)].join('\n'),
    json: () => ({ ...resultJson(key, status, done, bytes), ...exportsFields(loaded) }),
  });
  terminal.next(nextStep(workspace, key, status));
  return 0;
}

/** A version that is built from sources that are not committed cannot be built again from the repository. */
async function warnUncommitted(context: Context, sources: readonly string[]): Promise<void> {
  const { describeUncommitted, uncommittedFiles } = await import('../../release/uncommitted.ts');
  const { file, root } = await context.config();
  const files = uncommittedFiles(root, context.terminal)([...sources, ...(file === null ? [] : [file])]);
  if (files.length > 0) context.terminal.log(message`warning: ${describeUncommitted(files)}`);
}

/** The version with its artifact, which is built, read or downloaded, and its notes. */
async function wantedVersion(
  context: Context,
  { config, root }: OpenWorkspace,
  { key, word }: { key: string; word: string },
  options: Options,
): Promise<{ wanted: VersionToPublish; loaded: Loaded | null }> {
  const notes = notesOf(context, options);
  const allowed = allowedSecrets(options);
  // Nothing is stored for an artifact that is hosted elsewhere.
  const attester =
    options.artifactUrl === undefined ? await attesterOf(context, await context.config(), options) : undefined;
  const traced = describesApp(root, config.release, key) || hasLock(root);
  const { artifact: made, provenance, sources, loaded } = await artifactFrom(context, options, { key, config, traced });
  const version = isBump(word) ? null : word;
  const excepted = exceptedSecrets(config.exceptions, { app: key, version, now: new Date().toISOString() });
  const inspected = withoutSecrets(made, { allowed, excepted }, context.terminal);
  const artifact = attester === undefined || inspected.bytes === null ? inspected : { ...inspected, attester };
  if (sources.length > 0) await warnUncommitted(context, sources);
  return { wanted: { key, version: word, artifact, listing: null, notes, provenance }, loaded };
}

async function settingsOf(
  context: Context,
  { config }: OpenWorkspace,
  { key }: VersionToPublish,
  { anyContent = false, allowPrerelease, allowLower, allowSame }: Options,
): Promise<JudgeSettings> {
  const judged = await settings(context);
  return {
    ...judged,
    severities: publishingSeverities(judged.severities, anyContent),
    requiresAttestation: config.evidence?.attestations?.mode === 'require',
    allow: { prerelease: allowPrerelease === true, lower: allowLower === true, same: allowSame ? [key] : [] },
  };
}

function describeSkipped({ version, file }: SkippedNumber): SafeText {
  const skipped = message`note: ${version} is skipped: ${file}`;
  return file === LOCK_FILE
    ? message`${safe(skipped)} has it with other bytes, so it was published before.`
    : message`${safe(skipped)} exists, and is not of these bytes. If ${version} was never published, and no other publisher is writing it now, the file can be deleted.`;
}

function statusOf({ isNew }: Published, isDryRun: boolean): Status {
  if (!isNew) return 'already-published';
  return isDryRun ? 'planned' : 'published';
}

function nextStep({ place, config, root }: OpenWorkspace, key: string, status: Status): SafeText {
  if (status === 'planned') return message`the same command without --dry-run`;
  const manifestUrl = place.base + encodeURIComponent(place.manifest);
  if (remoteStore(config) === null) return message`appreg lint; upload the folder; appreg verify ${manifestUrl}`;
  return message`${hasLock(root) ? `commit ${LOCK_FILE}; ` : ''}appreg verify ${manifestUrl} --app ${key} --wait 10m`;
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
    const isNoted = outcome === 'edited' && step.role === 'notes';
    const where = step.role === 'workspace-lock' ? ` (${WORKSPACE_LOCK})` : '';
    const detail = isNoted ? ` (${printable(step.what)})` : where;
    lines.push(`  ${outcome} ${printable(step.path)}${detail}`);
  }
  return lines.join('\n');
}
