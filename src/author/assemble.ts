import { message, safe, type SafeText } from '../core/text/message.ts';
import type { DocumentContent } from '../core/json/content.ts';
import { byteOrderMarkOf, isObject, type JsonObject, type JsonValue } from '../core/json/json.ts';
import { safeExcerpt } from '../core/text/text.ts';
import { faultLines } from '../core/json/input-file.ts';
import { type DescribedEntry, describedEntry } from '../core/release/app-description.ts';
import { isSame } from './edit.ts';
import { type AppEntry, appEntry } from './manifest.ts';
import { type AppFields, appFields, withFields } from '../core/registry/manifest.ts';
import { requireApps, type Document } from './document.ts';

/**
 * Builds the manifest from one small file per app, such as `apps/<key>/app.json`, so that contributors do not edit one big
 * document concurrently. Apps are never dropped silently: an unusable file is reported as an issue, never skipped.
 */

/** The contents of the folder that describes an app. */
export interface AppSource {
  key: string;
  /** Relative to the configuration, with forward slashes. */
  folder: string;
  /** Its app.json; null if missing. */
  content: DocumentContent | null;
  /** The names of its files. */
  files: readonly string[];
}

export interface AssembledApp {
  key: string;
  /** The folder that describes it. */
  source: string;
  /** The text of its app.json. */
  text: string;
  entry: AppEntry;
  /** The texts of the entry that the folder gives: without the default for the metadata file. */
  given: Partial<AppFields>;
  /** The icon file in the folder; null if the icon is hosted elsewhere. */
  icon: string | null;
}

/** An error in an app, or a missing app. The message begins with the file. */
export interface Issue {
  message: SafeText;
  advice: SafeText;
}

/** Names of icon files: they become part of a URL. */
export const ICON_NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]*\.(png|svg)$/;
const FORM = message`Its fields are "name", "description" and "color", and "appMetadataUrl" or "iconUrl" if those files are hosted elsewhere.`;

/** Reports an issue of one app.json. */
type ReportIssue = (problem: SafeText, advice: SafeText) => void;

/**
 * The entries of all apps, sorted by key, and all errors in their sources.
 * @param base the address of the workspace, with its trailing slash
 */
export function assemble(sources: readonly AppSource[], base: string): { apps: AssembledApp[]; issues: Issue[] } {
  const apps: AssembledApp[] = [];
  const issues: Issue[] = [];
  for (const source of sources.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
    const file = `${source.folder}/app.json`;
    const report: ReportIssue = (problem, advice) =>
      void issues.push({ message: message`${file}: ${safe(problem)}`, advice });
    const fields = fieldsOf(source, file, report, issues);
    const icon = fields === null ? null : iconOf(source, fields, report);
    if (fields === null || icon === null) continue;
    const folder = `${base}apps/${source.key}`;
    const iconUrl = 'url' in icon ? icon.url : `${folder}/${icon.file}`;
    const appMetadataUrl = fields.appMetadataUrl ?? `${folder}/versions.json`;
    apps.push({
      key: source.key,
      source: source.folder,
      text: source.content?.text ?? '',
      icon: 'url' in icon ? null : icon.file,
      entry: appEntry({ ...fields, iconUrl, appMetadataUrl }),
      given: { ...fields, iconUrl },
    });
  }
  return { apps, issues };
}

/** The fields of an app.json; null if an issue was reported. */
function fieldsOf({ content }: AppSource, file: string, report: ReportIssue, issues: Issue[]): DescribedEntry | null {
  if (content === null) {
    report(
      message`the file does not exist, so the manifest would not list the app.`,
      message`Create it, or remove the whole folder.`,
    );
    return null;
  }
  const found = describedEntry(content);
  if (!('faults' in found)) return found;
  issues.push(...faultLines(file, found.faults).map((problem) => ({ message: problem, advice: FORM })));
  return null;
}

/** The icon file, or the URL of an icon that is hosted elsewhere; null if an issue was reported. */
function iconOf(
  { folder, files }: AppSource,
  { iconUrl }: DescribedEntry,
  report: ReportIssue,
): { file: string } | { url: string } | null {
  const [file, ...others] = files.filter((name) => ICON_NAME.test(name)).toSorted();
  if (file !== undefined && others.length === 0 && iconUrl === undefined) return { file };
  if (file === undefined && iconUrl !== undefined) return { url: iconUrl };
  if (file !== undefined) {
    const all = [file, ...others, ...(iconUrl === undefined ? [] : ['"iconUrl"'])].join(' and ');
    report(message`there are several icons: ${all}.`, message`Keep one of them.`);
    return null;
  }
  const near = files.find((name) => /\.(png|svg|jpe?g|gif|webp|ico)$/i.test(name));
  report(
    near === undefined
      ? message`the app has no icon.`
      : message`the app has no icon: the name “${safeExcerpt(near, 80)}” is not valid.`,
    message`Put a PNG or SVG image into ${folder}, such as icon.svg (only letters, digits, dots, - and _), or set "iconUrl".`,
  );
  return null;
}

export interface AssembledManifest {
  /** The new text; null if nothing changes. */
  text: string | null;
  added: string[];
  changed: string[];
  removed: string[];
  issues: Issue[];
}

/**
 * The manifest with exactly these apps; its other fields, and those of each app, are preserved.
 * @param folders the keys of all existing folders, including unusable ones, for which issues were reported
 * @param remove the keys of the apps that may be removed
 * @param folderOf the folder that should describe an app
 * @throws AppregError `document-invalid` (exit 1) for a manifest that must not be edited
 */
export function assembledManifest(
  manifest: Document,
  apps: readonly AssembledApp[],
  folders: readonly string[],
  remove: readonly string[],
  folderOf: (key: string) => string,
): AssembledManifest {
  const before = requireApps(manifest);
  const after = Object.fromEntries(apps.map(({ key, entry }) => [key, entryAfter(before[key], entry)]));
  const issues: Issue[] = [];
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  for (const key of removed.filter((one) => !remove.includes(one) && !folders.includes(one))) {
    issues.push({
      message: message`${folderOf(key)}/app.json does not exist, but ${manifest.path} lists the app, which would disappear.`,
      advice: message`Restore the folder: its name is the key of the app, so subscribers see a renamed folder as another app. Or, to remove the app for all subscribers: appreg assemble --remove ${safeExcerpt(key, 80)}`,
    });
  }
  for (const key of remove.filter((one) => folders.includes(one)))
    issues.push({
      message: message`${folderOf(key)}: the folder exists, but --remove names the app.`,
      advice: message`Remove the folder as well, or omit --remove.`,
    });
  const added = Object.keys(after).filter((key) => !Object.hasOwn(before, key));
  const changed = Object.keys(after).filter((key) => !added.includes(key) && !isSame(before[key], after[key]));
  const isUnchanged = added.length + changed.length + removed.length === 0;
  const others = isObject(manifest.value) ? manifest.value : {};
  const text = JSON.stringify({ ...others, apps: after }, null, 2);
  return { text: isUnchanged ? null : `${byteOrderMarkOf(manifest.text)}${text}\n`, added, changed, removed, issues };
}

/** The entry with the fields of app.json, and without those that it lacks; what else the entry has is preserved. */
function entryAfter(before: JsonValue | undefined, entry: AppEntry): JsonObject {
  return withFields(isObject(before) ? before : {}, appFields(entry));
}
