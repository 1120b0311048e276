import type { Finding, Report } from '../../src/core/findings/report.ts';
import type { File, Seen, Stage } from './situation.ts';

/**
 * THE TABLE: what a page can try, and the findings that state that it will not succeed. Without them, the
 * page gets what it requests. Each entry is the beginning of "severity rule cause".
 *
 * Out of it: private network access (all hosts are at one address here), mixed content but for redirects, pages whose
 * own origin is opaque (`Origin: null` occurs behind redirects alone), Timing-Allow-Origin (it hides timings, not files).
 */
const UNREACHABLE = ['error unreachable', 'error redirect-insecure', 'error redirect-excessive'];
const CORS = ['error cors-missing', 'error cors-invalid', 'error cors-origin-refused'];
const PREFLIGHT = ['warning cors-preflight-refused'];
// Findings that concern every image, and those that are requested without CORS.
const IMAGE = [
  'error icon-not-image',
  ...['svg-type', 'png-as-svg', 'missing'].map((cause) => `error icon-type-wrong ${cause}`),
];
const OPAQUE = ['error icon-embedding-refused', 'error icon-type-wrong'];

const TABLE: Record<string, { file: File; refused: readonly string[] }> = {
  fetch: { file: 'metadata', refused: [...UNREACHABLE, ...CORS] },
  'fetch with a header': { file: 'metadata', refused: [...UNREACHABLE, ...CORS, ...PREFLIGHT] },
  'fetch with Authorization': { file: 'metadata', refused: [...UNREACHABLE, ...CORS, ...PREFLIGHT] },
  img: { file: 'icon', refused: [...UNREACHABLE, ...IMAGE, ...OPAQUE] },
  'img crossorigin': { file: 'icon', refused: [...UNREACHABLE, ...CORS, ...IMAGE] },
};

/**
 * Where the standard is stricter than Chromium, and appreg goes by the standard: `*` in Access-Control-Allow-Headers
 * does not cover Authorization (Fetch: CORS non-wildcard request-header name). Chromium lets it through and warns.
 */
const STRICTER = { way: 'fetch with Authorization', found: 'warning cors-preflight-refused header-refused' };

/** Descriptions of the differences between appreg and the browser; empty if they agree. */
export async function disagreements(stage: Stage, seen: readonly Seen[], files: readonly File[]): Promise<string[]> {
  const asks = seen.flatMap((one) =>
    Object.entries(TABLE)
      .filter(([way, { file }]) => files.includes(file) && (way !== STRICTER.way || one.authorized))
      .map(([way, { file, refused }]) => ({ one, way, file, refused, url: one.urls[file] })),
  );
  const answers = await stage.service.ask(
    seen[0]!.page,
    asks.map(({ way, url }) => ({ way, url })),
  );
  const list: string[] = [];
  for (const [i, { one, way, file, refused }] of asks.entries()) {
    const found = refusals(way === STRICTER.way ? one.authorized! : one.report, file, refused);
    const passes = answers[i] === true;
    if (passes === (found.length === 0)) continue;
    if (passes && way === STRICTER.way && found.join() === STRICTER.found && wildcard(one)) continue;
    const browser = passes ? 'the browser gets it' : 'the browser does not get it';
    list.push(`${one.situation.name}: ${way}: ${browser}, appreg reports ${found.join('; ') || 'nothing'}`);
  }
  return list;
}

function wildcard({ situation }: Seen): boolean {
  const lines = situation.hops.flatMap((hop) => hop.preflight?.headers ?? []);
  return lines.some(([name, value]) => name === 'Access-Control-Allow-Headers' && value.includes('*'));
}

function refusals(report: Report, file: File, refused: readonly string[]): string[] {
  return report.findings
    .filter((finding) => finding.resource === file)
    .map(severityAndRule)
    .filter((text) => refused.some((start) => text.startsWith(start)));
}

function severityAndRule({ severity, rule, cause }: Finding): string {
  return `${severity} ${rule}${cause === null ? '' : ` ${cause}`}`;
}
