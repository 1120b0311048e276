import { expect, test } from 'vitest';
import { openTrust, SecureContexts } from '../../../src/observe/http/tls.ts';
import { certificates } from '../../support/fault-certificates.ts';

/** Clients that trust the same authorities parse them once. */

test('clients that share contexts get the same one, as long as they trust the same authorities', () => {
  const contexts = new SecureContexts();
  const { ca } = certificates();
  const first = openTrust(ca, null, contexts).context();
  expect(openTrust(ca, null, contexts).context()).toBe(first);
  expect(openTrust(null, null, contexts).context()).not.toBe(first);
});

test('clients that share nothing get contexts of their own', () => {
  const { ca } = certificates();
  expect(openTrust(ca, null).context()).not.toBe(openTrust(ca, null).context());
});
