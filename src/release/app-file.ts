import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { documentContent, isObject, type JsonObject, parseDocument } from '../core/json/json.ts';
import type { AppProblem } from '../core/release/version-file.ts';
import { isSemver } from '../core/registry/version.ts';
import { printable } from '../core/text/text.ts';
import { unlikeRegularFile } from '../platform/regular-file.ts';
import { appsFolder } from './apps-folder.ts';

/** The fields of an app.json that say how an app is built; the others are those of its manifest entry. */
export interface AppFile {
  key: string;
  /** Relative to the configuration, with forward slashes. */
  folder: string;
  entry: string | null;
  ui: string | null;
  /** The file with the version, relative to the folder: app.json itself if it contains the version. */
  version: string | null;
  problem: AppProblem | null;
}

const NAME = 'app.json';
const FIELDS = ['entry', 'ui', 'version'] as const;
const MAX_BYTES = 1_000_000;

/** Those below apps/ that have such a field, or that cannot be read. */
export function appFilesIn(root: string): AppFile[] {
  const folder = appsFolder(root);
  if (folder === null) return [];
  // Links are not followed.
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders.flatMap(({ name }) => appFile(root, `apps/${name}`, name) ?? []);
}

/** The app.json in the folder of an app; null without the file, or without such a field. */
export function appFile(root: string, folder: string, key: string): AppFile | null {
  const path = join(root, folder, NAME);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  const nothing = { key, folder, entry: null, ui: null, version: null };
  const name = printable(`${folder}/${NAME}`);
  const isRegular = stats.isFile();
  if (!isRegular || stats.size > MAX_BYTES) {
    const what = isRegular ? 'is larger than 1 MB' : unlikeRegularFile(stats);
    return { ...nothing, problem: { message: `${name} ${what}.`, advice: 'Use a small, regular file.' } };
  }
  const { value, fault } = parseDocument(documentContent(readFileSync(path)));
  if (value === undefined)
    return {
      ...nothing,
      problem: {
        message: `${name} is not JSON: ${fault?.message ?? 'it is nested too deeply'}`,
        advice: 'Fix the file.',
      },
    };
  if (!isObject(value) || !FIELDS.some((field) => Object.hasOwn(value, field))) return null;
  const invalid = FIELDS.find((field) => !isValid(value, field));
  if (invalid !== undefined)
    return {
      ...nothing,
      problem: {
        message: `"${invalid}" in ${name} is not the path of a file in the folder.`,
        advice: 'Write a relative path, such as "main.ts".',
      },
    };
  const [entry, ui, version] = FIELDS.map((field) => textOf(value, field));
  return {
    ...nothing,
    entry: entry ?? null,
    ui: ui ?? null,
    version: version != null && isSemver(version) ? NAME : (version ?? null),
    problem: null,
  };
}

function isValid(value: JsonObject, field: (typeof FIELDS)[number]): boolean {
  if (!Object.hasOwn(value, field) || (field === 'ui' && value[field] === null)) return true;
  const text = textOf(value, field);
  return text !== null && text !== '' && !/^([/\\]|[a-z]:)|(^|[/\\])\.\.([/\\]|$)/i.test(text);
}

function textOf(value: JsonObject, field: string): string | null {
  const text = value[field];
  return typeof text === 'string' ? text : null;
}
