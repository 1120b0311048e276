import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { newWebhookSecret, signingSecrets, withNewSecret } from '../../src/domain/webhook-secrets.ts';
import { signatureHeaders } from '../../src/jobs/post-webhook.ts';

/** Deliveries are signed with a replaced secret for a day, so that a receiver can change its own in between. */

const HOUR = 3_600_000;
const NOW = new Date('2026-05-01T00:00:00Z');
const after = (hours: number): Date => new Date(NOW.getTime() + hours * HOUR);
const [first, second, third] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()];

test.each([
  [0, [second, first]],
  [23.9, [second, first]],
  [24, [second]],
  [1000, [second]],
])('after %d hours, the right secrets sign', (hours, secrets) => {
  expect(signingSecrets(withNewSecret(first, second, NOW), after(hours))).toEqual(secrets);
});

describe('a secret', () => {
  test('that was never replaced signs alone', () => {
    expect(signingSecrets(first, NOW)).toEqual([first]);
  });

  test('that is replaced twice within a day signs until the end of its own day', () => {
    const stored = withNewSecret(withNewSecret(first, second, NOW), third, after(10));
    expect(signingSecrets(stored, after(11))).toEqual([third, second, first]);
    expect(signingSecrets(stored, after(25))).toEqual([third, second]);
    expect(signingSecrets(stored, after(35))).toEqual([third]);
  });

  test('that cannot be read is replaced without it', () => {
    expect(withNewSecret(null, second, NOW)).toBe(second);
  });

  test('that has ended is not stored any more, and at most three are', () => {
    expect(withNewSecret(withNewSecret(first, second, NOW), third, after(25))).not.toContain(first);
    let stored = first;
    for (let i = 0; i < 10; i += 1) stored = withNewSecret(stored, newWebhookSecret(), NOW);
    expect(signingSecrets(stored, NOW)).toHaveLength(4);
  });
});

test('a delivery is verified with each of its secrets, and with no other', () => {
  const headers = signatureHeaders([second, first], 'msg_1', new Date(), '{"a":1}');
  for (const secret of [first, second]) expect(new Webhook(secret).verify('{"a":1}', headers)).toEqual({ a: 1 });
  expect(() => new Webhook(third).verify('{"a":1}', headers)).toThrow();
});
