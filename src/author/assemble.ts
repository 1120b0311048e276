import type { DocumentContent } from '../core/facts/facts.ts';
import { isObject, type JsonObject, type JsonValue } from '../core/json/json.ts';
import { documentText } from '../core/registry/document-text.ts';
import { printable, shorten } from '../core/text/text.ts';
import { isAppregError } from '../core/errors.ts';
import { isSame } from './edit.ts';
import type { AppEntry } from './manifest.ts';
import { appsIn, usable } from './usable.ts';

/**
 * Builds the manifest from one small file per app, `apps/<key>/app.json`, so that contributors do not edit one big
 * document concurrently. Apps are never dropped silently: an unusable file is reported as an issue, never skipped.
 */

/** The contents of the folder `apps/<key>`. */
export interface AppSource {
  key: string;
  /** Its app.json; null if missing. */
  content: DocumentContent | null;
  /** The names of its files. */
  files: readonly string[];
}

export interface AssembledApp {
  key: string;
  entry: AppEntry;
  /** The icon file in the folder; null if the icon is hosted elsewhere. */
  icon: string | null;
}

/** An error in an app, or a missing app. The message begins with the file. */
export interface Issue {
  message: string;
  advice: string;
}

const REQUIRED = ['name', 'description', 'color'];
const OPTIONAL = ['iconUrl', 'appMetadataUrl'];
/** The file name becomes part of a URL. */
const ICON = /^[A-Za-z0-9_-][A-Za-z0-9._-]*\.(png|svg)$/;

/**
 * The entries of all apps, sorted by key, and all errors in their sources.
 * @param base the address of the workspace, with its trailing slash
 */
export function assemble(sources: readonly AppSource[], base: string): { apps: AssembledApp[]; complaints: Issue[] } {
  const apps: AssembledApp[] = [];
  const complaints: Issue[] = [];
  for (const source of sources.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
    const file = `apps/${source.key}/app.json`;
    const complain = (message: string, advice: string): void =>
      void complaints.push({ message: printable(`${file}: ${message}`), advice });
    const fields = fieldsOf(source, file, complain, complaints);
    const icon = fields === null ? null : iconOf(source, fields, complain);
    if (fields === null || icon === undefined) continue;
    const folder = `${base}apps/${source.key}`;
    apps.push({
      key: source.key,
      icon,
      entry: {
        name: fields['name']!,
        description: fields['description']!,
        blockStyle: { iconUrl: icon === null ? fields['iconUrl']! : `${folder}/${icon}`, color: fields['color']! },
        appMetadataUrl: fields['appMetadataUrl'] ?? `${folder}/versions.json`,
      },
    });
  }
  return { apps, complaints };
}

type Complain = (message: string, advice: string) => void;

/** The fields of an app.json, all of them strings; null if an issue was reported. */
function fieldsOf(
  { content }: AppSource,
  file: string,
  complain: Complain,
  complaints: Issue[],
): Record<string, string> | null {
  const form = 'It holds "name", "description" and "color"; "appMetadataUrl" and "iconUrl" where they are elsewhere.';
  if (content === null) {
    complain('it is not there, so the app would vanish.', 'Write it, or remove the whole folder.');
    return null;
  }
  let value: JsonValue;
  try {
    value = usable(content, file).value;
  } catch (error) {
    if (!isAppregError(error)) throw error;
    complaints.push({ message: error.message, advice: error.hint });
    return null;
  }
  if (!isObject(value)) {
    complain('it is not a JSON object.', form);
    return null;
  }
  let sound = true;
  const wrong = (message: string): void => {
    complain(message, form);
    sound = false;
  };
  const fields: Record<string, string> = {};
  for (const [name, text] of Object.entries(value)) {
    if (![...REQUIRED, ...OPTIONAL].includes(name)) wrong(`the field “${shorten(name, 80)}” has no meaning there.`);
    else if (typeof text !== 'string' || text.trim() === '') wrong(`the field “${name}” is no text, or empty.`);
    else fields[name] = text;
  }
  for (const name of REQUIRED) if (!Object.hasOwn(value, name)) wrong(`the field “${name}” is missing.`);
  return sound ? fields : null;
}

/** The icon file, null for an icon given by URL; undefined if an issue was reported. */
function iconOf(
  { key, files }: AppSource,
  fields: Record<string, string>,
  complain: Complain,
): string | null | undefined {
  const there = files.filter((name) => ICON.test(name)).toSorted();
  const given = Object.hasOwn(fields, 'iconUrl') ? 1 : 0;
  if (there.length + given === 1) return there[0] ?? null;
  if (there.length + given > 1) {
    const all = [...there, ...(given ? ['"iconUrl"'] : [])].join(' and ');
    complain(`there are several icons: ${all}.`, 'Keep one of them.');
    return undefined;
  }
  const near = files.find((name) => /\.(png|svg|jpe?g|gif|webp|ico)$/i.test(name));
  complain(
    near === undefined ? 'the app has no icon.' : `the app has no icon: ${shorten(near, 80)} is not one by its name.`,
    `Put a PNG or SVG image into apps/${key}, such as icon.svg, or give its "iconUrl".`,
  );
  return undefined;
}

export interface AssembledManifest {
  /** The new text; null if nothing changes. */
  text: string | null;
  added: string[];
  changed: string[];
  removed: string[];
  complaints: Issue[];
}

/**
 * The manifest with exactly these apps; its other fields are preserved.
 * @param text the current manifest; @param file its name in messages
 * @param folders the keys of all existing folders, including unusable ones, for which issues were reported
 * @param remove the keys of the apps that may be removed
 * @throws AppregError `document-invalid` (exit 1) for a manifest that must not be edited
 */
export function assembledManifest(
  text: string,
  apps: readonly AssembledApp[],
  folders: readonly string[],
  remove: readonly string[],
  file: string,
): AssembledManifest {
  const before = appsIn(text, file);
  const { value } = usable(documentText(text), file);
  const after = Object.fromEntries(apps.map(({ key, entry }) => [key, asJson(entry)]));
  const complaints: Issue[] = [];
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  for (const key of removed.filter((one) => !remove.includes(one) && !folders.includes(one))) {
    const name = printable(shorten(key, 80));
    complaints.push({
      message: `apps/${name}/app.json: it is not there, and ${printable(file)} lists the app, which would vanish.`,
      advice: `Restore the folder; or, to take the app from its subscribers: --remove ${name}`,
    });
  }
  for (const key of remove.filter((one) => folders.includes(one)))
    complaints.push({
      message: `apps/${printable(key)}: the folder is there, and --remove names the app.`,
      advice: 'Remove the folder as well, or leave --remove out.',
    });
  const added = Object.keys(after).filter((key) => !Object.hasOwn(before, key));
  const changed = Object.keys(after).filter((key) => !added.includes(key) && !isSame(before[key]!, after[key]!));
  const same = added.length + changed.length + removed.length === 0;
  const whole = JSON.stringify({ ...(value as JsonObject), apps: after }, null, 2);
  return { text: same ? null : `${whole}\n`, added, changed, removed, complaints };
}

function asJson({ name, description, blockStyle, appMetadataUrl }: AppEntry): JsonObject {
  return { name, description, blockStyle: { ...blockStyle }, appMetadataUrl };
}
