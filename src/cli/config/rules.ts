import { message } from '../../core/text/message.ts';
import { isObject, type JsonValue } from '../../core/json/json.ts';
import { pointerTo } from '../../core/json/pointer.ts';
import { pathOf, type Violation } from '../../core/json/violations.ts';
import { versionRange, type VersionRange } from '../../core/registry/version-range.ts';
import { artifactSecret } from '../../core/rules/artifacts/artifact-secret.ts';
import { ruleById, similarRule } from '../../core/rules/lookup.ts';
import { isInCalendar } from '../../core/text/calendar.ts';
import { safeExcerpt } from '../../core/text/text.ts';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Exception, ExceptionList } from '../../core/findings/report.ts';
import { type DocumentFacts, isMissing } from '../../core/facts/facts.ts';
import { contentOf } from '../../observe/content/document-content.ts';
import type { Config, ConfiguredException } from './config-type.ts';
import { formOf } from './find-config.ts';
import { shownPath } from '../io/shown-path.ts';

/** The settings `rules` and `exceptions` of a configuration. */

/**
 * What the schema cannot check in them.
 * @param config may be of any type; what the schema refuses is ignored
 */
export function settingViolations(config: unknown): Violation[] {
  if (!isSettings(config)) return [];
  const { rules: levels, exceptions } = config;
  return [
    ...Object.keys(isObject(levels) ? levels : {}).flatMap((id) => unknownRule(id, pointerTo('rules', id), true)),
    ...(Array.isArray(exceptions) ? exceptions : []).flatMap((one, index) =>
      isObject(one) ? exceptionViolations(one, pointerTo('exceptions', index)) : [],
    ),
  ];
}

function isSettings(value: unknown): value is Record<string, JsonValue | undefined> {
  return typeof value === 'object' && value !== null;
}

function unknownRule(id: string, pointer: string, isAboutName: boolean): Violation[] {
  if (ruleById(id) !== undefined) return [];
  const place = isAboutName ? 'rules' : pathOf(pointer);
  const summary = message`Unknown rule “${safeExcerpt(id, 80)}” in “${place}”.${similarRule(id)}`;
  return [{ pointer, isAboutName, message: summary, isUnknownRule: true }];
}

function exceptionViolations(exception: Record<string, JsonValue>, place: string): Violation[] {
  const { rule: id, until, version, secret } = exception;
  const found: Violation[] = [];
  const add = (field: string, value: string, allowed: string): void => {
    const pointer = place + field;
    const summary = message`“${pathOf(pointer)}” must be ${allowed}, not “${safeExcerpt(value, 80)}”.`;
    found.push({ pointer, isAboutName: false, message: summary });
  };
  if (typeof id === 'string') found.push(...unknownRule(id, `${place}/rule`, false));
  if (typeof until === 'string' && !(/^\d{4}-\d{2}-\d{2}$/.test(until) && isInCalendar(until)))
    add('/until', until, 'a date such as "2027-03-01" (YYYY-MM-DD)');
  // The schema refuses a blank one.
  if (typeof version === 'string' && version.trim() !== '' && versionRange(version) === null)
    add('/version', version, 'a version range such as "<1.4", "1.x" or "1.2.3"');
  // A mistaken value may be the secret itself, so it is not quoted.
  if (typeof secret === 'string' && !/^[0-9a-f]{16}$/.test(secret))
    found.push({
      pointer: `${place}/secret`,
      isAboutName: false,
      message: message`“${pathOf(`${place}/secret`)}” must be a fingerprint of 16 hexadecimal digits, as the message about the secret prints it, and never the secret itself.`,
    });
  if (typeof id === 'string' && id !== artifactSecret.id && secret !== undefined)
    found.push({
      pointer: `${place}/secret`,
      isAboutName: true,
      message: message`“${pathOf(`${place}/secret`)}” is only for ${artifactSecret.id}: findings of ${safeExcerpt(id, 80)} have no secret.`,
    });
  if (typeof id === 'string' && ruleById(id)?.immutability === true && until === undefined)
    found.push({
      pointer: place,
      isAboutName: false,
      message: message`“until” is missing in “${pathOf(place)}”: an exception for ${id} needs an end, because published versions must never change.`,
    });
  return found;
}

/** The exceptions of a configuration that `settingViolations` accepts; null if it has none. */
export async function exceptionsOf(
  { config, file }: { config: Config; file: string | null },
  cwd: string,
): Promise<ExceptionList | null> {
  const configured = config.exceptions ?? [];
  if (configured.length === 0) return null;
  const pointer = file !== null && basename(file) === 'package.json' ? '/appreg/exceptions' : '/exceptions';
  const entries = configured.map(exceptionOf);
  if (file === null) return { entries, document: null, pointer };
  const document = documentOf(file, cwd);
  return { entries, document, pointer, ...(formOf(basename(file)) === 'yaml' && (await yamlPositionsIn(document))) };
}

/** Loads the parser of YAML, which has read the configuration before. */
async function yamlPositionsIn({ content }: DocumentFacts): Promise<Pick<Required<ExceptionList>, 'positionOf'>> {
  const { yamlPositions } = await import('./config-yaml.ts');
  const text = isMissing(content) ? '' : (content.text ?? '');
  return {
    positionOf: (pointer) => yamlPositions(text, [{ pointer, isAboutName: false }])[0] ?? null,
  };
}

/** The configuration as a document, for positions in it. */
function documentOf(file: string, cwd: string): DocumentFacts {
  const web: DocumentFacts['web'] = { missing: { code: 'not-requested', flag: null } };
  return { url: null, file: shownPath(cwd, file), web, content: contentOf(readFileSync(file)) };
}

function exceptionOf(configured: ConfiguredException): Exception {
  const {
    rule,
    app = null,
    version = null,
    url = null,
    secret = null,
    reason,
    until = null,
    issue = null,
  } = configured;
  return { rule, app, version: version === null ? null : rangeOf(version), url, secret, reason, until, issue };
}

function rangeOf(text: string): VersionRange {
  const range = versionRange(text);
  // Without a range, the exception would be for all versions.
  if (range === null) throw new TypeError(`Not a range: ${text}`);
  return range;
}
