import { MANIFEST_FIELDS, type ManifestFieldName, recordFrom } from 'appreg';
import * as shape from './shape.ts';

/**
 * The fields of the manifest that the service only stores and shows. One column contains them, as JSON, so that a field
 * that is added to the table of fields (core/registry/app-fields.ts) needs neither a migration nor an edit here.
 */

/** Apps are searched for, sorted and drawn by these, and their files requested: they have columns, or are not stored. */
const OWN_COLUMNS = [
  'name',
  'description',
  'iconUrl',
  'color',
  'appMetadataUrl',
] as const satisfies ManifestFieldName[];

/** The other ones. */
export const FURTHER_FIELDS = MANIFEST_FIELDS.filter(({ name }) => !(OWN_COLUMNS as readonly string[]).includes(name));

/** Their values by name; in a row that was written before a field was added, it is absent. */
export type FurtherFields = Readonly<Record<string, string | null>>;

/** Their members of an app in the API. */
export const furtherFieldShapes: object = recordFrom(
  FURTHER_FIELDS.map(({ name, description }) => [name, shape.withDescription(shape.orNull(shape.text), description)]),
);

/** The values as the API returns them. */
export function furtherFieldsView(stored: FurtherFields): object {
  return recordFrom(FURTHER_FIELDS.map(({ name }) => [name, stored[name] ?? null]));
}
