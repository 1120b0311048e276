import { type AssembledApp, assembledManifest, type Issue } from '../author/assemble.ts';
import { newManifest } from '../author/manifest.ts';
import { newMetadata } from '../author/metadata.ts';
import { versionsIn } from '../author/usable.ts';
import { documentText } from '../core/registry/document-text.ts';
import type { AppFacts, DocumentFacts } from '../core/facts/facts.ts';
import { startJudging } from '../core/engine/judge.ts';
import type { Finding } from '../core/engine/report.ts';
import { printable } from '../core/text/text.ts';
import { AppregError } from '../core/errors.ts';
import { readAll } from '../store/read-all.ts';
import type { Stored } from '../store/store.ts';
import type { IconFile } from './add-app.ts';
import type { JudgeSettings } from './check-change.ts';
import {
  NOT_OBSERVED,
  documentIn,
  type RegistryLocation,
  readManifest,
  memoizeLast,
  withText,
} from './registry-location.ts';
import type { Plan, Step } from './plan.ts';

/** Plans building the manifest from the folders of the apps. */

/** An app with its icon file; null for an icon that is hosted elsewhere. */
export type AppToAssemble = AssembledApp & { image: IconFile | null };

/** The apps' folders. */
export interface Folders {
  keys: string[];
  /** The usable ones. */
  apps: AppToAssemble[];
  /** The errors of the others. */
  complaints: Issue[];
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
 * @throws AppregError `apps-invalid` (exit 1) that names every file with an error
 */
export async function planAssembly(
  place: RegistryLocation,
  { keys, apps, complaints }: Folders,
  remove: readonly string[],
  judgement: JudgeSettings,
): Promise<AssemblyPlan> {
  const manifest = await readManifest(place);
  const made = memoizeLast((text) => {
    const one = assembledManifest(text, apps, keys, remove, place.manifest);
    refuse(one.complaints);
    return one.text;
  });
  const {
    complaints: vanishing,
    text,
    ...changes
  } = assembledManifest(manifest.text, apps, keys, remove, place.manifest);
  const judged = judgeApps(withText(manifest, text ?? manifest.text), apps, judgement);
  refuse([...complaints, ...vanishing, ...judged.complaints]);
  const files = apps.flatMap((app) => [iconPath(app), metadataPath(place, app)]);
  const there = await readAll(
    place.store,
    files.filter((path) => path !== null),
    { mayBeAbsent: true },
  );
  const steps = apps.flatMap((app) => stepsFor(place, app, there));
  if (text !== null) steps.push({ kind: 'edit', path: place.manifest, edit: made, what: whatChanges(changes) });
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
  { keys, apps, complaints }: Folders,
  listed: ListedApps | null,
  judgement: JudgeSettings,
): Finding[] {
  const before = JSON.stringify({ apps: Object.fromEntries((listed?.keys ?? []).map((key) => [key, {}])) });
  const made = assembledManifest(before, apps, keys, listed?.remove ?? [], listed?.where ?? 'the manifest');
  const content = documentText(made.text ?? newManifest());
  const judged = judgeApps({ url: null, file: 'the manifest', web: NOT_OBSERVED, content }, apps, judgement);
  refuse([...complaints, ...made.complaints, ...judged.complaints]);
  return judged.findings;
}

function iconPath({ key, icon, image }: AppToAssemble): string | null {
  return icon === null || image === null ? null : `apps/${key}/${icon}`;
}

function metadataPath(place: RegistryLocation, { entry }: AppToAssemble): string | null {
  return place.pathOf(entry.appMetadataUrl);
}

/** @param there the current contents of the store */
function stepsFor(place: RegistryLocation, app: AppToAssemble, there: ReadonlyMap<string, Stored>): Step[] {
  const steps: Step[] = [];
  const icon = iconPath(app);
  if (icon !== null) {
    const { bytes } = app.image!;
    const stored = there.get(icon);
    if (!stored) steps.push({ kind: 'create', path: icon, bytes, what: 'the icon' });
    else if (!Buffer.from(stored.bytes).equals(bytes))
      steps.push({ kind: 'replace', path: icon, bytes, what: 'the icon, changed' });
  }
  const path = metadataPath(place, app);
  if (path === null) return steps;
  const stored = there.get(path);
  // A metadata file published before the app was listed is kept, after checking that it is one.
  if (stored) versionsIn(documentIn(stored, path).text, path);
  else
    steps.push({
      kind: 'create',
      path,
      bytes: Buffer.from(newMetadata()),
      what: 'the metadata file, without versions',
    });
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
  const whole = parts((keys) => `${keys.length === 1 ? 'app' : 'apps'} ${keys.join(', ')}`).join('; ');
  const title =
    whole.length <= 72 ? whole : parts((keys) => `${keys.length} ${keys.length === 1 ? 'app' : 'apps'}`).join(', ');
  return title === '' ? 'Update the files of the apps' : printable(title.charAt(0).toUpperCase() + title.slice(1));
}

function whatChanges({ added, changed, removed }: Pick<AssemblyPlan, 'added' | 'changed' | 'removed'>): string {
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
): { findings: Finding[]; complaints: Issue[] } {
  // A new app has no versions yet: they are published in the next step.
  const usual = { ...severities, 'no-valid-versions': 'off' } as const;
  const judging = startJudging({ command: 'lint', target: '', now, severities: usual });
  judging.manifest(manifest);
  for (const { key, entry, icon, image } of apps) {
    const seen =
      image === null ? { content: NOT_OBSERVED, image: NOT_OBSERVED } : { content: image.content, image: image.image };
    const facts: AppFacts = {
      key,
      metadata: { url: entry.appMetadataUrl, file: null, web: NOT_OBSERVED, content: NOT_OBSERVED },
      icon: {
        url: entry.blockStyle.iconUrl,
        file: icon === null ? null : `apps/${key}/${icon}`,
        web: NOT_OBSERVED,
        ...seen,
      },
      artifacts: [],
    };
    judging.app(facts);
  }
  const { findings } = judging.finish(0);
  const complaints = findings
    .filter(({ severity }) => severity === 'error')
    .map(({ app, rule, message, resource, advice, file }) => {
      const source = app === null ? file : resource === 'icon' && file ? file : `apps/${app}/app.json`;
      return { message: printable(`${source}: ${message} (${rule})`), advice: printable(advice) };
    });
  return { findings: findings.filter(({ severity }) => severity !== 'error'), complaints };
}

/** The number of issues that are listed; the rest is counted. */
const TOLD = 20;

function refuse(complaints: readonly Issue[]): void {
  if (complaints.length === 0) return;
  const lines = complaints.slice(0, TOLD).map(({ message }) => message);
  if (complaints.length > TOLD) lines.push(`… and ${complaints.length - TOLD} more`);
  const advice = [...new Set(complaints.slice(0, TOLD).map((one) => one.advice))];
  throw new AppregError('apps-invalid', `${lines.join('\n  ')}\n  Nothing was changed.`, advice.join('\n  '));
}
