import schema from '../../../schemas/app-description.schema.json' with { type: 'json' };
import type { DocumentContent } from '../json/content.ts';
import { validateAppDescription } from '../generated/app-description.js';
import { type Fault, positionsInJson, readInputFile, schemaViolations } from '../json/input-file.ts';
import { isObject, type JsonValue, parseDocument } from '../json/json.ts';
import { pointerSteps } from '../json/pointer.ts';
import type { Violation } from '../json/violations.ts';
import type { ManifestFieldName, PlainFieldName, RequiredFieldName } from '../registry/app-fields.ts';
import { MANIFEST_FIELDS } from '../registry/manifest.ts';
import { isSemver } from '../registry/version.ts';
import type { FileOfApp, NotBlank, UiOfApp } from '../values/scalars.ts';
import { similarNames } from '../text/similar-names.ts';

import {
  BUILD_OPTIONS,
  type BuildSettings,
  buildSettingsIn,
  pointersOf,
  type WrittenSettings,
  writtenIn,
} from './build-settings.ts';

/**
 * The app.json of an app: its entry in the manifest, and how it is built (schemas/app-description.schema.json). The schema
 * has the fields of the entry from core/registry/app-fields.ts.
 */

export const APP_DESCRIPTION = 'app.json';

/**
 * apps/<key>/app.json: the entry of an app in the manifest, which appreg assemble writes, and how appreg release builds it.
 *
 * @title App description
 */
interface AppDescription extends BuildSettings {
  $schema?: string;
  /** The entry point, relative to the folder. */
  entry?: FileOfApp;
  /** A second entry point, built to ui.js. */
  ui?: UiOfApp | null;
  /**
   * The version, or the file with the version.
   *
   * @pattern ^(?![/\\]|[A-Za-z]:)(?!(.*[/\\])?\.\.([/\\]|$)).+$
   * @patternErrorMessage a version, such as "1.2.0", or the relative path of the file that contains it
   */
  version?: string;
  /** True in a branch that maintains an older version of the app, while higher ones are published from elsewhere. */
  maintenance?: boolean;
}

/** The fields for the manifest. Those of files (the icon, the metadata file) are absent if the files are in the workspace. */
export type DescribedEntry = Partial<Record<ManifestFieldName, NotBlank>> &
  Record<PlainFieldName & RequiredFieldName, NotBlank>;

/** The fields for `appreg release`; null for absent ones. */
export interface DescribedBuild {
  entry: string | null;
  ui: string | null;
  /** The file with the version, relative to the folder: app.json itself if it contains the version. */
  version: string | null;
  maintenance: boolean | null;
  /** The options of the build. */
  build: WrittenSettings;
}

const WORDS = { schema, whole: 'The description of an app', member: 'field' } as const;

/** The fields for the manifest, or all faults of the file. */
export function describedEntry(content: DocumentContent): DescribedEntry | { faults: readonly Fault[] } {
  const { value, faults } = readInputFile(content, violationsOfAll);
  if (value === null) return { faults };
  // It has no faults.
  const others: readonly string[] = ['$schema', ...BUILD_FIELDS];
  const fields = Object.entries(value).filter(([name]) => !others.includes(name));
  return Object.fromEntries(fields) as unknown as DescribedEntry;
}

/**
 * True for a file with a field of the manifest, and for one that is not a JSON object: one without only says how the app is
 * built.
 */
export function describesEntry(content: DocumentContent): boolean {
  const { value } = parseDocument(content);
  return !isObject(value) || MANIFEST_FIELDS.some(({ name }) => Object.hasOwn(value, name));
}

const OWN_FIELDS = ['entry', 'ui', 'version', 'maintenance'] as const;
const BUILD_FIELDS = [...OWN_FIELDS, ...BUILD_OPTIONS] as const;

/**
 * The fields for `appreg release`, or their faults. The other fields are not required here: an app may be listed without
 * `appreg assemble`.
 * @param name of the file, for messages
 * @returns null if the file has none of these fields
 */
export function describedBuild(
  content: DocumentContent,
  name: string,
): DescribedBuild | { faults: readonly Fault[] } | null {
  const { value, faults } = readInputFile(content, (given) => violationsOfAll(given).filter(isAboutBuild));
  if (value === null) return { faults };
  if (!isObject(value) || !BUILD_FIELDS.some((field) => Object.hasOwn(value, field))) return null;
  const described = value as Pick<AppDescription, (typeof BUILD_FIELDS)[number]>;
  const { entry = null, ui = null, version = null, maintenance = null } = described;
  const build = writtenIn(described, '', positionsOf(content.text ?? '', name, described));
  const file = version !== null && isSemver(version) ? APP_DESCRIPTION : version;
  return { entry, ui, version: file, maintenance, build };
}

function positionsOf(text: string, name: string, described: BuildSettings): Map<string, string> {
  const pointers = pointersOf(buildSettingsIn(described));
  const found = positionsInJson(
    text,
    pointers.map((pointer) => ({ pointer, isAboutName: false })),
  );
  return new Map(
    pointers.map((pointer, index) => {
      const position = found[index];
      return [pointer, position ? `${name}:${position.line}:${position.column}` : name];
    }),
  );
}

function violationsOfAll(value: JsonValue): Violation[] {
  return schemaViolations(validateAppDescription, value, WORDS);
}

/** True for a violation by one of these fields, or by a field that may have been meant to be one. */
function isAboutBuild({ pointer, isAboutName }: Violation): boolean {
  const [name = ''] = pointerSteps(pointer);
  return isAboutName ? similarNames(name, BUILD_FIELDS).length > 0 : BUILD_FIELDS.some((field) => field === name);
}
