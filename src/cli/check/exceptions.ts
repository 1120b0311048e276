import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import satisfies from 'semver/functions/satisfies.js';
import validRange from 'semver/ranges/valid.js';
import type { Exception, ExceptionList, VersionRange } from '../../core/engine/exception.ts';
import { isAbout, isOver } from '../../core/engine/mark-findings.ts';
import { counts, type Report } from '../../core/engine/report.ts';
import { AppregError } from '../../core/errors.ts';
import type { DocumentFacts } from '../../core/facts/facts.ts';
import { isSemver } from '../../core/registry/version.ts';
import { rules } from '../../core/rules/index.ts';
import { ruleById } from '../../core/rules/lookup.ts';
import { counted, printable } from '../../core/text/text.ts';
import { contentOf } from '../../observe/workspace/document-content.ts';
import type { ConfiguredException, LoadedConfig } from '../config/config.ts';
import type { Terminal } from '../io/terminal.ts';
import { shownPath } from '../io/shown-path.ts';
import { similarRule } from './similar-rule.ts';

/**
 * The exceptions of the configuration; null if it has none.
 * @throws AppregError for an unknown rule, an impossible date, an invalid range, or a missing end
 */
export function exceptionsOf({ config, file }: LoadedConfig, cwd: string): ExceptionList | null {
  const configured = config.exceptions ?? [];
  if (configured.length === 0) return null;
  const pointer = file !== null && basename(file) === 'package.json' ? '/appreg/exceptions' : '/exceptions';
  const entries = configured.map((one, index) => {
    const place = `${printable(file ?? 'The configuration')}: ${pointer}/${index}`;
    return exceptionOf(one, place);
  });
  return { entries, document: file === null ? null : documentOf(file, cwd), pointer };
}

/** The configuration as a document, for positions in it. */
function documentOf(file: string, cwd: string): DocumentFacts {
  const web: DocumentFacts['web'] = { missing: { code: 'not-requested', flag: null } };
  return { url: null, file: shownPath(cwd, file), web, content: contentOf(readFileSync(file)) };
}

function exceptionOf(configured: ConfiguredException, place: string): Exception {
  const { rule: id, app = null, version = null, url = null, reason, until = null, issue = null } = configured;
  const rule = ruleById(id);
  if (rule === undefined)
    throw new AppregError(
      'rule-unknown',
      `${place}/rule: unknown rule “${printable(id)}”.${similarRule(
        id,
        rules.map((one) => one.id),
      )}`,
      'appreg rules lists the rules.',
    );
  if (until !== null && !isDate(until))
    throw invalid(
      `${place}/until: “${printable(until)}” is not a date.`,
      'Write the last day of the exception as YYYY-MM-DD, such as 2027-03-01.',
    );
  if (rule.immutability && until === null)
    throw invalid(
      `${place}: an exception for ${id} needs an end, because published versions must never change.`,
      'Add "until": "YYYY-MM-DD", the last day of the exception.',
    );
  return { rule: id, app, version: version === null ? null : rangeOf(version, place), url, reason, until, issue };
}

function rangeOf(text: string, place: string): VersionRange {
  if (text.trim() === '' || validRange(text) === null)
    throw invalid(
      `${place}/version: “${printable(text)}” is not a version range.`,
      'Use a range such as "<1.4", "1.x" or "1.2.3".',
    );
  return {
    text,
    includes: (version) => isSemver(version) && satisfies(version, text, { includePrerelease: true }),
  };
}

/** True for a day of the calendar, as YYYY-MM-DD. */
function isDate(text: string): boolean {
  const moment = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : new Date(Number.NaN);
  return !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(text);
}

function invalid(message: string, hint: string): AppregError {
  return new AppregError('config-invalid', message, hint);
}

/** Logs which findings count again, because their exception is over. */
export function logEndedExceptions(terminal: Terminal, report: Report, list: ExceptionList | null, now: string): void {
  for (const exception of list?.entries ?? []) {
    if (!isOver(exception, now)) continue;
    const found = report.findings.filter((finding) => isAbout(exception, finding) && counts(finding));
    if (found.length === 0) continue;
    const { rule, app, until, reason } = exception;
    terminal.log(
      `The exception for ${rule}${app === null ? '' : ` (${printable(app)})`} ended on ${until}, so ${counted(found.length, 'finding')} count${found.length === 1 ? 's' : ''} again. Its reason: ${printable(reason)}`,
    );
  }
}
