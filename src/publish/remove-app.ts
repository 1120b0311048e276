import { message } from '../core/text/message.ts';
import type { Document } from '../author/document.ts';
import { removeAppEntry } from '../author/manifest.ts';
import { isSame } from '../author/edit.ts';
import { aboutUrl, COMPANION_KINDS, companionUrl } from '../core/registry/companion.ts';
import type { Finding } from '../core/findings/report.ts';
import { type DocumentFacts, isMissing } from '../core/facts/facts.ts';
import { type JsonValue, member } from '../core/json/json.ts';
import { appFields, type AppFields, listedVersionsIn, manifestApps, versionFields } from '../core/registry/manifest.ts';
import { latestOf } from '../core/registry/precedence.ts';
import { isSemver } from '../core/registry/version.ts';
import { printable } from '../core/text/text.ts';
import { AppregError } from '../core/errors/error.ts';
import { EditStep } from './edit-step.ts';
import { appFactsWith, metadataFacts, factsOf, type RegistryLocation } from './registry-location.ts';
import { changedLines, type LineChanges, type Plan } from './plan.ts';
import { type JudgeSettings, judgeState, newFindings } from './check-change.ts';
import type { ListedEntry } from './listed-app.ts';

/** Plans removing an app from the manifest. Its files stay. */

export interface RemovalPlan {
  /** The entry that is removed. */
  entry: JsonValue;
  fields: AppFields;
  plan: Plan;
  /** The lines of the manifest that change. */
  lines: LineChanges;
  findings: Finding[];
  loss: SubscriberLoss;
  /** The files of the app that exist in the store, and stay. */
  kept: string[];
  /** True if the artifact of the highest version has companion files in the store, which stay. */
  hasCompanions: boolean;
}

/** Apps and versions that subscribers lose. */
interface SubscriberLoss {
  /** True if they see the app now; null if its metadata is hosted elsewhere, or was not found. */
  visible: boolean | null;
  /** The rules that hide it now. */
  because: readonly string[];
  /** The number of listed versions; null if the metadata file was not read. */
  versions: number | null;
  latest: string | null;
}

/** Plans the removal. @throws AppregError `rule-violation` (exit 1) if the manifest would have a new error */
export async function planRemoval(
  place: RegistryLocation,
  { key, manifest, entry }: ListedEntry,
  judgeSettings: JudgeSettings,
): Promise<RemovalPlan> {
  const fields = appFields(entry);
  const metadata = await metadataFacts(place, fields.appMetadataUrl);
  const app = appFactsWith(key, metadata, { url: fields.iconUrl });
  const before = judgeState({ manifest: factsOf(manifest), app }, judgeSettings);
  const remove = (now: Document): Document | null => {
    const current = member(manifestApps(now.value) ?? {}, key);
    if (current !== undefined && !isSame(current, entry)) throw changedMeanwhile(key);
    return removeAppEntry(now, key);
  };
  const step = EditStep.of(manifest, { role: 'manifest', what: `the app ${printable(key)}, removed` }, remove);
  if (before.verdict === null) throw new Error(`the app ${key} was not judged`);
  // Another process may have removed it meanwhile.
  const after = step?.to ?? manifest;
  const findings = newFindings(() => before, { manifest: factsOf(after), app: null }, judgeSettings);
  const { visible, because, latest } = before.verdict;
  const versions = isMissing(metadata.content) ? null : (listedVersionsIn(metadata.content)?.length ?? 0);
  return {
    entry,
    fields,
    plan: { title: `Remove app ${printable(key)}`, steps: step === null ? [] : [step] },
    lines: changedLines(manifest.text, after.text),
    findings,
    loss: { visible, because, versions, latest },
    kept: await existing(place, [
      fields.iconUrl,
      fields.appMetadataUrl,
      fields.appMetadataUrl === null ? null : aboutUrl(fields.appMetadataUrl),
    ]),
    hasCompanions: (await existing(place, companionUrls(metadata.content))).length > 0,
  };
}

/** The URLs of the companion files of the highest version: those of all versions could be thousands of requests. */
function companionUrls(metadata: DocumentFacts['content']): (string | null)[] {
  const versions = (isMissing(metadata) ? null : listedVersionsIn(metadata))?.map(versionFields) ?? [];
  const latest = latestOf(versions.flatMap(({ version }) => (version !== null && isSemver(version) ? [version] : [])));
  const url = versions.find(({ version }) => version !== null && version === latest)?.artifactUrl ?? null;
  return url === null ? [] : COMPANION_KINDS.map((kind) => companionUrl(url, kind));
}

/** The paths of the URLs whose files exist in the store. */
async function existing(place: RegistryLocation, urls: readonly (string | null)[]): Promise<string[]> {
  const found: string[] = [];
  for (const url of urls) {
    const path = url === null ? null : place.pathOf(url);
    if (path !== null && !found.includes(path) && (await place.store.digest(path)) !== null) found.push(path);
  }
  return found;
}

function changedMeanwhile(key: string): AppregError {
  return new AppregError(
    'app-changed',
    message`The entry of the app “${key}” was changed by another process at the same time.`,
    message`Check the entry. If you still want to remove the app, run the same command again.`,
    { effect: 'none', advisesRepeat: true },
  );
}
