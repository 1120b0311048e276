import type { RetirementReason } from '../../core/about/about-document.ts';
import * as api from '../http/openapi.ts';

/** The schemas of what authors say about their apps and versions. */

const REASONS = [
  'security',
  'broken',
  'superseded',
  'unmaintained',
  'legal',
] as const satisfies readonly RetirementReason[];

export const retirementReason = api.choice(REASONS);

export const retirementSchema = api.nullable(
  api.strictObject('Why the author advises against a version, which stays offered.', {
    reason: retirementReason,
    message: api.withDescription(api.text, 'What the author says about it: untrusted text.'),
    use: api.withDescription(api.orNull(api.text), 'The version that the author names in its place.'),
    since: api.withDescription(api.orNull(api.text), 'A date, such as 2026-01-31, as the author says.'),
  }),
);

export const linksSchema = api.strictObject('What the author links to: absolute URLs, and the license.', {
  homepage: api.orNull(api.text),
  source: api.orNull(api.text),
  licence: api.orNull(api.text),
  support: api.withDescription(api.orNull(api.text), 'A web page, or a mail address after mailto:.'),
});
export type LinksView = api.ValueOf<typeof linksSchema>;
