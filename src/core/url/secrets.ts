import { isSecretParameter, showsSignature } from '../text/secret-parameters.ts';
import { tokenParts } from '../text/signature-parameters.ts';
import { parseUrl } from './url.ts';

/** The values in a URL's query that `redact` hides and that are long enough to be distinguished from words. */
export function secretsOf(url: string): string[] {
  const pairs = [...(parseUrl(url)?.searchParams ?? [])];
  const isSigned = pairs.some(([name, value]) => showsSignature(name, value));
  const values = pairs.filter(([name, value]) => isSecretParameter(name, value, isSigned)).map(([, value]) => value);
  const parts = values.flatMap((value) => tokenParts(value)?.parts ?? []);
  return [...values, ...parts.flatMap((part) => ('secret' in part ? part.secret : []))].filter(
    ({ length }) => length >= 16,
  );
}
