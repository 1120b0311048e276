import { message } from '../../core/text/message.ts';
import type { Exception, ExceptionList } from '../../core/findings/report.ts';
import type { Severity } from '../../core/values/severity.ts';
import { AppregError } from '../../core/errors/error.ts';
import type { DocumentFacts } from '../../core/facts/facts.ts';
import { documentText, isObject, type JsonValue } from '../../core/json/json.ts';
import { pointerTo } from '../../core/json/pointer.ts';
import { pathOf, type Violation } from '../../core/json/violations.ts';
import { versionRange, type VersionRange } from '../../core/registry/version-range.ts';
import { artifactSecret } from '../../core/rules/artifacts/artifact-secret.ts';
import { ruleById, similarRule } from '../../core/rules/lookup.ts';
import { isInCalendar } from '../../core/text/calendar.ts';
import { didYouMean } from '../../core/text/similar-names.ts';
import { safeExcerpt } from '../../core/text/text.ts';
import { isOneOf, LEVELS } from '../define/choices.ts';
import { configError, type ConfigText, positionsIn } from './read.ts';
import type { Config, ConfiguredException } from './type.ts';

/** The settings `rules` and `exceptions`, and --rule. Loaded, with all rules, only where one of them is given. */

/** Levels by rule id. */
type Levels = Record<string, Severity | 'off'>;

export interface RuleSettings {
  levels: Readonly<Levels>;
  /** Null without exceptions; the file of their document is absolute. */
  exceptions: ExceptionList | null;
}

/**
 * Checks and parses the settings.
 * @param config what the schema accepts
 * @param source the file that it was read from; null if it is from no file
 * @throws AppregError `config-invalid` or `rule-unknown`, which names all values that are wrong, with their places
 */
export async function ruleSettings(config: Config, source: ConfigText | null): Promise<RuleSettings> {
  const violations = settingViolations(config);
  if (violations.length > 0) throw await configError(source, violations);
  return { levels: config.rules ?? {}, exceptions: await exceptionsOf(config.exceptions ?? [], source) };
}

/** The levels of --rule. @throws AppregError for an unknown rule or level */
export function givenLevels(given: readonly string[]): Levels {
  const levels = given.map((text) => {
    const [id = '', ...level] = text.split('=');
    return [checkedRule(id.trim()), checkedLevel(level.join('=').trim())] as const;
  });
  return Object.fromEntries(levels);
}

function checkedRule(id: string): string {
  if (ruleById(id) !== undefined) return id;
  throw new AppregError(
    'rule-unknown',
    message`--rule: unknown rule “${id}”.${similarRule(id)}`,
    message`appreg rules lists the rules.`,
  );
}

function checkedLevel(level: string): Severity | 'off' {
  if (isOneOf(LEVELS, level)) return level;
  throw new AppregError(
    'rule-level-unknown',
    message`--rule: “${level}” is not a level.${didYouMean(level, LEVELS)}`,
    message`Use one of: ${LEVELS.join(', ')}`,
  );
}

/**
 * Violations in `rules` and `exceptions` that the schema cannot express.
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

/** @param configured without violations */
async function exceptionsOf(
  configured: readonly ConfiguredException[],
  source: ConfigText | null,
): Promise<ExceptionList | null> {
  if (configured.length === 0) return null;
  const pointer = source?.form === 'package' ? '/appreg/exceptions' : '/exceptions';
  const entries = configured.map(exceptionOf);
  if (source === null) return { entries, document: null, pointer };
  const web: DocumentFacts['web'] = { missing: { code: 'not-requested', flag: null } };
  const document: DocumentFacts = { url: null, file: source.path, web, content: documentText(source.text) };
  return { entries, document, pointer, ...(source.form === 'yaml' && (await yamlPositions(source, entries.length))) };
}

/** The positions of exceptions in YAML, which are known before it is known which of them are reported. */
async function yamlPositions(
  { form, text }: ConfigText,
  count: number,
): Promise<Pick<Required<ExceptionList>, 'positionOf'>> {
  const pointers = Array.from({ length: count }, (_, index) => pointerTo('exceptions', index));
  const places = pointers.map((pointer) => ({ pointer, isAboutName: false }));
  const positions = await positionsIn(form, text, places);
  const known = new Map(pointers.map((pointer, index) => [pointer, positions[index] ?? null]));
  return { positionOf: (pointer) => known.get(pointer) ?? null };
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
