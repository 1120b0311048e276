import { ABOUT_FIELDS, recordFrom, type Retirement, type RetirementReason } from 'appreg';
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

const linkSchema = shape.orNull(shape.text);
const supportSchema = shape.withDescription(linkSchema, 'A web page, or a mail address after mailto:.');

export const linksSchema = shape.strictObject(
  'What the author links to: absolute URLs, and the license.',
  recordFrom(ABOUT_FIELDS.map(({ name, kind }) => [name, kind === 'support-url' ? supportSchema : linkSchema])),
);
export type LinksView = shape.ValueOf<typeof linksSchema>;
