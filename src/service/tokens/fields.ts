import type { JsonObject } from '../../core/json/json.ts';
import { SCOPES } from './scopes.ts';
import type { NewToken } from './store.ts';
import { choiceField, fieldsIn, futureField, nullable, textField } from '../http/fields.ts';
import { nameError } from '../http/name-validation.ts';

/** The token that a body describes. @throws Refusal that lists every invalid field */
export function newTokenIn(body: JsonObject): NewToken {
  return fieldsIn<NewToken>(body, {
    name: textField(nameError),
    scope: choiceField(SCOPES),
    expiresAt: nullable(futureField(Date.now())),
  });
}
