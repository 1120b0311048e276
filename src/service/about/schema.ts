import type { RetirementReason } from '../../core/about/about-document.ts';
import { choice, nullable, orNull, strictObject, text, type ValueOf, withDescription } from '../http/openapi.ts';

/** The schemas of what authors say about their apps and versions. */

const REASONS = [
  'security',
  'broken',
  'superseded',
  'unmaintained',
  'legal',
] as const satisfies readonly RetirementReason[];

export const retirementReason = choice(REASONS);

export const retirementSchema = nullable(
  strictObject('Why the author advises against a version, which stays offered.', {
    reason: retirementReason,
    message: withDescription(text, 'What the author says about it: untrusted text.'),
    use: withDescription(orNull(text), 'The version that the author names in its place.'),
    since: withDescription(orNull(text), 'A date, such as 2026-01-31, as the author says.'),
  }),
);

export const linksSchema = strictObject('What the author links to: absolute URLs, and the license.', {
  homepage: orNull(text),
  source: orNull(text),
  licence: orNull(text),
  support: withDescription(orNull(text), 'A web page, or a mail address after mailto:.'),
});
export type LinksView = ValueOf<typeof linksSchema>;
