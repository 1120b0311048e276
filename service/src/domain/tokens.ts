import * as shape from './shape.ts';
import { type Scope } from './scopes.ts';

/** The schemas of tokens, and their part of the API. */

export const token = {
  id: shape.id,
  name: shape.text,
  scope: shape.ref<Scope>('Scope'),
  createdAt: shape.dateTime,
  expiresAt: shape.withDescription(shape.orNull(shape.dateTime), 'When the token expires; null if it never does.'),
  lastUsedAt: shape.withDescription(
    shape.orNull(shape.dateTime),
    'Accurate to a minute; null if the token was never used.',
  ),
};

export const tokenDetails = shape.strictObject('A token, without its value.', token);
export type TokenView = shape.ValueOf<typeof tokenDetails>;
