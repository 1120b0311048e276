import { resolve } from 'node:path';
import { AppregError } from '../../core/errors/error.ts';
import type { KnownFinding } from '../../core/findings/report.ts';
import { faultText, readInputFile } from '../../core/json/input-file.ts';
import { isObject, type JsonObject, type JsonValue, member } from '../../core/json/json.ts';
import { pointerTo } from '../../core/json/pointer.ts';
import { mustBe, type Violation } from '../../core/json/violations.ts';
import { message, safe, type SafeText } from '../../core/text/message.ts';
import { contentOf } from '../../observe/content/document-content.ts';
import { readRegularFile } from '../../platform/regular-file.ts';

/**
 * The findings in the report of --baseline. Only the fields that identify a finding are read, so a report of another
 * version of appreg can be used.
 * @param registries the identities of the checked registries
 * @throws AppregError if the file is not a report of appreg, or a report of other registries
 */
export function knownFindings(name: string, cwd: string, registries: readonly string[]): readonly KnownFinding[] {
  const read = readRegularFile(resolve(cwd, name));
  if ('failure' in read) throw unusable(message`--baseline: ${name} ${read.failure}.`);
  const { value, faults } = readInputFile(contentOf(read.bytes), violationsIn);
  if (value === null || !isReport(value)) throw unusable(message`--baseline: ${safe(faultText(name, faults))}`);
  if (!value.registries.some((one) => registries.includes(one)))
    throw unusable(
      message`--baseline: ${name} is a report about ${listed(value.registries)}, and not about ${listed(registries)}.`,
    );
  return value.findings;
}

function listed(registries: readonly string[]): string {
  if (registries.length === 0) return 'no registry';
  const shown = registries.slice(0, NAMED).map((one) => `“${one}”`);
  const more = registries.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

const NAMED = 3;
const WHOLE = 'The report';

function violationsIn(value: JsonValue): Violation[] {
  if (!isObject(value)) return [mustBe('', 'an object', value, WHOLE)];
  const { schema, tool, findings, registries } = value;
  const author = member(tool, 'name');
  if (schema === undefined || author === undefined || findings === undefined)
    return [
      { pointer: '', isAboutName: false, message: message`The file is not a report of appreg${otherContent(value)}.` },
    ];
  if (author !== 'appreg') return [mustBe('/tool/name', 'appreg: the report is of another tool', author, WHOLE)];
  if (schema !== 1) return [mustBe('/schema', '1, the format that this version of appreg reads', schema, WHOLE)];
  if (!Array.isArray(findings)) return [mustBe('/findings', 'a list', findings, WHOLE)];
  if (!isTexts(registries))
    return [
      {
        pointer: '',
        isAboutName: false,
        message: message`The report is of an older version of appreg${versionText(value)}: its findings have no fingerprints. Write it again.`,
      },
    ];
  return findings.flatMap((finding, index) => findingViolations(finding, pointerTo('findings', index)));
}

function isReport(value: JsonValue): value is JsonObject & { findings: KnownFinding[]; registries: string[] } {
  return violationsIn(value).length === 0;
}

/** Names the document that was given in place of known findings, to continue a sentence; '' if it is not recognized. */
function otherContent(value: Record<string, JsonValue>): string {
  if ('snapshot' in value) return ', but saved facts';
  if ('runs' in value) return ' in JSON, but in SARIF';
  return 'apps' in value && !('findings' in value) ? ', but a manifest' : '';
}

function isTexts(value: JsonValue | undefined): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

/** The version that wrote a report, to continue a sentence; '' if it does not say. */
function versionText({ tool }: Record<string, JsonValue>): string {
  const version = member(tool, 'version');
  return typeof version === 'string' ? ` (${version})` : '';
}

const TEXTS = ['rule', 'registry', 'fingerprint'] as const;
const OPTIONAL = ['app', 'version'] as const;

function findingViolations(value: JsonValue, place: string): Violation[] {
  if (!isObject(value)) return [mustBe(place, 'an object', value, WHOLE)];
  const isText = (field: string): boolean => typeof value[field] === 'string';
  return [
    ...TEXTS.filter((field) => !isText(field)).map((field) => mustBe(`${place}/${field}`, 'text', value[field], WHOLE)),
    ...OPTIONAL.filter((field) => value[field] !== null && !isText(field)).map((field) =>
      mustBe(`${place}/${field}`, 'text or null', value[field], WHOLE),
    ),
  ];
}

function unusable(summary: SafeText): AppregError {
  return new AppregError(
    'baseline-report-invalid',
    summary,
    message`Give a report that appreg wrote: appreg lint --format json --output baseline.json`,
  );
}
