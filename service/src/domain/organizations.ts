import * as shape from './shape.ts';

/** The schemas of organizations, and their part of the API. */

export const organization = shape.strictObject('A subscriber.', {
  id: shape.id,
  name: shape.text,
  createdAt: shape.dateTime,
  tokenSince: shape.withDescription(shape.dateTime, 'When the token got its current value.'),
});
export type OrganizationView = shape.ValueOf<typeof organization>;

export const summary = shape.strictObject('An organization as the operator sees it.', {
  id: shape.id,
  name: shape.text,
  createdAt: shape.dateTime,
  suspendedAt: shape.withDescription(
    shape.orNull(shape.dateTime),
    'When the organization was suspended; null if it is not.',
  ),
  subscriptions: shape.count,
  tokens: shape.count,
  webhooks: shape.count,
  lastUsedAt: shape.withDescription(
    shape.orNull(shape.dateTime),
    'The last use of any of its tokens, accurate to a minute.',
  ),
});
export type OrganizationSummary = shape.ValueOf<typeof summary>;
