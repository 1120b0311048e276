import { joined, message } from '../core/text/message.ts';
import { assembledManifest, type Issue } from '../author/assemble.ts';
import { type Document, documentWithText, requireApps, requireVersions } from '../author/document.ts';
import { newManifest } from '../author/manifest.ts';
import type { AppFacts, DocumentFacts } from '../core/facts/facts.ts';
import { startJudging } from '../core/engine/judge.ts';
import type { Finding } from '../core/findings/report.ts';
import { pointerTo } from '../core/json/pointer.ts';
import { lineStarts, locate, positionOf } from '../core/json/positions.ts';
import { MANIFEST_FIELDS } from '../core/registry/manifest.ts';
import { APP_DESCRIPTION } from '../core/release/app-description.ts';
import { capitalized, counted, printable } from '../core/text/text.ts';
import { AppregError } from '../core/errors/error.ts';
import { readAll } from '../store/pool.ts';
import type { Stored } from '../store/store.ts';
import { createMetadata } from './add-app.ts';
import type { JudgeSettings } from './check-change.ts';
import type { AppToAssemble } from './described-app.ts';
import { iconFacts, iconPart, iconPath } from './parts/icon.ts';
import { unknownApp } from './listed-app.ts';
import { appFactsWith, NOT_OBSERVED, factsOf, type RegistryLocation, readManifest } from './registry-location.ts';
import { EditStep } from './edit-step.ts';
import type { Plan, Step } from './plan.ts';
import { StoredDocument } from './stored-document.ts';

/** Plans building the manifest from the folders of the apps. */

/** The apps' folders. */
export interface Folders {
  keys: string[];
  /** The folder that describes an app, or should. */
  folderOf: (key: string) => string;
  /** The usable ones. */
  apps: AppToAssemble[];
  /** The errors of the others. */
  issues: Issue[];
}

export interface AssemblyPlan {
  plan: Plan;
  added: string[];
  changed: string[];
  removed: string[];
  /** Warnings and notes. */
  findings: Finding[];
}

/**
 * Plans changed icons and missing metadata files, and last the manifest.
 * @param remove the keys of the apps that may be removed from the manifest
 * @throws AppregError `apps-invalid` (exit 1) that names every file with an error; `app-unknown` (exit 2)
 */
export async function planAssembly(
  place: RegistryLocation,
  { keys, folderOf, apps, issues }: Folders,
  remove: readonly string[],
  judgeSettings: JudgeSettings,
): Promise<AssemblyPlan> {
  const manifest = await readManifest(place);
  checkRemoved(remove, manifest.path, Object.keys(requireApps(manifest)), keys);
  const { text, issues: manifestIssues, ...changes } = assembledManifest(manifest, apps, keys, remove, folderOf);
  const assembled = text === null ? manifest : documentWithText(text, manifest.path);
  const judged = judgeApps(factsOf(assembled), apps, judgeSettings);
  throwIssues([...issues, ...manifestIssues, ...judged.issues]);
  const files = apps.flatMap((app) => [iconPath(app), metadataPath(place, app)]);
  const stored = await readAll(
    place.store,
    files.filter((path) => path !== null),
    { mayBeAbsent: true },
  );
  const steps = apps.flatMap((app) => stepsFor(place, app, stored));
  const assemble = (now: Document): Document | null => {
    const again = assembledManifest(now, apps, keys, remove, folderOf);
    throwIssues(again.issues);
    return again.text === null ? null : documentWithText(again.text, now.path);
  };
  const edit = EditStep.of(manifest, { role: 'manifest', what: summaryOf(changes) }, assemble);
  if (edit !== null) steps.push(edit);
  return { ...changes, plan: { title: titleFor(changes), steps }, findings: judged.findings };
}

/** The apps in an existing manifest, and those that may be removed. */
export interface ListedApps {
  /** As given by the user. */
  where: string;
  keys: readonly string[];
  remove: readonly string[];
}

/**
 * The same checks without the store: of the folders, and of apps that would be removed. Throws as `planAssembly` does.
 */
export function checkAssembly(
  { keys, folderOf, apps, issues }: Folders,
  listed: ListedApps | null,
  judgeSettings: JudgeSettings,
): Finding[] {
  if (listed !== null) checkRemoved(listed.remove, listed.where, listed.keys, keys);
  const existing = JSON.stringify({ apps: Object.fromEntries((listed?.keys ?? []).map((key) => [key, {}])) });
  const before = documentWithText(existing, listed?.where ?? 'the manifest');
  const assembled = assembledManifest(before, apps, keys, listed?.remove ?? [], folderOf);
  const manifest = documentWithText(assembled.text ?? newManifest(), 'the manifest');
  const judged = judgeApps(factsOf(manifest), apps, judgeSettings);
  throwIssues([...issues, ...assembled.issues, ...judged.issues]);
  return judged.findings;
}

/** Throws AppregError `app-unknown` for a key to remove that is neither listed nor the name of a folder. */
function checkRemoved(
  remove: readonly string[],
  where: string,
  listed: readonly string[],
  folders: readonly string[],
): void {
  const unknown = remove.find((key) => !listed.includes(key) && !folders.includes(key));
  if (unknown !== undefined) throw unknownApp(unknown, where, listed, message`App keys are case-sensitive.`);
}

