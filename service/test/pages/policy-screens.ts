import { type Screen } from '../../src/ui/layout.ts';
import { policyPage, type PolicyPage } from '../../src/ui/policies.ts';
import { type PreviewView } from '../../src/domain/policies.ts';
import { type RegistryFrame } from '../../src/ui/registry-frame.ts';
import { HOSTILE_TEXTS, minutesFrom } from './views.ts';

/** The screens of the policy of a registry. */

const POLICY = JSON.stringify({ schema: 1, deny: ['clock@<1.2.0'], minimumAge: '3d' }, null, 2);

const PREVIEW: PreviewView = {
  hidden: 230,
  appearing: 1,
  hidesEverything: false,
  hiddenVersions: [
    { app: 'clock', version: '1.1.0', line: 'deny[0] "clock@<1.2.0"', offeredAt: null },
    { app: 'clock', version: '2.1.0', line: 'minimumAge "3d"', offeredAt: minutesFrom(3000) },
  ],
  appearingVersions: [{ app: 'feed-watch', version: '0.9.0' }],
  hiddenApps: [],
  latest: [
    { app: 'clock', before: '2.1.0', after: '2.0.0' },
    { app: 'feed-watch', before: null, after: '0.9.0' },
  ],
};

export function policyScreens(frame: RegistryFrame): Record<string, () => Screen> {
  const screen = (more: Partial<PolicyPage>): Screen =>
    policyPage({ ...frame, text: POLICY, faults: [], preview: null, isUnconfirmed: false, isStored: true, ...more });
  return {
    policy: () => screen({}),
    'policy-none': () => screen({ text: '', isStored: false }),
    'policy-read': () => screen({ scope: 'read' }),
    'policy-wrong': () =>
      screen({
        faults: [
          { message: 'Unknown field “dney”. Did you mean “deny”?', position: { line: 3, column: 3 } },
          { message: 'The text is longer than 40000 characters.', position: null },
        ],
      }),
    'policy-preview': () => screen({ preview: PREVIEW }),
    'policy-unconfirmed': () => screen({ preview: { ...PREVIEW, hidesEverything: true }, isUnconfirmed: true }),
    'policy-hostile': () =>
      screen({
        text: HOSTILE_TEXTS.join('\n'),
        faults: HOSTILE_TEXTS.map((message) => ({ message, position: { line: 1, column: 1 } })),
        preview: {
          ...PREVIEW,
          hiddenVersions: HOSTILE_TEXTS.map((text) => ({ app: text, version: text, line: text, offeredAt: null })),
          appearingVersions: HOSTILE_TEXTS.map((text) => ({ app: text, version: text })),
          latest: HOSTILE_TEXTS.map((text) => ({ app: text, before: text, after: text })),
        },
      }),
  };
}
