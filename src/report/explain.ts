import { exitCodeOf } from '../core/errors/codes/exit-codes.ts';
import { ERRORS, errorUrl } from '../core/errors/codes/index.ts';
import type { ErrorCode } from '../core/errors/error.ts';
import { ruleUrl } from '../core/values/links.ts';
import type { AnyRule, ExplainedBy } from '../core/rules/rule.ts';
import { printable } from '../core/text/text.ts';
import { alignedRows } from './columns.ts';
import { explanations, explanationText, ownerNames, ownersOf } from './rule-text.ts';
import type { Style } from './style.ts';

/** Everything about a rule or an error code, for `explain` and `rules`. */

/** A rule as JSON. Absent values are null. */
export function ruleAsJson(rule: AnyRule): object {
  const { id, on, severity, spec, symptom, owner, causes = {}, failsWhen, why, examples, supersededBy = [] } = rule;
  return {
    id,
    group: on,
    severity,
    spec,
    symptom,
    owners: ownerNames(owner),
    hidesApp: rule.hidesApp === true,
    fixable: isFixableRule(rule),
    exceptionNeedsUntil: rule.immutability === true,
    failsWhen,
    why,
    causes: Object.entries(causes).map(([name, info]) => ({
      name,
      title: info.title,
      owners: ownerNames(info.owner ?? owner),
      fixable: info.fixable === true,
    })),
    examples: { bad: examples.bad, good: examples.good },
    explainedBy: explanations(supersededBy),
    url: ruleUrl(id),
  };
}

/** True if `lint --fix` fixes some of the rule's findings. */
function isFixableRule({ fixable, causes = {} }: AnyRule): boolean {
  return fixable === true || Object.values(causes).some((info) => info.fixable === true);
}

export function errorAsJson(code: ErrorCode): object {
  const { title, fix } = ERRORS[code];
  return { code, exit: exitCodeOf(code), title, fix, url: errorUrl(code) };
}

/** Everything about a rule, for people. */
export function ruleAsText(rule: AnyRule, style: Style): string {
  const { id, on, severity, spec, supersededBy = [] } = rule;
  const remarks = [
    `rule, ${severity} by default`,
    `group ${on}`,
    ...(spec === null ? [] : [`section ${spec} of the specification`]),
    ...(rule.hidesApp === true ? ['can hide an app'] : []),
  ];
  return [
    `${style.bold(id)}  ${style.dim(`(${remarks.join('; ')})`)}`,
    '',
    `Fails when ${plain(rule.failsWhen)}.`,
    plain(rule.why),
    ...symptomLines(rule),
    ...causeLines(rule, style),
    ...exampleLines('Bad', rule.examples.bad, style),
    ...exampleLines('Good', rule.examples.good, style),
    ...explainedByLines(supersededBy, style),
    ...(isFixableRule(rule)
      ? ['', 'appreg lint --fix corrects the findings that have only one possible correction.']
      : []),
    '',
    style.underline('To change its level, or turn it off'),
    `  appreg.config.json: "rules": { "${id}": "off" }    (off, note, warning or error)`,
    `  for one run:        --rule ${id}=off`,
    '',
    style.underline('To add an exception for some of its findings'),
    `  appreg.config.json: "exceptions": [${exceptionExample(rule)}]`,
    `  optional: "version", "url"${rule.immutability === true ? ' and "issue"; "until" is required for this rule' : ', "issue" and "until" (the last day)'}`,
    '',
    `More: ${ruleUrl(id)}`,
  ].join('\n');
}

/** An exception as it is written in the configuration. */
function exceptionExample({ id, immutability }: AnyRule): string {
  return `{ "rule": "${id}", "app": "<key>", "reason": "<why>"${immutability === true ? ', "until": "<YYYY-MM-DD>"' : ''} }`;
}

/** Everything about an error code, for people. */
export function errorAsText(code: ErrorCode, style: Style): string {
  const { title, fix } = ERRORS[code];
  const exit = exitCodeOf(code);
  const meaning = exit === 1 ? 'refused by a rule or a conflict' : 'the job could not be done';
  return [
    `${style.bold(code)}  ${style.dim(`(error; exit code ${exit}: ${exit === 130 ? 'ended by a signal' : meaning})`)}`,
    '',
    title,
    `What to do: ${fix}`,
    '',
    `More: ${errorUrl(code)}`,
  ].join('\n');
}

/** The findings beside which this rule reports nothing, with the reasons. */
function explainedByLines(supersededBy: readonly ExplainedBy[], style: Style): string[] {
  if (supersededBy.length === 0) return [];
  const lines = explanations(supersededBy).map((one) => `  ${explanationText(one, (name) => name)}`);
  return ['', style.underline('Not reported beside a finding that explains it'), ...lines];
}

function symptomLines({ symptom }: AnyRule): string[] {
  if (symptom === null) return [];
  return [`Symptom: ${symptom === 'by-resource' ? 'that of the affected file' : symptom}.`];
}

/** The causes with the party that has to act, in columns, or only that party if there are none. */
function causeLines({ owner, causes = {} }: AnyRule, style: Style): string[] {
  const rows = Object.entries(causes).map(([name, info]) => [
    name,
    `${info.title}${info.fixable === true ? ' (lint --fix)' : ''}`,
    ownersOf(info.owner ?? owner),
  ]);
  if (rows.length === 0) return ['', `To be fixed by: ${ownersOf(owner)}.`];
  const [first, ...others] = alignedRows([['cause', 'meaning', 'to be fixed by'], ...rows]);
  return ['', style.dim(`  ${first}`), ...others.map((line) => `  ${plain(line)}`)];
}

/** An example; invisible characters are escaped. */
function exampleLines(title: string, text: string, style: Style): string[] {
  return ['', style.underline(title), ...text.split('\n').map((line) => `  ${printable(line)}`.trimEnd())];
}

/** Without the Markdown code spans of a rule's text. */
function plain(text: string): string {
  return text.replaceAll('`', '');
}
