import { expect, test } from 'vitest';
import { NO_AUTH, subscribePage } from '../../src/ui/subscribe.ts';
import { type UnusableManifest } from '../../src/refresh/check-manifest.ts';
import { FINDINGS } from './views.ts';

const ADVICE = 'If the registry is private, subscribe with its credentials.';
const [finding] = FINDINGS;

async function pageOf(unusable: Partial<UnusableManifest>): Promise<string> {
  const { body } = subscribePage({
    url: 'https://apps.example.com/registry.json',
    name: '',
    urlError: null,
    nameError: null,
    auth: NO_AUTH,
    unusable: { message: finding!.message, advice: null, isFinding: true, findings: [finding!], ...unusable },
  });
  return String(await body);
}

function occurrences(page: string, text: string): number {
  return page.split(text).length - 1;
}

test('the message of a finding is shown once, with the advice for the subscriber', async () => {
  const page = await pageOf({ advice: ADVICE });
  expect(occurrences(page, finding!.message)).toBe(1);
  expect(occurrences(page, ADVICE)).toBe(1);
});

test('a message that is not one of a finding is shown above the findings', async () => {
  const message = 'The registry could not be reached from the service.';
  const page = await pageOf({ message, isFinding: false });
  expect(occurrences(page, message)).toBe(1);
  expect(page.indexOf(message)).toBeLessThan(page.indexOf(finding!.message));
  expect(page).not.toContain(ADVICE);
});
