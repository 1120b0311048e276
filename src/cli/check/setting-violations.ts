import { message } from '../../core/text/message.ts';
import { isObject, type JsonValue } from '../../core/json/json.ts';
import { pointerTo } from '../../core/json/pointer.ts';
import { pathOf, type Violation } from '../../core/json/violations.ts';
import { versionRange } from '../../core/registry/version-range.ts';
import { rules } from '../../core/rules/index.ts';
import { ruleById } from '../../core/rules/lookup.ts';
import { isInCalendar } from '../../core/text/calendar.ts';
import { safeExcerpt } from '../../core/text/text.ts';
import { similarRule } from './similar-rule.ts';

/** What the schema cannot check in the settings of rules: `rules` and `exceptions` of the configuration. */

/** @param config may be of any type; what the schema refuses is ignored */
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
  const similar = similarRule(
    id,
    rules.map((rule) => rule.id),
  );
  const summary = message`Unknown rule “${safeExcerpt(id, 80)}” in “${isAboutName ? 'rules' : pathOf(pointer)}”.${similar}`;
  return [{ pointer, isAboutName, message: summary, isUnknownRule: true }];
}

function exceptionViolations(exception: Record<string, JsonValue>, place: string): Violation[] {
  const { rule: id, until, version } = exception;
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
  if (typeof id === 'string' && ruleById(id)?.immutability === true && until === undefined)
    found.push({
      pointer: place,
      isAboutName: false,
      message: message`“until” is missing in “${pathOf(place)}”: an exception for ${id} needs an end, because published versions must never change.`,
    });
  return found;
}
