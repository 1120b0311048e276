import { type Retirement } from '../../core/about/about-file.ts';
import { type RetirementReason } from '../../core/about/about-document.ts';
import * as shape from './shape.ts';

/** A version that its author retired. */
export interface RetiredVersion {
  version: string;
  deprecated: Retirement;
}

/** The schemas of what authors say about their apps and versions. */

const REASONS = [
  'security',
  'broken',
  'superseded',
  'unmaintained',
  'legal',
] as const satisfies readonly RetirementReason[];

export const retirementReason = shape.choice(REASONS);

export const retirementSchema = shape.nullable(
  shape.strictObject('Why the author advises against a version, which stays offered.', {
    reason: retirementReason,
    message: shape.withDescription(shape.text, 'What the author says about it: untrusted text.'),
    use: shape.withDescription(shape.orNull(shape.text), 'The version that the author names in its place.'),
    since: shape.withDescription(shape.orNull(shape.text), 'A date, such as 2026-01-31, as the author says.'),
  }),
);

export const linksSchema = shape.strictObject('What the author links to: absolute URLs, and the license.', {
  homepage: shape.orNull(shape.text),
  source: shape.orNull(shape.text),
  licence: shape.orNull(shape.text),
  support: shape.withDescription(shape.orNull(shape.text), 'A web page, or a mail address after mailto:.'),
});
export type LinksView = shape.ValueOf<typeof linksSchema>;
