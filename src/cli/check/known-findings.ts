import { resolve } from 'node:path';
import { AppregError } from '../../core/errors/error.ts';
import type { ResourceKind } from '../../core/facts/facts.ts';
import { type FindingIdentity, fingerprintsOf } from '../../core/findings/fingerprint.ts';
import { faultText, readInputFile } from '../../core/json/input-file.ts';
import { isObject, type JsonObject, type JsonValue, member } from '../../core/json/json.ts';
import { pointerTo } from '../../core/json/pointer.ts';
import { mustBe, type Violation } from '../../core/json/violations.ts';
import { message, safe, type SafeText } from '../../core/text/message.ts';
import { contentOf } from '../../observe/content/document-content.ts';
import { readRegularFile } from '../../platform/regular-file.ts';

/**
 * The fingerprints of the findings in the report of --baseline. Only the fields that identify a finding are read, so a
 * report of another version of appreg can be used.
 * @throws AppregError if the file is not a report of appreg
 */
export function knownFindings(name: string, cwd: string): ReadonlySet<string> {
  const read = readRegularFile(resolve(cwd, name));
  if ('failure' in read) throw unusable(message`--baseline: ${name} ${read.failure}.`);
  const { value, faults } = readInputFile(contentOf(read.bytes), violationsIn);
  if (value !== null && isReport(value)) return fingerprintsOf(value);
  throw unusable(message`--baseline: ${safe(faultText(name, faults))}`);
}

const WHOLE = 'The report';

function violationsIn(value: JsonValue): Violation[] {
  if (!isObject(value)) return [mustBe('', 'an object', value, WHOLE)];
  const { schema, tool, findings } = value;
  const author = member(tool, 'name');
  if (schema === undefined || author === undefined || findings === undefined)
    return [
      { pointer: '', isAboutName: false, message: message`The file is not a report of appreg${otherContent(value)}.` },
    ];
  if (author !== 'appreg') return [mustBe('/tool/name', 'appreg: the report is of another tool', author, WHOLE)];
  if (schema !== 1) return [mustBe('/schema', '1, the format that this version of appreg reads', schema, WHOLE)];
  if (!Array.isArray(findings)) return [mustBe('/findings', 'a list', findings, WHOLE)];
  return findings.flatMap((finding, index) => findingViolations(finding, pointerTo('findings', index)));
}

function isReport(value: JsonValue): value is JsonObject & { findings: FindingIdentity[] } {
  return violationsIn(value).length === 0;
}

/** Names the document that was given in place of known findings, to continue a sentence; '' if it is not recognized. */
function otherContent(value: Record<string, JsonValue>): string {
  if ('snapshot' in value) return ', but saved facts';
  if ('runs' in value) return ' in JSON, but in SARIF';
  return 'apps' in value && !('findings' in value) ? ', but a manifest' : '';
}

const KINDS: readonly ResourceKind[] = ['manifest', 'metadata', 'artifact', 'icon'];
const TEXTS = ['cause', 'app', 'version', 'file', 'url', 'pointer'] as const;

function findingViolations(value: JsonValue, place: string): Violation[] {
  if (!isObject(value)) return [mustBe(place, 'an object', value, WHOLE)];
  const found: Violation[] = [];
  const { rule, resource } = value;
  if (typeof rule !== 'string') found.push(mustBe(`${place}/rule`, 'text', rule, WHOLE));
  if (!KINDS.some((kind) => kind === resource))
    found.push(mustBe(`${place}/resource`, `${KINDS.slice(0, -1).join(', ')} or ${KINDS.at(-1)}`, resource, WHOLE));
  for (const field of TEXTS)
    if (value[field] !== null && typeof value[field] !== 'string')
      found.push(mustBe(`${place}/${field}`, 'text or null', value[field], WHOLE));
  return found;
}

function unusable(summary: SafeText): AppregError {
  return new AppregError(
    'baseline-report-invalid',
    summary,
    message`Give a report that appreg wrote: appreg lint --format json --output baseline.json`,
  );
}
