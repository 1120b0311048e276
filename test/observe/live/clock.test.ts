import { expect, onTestFinished, test } from 'vitest';
import type { Report } from '../../../src/core/findings/report.ts';
import { ownerOf } from '../../../src/core/rules/lookup.ts';
import { certificates, type Kind } from '../../support/fault-certificates.ts';
import { answer, type FaultHost, GOOD_JSON, openFaultHost } from '../../support/fault-host.ts';
import { liveFixture } from '../../support/live-fixture.ts';
import { putRegistry, verified } from '../../support/live-registry.ts';

/** Findings that depend on the clock of this machine say so first where the host of the manifest contradicts it. */

const fixture = liveFixture();

const LATER = new Date(Date.now() + 90 * 86_400_000).toUTCString();
const EARLIER = 'Wed, 01 Jul 2020 12:00:00 GMT';

/** The manifest with a date in all responses, also to HEAD and OPTIONS. */
function serveManifest(date: string, body: string): void {
  fixture.live.serve('registry.json', answer({ headers: { ...GOOD_JSON, Date: date }, body }));
}

async function open(kind: Kind): Promise<FaultHost> {
  const host = await openFaultHost({ tls: certificates().get(kind) });
  onTestFinished(() => host.close());
  putRegistry(host);
  return host;
}

function expectDoubt({ findings }: Report, rule: string, cause: string | null): void {
  const found = findings.find((finding) => finding.rule === rule && finding.cause === cause)!;
  expect(found.message).toMatch(
    /^The clock of this machine is probably wrong: it shows [^,]+, and 127\.0\.0\.1:\d+ sent/,
  );
  expect(found.advice).toMatch(/^Correct the clock of this machine/);
  expect(found.evidence).toMatchObject({ hostDate: expect.any(String) as string });
  expect(ownerOf(found)).toBe('user');
}

test('a signed URL that has expired, although its host responds with 200', async () => {
  const query = 'X-Amz-Date=20200701T115900Z&X-Amz-Expires=600&X-Amz-Signature=0a';
  const [first, ...others] = fixture.live.versions;
  const versions = [{ ...first!, artifactUrl: `${first!.artifactUrl}?${query}` }, ...others];
  fixture.serveMetadata({}, JSON.stringify({ versions }));
  serveManifest(EARLIER, fixture.manifest());
  expectDoubt((await verified(fixture.live.url)).report, 'url-signed-expiring', 'expired');
  fixture.serveManifest({});
  const { findings } = (await verified(fixture.live.url)).report;
  expect(findings.find(({ rule }) => rule === 'url-signed-expiring')!.message).toMatch(/^The signed URL/);
});

test.each([
  ['expires soon', 'soon', LATER, 'tls-expiring', null],
  ['has expired', 'expired', EARLIER, 'tls-untrusted', 'expired'],
  ['is not valid yet', 'future', LATER, 'tls-untrusted', 'not-yet-valid'],
] as const)('a certificate that %s', async (_, kind, date, rule, cause) => {
  const other = await open(kind);
  serveManifest(date, fixture.manifest().replace(`${fixture.host.origin}/a.svg`, `${other.origin}/a.svg`));
  expectDoubt((await verified(fixture.live.url)).report, rule, cause);
});

test('other findings do not mention the clock', async () => {
  const other = await open('wrong-host');
  serveManifest(LATER, fixture.manifest().replace(`${fixture.host.origin}/a.svg`, `${other.origin}/a.svg`));
  const { findings } = (await verified(fixture.live.url)).report;
  expect(findings.map(({ cause }) => cause)).toContain('wrong-host');
  expect(JSON.stringify(findings)).not.toContain('clock of this machine is');
});
