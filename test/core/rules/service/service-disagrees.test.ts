import { serviceDisagrees } from '../../../../src/core/rules/service/service-disagrees.ts';
import type { SubscribedApp, SubscribedVersion } from '../../../../src/core/facts/facts.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { knownApp, REGISTRY, servedApp } from '../../../support/subscription-example.ts';

const CHECKSUM = `sha256:${'a'.repeat(64)}`;
const SINCE = '2026-11-13T20:00:00.000Z';

const now = (refusedBy: string | null = null, isVerified: boolean | null = refusedBy === null) => ({
  version: '1.0.0',
  checksum: CHECKSUM,
  isVerified,
  refusedBy,
});
const before = (change: Partial<SubscribedVersion> = {}): SubscribedVersion => ({
  version: '1.0.0',
  artifactChecksum: CHECKSUM,
  firstSeenAt: SINCE,
  state: 'verified',
  offered: true,
  reason: null,
  ...change,
});
const pair = (
  served: ReturnType<typeof servedApp>,
  versions: SubscribedVersion[] | null,
  more: Partial<SubscribedApp> = {},
) => ({ registry: REGISTRY, served, known: knownApp(versions, more) });
const HIDDEN = { visible: false, reasons: [{ code: 'artifact-refused', message: 'No version is offered.' }] };
const PENDING = before({ state: 'pending', offered: false });

ruleTable(serviceDisagrees, {
  clean: [
    ['the registry itself', { registry: REGISTRY, served: null, known: null }],
    ['an app that the service does not know', { registry: REGISTRY, served: servedApp([now()]), known: null }],
    ['the same version, offered by both', pair(servedApp([now()]), [before()])],
    [
      'a version that both refuse',
      pair(servedApp([now('artifact-not-tar-gz')]), [before({ state: 'refused', offered: false })]),
    ],
    [
      'a version whose host lost it, and of which the service has a copy',
      pair(servedApp([{ ...now('unreachable'), isGone: true }]), [before({ lostAt: SINCE })]),
    ],
    ['a version that was not requested', pair(servedApp([now(null, null)]), [PENDING])],
    ['another checksum', pair(servedApp([now('artifact-changed')]), [before({ artifactChecksum: 'sha256:0' })])],
    [
      'a refusal that service-refused reports',
      pair(servedApp([now()]), [before({ state: 'refused', offered: false })], HIDDEN),
    ],
    ['a version that service-not-looked-yet reports', pair(servedApp([now()]), [], HIDDEN)],
    ['an app that the service cannot read', pair(servedApp([now()]), [PENDING], { failingSince: SINCE })],
    ['an app that both hide', pair(servedApp([], { hiddenBy: ['no-valid-versions'], visible: false }), [], HIDDEN)],
    ['an app that is not known to be visible here', pair(servedApp([], { visible: null }), [], HIDDEN)],
  ],
  faulty: [
    [
      'a version that the service offers',
      pair(servedApp([now('artifact-checksum-mismatch')]), [before()]),
      {
        cause: 'version-offered',
        message:
          'The service offers version 1.0.0, which fails verification now: artifact-checksum-mismatch. It last checked at 2026-11-14 11:00 UTC, and checks again at 2026-11-14 12:00 UTC.',
      },
    ],
    [
      'a version whose host lost it, and of which the service is not known to have a copy',
      pair(servedApp([{ ...now('unreachable'), isGone: true }]), [before({ lostAt: null })]),
      { cause: 'version-offered' },
    ],
    [
      'a version of which the service has a copy, and whose host serves other bytes now',
      pair(servedApp([now('artifact-checksum-mismatch')]), [before({ lostAt: SINCE })]),
      { cause: 'version-offered' },
    ],
    [
      'a version that the service does not offer',
      pair(servedApp([now()]), [PENDING], HIDDEN),
      { cause: 'version-not-offered', message: 'does not offer version 1.0.0 (pending), although all is well now' },
    ],
    [
      'an app that the service shows',
      pair(servedApp([now()], { hiddenBy: ['schema-violation'], visible: false }), [before()]),
      { cause: 'app-shown', message: 'The service shows the app, which is hidden now: schema-violation.' },
    ],
    [
      'an app that the service hides',
      pair(servedApp([now()]), [before()], HIDDEN),
      { cause: 'app-hidden', message: 'The service hides the app (artifact-refused), although all is well now.' },
    ],
    [
      'an app that the service hides, of which no versions are known',
      pair(servedApp([now()]), null, HIDDEN),
      { cause: 'app-hidden' },
    ],
  ],
});