function metadataPath(place: RegistryLocation, { entry }: AppToAssemble): string | null {
  return place.pathOf(entry.appMetadataUrl);
}

/** @param contents the current files of the store */
function stepsFor(place: RegistryLocation, app: AppToAssemble, contents: ReadonlyMap<string, Stored>): Step[] {
  const steps: Step[] = [...iconPart(app, contents.get(iconPath(app) ?? '') ?? null).steps];
  const path = metadataPath(place, app);
  if (path === null) return steps;
  const stored = contents.get(path);
  // A metadata file published before the app was listed is kept, after checking that it lists versions.
  if (stored) requireVersions(StoredDocument.of(stored, path));
  else steps.push(createMetadata(path));
  return steps;
}

/** Such as `Add app clock`, or `Add apps clock, jira; remove app old`. */
function titleFor({ added, changed, removed }: Pick<AssemblyPlan, 'added' | 'changed' | 'removed'>): string {
  const verbs = [
    ['add', added],
    ['update', changed],
    ['remove', removed],
  ] as const;
  const parts = (named: (keys: readonly string[]) => string): string[] =>
    verbs.filter(([, keys]) => keys.length > 0).map(([verb, keys]) => `${verb} ${named(keys)}`);
  const withKeys = parts((keys) => `${keys.length === 1 ? 'app' : 'apps'} ${keys.join(', ')}`).join('; ');
  const title = withKeys.length <= 72 ? withKeys : parts((keys) => counted(keys.length, 'app')).join(', ');
  return title === '' ? 'Update the files of the apps' : printable(capitalized(title));
}

function summaryOf({ added, changed, removed }: Pick<AssemblyPlan, 'added' | 'changed' | 'removed'>): string {
  const parts = [
    ...added.map((key) => `+${key}`),
    ...changed.map((key) => `~${key}`),
    ...removed.map((key) => `-${printable(key)}`),
  ];
  return parts.length > 12 ? `${parts.slice(0, 12).join(' ')} and ${parts.length - 12} more` : parts.join(' ');
}

/** Judges the new manifest; errors are reported as issues of the file that they come from. */
function judgeApps(
  manifest: DocumentFacts,
  apps: readonly AppToAssemble[],
  { now, severities }: JudgeSettings,
): { findings: Finding[]; issues: Issue[] } {
  // A new app has no versions yet: they are published in the next step.
  const withoutVersions = { ...severities, 'no-valid-versions': 'off' } as const;
  const judging = startJudging({ command: 'lint', target: '', now, severities: withoutVersions });
  judging.manifest(manifest);
  for (const app of apps) judging.app(factsOfFolder(app));
  const { findings } = judging.finish(0);
  const issues = findings
    .filter(({ severity }) => severity === 'error')
    .map((finding) => ({
      message: message`${String(sourceOf(finding, apps))}: ${finding.message} (${finding.rule})`,
      advice: message`${finding.advice}`,
    }));
  return { findings: findings.filter(({ severity }) => severity !== 'error'), issues };
}

/** An app as its folder describes it, without versions. */
export function factsOfFolder(app: AppToAssemble): AppFacts {
  const { key, entry } = app;
  const metadata = { url: entry.appMetadataUrl, file: null, web: NOT_OBSERVED, content: NOT_OBSERVED };
  return appFactsWith(key, metadata, iconFacts(app));
}

/** The file to correct: the icon, the app.json with line and column, or the manifest. */
function sourceOf({ app, resource, file, pointer }: Finding, apps: readonly AppToAssemble[]): string | null {
  if (app === null || (resource === 'icon' && file)) return file;
  const described = apps.find(({ key }) => key === app);
  return described === undefined ? file : `${described.source}/${APP_DESCRIPTION}${placeIn(described, pointer)}`;
}

/** Line and column of the field in app.json that a pointer into the manifest is about; '' if that file does not have it. */
function placeIn({ key, text }: AppToAssemble, pointer: string | null): string {
  const field = MANIFEST_FIELDS.find(({ at }) => pointerTo('apps', key, ...at) === pointer);
  const inFile = field && pointerTo(field.name);
  const span = inFile === undefined ? undefined : locate(text, [inFile]).get(inFile);
  if (span === undefined) return '';
  const { line, column } = positionOf(lineStarts(text), span.start);
  return `:${line}:${column}`;
}

/** The number of issues that are listed; the rest is counted. */
const MAX_LISTED = 20;

function throwIssues(issues: readonly Issue[]): void {
  if (issues.length === 0) return;
  const listed = issues.slice(0, MAX_LISTED);
  const lines = listed.map(({ message }) => message);
  if (issues.length > MAX_LISTED) lines.push(message`… and ${issues.length - MAX_LISTED} more`);
  const advice = [...new Set(listed.map((issue) => issue.advice))];
  throw new AppregError('apps-invalid', joined(lines, '\n  '), joined(advice, '\n  '), { effect: 'none' });
}
