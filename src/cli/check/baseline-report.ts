import { resolve } from 'node:path';
import { type FindingIdentity, fingerprintsOf } from '../../core/engine/fingerprint.ts';
import type { ResourceKind } from '../../core/facts/facts.ts';
import { isObject, type JsonValue } from '../../core/json/json.ts';
import { AppregError } from '../../core/errors.ts';
import { printable, shorten } from '../../core/text/text.ts';
import { readRegularFile } from '../../platform/regular-file.ts';

/**
 * The fingerprints of the findings in the report of --baseline. Only the fields that identify a finding are read, so a
 * report of another version of appreg can be used.
 * @throws AppregError if the file is not a report of appreg
 */
export function readBaselineReport(name: string, cwd: string): ReadonlySet<string> {
  if (name.trim() === '')
    throw new AppregError(
      'option-invalid',
      '--baseline is empty.',
      'Give the path of a report; in a pipeline, check that its variable is set.',
    );
  const value = parsed(textOf(resolve(cwd, name), name), name);
  return fingerprintsOf({ findings: findingsIn(value, name) });
}

function textOf(path: string, name: string): string {
  const read = readRegularFile(path);
  if ('failure' in read) throw unusable(name, `it ${read.failure}`);
  return read.bytes.toString().replace(/^\ufeff/, '');
}

function parsed(text: string, name: string): JsonValue {
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch {
    // The parser's message would quote the file.
    throw unusable(name, text.trim() === '' ? 'it is empty' : 'it is not JSON');
  }
}

function findingsIn(value: JsonValue, name: string): FindingIdentity[] {
  if (!isObject(value)) throw unusable(name, 'it is not a report');
  const { schema, tool, findings } = value;
  const author = isObject(tool) ? tool['name'] : undefined;
  if (schema === undefined || author === undefined || findings === undefined)
    throw unusable(name, `it is not a report${otherContent(value)}`);
  if (author !== 'appreg')
    throw unusable(name, `it is a report of another tool (“${printable(shorten(String(author), 60))}”)`);
  if (schema !== 1)
    throw unusable(
      name,
      `its schema is ${printable(shorten(JSON.stringify(schema), 60))}, and this appreg reads schema 1`,
    );
  if (!Array.isArray(findings)) throw unusable(name, '/findings is not an array');
  return findings.map((finding, index) => {
    const fault = faultOf(finding);
    if (isIdentity(finding)) return finding;
    throw unusable(name, `/findings/${index}${fault}`);
  });
}

/** What the file seems to be instead. */
function otherContent(value: Record<string, JsonValue>): string {
  if ('snapshot' in value) return ', but saved facts';
  if ('runs' in value) return ' in JSON, but in SARIF';
  return 'apps' in value && !('findings' in value) ? ', but a manifest' : '';
}

const KINDS: readonly ResourceKind[] = ['manifest', 'metadata', 'artifact', 'icon'];
const TEXTS = ['cause', 'app', 'version', 'file', 'url', 'pointer'] as const;

function isIdentity(value: JsonValue): value is JsonValue & FindingIdentity {
  return faultOf(value) === null;
}

/** What is wrong with an entry, to follow its place; null if nothing is. */
function faultOf(value: JsonValue): string | null {
  if (!isObject(value)) return ' is not an object';
  if (typeof value['rule'] !== 'string') return '/rule is not a string';
  if (!KINDS.some((kind) => kind === value['resource'])) return '/resource is not a kind of resource';
  const wrong = TEXTS.find((field) => value[field] !== null && typeof value[field] !== 'string');
  return wrong === undefined ? null : `/${wrong} is neither a string nor null`;
}

function unusable(name: string, why: string, cause?: unknown): AppregError {
  return new AppregError(
    'baseline-report-invalid',
    `--baseline: ${printable(name)} cannot be used: ${why}.`,
    'Give a report that appreg wrote: appreg lint --format json --output baseline.json',
    { cause },
  );
}
